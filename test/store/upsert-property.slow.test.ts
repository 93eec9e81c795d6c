import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { openStore, Problem } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { opened, toDocumentBody } from '../support/fuzzing/document-body.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { equal, fromBson, toBson } from '../support/fuzzing/plain.ts';
import { buildModel, finishFields, rawFields } from '../support/fuzzing/random-model.ts';
import { bodyOf, plantedFields, type Step } from '../support/fuzzing/random-write.ts';

const rules = { explicitWrites: false, mergePatch: true, serverFields: {} };

/** A model, what is stored of it at first, and the documents that come one after the other. */
const scenario = fc.record({
  model: fc.record({
    fields: rawFields.map((raw) => finishFields(raw.map(opened), false)),
    revision: fc.nat(4).map((chance) => chance < 4),
    timestamps: fc.boolean(),
  }),
  planted: fc.option(fc.record({ salt: fc.nat(6), legacy: fc.boolean() })),
  documents: fc.array(
    fc.record({
      salt: fc.nat(6),
      isFaulty: fc.boolean(),
      unknown: fc.constantFrom(undefined, undefined, 'zzz', '$set', '__proto__', '_id', 'revision', 'createdAt', 'a.a'),
      isEmpty: fc.nat(5).map((chance) => chance === 5),
    }),
    { minLength: 1, maxLength: 4, size: 'max' },
  ),
});

const database = useDatabase();
const tally = new Set<string>();

interface Outcome {
  readonly status: number;
  readonly fields?: readonly string[] | undefined;
  readonly done?: Any;
}

async function outcomeOf(run: Promise<unknown>): Promise<Outcome> {
  try {
    return { status: 200, done: await run };
  } catch (error) {
    if (!(error instanceof Problem)) return { status: 500 };
    return { status: error.status, fields: error.errors?.map(({ field }) => field).sort() };
  }
}

describe('upsert()', () => {
  it('leaves what `create` makes of the same document, apart from what the service has set before', async () => {
    const collection = (name: string) => database.db.collection<Any>(name);
    const stored = (name: string, id: unknown) => collection(name).findOne({ _id: id }, { promoteValues: false });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ model, planted, documents }) => {
        const open = (name: string): Any => openStore(buildModel(model.fields, { ...model, collection: name }), { db: database.db });
        const [id, created] = [new ObjectId(), open('created')];
        if (planted) {
          const fields = plantedFields(model.fields, planted.salt, planted.legacy);
          await collection('upserted').insertOne({
            ...(toBson(fields) as object),
            ...(model.revision && !planted.legacy && { revision: 7 }),
            _id: id,
          });
        }
        for (const step of documents) {
          const given = bodyOf(model, rules, { ...step, operation: 'create' } as Step);
          const document = () => toDocumentBody(model.fields, given);
          await collection('created').deleteMany({});
          const before = await stored('upserted', id);
          const creating = await outcomeOf(created.create({ ...document(), id }));
          const upserting = await outcomeOf(open('upserted').upsert(id, document()));
          tally.add(`${before ? 'there' : 'not there'} ${upserting.status}`);
          equal({ ...upserting, done: undefined } as Any, { ...creating, done: undefined } as Any, 'outcome');
          const after = await stored('upserted', id);
          if (upserting.status !== 200) {
            equal(fromBson(after), fromBson(before), 'a refused one');
            continue;
          }
          expect(upserting.done.created).toBe(before === null);
          expect(upserting.done.record).toEqual(await open('upserted').get(id));
          const { updatedAt, ...fresh } = (await stored('created', id)) as Any;
          const kept = before && {
            ...('legacy' in before && { legacy: before.legacy }),
            ...(model.revision && { revision: Number(before.revision ?? 0) + 1 }),
          };
          const expected = { ...fresh, ...kept };
          if (before && model.timestamps && before.createdAt) expected.createdAt = before.createdAt;
          else if (before) delete expected.createdAt;
          else expected.createdAt = (after as Any).createdAt;
          const { updatedAt: at, ...left } = after as Any;
          expect(at instanceof Date).toBe(updatedAt instanceof Date);
          equal(normal(left), normal(expected), 'stored');
        }
      }),
      cases(75),
    );
    expect([...tally].sort()).toEqual(['not there 200', 'not there 422', 'there 200', 'there 422']);
  }, 600_000);
});

/** Without members that are undefined, and with a revision as a number. */
function normal({ revision, ...stored }: Any): Any {
  const known = Object.fromEntries(Object.entries(stored).filter(([, value]) => value !== undefined));
  return { ...(fromBson(known) as object), ...(revision !== undefined && { revision: Number(revision) }) };
}
