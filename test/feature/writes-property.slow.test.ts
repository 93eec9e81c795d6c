import fc from 'fast-check';
import { parse, stringify } from 'lossless-json';
import { ObjectId } from 'mongodb';
import { service } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type ModelSpec, protectedValues, type Rules, readFields } from '../support/fuzzing/field-oracle.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { equal, fromBson, toBson } from '../support/fuzzing/plain.ts';
import { buildModel, type Plain, type PlainObject, toDocumentFields } from '../support/fuzzing/random-model.ts';
import { bodyOf, describeScenario, plantedFields, type Scenario, type Step, scenario } from '../support/fuzzing/random-write.ts';
import { effectOf } from '../support/fuzzing/write-oracle.ts';
import { type Answer, type TestServer, useServer } from '../support/http/serve.ts';

interface Known {
  readonly id: ObjectId;
  readonly fields: PlainObject;
  readonly revision: Plain;
  readonly times: PlainObject;
  readonly isGone: boolean;
}

/** What should happen: the status, with the record afterwards where it was written. */
interface Prediction {
  readonly status: number;
  readonly errors?: ReadonlySet<string>;
  /** Paths below which an object can never be completed: those around them may be named too. */
  readonly unattainable?: ReadonlySet<string>;
  readonly written?: PlainObject;
}

const database = useDatabase();
const serve = useServer();
const records = () => database.db.collection<{ _id: ObjectId }>('records');
const paths = ['records', 'second'] as const;

/** How often each operation ended in each way. */
const tally = new Map<string, number>();
const count = (outcome: string) => tally.set(outcome, (tally.get(outcome) ?? 0) + 1);

describe('writes', () => {
  it('do what the rules say, whatever the model, the stored record and the request', async () => {
    let routes: ReturnType<ReturnType<ReturnType<typeof service>['api']>['routes']> = (_ctx, next) => next();
    const server = await serve((ctx, next) => routes(ctx, next));
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        routes = routesOf(given);
        const play = new Play(given, server);
        try {
          await play.run();
        } catch (error) {
          throw new Error([(error as Error).message, describeScenario(given), ...play.trace].join('\n'), { cause: error });
        }
      }),
      cases(40),
    );
    expect([...tally.keys()]).toEqual(expect.arrayContaining(usualOutcomes));
  }, 600_000);
});

/** Without these the test would prove nothing; each comes some dozen times. */
const usualOutcomes = ['create 201', 'create 422', 'delete 204', 'delete 404', 'delete 412'].concat(
  ['merge', 'replace', 'put'].flatMap((operation) => [200, 404, 412, 422].map((status) => `${operation} ${status}`)),
  ['422 incomplete'],
);

/** The members of a point: an error of one of them is one of the point. No field of a random model is called so. */
const withinPoint = /\.(?:coordinates(?:\.[01])?|bbox|\$near)$/;

function routesOf({ model: spec, resources }: Scenario) {
  const model = buildModel(spec.fields, spec);
  const shop = service();
  const define = ({ serverFields, explicitWrites, mergePatch }: Rules, path: string) =>
    shop.resource({
      model,
      path,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
      explicitWrites,
      mergePatch,
      serverFields: () => toDocumentFields(spec.fields, serverFields),
    });
  const [first, second] = resources;
  return shop
    .api({ db: database.db, prefix: '/api', openapi: false, resources: [define(first, paths[0]), define(second, paths[1])] })
    .routes();
}

class Play {
  readonly trace: string[] = [];
  private readonly known: Known[] = [];

  constructor(
    private readonly scenario: Scenario,
    private readonly server: TestServer,
  ) {}

  async run(): Promise<void> {
    await this.plant();
    for (const step of this.scenario.steps) await this.take(step);
    for (const record of this.known) await this.read(record);
  }

  private async plant(): Promise<void> {
    const { model, planted } = this.scenario;
    for (const { salt, legacy, revision } of planted) {
      this.known.push({
        id: new ObjectId(),
        fields: plantedFields(model.fields, salt, legacy),
        revision: { missing: undefined, null: null, some: BigInt(salt) }[revision],
        times: model.timestamps ? { createdAt: new Date(0), updatedAt: new Date(1) } : {},
        isGone: false,
      });
    }
    await records().deleteMany({});
    await records().insertMany(this.known.map((record) => ({ ...(toBson(storedRecord(model, record)) as object), _id: record.id })));
    for (const record of this.known) this.trace.push(`stored ${fc.stringify(storedRecord(model, record))}`);
  }

  private async take(step: Step): Promise<void> {
    const { model, resources } = this.scenario;
    const rules = resources[step.resource];
    const index = step.operation === 'create' ? this.known.length : this.choose(step.target);
    const before = this.known[index] ?? { id: new ObjectId(), fields: {}, revision: 0n, times: {}, isGone: true };
    const body = step.operation === 'delete' ? undefined : bodyOf(model, rules, step);
    const predicted = predict(model, rules, step, before, body);
    if (predicted === 'silent') return void count(`${nameOf(step, rules)} silent`);
    count(`${nameOf(step, rules)} ${predicted.status}`);

    const path = `/api/${paths[step.resource]}`;
    const headers = step.operation === 'create' ? {} : { 'if-match': ifMatch(step, before) };
    const method = { create: 'POST', patch: 'PATCH', put: 'PUT', delete: 'DELETE' }[step.operation];
    const sent = { headers, ...(body && { body: stringify(body) }) };
    const target = step.operation === 'create' ? path : `${path}/${before.id}`;
    const began = new Date();
    const answer = await this.server.request(method, target, sent);
    this.trace.push(`${method} ${target} ${headers['if-match'] ?? ''} ${sent.body ?? ''}`, `  -> ${answer.status} ${answer.text}`);
    this.checkAnswer(answer, predicted);

    if (predicted.status === 204) this.known[index] = { ...before, isGone: true };
    if (predicted.written) {
      const id = step.operation === 'create' ? new ObjectId(answer.body.data.id as string) : before.id;
      const revision = step.operation === 'create' ? 0n : BigInt((before.revision as bigint | null | undefined) ?? 0) + 1n;
      this.known[index] = { id, revision, fields: predicted.written, times: await this.timesAfter(id, before, began), isGone: false };
      if (step.operation === 'create') equal(answer.headers.location, `${path}/${id}`, 'Location');
      else checkProtected(model, rules, step, before, predicted.written, body as PlainObject);
    }
    const stored = await records().find({}, { promoteValues: false }).toArray();
    const expected = this.known.filter(({ isGone }) => !isGone).map((record) => storedRecord(model, record));
    equal(keyed(stored.map(fromBson) as PlainObject[]), keyed(expected), 'stored records');
    if (predicted.status < 204) this.checkRecord(answer, this.known[index] as Known);
  }

  private choose(target: number): number {
    const isWanted = target === 15 ? ({ isGone }: Known) => isGone : ({ isGone }: Known) => !isGone;
    const candidates = this.known.filter(isWanted);
    return this.known.indexOf(candidates[target % candidates.length] as Known);
  }

  private checkAnswer({ status, headers, body, text }: Answer, predicted: Prediction): void {
    equal(status, predicted.status, 'status');
    const errors = this.server.errors.splice(0);
    if (status !== 500) equal(errors, [], 'errors of the app');
    else equal(body, { type: 'about:blank', title: 'Internal Server Error', status: 500 }, 'answer');
    if (status === 204) equal(text, '', 'answer');
    if (status >= 400) equal(headers['content-type'], 'application/problem+json', 'Content-Type');
    if (predicted.errors) {
      const named = new Set<string>(body.errors.map(({ field }: { field: string }) => field.replace(withinPoint, '')));
      const around = [...named].filter((path) => [...(predicted.unattainable ?? [])].some((inner) => inner.startsWith(`${path}.`)));
      equal([...named].sort(), [...new Set([...predicted.errors, ...around])].sort(), 'errors[].field');
    }
  }

  private checkRecord(answer: Answer, record: Known): void {
    const { model } = this.scenario;
    const times = Object.entries(record.times).map(([name, time]) => [name, (time as Date).toISOString()]);
    const revision = record.revision ?? 0n;
    equal(
      parse(answer.text, undefined, (digits) => (/^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits))),
      {
        data: {
          id: `${record.id}`,
          ...readFields(model.fields, record.fields),
          ...(model.revision && { revision }),
          ...Object.fromEntries(times),
        },
      },
      'answer',
    );
    equal(answer.headers.etag, model.revision ? `"${revision}"` : undefined, 'ETag');
  }

  /** The timestamps of a record that was just written: `createdAt` stays, `updatedAt` is of this request. */
  private async timesAfter(id: ObjectId, before: Known, began: Date): Promise<PlainObject> {
    if (!this.scenario.model.timestamps) return {};
    const { createdAt, updatedAt } = ((await records().findOne({ _id: id })) ?? {}) as PlainObject;
    const isNow = (time: Plain) => time instanceof Date && time >= began && time <= new Date();
    const created = before.times.createdAt ?? (isNow(createdAt) ? createdAt : 'a time within this request');
    return { createdAt: created, updatedAt: isNow(updatedAt) ? updatedAt : 'a time within this request' };
  }

  private async read(record: Known): Promise<void> {
    const path = `/api/${paths[1]}/${record.id}`;
    const answer = await this.server.request('GET', path);
    this.trace.push(`GET ${path}`, `  -> ${answer.status} ${answer.text}`);
    equal(answer.status, record.isGone ? 404 : 200, 'status');
    if (!record.isGone) this.checkRecord(answer, record);
  }
}

// 'silent': neither the specification nor the decisions say what happens. A put that writes nothing (`PUT {}` where all
// is closed): whether it counts as a write. A replacement of an object that requires what the client may not send. A
// create that is wrong in itself while the server, too, fails to set a required field. Such a request is not sent.
/**
 * "Order of checks: … If-Match syntax (400) → validation (422) → existence (404) → If-Match (412) → missing embedded
 * object (422)."
 */
function predict(model: ModelSpec, rules: Rules, step: Step, before: Known, body: PlainObject = {}): Prediction | 'silent' {
  if (step.operation !== 'create' && step.ifMatch === 'malformed') return { status: 400 };
  const { invalid, incomplete, unattainable, unsendable, isNothing, fields } =
    step.operation === 'delete' ? untouched : effectOf(step.operation, model, rules, body, before.fields);
  if (unsendable.size > 0) return step.operation === 'create' && invalid.size === 0 ? { status: 500 } : 'silent';
  if (invalid.size > 0) return { status: 422, errors: invalid };
  if (step.operation === 'create') return { status: 201, written: fields };
  if (before.isGone) return { status: 404 };
  if (!matches(model, step)) return { status: 412 };
  if (step.operation === 'delete') return { status: 204 };
  if (incomplete.size > 0) {
    count('422 incomplete');
    return { status: 422, errors: incomplete, unattainable };
  }
  // "`PATCH {}` is 200 without a write or an increment, and so is any patch that says no more than that, but honours
  // If-Match."
  if (step.operation === 'patch' && isNothing) return { status: 200 };
  return isNothing ? 'silent' : { status: 200, written: fields };
}

const untouched: ReturnType<typeof effectOf> = {
  invalid: new Set(),
  incomplete: new Set(),
  unattainable: new Set(),
  unsendable: new Set(),
  isNothing: false,
  fields: {},
};

function nameOf(step: Step, rules: Rules): string {
  if (step.operation !== 'patch') return step.operation;
  return rules.mergePatch ? 'merge' : 'replace';
}

/** "On a model without a Revision field, a request carrying If-Match gets 412, except `*`." "Weak tags never match." */
function matches(model: ModelSpec, { ifMatch }: Step): boolean {
  if (ifMatch === 'none' || ifMatch === 'any') return true;
  return model.revision && (ifMatch === 'current' || ifMatch === 'list');
}

function ifMatch(step: Step, { revision }: Known): string | undefined {
  const current = BigInt((revision as bigint | null | undefined) ?? 0);
  const of = {
    none: undefined,
    current: `"${current}"`,
    stale: `"${current + 1n}"`,
    any: '*',
    weak: `W/"${current}"`,
    malformed: `${current}`,
  };
  return step.ifMatch === 'list' ? `"x", "${current}"` : of[step.ifMatch];
}

/**
 * "What a client cannot set it cannot clear", but by a replacement with merge_patch false, which returns it to its
 * default.
 */
function checkProtected(model: ModelSpec, rules: Rules, step: Step, before: Known, written: PlainObject, body: PlainObject): void {
  const after = protectedValues(model.fields, rules, written);
  for (const [path, value] of protectedValues(model.fields, rules, before.fields)) {
    const [top] = path.split('.', 1) as [string];
    const isReplaced = step.operation === 'patch' && !rules.mergePatch && Object.hasOwn(body, top);
    if (!isReplaced) equal(after.get(path), value, `protected value ${path}`);
  }
}

function storedRecord(model: ModelSpec, { id, fields, revision, times }: Known): PlainObject {
  return { _id: `${id}`, ...fields, ...(model.revision && revision !== undefined && { revision }), ...times };
}

const keyed = (stored: readonly PlainObject[]) => Object.fromEntries(stored.map((record) => [record._id, record]));
