import { defineModel, service, t } from '../../src/index.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const id = t.string();
const own = t.string({ policy: { insert: true } });
const Page = defineModel('Page', {
  collection: 'pages',
  fields: {
    id: own,
    parentId: t.nullable(t.ref('Page', { id, exists: true })),
    seeIds: t.array(t.ref('Page', { id, exists: true }), { default: [] }),
  },
});
const Branch = defineModel('Branch', {
  collection: 'branches',
  fields: { id: own, parentId: t.nullable(t.ref('Branch', { id, onDelete: 'cascade' })) },
});
const pages = () => openStore(Page, { db: database.db, models: [Page] });
const branches = () => openStore(Branch, { db: database.db, models: [Branch] });
const idsIn = async (collection: string) =>
  (await database.db.collection(collection).find({}).sort({ _id: 1 }).toArray()).map(({ _id }) => String(_id)).join();

/** What became of each document: its id, or the fields of its error. */
const outcomesOf = (made: readonly Any[]) =>
  made.map(({ record, error }) => record?.id ?? `${error.code} ${error.errors.map(({ field }: Any) => field)}`);

beforeEach(async () => {
  for (const name of ['pages', 'branches']) await database.db.collection(name).deleteMany({});
  await pages().create({ id: 'taken' });
  await branches().create({ id: 'taken' });
  commands.clear();
});

describe.each([
  ['exists', pages, 'pages'],
  ['onDelete', branches, 'branches'],
] as const)('createMany of records with `%s` that refer to one another', (_option, open, collection) => {
  const create = async (documents: readonly object[]) => outcomesOf(await (open() as Any).createMany(documents));

  it('stores each after those that it refers to, wherever they stand', async () => {
    const made = await create([{ id: 'c', parentId: 'b' }, { id: 'b', parentId: 'a' }, { id: 'a' }, { id: 'd', parentId: 'd' }]);
    expect(made).toEqual(['c', 'b', 'a', 'd']);
    expect(await idsIn(collection)).toBe('a,b,c,d,taken');
  });

  it('refuses what refers to one that was refused, to any depth', async () => {
    const made = await create([
      { id: 'a', parentId: 'none' },
      { id: 'c', parentId: 'b' },
      { id: 'b', parentId: 'a' },
      { id: 'd' },
      { id: 'e', parentId: 5 },
      { id: 'f', parentId: 'e' },
    ]);
    const refused = 'validation_failed parentId';
    expect(made).toEqual([refused, refused, refused, 'd', refused, refused]);
    expect(await idsIn(collection)).toBe('d,taken');
  });

  it('takes a reference to a record that was there before, if a new one with its id is refused', async () => {
    const made = await create([{ id: 'a', parentId: 'taken' }, { id: 'taken' }]);
    expect(made).toEqual(['a', 'duplicate_key id']);
  });

  it('refuses a circle, which no order can store, and what depends on it', async () => {
    const made = await create([
      { id: 'a', parentId: 'b' },
      { id: 'b', parentId: 'c' },
      { id: 'c', parentId: 'a' },
      { id: 'd', parentId: 'c' },
    ]);
    expect(new Set(made)).toEqual(new Set(['validation_failed parentId']));
    expect(await idsIn(collection)).toBe('taken');
  });

  it('tries each record of a circle, because one of them may be there before', async () => {
    const made = await create([
      { id: 'taken', parentId: 'b' },
      { id: 'a', parentId: 'taken' },
      { id: 'b', parentId: 'a' },
    ]);
    expect(made).toEqual(['duplicate_key id', 'a', 'b']);
  });

  it('does the same in any order, also for what refers into a circle', async () => {
    const outcomes: Record<string, string> = { d: 'd', x: 'x', taken: 'duplicate_key id', e: 'validation_failed parentId' };
    const parents: Record<string, string> = { d: 'x', x: 'taken', taken: 'x', e: 'none' };
    for (const order of [
      ['d', 'x', 'taken', 'e'],
      ['taken', 'x', 'e', 'd'],
      ['e', 'taken', 'd', 'x'],
      ['x', 'd', 'taken', 'e'],
    ]) {
      expect(await create(order.map((id) => ({ id, parentId: parents[id] })))).toEqual(order.map((id) => outcomes[id]));
      await database.db.collection(collection).deleteMany({ _id: { $in: ['d', 'x'] as never[] } });
    }
  });

  it('stores a circle with `all`, or nothing of it', async () => {
    const circle = [
      { id: 'a', parentId: 'b' },
      { id: 'b', parentId: 'a' },
    ];
    const store = open() as Any;
    await expect(store.createMany([...circle, { id: 'taken' }], { all: true })).rejects.toMatchObject({
      code: 'duplicate_key',
      errors: [{ field: '2.id' }],
    });
    await expect(store.createMany([...circle, { id: 'c', parentId: 'none' }], { all: true })).rejects.toMatchObject({
      errors: [{ field: '2.parentId', rule: 'reference' }],
    });
    expect(await idsIn(collection)).toBe('taken');
    await store.createMany(circle, { all: true });
    expect(await idsIn(collection)).toBe('a,b,taken');
  });

  it('names the place of the document in the error that ends a transaction', async () => {
    const shop = service();
    const model = (collection === 'pages' ? Page : Branch) as typeof Page;
    const api = shop.api({ db: database.db, resources: [shop.resource({ model })] });
    const documents = [{ id: 'a', parentId: 5 }, { id: 'b', parentId: 'c' }, { id: 'c' }, { id: 'taken', parentId: 'b' }];
    const made = api.transaction((tx) => tx.store(model).createMany(documents as never));
    await expect(made).rejects.toMatchObject({ code: 'duplicate_key', errors: [{ field: '3.id' }] });
    expect(await idsIn(collection)).toBe('taken');
  });
});

describe('createMany of records with `onDelete`', () => {
  it('writes only those one by one that have such a reference', async () => {
    const documents = [{ id: 'a', parentId: 'taken' }, ...Array.from({ length: 50 }, (_, n) => ({ id: `b${n}` }))];
    await branches().createMany(documents);
    expect(commands.names.filter((name) => name === 'insert')).toHaveLength(2);
  });
});

describe('createMany of records with `exists`', () => {
  it('tries a record of a circle once at last, and once more when all that it lacked is there', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `r${index}`);
    const dense = ids.map((one, index) => ({ id: one, seeIds: index === 0 ? ['taken'] : ids.slice(0, index) }));
    const made = outcomesOf(await pages().createMany([{ id: 'taken', seeIds: ['r11'] }, ...dense.reverse()]));
    expect(made).toEqual(['duplicate_key id', ...ids.reverse()]);
    expect(commands.names.filter((name) => name === 'find')).toHaveLength(1 + 12); // all of them, r1 to r11, and `taken` again
  });

  it('names only what is missing in the end, also beside a circle', async () => {
    const documents = [
      { id: 'c', parentId: 'd', seeIds: ['d', 'none', 'e'] },
      { id: 'd', parentId: 'taken' },
      { id: 'taken', parentId: 'd' },
      { id: 'e', parentId: 'none' },
    ];
    for (const [order, outcome] of [
      [
        [0, 1, 2, 3],
        ['validation_failed seeIds.1,seeIds.2', 'd', 'duplicate_key id', 'validation_failed parentId'],
      ],
      [
        [3, 2, 1, 0],
        ['validation_failed parentId', 'duplicate_key id', 'd', 'validation_failed seeIds.1,seeIds.2'],
      ],
    ] as const) {
      expect(outcomesOf(await pages().createMany(order.map((index) => documents[index] as Any)))).toEqual(outcome);
      await database.db.collection('pages').deleteOne({ _id: 'd' as never });
    }
  });

  it('names all missing records of a document, in linear time', async () => {
    const [made] = await pages().createMany([{ id: 'a', seeIds: Array.from({ length: 50_000 }, (_, index) => `none${index}`) }]);
    expect((made as Any).error.errors).toHaveLength(100);
  });

  it('needs one query for each other model and one insert, unless they refer to one another', async () => {
    await pages().createMany([{ id: 'a', parentId: 'taken' }, { id: 'b', seeIds: ['taken'] }, { id: 'c' }]);
    expect(commands.names).toEqual(['find', 'insert']);
    commands.clear();
    await pages().createMany([{ id: 'd', parentId: 'e' }, { id: 'e' }, { id: 'f' }]);
    expect(commands.names).toEqual(['insert', 'find', 'insert']);
  });

  it('looks up a record that many refer to once, also if several have its id', async () => {
    const twins = Array.from({ length: 3_000 }, () => ({ id: 'a' }));
    const made = await pages().createMany([...Array.from({ length: 3_000 }, (_, n) => ({ id: `b${n}`, parentId: 'a' })), ...twins]);
    expect(made.filter(({ record }) => record)).toHaveLength(3_001);
    expect(commands.names.join()).toBe('insert,insert,insert,find,insert,insert,insert');
  });
});
