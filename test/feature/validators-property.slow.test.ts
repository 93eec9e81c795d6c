import fc from 'fast-check';
import { stringify } from 'lossless-json';
import { BSONRegExp, type Document, ObjectId } from 'mongodb';
import { collectionValidator, service } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { buildModel, toDocumentFields } from '../support/fuzzing/random-model.ts';
import { bodyOf, describeScenario, type Scenario, type Step, scenario } from '../support/fuzzing/random-write.ts';

const database = useDatabase();
const tally = { accepted: 0, refused: 0 };

/** An api over the scenario's model whose errors are kept. */
function build({ model: spec, resources: [rules] }: Scenario, errors: unknown[]) {
  const model = buildModel(spec.fields, spec);
  const shop = service();
  const { serverFields, explicitWrites, mergePatch } = rules;
  const options = { explicitWrites, mergePatch, serverFields: () => toDocumentFields(spec.fields, serverFields) };
  const records = shop.resource({ model, path: 'records', ops: ['get', 'create', 'patch', 'put'], ...options });
  return { model, api: shop.api({ db: database.db, openapi: false, onError: (error) => errors.push(error), resources: [records] }) };
}

/** A value of a type that no field has. */
const strange = new BSONRegExp('x');

/** Copies of a stored record, each of which breaks one rule of its validator. */
function* brokenBy(schema: Document, value: Document): Generator<Document> {
  for (const key of schema.required ?? []) {
    if (key === '_id') continue;
    const { [key]: _, ...rest } = value;
    yield rest;
  }
  for (const [key, rules] of Object.entries<Document>(schema.properties ?? {})) {
    if (Object.keys(rules).length === 0 || rules.not || key === '_id') continue; // an untyped one may be all but null
    yield { ...value, [key]: strange };
    if (rules.properties && value[key]) for (const inner of brokenBy(rules, value[key])) yield { ...value, [key]: inner };
    if (rules.items && Object.keys(rules.items).length > 0) yield { ...value, [key]: [strange] };
    if (rules.additionalProperties && Object.keys(rules.additionalProperties).length > 0) yield { ...value, [key]: { k: strange } };
  }
}

describe('the validator of a model', () => {
  it('accepts whatever the library writes, and refuses a document that breaks one of its rules', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const errors: { code?: number }[] = [];
        const { model, api } = build(given, errors);
        const validator = collectionValidator(model);
        await database.db.dropCollection('records');
        await database.db.createCollection('records', { validator, validationLevel: 'strict', validationAction: 'error' });
        const ids: string[] = [];
        const send = async (step: Step) => {
          const isCreate = step.operation === 'create' || ids.length === 0;
          const operation = isCreate ? 'create' : step.operation === 'delete' ? 'put' : step.operation;
          const body = stringify(bodyOf(given.model, given.resources[0], { ...step, operation }));
          const id = ids[step.target % Math.max(1, ids.length)];
          const method = { create: 'POST', patch: 'PATCH', put: 'PUT' }[operation];
          const url = `http://in-process/records${isCreate ? '' : `/${id}`}`;
          const answer = await api.fetch(
            new Request(url, { method, body: body as string, headers: { 'content-type': 'application/json' } }),
          );
          if (answer.status === 201) ids.push(((await answer.json()) as { data: { id: string } }).data.id);
          if (answer.ok) tally.accepted++;
          const refused = errors.find((error) => error.code === 121);
          if (refused)
            throw new Error(
              [`${method} ${body}`, fc.stringify((refused as { errInfo?: unknown }).errInfo), describeScenario(given)].join('\n'),
            );
        };
        for (const step of given.steps) await send({ ...step, isFaulty: false, operation: 'create' });
        for (const step of given.steps) await send(step);

        const records = database.db.collection('records');
        const [record] = await records.find({}, { promoteValues: false }).limit(1).toArray(); // as it is stored
        if (!record) return;
        for (const broken of brokenBy(validator.$jsonSchema, record)) {
          await expect(records.insertOne({ ...broken, _id: new ObjectId() })).rejects.toMatchObject({ code: 121 });
          tally.refused++;
        }
      }),
      cases(30),
    );
    expect(tally.accepted).toBeGreaterThan(500);
    expect(tally.refused).toBeGreaterThan(300);
  }, 600_000);
});
