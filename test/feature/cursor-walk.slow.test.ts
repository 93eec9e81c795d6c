import fc from 'fast-check';
import { Binary, Decimal128, Double, Int32, Long, ObjectId, UUID } from 'mongodb';
import { cursorPaging, defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { compareStored } from '../support/fuzzing/stored-order.ts';
import { useApi } from '../support/http/api.ts';

const sort = { policy: { sort: true } } as const;
const fields = {
  id: t.int(sort),
  n: t.nullable(t.float(), sort),
  i: t.optional(t.int64(sort)),
  s: t.nullable(t.string(), sort),
  d: t.nullable(t.date(), sort),
  b: t.nullable(t.boolean(), sort),
  o: t.optional(t.object('Inner', { n: t.optional(t.decimal(sort)) })),
};
const Mixed = defineModel('Mixed', { collection: 'mixed', fields });
/** The same with indexes of some sorts, and of the first keys of others: these pages are read in several ranges. */
const Indexed = defineModel('Indexed', {
  collection: 'indexed',
  fields: { ...fields, o: t.optional(t.object('IndexedInner', { n: t.optional(t.decimal(sort)) })) },
});

const database = useDatabase();
const ByObjectId = defineModel('ByObjectId', {
  collection: 'by_object_id',
  fields: { ref: t.nullable(t.objectId(), sort), key: t.nullable(t.uuid(), sort) },
});

const ByFloat = defineModel('ByFloat', { collection: 'by_float', fields: { id: t.float(sort), s: t.nullable(t.string(), sort) } });

const api = useApi(database, (shop) => [
  shop.resource({ model: Mixed, paging: cursorPaging({ max: 50 }) }),
  shop.resource({ model: Indexed, paging: cursorPaging({ max: 50 }) }),
  shop.resource({ model: ByFloat }),
  shop.resource({ model: ByObjectId }),
]);
type Path = 'mixed' | 'indexed';
const paths = fc.constantFrom<Path>('mixed', 'indexed');
const rowsOf = (path: Path) => database.db.collection<{ _id: number }>(path);
const mixed = () => rowsOf('mixed');

beforeAll(async () => {
  await rowsOf('indexed').createIndexes([
    { key: { n: 1, s: 1, d: 1, _id: 1 } },
    { key: { i: -1, b: 1 } },
    { key: { s: 1 } },
    { key: { d: 1, n: -1, _id: 1 } },
    { key: { 'o.n': 1, i: 1, _id: 1 } },
  ]);
});

beforeEach(() => mixed().deleteMany({}));

type Row = Record<string, unknown> & { _id: number };

interface MixedPage {
  readonly ids: readonly number[];
  readonly next: string | null;
  readonly prev: string | null;
}

async function getPage(query: string, path = 'mixed'): Promise<MixedPage> {
  const { status, body } = await api.request('GET', `/api/${path}?${query}`);
  expect([status, api.errors]).toEqual([200, []]);
  const { has_next, next_cursor: next, prev_cursor: prev } = body.page;
  expect(has_next).toBe(next !== null);
  return { ids: body.data.map(({ id }: { id: number }) => id), next, prev };
}

/** What happens before each page is asked for. */
type Meanwhile = (page: number) => unknown;
const nothing: Meanwhile = () => undefined;

/** All pages of one size, from the first to the last. */
async function walkForwards(keys: string, limit: number, meanwhile = nothing, path: Path = 'mixed'): Promise<MixedPage[]> {
  const pages: MixedPage[] = [];
  for (let after = ''; pages.length < 200; ) {
    await meanwhile(pages.length);
    const page = await getPage(`sort=${keys}&limit=${limit}${after}`, path);
    pages.push(page);
    if (page.next === null) return pages;
    after = `&after=${page.next}`;
  }
  throw new Error('the walk does not end');
}

/** All pages of one size before a page, and that page, from the first to the last. */
async function walkBackwards(
  keys: string,
  limit: number,
  from: MixedPage,
  meanwhile = nothing,
  path: Path = 'mixed',
): Promise<MixedPage[]> {
  const pages = [from];
  for (let { prev } = from; pages.length < 200; ) {
    if (prev === null) return pages.reverse();
    await meanwhile(pages.length);
    const page = await getPage(`sort=${keys}&limit=${limit}&before=${prev}`, path);
    expect(page.next).not.toBeNull();
    pages.push(page);
    prev = page.prev;
  }
  throw new Error('the walk does not end');
}

const idsOf = (pages: readonly MixedPage[]) => pages.flatMap(({ ids }) => ids);

function sorted(rows: readonly Row[], keys: string): number[] {
  const last = /(?:^|,)(-?)[^,]+$/.exec(keys)?.[1] ?? ''; // the id follows the direction of the key before it
  const order = `${keys},${last}id`.split(',').map((key) => ({ path: key.replace('-', ''), sign: key.startsWith('-') ? -1 : 1 }));
  const storedAt = (row: Row, path: string) =>
    path === 'id' ? row._id : path === 'o.n' ? (row.o as { n?: unknown } | null | undefined)?.n : row[path];
  return [...rows]
    .sort(
      (a, b) =>
        order.map(({ path, sign }) => sign * compareStored(storedAt(a, path), storedAt(b, path))).find((compared) => compared !== 0) ?? 0,
    )
    .map((row) => row._id);
}

const numbers: unknown[] = [
  ...[0, -0, 1, 5, -1, 0.1, 0.5, 2 ** 53, 2 ** 53 + 2, 2 ** 60, 2 ** 60 + 256, 2 ** 63, -(2 ** 63), 1e300, 5e-324].map(
    (value) => new Double(value),
  ),
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => new Double(value)),
  ...[0, 1, 5, -1, 2 ** 31 - 1].map((value) => new Int32(value)),
  ...['0', '5', '9007199254740993', '1152921504606846977', '9223372036854775807', '-9223372036854775808'].map((value) =>
    Long.fromString(value),
  ),
  ...['0', '0.1', '0.5', '5.00', '-1E-6000', '9007199254740993', '1152921504606846976.5', 'NaN', 'Infinity', '-Infinity', '1E+6000'].map(
    (value) => Decimal128.fromString(value),
  ),
];
const longs = ['0', '1', '-1', '9007199254740992', '9007199254740993', '9223372036854775807', '-9223372036854775808'].map((value) =>
  Long.fromString(value),
);
const texts = ['', 'a', 'A', 'b', 'ab', 'z', 'é', 'e\u0301', 'ä', '\u{1f600}', '\uffff', 'ﬀ', '0', '10', '9', ' ', '~', '中'];
const dates = [0, -1, 1, 1e12, 1e12 + 1, -62135596800000, 8.64e15].map((value) => new Date(value));

/** Of every type: in a field of another one they do not match the model, and are walked all the same. */
const anything: unknown[] = [
  ...[new Double(7), 'x', new Binary(Buffer.from('ab')), new Binary(Buffer.from('c'), 5), new UUID('6f9619ff-8b86-4d01-b42d-00cf4fc964ff')],
  ...[new ObjectId('0123456789abcdef01234567'), new ObjectId('ffffffffffffffffffffffff'), false, true, new Date(7)],
];

const gap = Symbol('gap');
/** Instead of a value in an embedded object: the object itself is null, or no object. */
const nothingAround = Symbol('nothing around');
const sometimes = (values: readonly unknown[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: fc.constantFrom(...anything) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant(gap) },
  );
const row = fc.record({
  n: sometimes(numbers),
  i: sometimes(longs),
  s: sometimes(texts),
  d: sometimes(dates),
  b: sometimes([true, false]),
  inner: fc.oneof({ weight: 6, arbitrary: sometimes(numbers) }, { weight: 1, arbitrary: fc.constant(nothingAround) }),
  around: fc.constantFrom(null, 5, 'x'),
});
const direction = fc.constantFrom('', '-');
const keys = fc
  .tuple(
    fc.shuffledSubarray(['n', 'i', 's', 'd', 'b', 'o.n', 'id'], { minLength: 1, maxLength: 4 }),
    fc.array(direction, { minLength: 7, maxLength: 7 }),
  )
  .map(([names, directions]) => names.map((name, index) => `${directions[index]}${name}`).join(','));

function toRow({ inner, around: instead, ...values }: Record<string, unknown>, _id: number): Row {
  const present = Object.entries(values).filter(([, value]) => value !== gap);
  const around = inner === gap ? {} : { o: inner === nothingAround ? instead : { n: inner } };
  return { _id, ...Object.fromEntries(present), ...around };
}

const size = fc.integer({ min: 1, max: 7 });

/** What others do while a client walks: rows that they insert, and which of the rows that are there they delete. */
const changes = fc.array(fc.record({ inserted: fc.array(row, { maxLength: 3 }), deleted: fc.array(fc.nat(29), { maxLength: 3 }) }), {
  maxLength: 8,
});

describe('a cursor walk', () => {
  it('visits each record exactly once, in the order of MongoDB, over any mix of missing, null, equal and differently typed values, also of types that the model does not say', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 30 }),
        keys,
        size,
        size,
        paths,
        async (values, by, limit, limitBack, path) => {
          const rows = values.map(toRow);
          await rowsOf(path).deleteMany({});
          await rowsOf(path).insertMany(rows);
          const forwards = await walkForwards(by, limit, nothing, path);
          expect(idsOf(forwards)).toEqual(sorted(rows, by));
          const backwards = await walkBackwards(by, limitBack, forwards.at(-1) as MixedPage, nothing, path);
          expect(idsOf(backwards)).toEqual(sorted(rows, by));
          // With the size of the way there, the way back shows the same pages.
          if (limit === limitBack) expect(backwards.map(({ ids }) => ids)).toEqual(forwards.map(({ ids }) => ids));
        },
      ),
      cases(50),
    );
  }, 120_000);

  it('neither misses nor repeats a record that stays, either way, whatever others insert and delete meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 5, maxLength: 30 }), keys, size, changes, paths, async (values, by, limit, all, path) => {
        for (const isBackwards of [false, true]) {
          const rows = values.map(toRow);
          const deleted = new Set<number>();
          let lastId = 1000;
          const meanwhile: Meanwhile = async (page) => {
            const change = all[page];
            if (!change) return;
            for (const index of change.deleted) deleted.add(index);
            if (change.inserted.length > 0) await rowsOf(path).insertMany(change.inserted.map((one) => toRow(one, lastId++)));
            await rowsOf(path).deleteMany({ _id: { $in: [...deleted] } });
          };
          await rowsOf(path).deleteMany({});
          await rowsOf(path).insertMany(rows);
          const end = isBackwards ? (await walkForwards(by, rows.length - 1, nothing, path)).at(-1) : undefined;
          const seen = idsOf(end ? await walkBackwards(by, limit, end, meanwhile, path) : await walkForwards(by, limit, meanwhile, path));
          expect(new Set(seen).size).toBe(seen.length);
          const stayed = rows.filter(({ _id }) => !deleted.has(_id));
          expect(seen.filter((id) => id < 1000 && !deleted.has(id))).toEqual(sorted(stayed, by));
        }
      }),
      cases(30),
    );
  }, 120_000);

  it.each([
    ['numbers of four types', 'n', numbers],
    ['64-bit integers', 'i', longs],
    ['strings beyond ASCII', 's', texts],
    ['dates', 'd', dates],
    ['booleans', 'b', [true, false, true]],
    ['values of every type', 's', [...anything, ...numbers.slice(-3)]],
    ['values of every type within an object that is none', 'o.n', anything],
  ])(
    'visits each of these exactly once, forwards and backwards, one at a time: %s',
    async (_name, key, values) => {
      const rows = [...values, null, gap, ...values].map((value, _id) =>
        toRow(key === 'o.n' ? { inner: value } : { [key]: value, inner: gap }, _id),
      );
      await mixed().insertMany(rows);
      for (const by of [key, `-${key}`, `${key},-id`]) {
        const forwards = await walkForwards(by, 1);
        expect(idsOf(forwards)).toEqual(sorted(rows, by));
        expect(idsOf(await walkBackwards(by, 1, forwards.at(-1) as MixedPage))).toEqual(sorted(rows, by));
      }
    },
    120_000,
  );

  it('neither repeats nor loses a record when others come and go', async () => {
    await mixed().insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id: _id * 10, s: 'x' })));
    const first = await api.request('GET', '/api/mixed?sort=s&limit=5');
    await mixed().deleteMany({ _id: { $in: [0, 40] } });
    await mixed().insertMany([
      { _id: 5, s: 'x' },
      { _id: 95, s: 'x' },
    ] as never);
    const second = await api.request('GET', `/api/mixed?sort=s&limit=50&after=${first.body.page.next_cursor}`);
    expect(second.body.data.map(({ id }: { id: number }) => id)).toEqual([50, 60, 70, 80, 90, 95]);
  });

  it.each(['id', '-id', 's,id', '-s,-id', 's,-id', '-s,id'])('leaves out ids that are infinite, which no path has: %s', async (by) => {
    const ids = [Number.NEGATIVE_INFINITY, 0, 5, 7, Number.POSITIVE_INFINITY].map((value) => new Double(value));
    await database.db.collection<{ _id: Double }>('by_float').deleteMany({});
    await database.db.collection<{ _id: Double }>('by_float').insertMany(ids.map((_id) => ({ _id })));
    const getPage = async (query: string) => (await api.request('GET', `/api/by_float?sort=${by}&${query}`)).body;
    const idsOf = ({ data }: { data: { id: number }[] }) => data.map(({ id }) => id);
    const all = idsOf(await getPage(''));
    expect(all).toEqual(by.endsWith('-id') ? [7, 5, 0] : [0, 5, 7]);
    for (let size = 1; size < all.length; size++) {
      const { page } = await getPage(`limit=${size}`);
      expect(idsOf(await getPage(`after=${page.next_cursor}`))).toEqual(all.slice(size));
      expect(idsOf(await getPage(`before=${page.next_cursor}`))).toEqual(all.slice(0, size));
    }
    expect(api.errors.splice(0)).toContainEqual(expect.objectContaining({ message: expect.stringMatching(/is left out of a list/) }));
  });

  it('walks by ids that are ObjectIds, and by UUIDs and ObjectIds in fields', async () => {
    const rows = Array.from({ length: 9 }, (_, n) => ({ ref: n % 2 ? new ObjectId() : null, key: n % 3 ? new UUID() : null }));
    const { insertedIds } = await database.db.collection('by_object_id').insertMany(rows);
    const all = Object.values(insertedIds).map(String).sort();
    for (const keys of ['', 'sort=ref', 'sort=-ref', 'sort=key', 'sort=-key,ref']) {
      const seen: string[] = [];
      for (let after = ''; ; ) {
        const { body } = await api.request('GET', `/api/by_object_id?limit=2&${keys}${after}`);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        if (!body.page.has_next) break;
        after = `&after=${body.page.next_cursor}`;
      }
      expect([...seen].sort()).toEqual(all);
      if (keys === '') expect(seen).toEqual(all);
    }
  });
});
