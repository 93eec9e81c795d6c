import { Binary, BSONRegExp, Code, Double, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb';
import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const sort = { policy: { sort: true } } as const;
const Row = defineModel('Row', {
  collection: 'rows',
  fields: {
    id: t.string(sort),
    n: t.nullable(t.float(), sort),
    at: t.nullable(t.date(), sort),
    kind: t.nullable(t.enum(['small', 'large']), sort),
    o: t.nullable(t.object('Inner', { n: t.nullable(t.float(), sort) })),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Row })]);
const rows = () => database.db.collection<{ _id: unknown }>('rows');

beforeEach(async () => {
  await rows().deleteMany({});
  api.errors.length = 0;
});

type Walk = { readonly status: number; readonly ids: readonly unknown[] };

/** Visits pages until there is no more, or one is not to be had. */
async function walk(query: string, limit: number, parameter = 'after', from = ''): Promise<Walk> {
  const ids: unknown[] = [];
  for (let cursor = from; ids.length < 50; ) {
    const { status, body } = await api.request('GET', `/api/rows?${query}&limit=${limit}${cursor}`);
    if (status !== 200) return { status, ids };
    const page = body.data.map(({ id = null }: { id?: unknown }) => id);
    if (parameter === 'after') ids.push(...page);
    else ids.unshift(...page);
    const next = parameter === 'after' ? body.page.next_cursor : body.page.prev_cursor;
    if (next === null) return { status, ids };
    cursor = `&${parameter}=${next}`;
  }
  throw new Error('the walk does not end');
}

describe('a list over stored values of other types than the model says', () => {
  const oid = new ObjectId('0123456789abcdef01234567');
  const values = [null, new Double(Number.NaN), new Double(-1), 5, 'a', 'b', new Binary(Buffer.from('a')), oid, true, new Date(0)];
  const ids = values.map((_value, at) => `r${at}`);

  it.each([1, 2, 3, 7])('is walked by them in the order of the database, both ways: %i at a time', async (limit) => {
    await rows().insertMany(values.map((n, at) => ({ _id: `r${at}`, n, kind: 'medium' })) as never);
    for (const [query, expected] of [
      ['sort=n', ids],
      ['sort=-n', ids.toReversed()],
      ['sort=kind,n', ids], // once a member
      ['sort=-kind,-n', ids.toReversed()],
    ] as const) {
      expect(await walk(query, limit)).toEqual({ status: 200, ids: expected });
      const { body } = await api.request('GET', `/api/rows?${query}&limit=9`);
      const end = await walk(query, limit, 'before', `&before=${body.page.next_cursor}`);
      expect(end).toEqual({ status: 200, ids: expected.slice(0, 9) });
    }
    expect(api.errors).toEqual([]);
  });
});

describe('a list over stored values that have no place in its order', () => {
  const places: [string, string, unknown][] = [
    ['a list', 'n', [2, 0]],
    ['a list of nothing', 'n', []],
    ['a list of null', 'n', [null]],
    ['a list of lists', 'n', [[1]]],
    ['an object', 'n', { a: 1 }],
    ['a regular expression', 'n', new BSONRegExp('a')],
    ['a timestamp', 'n', new Timestamp(5n)],
    ['code', 'n', new Code('x')],
    ['less than all', 'n', new MinKey()],
    ['more than all', 'n', new MaxKey()],
    ['a date outside the range of JavaScript', 'at', Long.fromString('9000000000000000')],
    ['a date before that range', 'at', Long.fromString('-9000000000000000')],
    ['a list on the path', 'o', [{ n: 2 }, { n: 0 }]],
    ['a list of nothing on the path', 'o', []],
    ['a list of numbers on the path', 'o', [5]],
    ['a list of nothing in particular on the path', 'o', [{}]],
    ['a list at the end of the path', 'o', { n: [1, 2] }],
    ['an object at the end of the path', 'o', { n: {} }],
  ];

  it.each(places)('is 500 on the page that would show it, never silent and never without end: %s', async (_name, field, value) => {
    const regular = [1, 2, 3, 'x', null, true].map((one, n) => ({
      _id: `r${n}`,
      n: one,
      at: one === 1 ? new Date(0) : one,
      o: { n: one },
    }));
    await rows().insertMany([...regular, { _id: 'odd', [field]: value }] as never);
    if (field === 'at')
      await database.db.collection<{ _id: string }>('rows').updateOne({ _id: 'odd' }, [{ $set: { at: { $toDate: '$at' } } }]);
    const name = field === 'o' ? 'o.n' : field;
    for (const by of [name, `-${name}`, `${name},-id`, `-${name},id`]) {
      for (const limit of [1, 2, 5, 20]) {
        api.errors.length = 0;
        const { status, ids } = await walk(`sort=${by}`, limit);
        expect([by, limit, status, new Set(ids).size]).toEqual([by, limit, 500, ids.length]);
        expect(ids).not.toContain('odd');
        expect(api.errors.map(String)).toEqual([expect.stringContaining(`"odd" holds something in \`${name}\``)]);
      }
    }
    api.errors.length = 0;
    expect((await walk('', 2)).ids).toHaveLength(7); // by its id it has a place
    expect(api.errors).toEqual([]);
  });

  it('shows what is on the other pages', async () => {
    await rows().insertMany([
      { _id: 'a', n: 1 },
      { _id: 'b', n: 2 },
      { _id: 'c', n: [3] },
    ] as never);
    const { status, body } = await api.request('GET', '/api/rows?sort=n&limit=2');
    expect([status, body.data.length, body.page.has_next]).toEqual([200, 2, true]);
    expect((await api.request('GET', `/api/rows?sort=n&limit=2&after=${body.page.next_cursor}`)).status).toBe(500);
  });
});
