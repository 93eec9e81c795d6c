import {
  ConfigurationError,
  cursorPaging,
  defineModel,
  findPage,
  listQuery,
  openapiDocument,
  page,
  problems,
  type Service,
  service,
  t,
} from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { send, useServer } from '../support/http/serve.ts';

const all = { policy: { filter: true, sort: true } } as const;
const keys = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, t.optional(t.int(all))]));
const Row = defineModel('Row', { collection: 'rows', fields: { id: t.int(all), name: t.string(all), ...keys } });

const database = useDatabase();
const define = (shop: Service<never>) => [shop.resource({ model: Row })];
const usual = useApi(database, define);
const strict = useApi(database, define, { maxFilterValues: 3, maxPrefix: 4, maxSortKeys: 3 });
const generous = useApi(database, define, { maxFilterValues: 2000, maxPrefix: 8000, maxSortKeys: 32 });
const serve = useServer();

beforeAll(() => database.db.collection<{ _id: number; name: string }>('rows').insertOne({ _id: 1, name: '😀😀😀😀.' }));

const values = (count: number) => Array.from({ length: count }, (_, n) => n).join();

describe('the number of values in a filter', () => {
  it.each([
    ['500 unless the api says otherwise', () => usual, 500],
    ['what the api says', () => strict, 3],
    ['what the api says, also where that is more', () => generous, 2000],
  ])('is %s', async (_name, api, most) => {
    for (const operator of ['in', 'nin']) {
      expect((await api().request('GET', `/api/rows?id[${operator}]=${values(most)}`)).status).toBe(200);
      const { status, body } = await api().request('GET', `/api/rows?id[${operator}]=${values(most + 1)}`);
      expect([status, body.errors]).toMatchObject([400, [{ field: `id[${operator}]`, message: `must have at most ${most} values` }]]);
      const twice = await api().request('GET', `/api/rows?id[${operator}]=${values(most)}&id[${operator}]=1`);
      expect([twice.status, twice.body.errors[0].message]).toEqual([400, `must have at most ${most} values`]);
    }
  });
});

describe('the length of a prefix', () => {
  it.each([
    ['1,000 characters unless the api says otherwise', () => usual, 1000],
    ['what the api says', () => strict, 4],
    ['what the api says, also where that is more', () => generous, 8000],
  ])('is %s', async (_name, api, most) => {
    expect((await api().request('GET', `/api/rows?name[prefix]=${'.'.repeat(most)}`)).status).toBe(200);
    const { status, body } = await api().request('GET', `/api/rows?name[prefix]=${'.'.repeat(most + 1)}`);
    expect([status, body.errors]).toMatchObject([400, [{ field: 'name[prefix]', message: `must have at most ${most} characters` }]]);
  });

  it('is counted in characters, as the OpenAPI description says, and not in halves of them', async () => {
    const { status, body } = await strict.request('GET', `/api/rows?name[prefix]=${encodeURIComponent('😀'.repeat(4))}`);
    expect([status, body.data[0].id]).toEqual([200, 1]);
    expect((await strict.request('GET', `/api/rows?name[prefix]=${encodeURIComponent('😀'.repeat(5))}`)).status).toBe(400);
  });
});

describe('the longest prefix that an api can allow', () => {
  it.each(['a', '.', 'é'])('is one that the database takes, whether its characters have one byte or two: %s', async (character) => {
    // Node does not read headers of this size unless it is told to: the middlewares alone, with the query behind them.
    const paging = cursorPaging();
    const { port } = await serve(
      problems(),
      async (ctx, next) => {
        ctx.querystring = `name[prefix]=${encodeURIComponent(character.repeat(8000))}`;
        await next();
      },
      listQuery(Row, paging, { maxPrefix: 8000 }),
      findPage(Row, { db: database.db }),
      page(),
    );
    expect((await send(port, 'GET', '/')).status).toBe(200);
  });
});

describe('the number of keys in a sort', () => {
  const names = Object.keys(keys);

  it.each([
    ['8 unless the api says otherwise', () => usual, 8],
    ['what the api says', () => strict, 3],
    ['what the api says, up to what the database takes', () => generous, 32],
  ])('is %s, with the id', async (_name, api, most) => {
    const list = (sort: readonly string[]) => api().request('GET', `/api/rows?sort=${sort.join()}`);
    expect((await list(names.slice(0, most - 1))).status).toBe(200);
    expect((await list([...names.slice(0, most - 1), 'id'])).status).toBe(200);
    expect((await list(['id', ...names.slice(0, 31)])).status).toBe(200); // behind the id nothing is sorted
    for (const sort of [names.slice(0, most), [...names.slice(0, most), 'id']]) {
      const { status, body } = await list(sort);
      expect([status, body.errors]).toMatchObject([400, [{ field: 'sort', message: `must have at most ${most} keys, the id included` }]]);
    }
  });

  it('may be 32, and be walked by all of them', async () => {
    const sort = `sort=${names.slice(0, 31).map((name) => `-${name}`)}`;
    await database.db.collection<{ _id: number; name: string }>('rows').insertMany([
      { _id: 2, name: 'b' },
      { _id: 3, name: 'c' },
    ]);
    const first = await generous.request('GET', `/api/rows?${sort}&limit=1`);
    const rest = await generous.request('GET', `/api/rows?${sort}&after=${first.body.page.next_cursor}`);
    expect([...first.body.data, ...rest.body.data].map(({ id }: { id: number }) => id)).toEqual([3, 2, 1]);
    await database.db.collection<{ _id: number }>('rows').deleteMany({ _id: { $in: [2, 3] } });
  });
});

describe('the limits of filters', () => {
  it.each([
    ['maxFilterValues', 0],
    ['maxFilterValues', 1.5],
    ['maxFilterValues', '500'],
    ['maxPrefix', 0],
    ['maxPrefix', 8001],
    ['maxPrefix', Number.NaN],
    ['maxSortKeys', 0],
    ['maxSortKeys', 33],
    ['maxSortKeys', 2.5],
  ])('are checked when the api is made: %s = %s', (name, value) => {
    const make = () => service().api({ db: database.db, resources: [], [name]: value });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`\`${name}\``);
    expect(() => listQuery(Row, cursorPaging(), { [name]: value })).toThrow(ConfigurationError);
  });

  it('are in the OpenAPI description', () => {
    const shop = service();
    const { paths } = openapiDocument(shop.api({ db: database.db, resources: define(shop), maxFilterValues: 7, maxPrefix: 9 }));
    const { parameters } = (paths['/rows'] as { get: { parameters: { name: string; schema: object }[] } }).get;
    const schemaOf = (wanted: string) => parameters.find(({ name }) => name === wanted)?.schema;
    expect(schemaOf('id[in]')).toMatchObject({ maxItems: 7 });
    expect(schemaOf('name[prefix]')).toMatchObject({ type: 'string', maxLength: 9 });
  });
});
