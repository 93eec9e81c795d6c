import { collectionValidator, defineModel, openStore, t, withFolds } from '../../../src/index.ts';
import { type AppliedFolds, type Audit, applyFolds, auditCollection } from '../../../src/products/audit/audit-collection.ts';
import { useDatabase } from '../../support/database/database.ts';

const Line = t.object('Line', { sku: t.string({ caseless: true }) });
const City = defineModel('City', {
  collection: 'cities',
  fields: {
    id: t.string(),
    name: t.string({ caseless: true, unique: true }),
    note: t.nullable(t.string({ caseless: true, policy: { private: true } })),
    place: t.optional(t.object('Place', { street: t.string({ caseless: true }) })),
    tags: t.array(t.nullable(t.string({ caseless: true })), { default: [] }),
    lines: t.array(Line, { default: [] }),
    free: t.optional(t.any()),
    revision: t.revision(),
  },
});

const database = useDatabase();
const cities = () => database.db.collection<{ _id: string; [key: string]: unknown }>('cities');

beforeEach(async () => {
  await cities().deleteMany({});
});

async function last<T>(states: AsyncIterable<T>): Promise<T> {
  let state: T | undefined;
  for await (state of states);
  return state as T;
}
const audit = (): Promise<Audit> => last(auditCollection(City, { db: database.db }));
const apply = (): Promise<AppliedFolds> => last(applyFolds(City, { db: database.db }));

const raw = {
  _id: 'a',
  name: 'Zürich',
  note: 'GEHEIM',
  place: { street: 'STRAßE' },
  tags: ['Ö', null],
  lines: [
    { sku: 'Ä', other: 1 },
    { sku: 'B', 'sku[fold2]': 'b' },
  ],
  free: { 'name[fold2]': 1 },
  revision: 3,
};
const folded = {
  ...raw,
  'name[fold2]': 'zurich',
  'name[case1]': 'zürich',
  'note[fold2]': 'geheim',
  place: { street: 'STRAßE', 'street[fold2]': 'strasse' },
  'tags[fold2]': ['o', null],
  lines: [
    { sku: 'Ä', other: 1, 'sku[fold2]': 'a' },
    { sku: 'B', 'sku[fold2]': 'b' },
  ],
};

describe('an audit of caseless fields', () => {
  it('counts texts without their folded values as misfits, by field', async () => {
    await cities().insertOne(raw);
    const { misfits, misfitting, unknownKeys } = await audit();
    expect(misfitting).toBe(1);
    expect(misfits.map(({ path, rule, records, ids }) => [path, rule, records, ids.join()])).toEqual(
      ['lines.*.sku', 'name', 'note', 'place.street', 'tags'].map((path) => [path, 'fold', 1, 'a']),
    );
    expect(misfits[0]?.message).toBe('is not stored with its folded value: lists do not find it');
    expect(unknownKeys.map(({ path }) => path)).toEqual(['lines.*.other']);
  });

  it('fits what the library has written', async () => {
    await openStore(City, { db: database.db }).create({
      id: 'x',
      name: 'Ö',
      tags: ['Ü'],
      lines: [{ sku: 'É' }],
      note: 'x',
      place: { street: 'Å' },
    });
    expect(await audit()).toMatchObject({ records: 1, misfits: [], unknownKeys: [] });
  });

  it.each<[what: string, stored: object, paths: string[]]>([
    ['a wrong one', { ...folded, 'name[fold2]': 'other' }, ['name']],
    ['one of another type', { ...folded, 'name[fold2]': 5 }, ['name']],
    ['one without its text', { ...folded, note: null }, ['note']],
    ['one of a value of another type', { ...folded, name: 5 }, ['name']],
  ])('finds %s', async (_what, stored, paths) => {
    await cities().insertOne(stored as never);
    expect((await audit()).misfits.filter(({ rule }) => rule === 'fold').map(({ path }) => path)).toEqual(paths);
    expect(await apply()).toMatchObject({ written: 1 });
    expect((await audit()).misfits.filter(({ rule }) => rule === 'fold')).toEqual([]);
  });

  it('calls the keys of another version unknown', async () => {
    await cities().insertOne({ ...folded, 'name[fold0]': 'x' });
    expect((await audit()).unknownKeys.map(({ path }) => path)).toEqual(['name[fold0]', 'lines.*.other'].sort());
  });
});

describe('applyFolds', () => {
  it('stores them, and changes nothing that clients see', async () => {
    await cities().insertMany([raw, { _id: 'b', name: 5 as never, revision: 1 }]);
    expect(await apply()).toEqual({
      model: 'City',
      collection: 'cities',
      isComplete: true,
      records: 2,
      estimate: 2,
      written: 1,
      skipped: 0,
    });
    expect(await cities().find().sort({ _id: 1 }).toArray()).toEqual([folded, { _id: 'b', name: 5, revision: 1 }]);
    expect(await apply()).toMatchObject({ written: 0 });
  });

  it('walks through more records than it reads at once, and writes none that has changed meanwhile', async () => {
    await cities().insertMany(Array.from({ length: 1_200 }, (_, index) => ({ _id: `c${index}`, name: `Ä${index}` })));
    const store = openStore(City, { db: database.db });
    const changing = (async () => {
      for (let index = 0; index < 1_200; index += 7) await store.update(`c${index}`, { name: `NÊW${index}` });
    })();
    const { records, skipped } = await apply();
    await changing;
    expect([records, skipped]).toEqual([1_200, 0]);
    expect(await audit()).toMatchObject({ records: 1_200, misfitting: 0 });
  });

  it('does nothing for a model without such fields', async () => {
    const Plain = defineModel('Plain', { collection: 'cities', fields: { name: t.string() } });
    expect(await last(applyFolds(Plain, { db: database.db }))).toMatchObject({ isComplete: true, records: 0, written: 0 });
  });

  it('reports two records that a unique index does not allow', async () => {
    await cities().createIndex({ 'name[case1]': 1 }, { unique: true, partialFilterExpression: { 'name[case1]': { $gte: '' } } });
    await cities().insertMany([
      { _id: 'a', name: 'x' },
      { _id: 'b', name: 'X' },
    ]);
    await expect(apply()).rejects.toMatchObject({ code: 'duplicate_key' });
    await cities().dropIndexes();
  });
});

describe('withFolds', () => {
  it('adds to a record what the library would store, and changes nothing that it was given', () => {
    const before = structuredClone(raw);
    expect(withFolds(City, raw)).toEqual(folded);
    expect(raw).toEqual(before);
  });

  it('replaces those of another text, and removes those without one', () => {
    const { name: _, note: __, ...others } = { ...folded, tags: [] };
    expect(withFolds(City, { ...others, place: { 'street[fold2]': 'x' } })).toEqual({
      ...raw,
      name: undefined,
      note: undefined,
      place: {},
      tags: [],
      'tags[fold2]': [],
      lines: folded.lines,
    });
  });

  it('returns the record of a model without such fields as it is', () => {
    const Plain = defineModel('Plain', { collection: 'cities', fields: { name: t.string() } });
    expect(withFolds(Plain, raw)).toBe(raw);
  });
});

describe('a validator', () => {
  it('takes folded values', async () => {
    await database.db.command({ collMod: 'cities', validator: collectionValidator(City) });
    await openStore(City, { db: database.db }).create({ id: 'x', name: 'Ö', tags: ['Ü'], lines: [{ sku: 'É' }] });
    expect(await cities().countDocuments({ 'name[fold2]': 'o' })).toBe(1);
  });
});
