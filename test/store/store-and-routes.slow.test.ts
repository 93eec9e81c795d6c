import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { stringify } from 'lossless-json';
import { ObjectId } from 'mongodb';
import { type Api, openStore, Problem, service } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { opened, toDocumentBody } from '../support/fuzzing/document-body.ts';
import type { ModelSpec } from '../support/fuzzing/field-oracle.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { equal, fromBson, toBson } from '../support/fuzzing/plain.ts';
import { buildModel, finishFields, type Plain, type PlainObject, rawFields } from '../support/fuzzing/random-model.ts';
import { bodyOf, describeScenario, plantedFields, type Step, steps } from '../support/fuzzing/random-write.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

/**
 * A model without closed fields, since policies are about clients only, and what is done to its records in both ways.
 */
interface Scenario {
  readonly model: ModelSpec;
  readonly planted: readonly { readonly salt: number; readonly legacy: boolean }[];
  readonly steps: readonly Step[];
}

/** How a step ended: the status and the fields at fault, and the id of the record if it was made. */
interface Outcome {
  readonly status: number;
  readonly code?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly id?: ObjectId | undefined;
}

const scenario: fc.Arbitrary<Scenario> = fc.record({
  model: fc.record({
    fields: rawFields.map((raw) => finishFields(raw.map(opened), false)),
    revision: fc.nat(4).map((chance) => chance < 4),
    timestamps: fc.boolean(),
  }),
  planted: fc.array(fc.record({ salt: fc.nat(6), legacy: fc.boolean() }), { minLength: 1, maxLength: 3, size: 'max' }),
  steps,
});

const database = useDatabase();
const serve = useServer();
const collections = ['records', 'stored'] as const;
const rules = { explicitWrites: false, mergePatch: true, serverFields: {} };

/** How often each operation ended in each way. */
const tally = new Set<string>();
const usualOutcomes = ['create 201', 'create 422', 'delete 204', 'delete 404', 'delete 412'].concat(
  ['patch', 'put'].flatMap((operation) => [200, 404, 422].map((status) => `${operation} ${status}`)),
  ['patch 412', 'put 500'],
);

describe('the store of a model', () => {
  it('does what the routes do: equal records, revisions and errors, whatever the model and the writes', async () => {
    let routes: ReturnType<Api['routes']> = (_ctx, next) => next();
    const server = await serve((ctx, next) => routes(ctx, next));
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const play = new Play(given, server);
        routes = play.routes();
        try {
          await play.run();
        } catch (error) {
          const about = describeScenario({ ...given, resources: [rules, rules] } as never);
          throw new Error([(error as Error).message, about, ...play.trace].join('\n'), { cause: error });
        }
      }),
      cases(60),
    );
    expect([...tally]).toEqual(expect.arrayContaining(usualOutcomes));
  }, 600_000);
});

class Play {
  readonly trace: string[] = [];
  /** The ids of each record, in both collections. */
  readonly #ids: (readonly [ObjectId, ObjectId])[] = [];
  readonly #gone = new Set<number>();
  readonly #store: Any;
  #change: PlainObject = {};

  constructor(
    private readonly scenario: Scenario,
    private readonly server: TestServer,
  ) {
    const { model } = scenario;
    this.#store = openStore(buildModel(model.fields, { ...model, collection: collections[1] }), { db: database.db });
  }

  routes(): ReturnType<Api['routes']> {
    const shop = service();
    const { model } = this.scenario;
    const change = async (ctx: { load(): Promise<object>; save(record: object): Promise<unknown> }) =>
      ctx.save(assign(await ctx.load(), this.#change));
    const resource = shop.resource({
      model: buildModel(model.fields, model),
      path: 'records',
      ops: ['create', 'patch', 'delete'],
      operations: { change: { handler: change as never } },
    });
    return shop.api({ db: database.db, prefix: '/api', openapi: false, resources: [resource] }).routes();
  }

  async run(): Promise<void> {
    await this.#plant();
    for (const step of this.scenario.steps) await this.#take(step);
  }

  async #plant(): Promise<void> {
    const { model, planted } = this.scenario;
    for (const { salt, legacy } of planted) {
      const id = new ObjectId();
      this.#ids.push([id, id]);
      const stored = { ...(toBson(plantedFields(model.fields, salt, legacy)) as object), ...(legacy ? {} : { revision: salt }), _id: id };
      this.trace.push(`stored ${fc.stringify(stored)}`);
      for (const name of collections) {
        if (this.#ids.length === 1) await database.db.collection(name).deleteMany({});
        await database.db.collection(name).insertOne({ ...stored });
      }
    }
  }

  async #take(step: Step): Promise<void> {
    const { model } = this.scenario;
    const index = step.operation === 'create' ? this.#ids.length : this.#choose(step.target);
    const ids = this.#ids[index] ?? [new ObjectId(), new ObjectId()];
    const body = step.operation === 'delete' ? {} : bodyOf(model, rules, step);
    const document = () => toDocumentBody(model.fields, body); // a saved one is changed in place
    const revision = step.operation === 'put' ? undefined : await this.#revisionFor(step, ids[0]);
    this.#change = document();
    const byRoute = await this.#request(step, ids[0], body, revision);
    const byStore = await this.#call(step, ids[1], document(), revision);
    this.trace.push(`${step.operation} ${index} ${revision ?? ''} ${stringify(body)}`, `  -> ${fc.stringify([byRoute, byStore])}`);
    tally.add(`${step.operation} ${byRoute.status}`);
    equal({ ...byStore, id: undefined }, { ...byRoute, id: undefined }, 'outcome');
    if (byRoute.status === 201) this.#ids.push([byRoute.id, byStore.id] as [ObjectId, ObjectId]);
    if (byRoute.status === 204) this.#gone.add(index);
    const [first, second] = [await this.#stored(0), await this.#stored(1)];
    equal(second, first, 'stored records');
  }

  #choose(target: number): number {
    const candidates = this.#ids.flatMap((_ids, index) => (this.#gone.has(index) === (target === 15) ? [index] : []));
    return candidates[target % candidates.length] ?? -1;
  }

  async #revisionFor({ ifMatch }: Step, id: ObjectId): Promise<number | undefined> {
    if (ifMatch !== 'current' && ifMatch !== 'stale') return undefined;
    const stored = await database.db.collection(collections[0]).findOne({ _id: id });
    return Number(stored?.revision ?? 0) + Number(ifMatch === 'stale');
  }

  async #request({ operation }: Step, id: ObjectId, body: PlainObject, revision: number | undefined): Promise<Outcome> {
    const headers = revision === undefined || operation === 'create' ? {} : { 'if-match': `"${revision}"` };
    const path = `/api/records/${id}`;
    const send = (method: string, to: string, sent?: string) => this.server.request(method, to, { headers, ...(sent && { body: sent }) });
    const text = stringify(body) as string;
    const answer = await {
      create: () => send('POST', '/api/records', text),
      patch: () => send('PATCH', path, text),
      put: () => send('POST', `${path}/change`), // saves a loaded record
      delete: () => send('DELETE', path),
    }[operation]();
    const { status, body: answered } = answer;
    this.server.errors.splice(0);
    if (status < 400) return { status, id: answered?.data?.id && new ObjectId(answered.data.id as string) };
    return { status, code: answered.code, fields: answered.errors && fieldsOf(answered.errors) };
  }

  /** A promise of the store: what it returns is what `get` returns afterwards. */
  async #call({ operation }: Step, id: ObjectId, document: PlainObject, revision: number | undefined): Promise<Outcome> {
    const store = this.#store;
    const options = revision === undefined ? {} : { ifMatch: revision };
    const calls: Record<typeof operation, () => Promise<{ id: ObjectId }>> = {
      create: () => store.create(document),
      patch: () => store.update(id, document, options),
      put: async () => store.save(assign(await store.get(id), document)),
      delete: () => store.remove(id, options),
    };
    try {
      const result = await calls[operation]();
      if (operation !== 'delete') sameDocument(result, await store.get(result.id));
      return { status: { create: 201, patch: 200, put: 200, delete: 204 }[operation], id: operation === 'delete' ? undefined : result.id };
    } catch (error) {
      if (!(error instanceof Problem)) {
        if (error instanceof DifferentDocument) throw error;
        return { status: 500 };
      }
      return { status: error.status, code: error.code, fields: error.errors && fieldsOf(error.errors) };
    }
  }

  /**
   * The records of a collection in the order of their creation, without ids, and with the names of their times only.
   */
  async #stored(way: 0 | 1): Promise<Plain> {
    const found = await database.db.collection(collections[way]).find({}, { promoteValues: false }).toArray();
    const byId = new Map(
      found.map(({ _id, createdAt, updatedAt, ...stored }) => {
        const times = [createdAt, updatedAt].map((time) => time instanceof Date);
        return [String(_id), { ...(fromBson(stored) as object), times }];
      }),
    );
    return this.#ids.map((ids) => byId.get(String(ids[way])) ?? null);
  }
}

class DifferentDocument extends Error {}

function sameDocument(returned: unknown, read: unknown): void {
  if (!isDeepStrictEqual(returned, read)) throw new DifferentDocument(`returned ${fc.stringify(returned)}, and read ${fc.stringify(read)}`);
}

const fieldsOf = (errors: readonly { readonly field: string }[]) => errors.map(({ field }) => field).sort();

/** `__proto__` is to be a key. */
function assign(document: object, changes: PlainObject): object {
  for (const [key, value] of Object.entries(changes))
    Object.defineProperty(document, key, { value, enumerable: true, writable: true, configurable: true });
  return document;
}
