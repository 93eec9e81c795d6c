import fc from 'fast-check';
import { type Document as BsonDocument, ObjectId } from 'mongodb';
import { defineModel, Problem, t } from '../../src/index.ts';
import { openStore } from '../../src/store/open-store.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';

const Place = t.object('Place', { lat: t.int(), lng: t.int(), label: t.string({ default: 'none' }) });
const Address = t.object('Address', { city: t.string(), zip: t.optional(t.string()), at: t.nullable(Place) });
const Thing = defineModel('Thing', {
  collection: 'things',
  fields: {
    kind: t.enum(['a', 'b', 'c'], { default: 'a' }),
    count: t.int({ default: 0 }),
    note: t.optional(t.string()),
    address: t.nullable(Address),
    tags: t.array(t.string(), { default: [] }),
    revision: t.revision(),
  },
});
const database = useDatabase();

const number = fc.integer({ min: 0, max: 3 });
const text = fc.constantFrom('x', 'y', '$where', '__proto__');
const kind = fc.constantFrom('a', 'b', 'c');
const placed = fc.record({ lat: number, lng: number, label: text }, { requiredKeys: [] });
const address = (isStored: boolean) =>
  fc.record(
    { city: text, zip: text, at: fc.oneof(fc.constant(null), isStored ? fc.record({ lat: number, lng: number }) : placed) },
    { requiredKeys: isStored ? ['city'] : [] },
  );
const stored = fc.record(
  {
    kind,
    count: fc.oneof(number, fc.constant(null)),
    note: text,
    address: fc.oneof(fc.constant(null), address(true)),
    tags: fc.array(text, { maxLength: 2 }),
    revision: fc.oneof(number, fc.constant(null)),
  },
  { requiredKeys: ['kind'] },
);
const changes = fc.record(
  {
    kind,
    count: number,
    note: fc.oneof(text, fc.constant(null)),
    address: fc.oneof(fc.constant(null), address(false)),
    tags: fc.array(text, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const filter = fc.record(
  {
    kind: fc.oneof(kind, fc.record({ in: fc.array(kind, { maxLength: 2 }) }), fc.record({ ne: kind })),
    count: fc.oneof(fc.record({ gte: number }), fc.record({ lt: number }), number),
    note: fc.record({ exists: fc.boolean() }),
    tags: text,
    'address.city': text,
    'address.at.lat': fc.record({ gte: number }),
  },
  { requiredKeys: [] },
);
const scope = fc.option(fc.record({ kind: fc.record({ in: fc.constant(['a', 'b']) }) }), { nil: undefined });

/** How often each outcome has come. */
const tally = new Map<number, number>();

async function play(records: readonly BsonDocument[], run: () => Promise<unknown>): Promise<{ left: BsonDocument[]; error: unknown }> {
  const things = database.db.collection('things');
  await things.deleteMany({});
  if (records.length > 0) await things.insertMany(records.map((one) => ({ ...one })));
  const error = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { left: await things.find({}).sort({ _id: 1 }).toArray(), error };
}

const statusOf = (error: unknown) => (error instanceof Problem ? error.status : 200);

describe('updateMany', () => {
  it('leaves the same documents as `update` of each record that matches, or none is changed where one cannot be', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stored, { maxLength: 6 }), filter, changes, scope, async (given, matching, patch, within) => {
        const records = given.map((one) => ({ _id: new ObjectId(), ...one }));
        const store = openStore(Thing, { db: database.db, ...(within && { scope: within }) });
        const refused: string[] = [];
        const single = await play(records, async () => {
          let last: unknown;
          for (const { id } of await store.find(matching))
            await store.update(id, patch as never).catch((error: unknown) => {
              refused.push(String(id));
              last = error;
            });
          if (last) throw last;
        });
        const many = await play(records, () => store.updateMany(matching, patch as never));
        tally.set(statusOf(many.error), (tally.get(statusOf(many.error)) ?? 0) + 1);
        // Changes that leave the scope are refused before anything is looked for.
        const isRefusedAtOnce = many.error instanceof Problem && many.error.errors?.every(({ rule }) => rule === 'scope');
        if (!isRefusedAtOnce) expect(statusOf(many.error)).toBe(statusOf(single.error));
        if (!many.error) expect(many.left).toEqual(single.left);
        else expect(many.left).toEqual(records.sort((a, b) => (String(a._id) < String(b._id) ? -1 : 1)));
        if (many.error && !isRefusedAtOnce)
          expect([...new Set((many.error as Problem).errors?.map(({ field }) => field.split('.')[0]))].sort()).toEqual(refused.sort());
      }),
      cases(90),
    );
    expect([...tally.keys()].sort()).toEqual([200, 422]);
  });
});
