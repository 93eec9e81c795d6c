import { Double } from 'mongodb';
import {
  applyIndexes,
  cursorPaging,
  defineModel,
  offsetPaging,
  planIndexes,
  type RequestContext,
  type Service,
  service,
  t,
} from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { useServer } from '../support/http/serve.ts';

const Owner = defineModel('Owner', {
  collection: 'owners',
  fields: { id: t.string(), name: t.string({ policy: { filter: true } }), shops: t.hasMany('Shop', { via: 'owner' }) },
});
const Shop = defineModel('Shop', {
  collection: 'shops',
  fields: {
    id: t.string(),
    tenant: t.string(),
    kind: t.enum(['cafe', 'bar'], { policy: { filter: true, sort: true, group: true } }),
    owner: t.nullable(t.ref('Owner', { id: t.string(), policy: { filter: true } })),
    at: t.nullable(t.point({ policy: { near: { maxMetres: 50_000 } } })),
    deletedAt: t.deletedAt(),
  },
});
/** Two points, one of them within an object; and one that only some callers read. */
const Route = defineModel('Route', {
  collection: 'routes',
  fields: {
    id: t.string(),
    start: t.point({ policy: { near: { maxMetres: 1000 } } }),
    end: t.object('End', { point: t.point({ policy: { near: { maxMetres: 2000 } } }) }),
    stops: t.array(t.object('Stop', { at: t.point({ policy: { near: { maxMetres: 1 } } }) }), { default: [] }),
  },
});
const Spy = defineModel('Spy', {
  collection: 'spies',
  fields: { id: t.string(), at: t.point({ policy: { read: 'staff', near: { maxMetres: 1000 } } }) },
});
const Plain = defineModel('Plain', { collection: 'spies', fields: { id: t.string() } });

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const tenantOf = (ctx: RequestContext<string>) => ({ tenant: ctx.requirePrincipal() });
const define = (shop: Service<string>) => [
  shop.resource({
    model: Shop,
    ops: ['list', 'get', 'delete', 'patchMany', 'deleteMany'],
    scope: tenantOf,
    scopeFields: ['tenant'],
    include: ['owner'],
    through: ['owner'],
    fields: true,
    deleted: { guards: [() => true] },
    export: {},
    aggregate: {},
    paging: cursorPaging({ size: 3, max: 50, total: true }),
  }),
  shop.resource({ model: Owner, ops: ['list', 'get'], nested: ['shops'] }),
  shop.resource({ model: Route, ops: ['list'], paging: offsetPaging({ size: 2, total: true }) }),
];
const api = useApi(database, define, { authenticate: (ctx) => ctx.get('authorization') || undefined });

const point = (longitude: number, latitude: number) => ({ type: 'Point', coordinates: [new Double(longitude), new Double(latitude)] });
/** Along the equator, a thousandth of a degree is 111.3 metres. */
const shop = (_id: string, thousandths: number | undefined, more = {}) => ({
  _id,
  tenant: 'ann',
  kind: 'cafe',
  owner: null,
  ...(thousandths === undefined ? {} : { at: point(thousandths / 1000, 0) }),
  ...more,
});

beforeAll(async () => {
  const made = service<string>().api({ db: database.db, resources: define(service<string>()) });
  await applyIndexes(made);
  await database.db.collection<Any>('owners').insertMany([
    { _id: 'o1', name: 'One' },
    { _id: 'o2', name: 'Two' },
  ]);
  await database.db
    .collection<Any>('routes')
    .insertMany(
      [0, 1, 2, 3].map((one) => ({ _id: `r${one}`, start: point(one / 1000, 0), end: { point: point(0, one / 1000) }, stops: [] })),
    );
});
beforeEach(async () => {
  const shops = database.db.collection<Any>('shops');
  await shops.deleteMany({});
  await shops.insertMany([
    shop('d', 4),
    shop('b', -2, { kind: 'bar', owner: 'o2' }),
    shop('a', 1, { owner: 'o1' }),
    shop('c', 3, { owner: 'o1' }),
    shop('c2', 3, { kind: 'bar' }),
    shop('far', 900),
    shop('foreign', 1, { tenant: 'bob' }),
    shop('gone', 1, { deletedAt: new Date() }),
    shop('none', undefined),
    shop('null', undefined, { at: null }),
  ]);
  commands.clear();
});

const headers = { authorization: 'ann' };
const get = (query: string, path = '/shops') => api.request('GET', `/api${path}?${query}`, { headers });
const ids = ({ body }: { body: Any }) => body.data.map(({ id }: Any) => id);
const around = 'near=0,0,1000';

describe('near=longitude,latitude,metres', () => {
  it('finds the records around a place, nearest first, in one command', async () => {
    const { status, body, headers: sent } = await get(`${around}&limit=50`);
    expect([status, ids({ body })]).toEqual([200, ['a', 'b', 'c', 'c2', 'd']]);
    expect(body.page).toEqual({ size: 50, has_next: false, next_cursor: null, prev_cursor: null });
    expect([sent.link, commands.names]).toEqual([undefined, ['aggregate']]);
  });

  it('is one page of the nearest, without cursors, and says whether there are more', async () => {
    const { body, headers: sent } = await get(around);
    expect([ids({ body }), body.page]).toEqual([['a', 'b', 'c'], { size: 3, has_next: true, next_cursor: null, prev_cursor: null }]);
    expect(sent.link).toBeUndefined();
  });

  it('orders records of equal distance by id', async () => {
    expect(ids(await get(`${around}&limit=4`))).toEqual(['a', 'b', 'c', 'c2']);
  });

  it('does not find a record without a point, with null, of another scope, deleted, or beyond the radius', async () => {
    expect(ids(await get('near=0,0,50000&limit=50'))).toEqual(['a', 'b', 'c', 'c2', 'd']);
    expect(ids(await get('near=0,0,300'))).toEqual(['a', 'b']);
    expect(ids(await get('near=90,45,50000'))).toEqual([]);
  });

  it('counts what lies in the circle for total=true', async () => {
    const { body } = await get(`${around}&limit=2&total=true`);
    expect([ids({ body }), body.page.total]).toEqual([['a', 'b'], 5]);
    expect([...commands.names].sort()).toEqual(['aggregate', 'aggregate']);
  });

  it('says how far away each record is, in metres, if distances=true asks for it', async () => {
    const { body } = await get(`${around}&limit=50&distances=true`);
    expect(body.page.distances).toEqual([111.3, 222.6, 334, 334, 445.3]);
    expect(body.data[0]).not.toHaveProperty('distance');
    expect((await get(`${around}&distances=false`)).body.page).not.toHaveProperty('distances');
    expect((await get('near=0.001,0,1&distances=true')).body.page.distances).toEqual([0]);
  });

  it('works with filters, `filter`, filters through relations, fields, include and deleted records', async () => {
    expect(ids(await get(`${around}&kind=bar`))).toEqual(['b', 'c2']);
    expect(ids(await get(`${around}&filter=${encodeURIComponent('kind = "bar" OR owner = "o1"')}&limit=9`))).toEqual(['a', 'b', 'c', 'c2']);
    expect(ids(await get(`${around}&owner.name=One&total=true`))).toEqual(['a', 'c']);
    expect((await get(`${around}&owner.name=One&total=true`)).body.page.total).toBe(2);
    const chosen = await get(`${around}&fields=kind&limit=1&distances=true`);
    expect([chosen.body.data, chosen.body.page.distances]).toEqual([[{ id: 'a', kind: 'cafe' }], [111.3]]);
    const included = await get(`${around}&include=owner&limit=2&distances=true`);
    expect(included.body.data.map(({ owner }: Any) => owner.name)).toEqual(['One', 'Two']);
    expect(included.body.page.distances).toEqual([111.3, 222.6]);
    expect(ids(await get(`${around}&deleted=only`))).toEqual(['gone']);
    expect(ids(await get(`${around}&deleted=with&limit=2`))).toEqual(['a', 'gone']);
  });

  it('works in a body, as numbers in JSON', async () => {
    const body = { near: [0, 0, 1000], distances: true, kind: 'bar', total: true };
    for (const [method, path] of [
      ['POST', '/api/shops/query'],
      ['QUERY', '/api/shops'],
    ] as const) {
      const answer = await api.request(method, path, { headers, body });
      expect([answer.status, ids(answer), answer.body.page]).toEqual([
        200,
        ['b', 'c2'],
        { size: 3, has_next: false, next_cursor: null, prev_cursor: null, total: 2, distances: [222.6, 334] },
      ]);
    }
  });

  it('works in the way in which axios and others write arrays', async () => {
    expect(ids(await get('near[]=0&near[]=0&near[]=300'))).toEqual(['a', 'b']);
    expect(ids(await get('near[at]=0,0,300'))).toEqual(['a', 'b']);
  });

  it('works in a list below a record', async () => {
    expect(ids(await get(`${around}&total=true`, '/owners/o1/shops'))).toEqual(['a', 'c']);
  });

  it('narrows an aggregate to the same records', async () => {
    const { status, body } = await get(`${around}&group=kind`, '/shops/aggregate');
    expect([status, body.data]).toEqual([
      200,
      [
        { group: { kind: 'bar' }, count: 2 },
        { group: { kind: 'cafe' }, count: 3 },
      ],
    ]);
    expect((await get(`${around}&distances=true`, '/shops/aggregate')).body.errors).toMatchObject([
      { field: 'distances', rule: 'unknown_parameter' },
    ]);
  });
});

describe('a list with several points', () => {
  it('needs the name of one: near[start]=…', async () => {
    const near = async (query: string) => {
      const { body } = await get(query, '/routes');
      return body.data ? ids({ body }) : body.errors;
    };
    expect(await near('near[start]=0.003,0,150')).toEqual(['r3', 'r2']);
    expect(await near('near[end.point]=0,0,150')).toEqual(['r0', 'r1']);
    const unnamed = 'must name a point of this list: near[start], near[end.point]';
    expect(await near('near=0,0,150')).toEqual([{ field: 'near', rule: 'unknown_parameter', message: unnamed }]);
    expect(await near('near[stops.at]=0,0,1')).toEqual([{ field: 'near[stops.at]', rule: 'unknown_parameter', message: unnamed }]);
    expect(await near('near[strat]=0,0,1')).toEqual([
      { field: 'near[strat]', rule: 'unknown_parameter', message: unnamed, params: { suggestion: 'start' } },
    ]);
    expect(await near('near[start]=0,0,1500')).toMatchObject([{ field: 'near[start]', rule: 'maximum', params: { limit: 1000 } }]);
  });

  it('is one page too where it is paged by number, without links', async () => {
    const { body, headers: sent } = await get('near[start]=0,0,1000&total=true&distances=true', '/routes');
    expect([ids({ body }), sent.link]).toEqual([['r0', 'r1'], undefined]);
    expect(body.page).toEqual({ size: 2, number: 1, has_next: true, total: 4, distances: [0, 111.3] });
    expect((await get('near[start]=0,0,1000&page=2', '/routes')).body.errors).toMatchObject([
      { field: 'page', rule: 'conflicting_parameter' },
    ]);
  });
});

describe('a list with near refuses with 400', () => {
  it.each([
    ['sort=kind', 'sort', 'conflicting_parameter'],
    ['after=abc', 'after', 'conflicting_parameter'],
    ['before=abc', 'before', 'conflicting_parameter'],
    ['page=1', 'page', 'not_available'],
    ['near=1,1,1', 'near', 'repeated_parameter'],
    ['near[at]=1,1,1', 'near[at]', 'repeated_parameter'],
    ['distances=yes', 'distances', 'type'],
    ['distances=true&distances=true', 'distances', 'repeated_parameter'],
    ['total=estimate', 'total', 'not_estimable'],
  ])('%s beside it', async (query, field, rule) => {
    const { status, body } = await get(`${around}&${query}`);
    expect([status, body.code, body.errors]).toEqual([400, 'invalid_query', [expect.objectContaining({ field, rule })]]);
  });

  it.each([
    ['', 'parameter_syntax'],
    ['0,0', 'parameter_syntax'],
    ['0,0,1,1', 'parameter_syntax'],
    ['NaN,0,1', 'parameter_syntax'],
    ['0,Infinity,1', 'parameter_syntax'],
    ['1e400,0,1', 'parameter_syntax'],
    ['1e-400,0,1', 'parameter_syntax'],
    ['0,0,1e400', 'parameter_syntax'],
    ['0x10,0,1', 'parameter_syntax'],
    ['{"$gt":0},0,1', 'parameter_syntax'],
    ['0,0,', 'parameter_syntax'],
    [`${'9'.repeat(5000)},0,1`, 'parameter_syntax'],
    ['null', 'parameter_syntax'],
    ['181,0,1', 'maximum'],
    ['0,-90.1,1', 'minimum'],
    ['0,0,0.5', 'minimum'],
    ['0,0,-1', 'minimum'],
    ['0,0,50000.1', 'maximum'],
    ['0,0,1e300', 'maximum'],
  ])('near=%s', async (value, rule) => {
    const { status, body } = await get(`near=${encodeURIComponent(value)}`);
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ field: 'near', rule })]]);
  });

  it.each([
    ['near[$where]=0,0,1', 'near[$where]', 'unknown_parameter'],
    ['near[kind]=0,0,1', 'near[kind]', 'unknown_parameter'],
    ['near[__proto__]=0,0,1', 'near[__proto__]', 'unknown_parameter'],
    ['near[]=0,0,1', 'near[]', 'parameter_syntax'],
    ['near[]=0&near[]=0', 'near[]', 'parameter_syntax'],
    ['near[]=0&near[at][]=0&near[]=1', 'near[]', 'repeated_parameter'],
    ['near=0,0,1%00', 'near', 'nul_character'],
    ['naer=0,0,1', 'naer', 'unknown_parameter'],
    ['distances=true', 'distances', 'not_available'],
    ['distances[gt]=true', 'distances[gt]', 'unknown_parameter'],
    ['at[near]=0,0,1', 'at[near]', 'not_filterable'],
  ])('%s', async (query, field, rule) => {
    const { status, body } = await get(query);
    expect([status, body.errors]).toMatchObject([400, [{ field, rule }]]);
    expect(api.errors).toEqual([]);
  });

  it.each([
    [{ near: '0,0,1' }],
    [{ near: [0, 0] }],
    [{ near: ['0', '0', '1'] }],
    [{ near: [0, 0, null] }],
    [{ near: 5 }],
    [{ near: [] }],
    [{ near: [[0], 0, 1] }],
    [{ near: { $geometry: 1 } }],
    [{ near: [0, 0, true] }],
    [{ near: [0, 91, 1] }],
    [{ 'near[at]': [0, 0, 1], near: [0, 0, 1] }],
    [{ near: [0, 0, 1], distances: 'true' }],
    [{ near: [0, 0, 1], sort: ['kind'] }],
    ['{"near":[1e400,0,1]}'],
  ])('the body %j', async (body) => {
    const answer = await api.request('POST', '/api/shops/query', { headers: { ...headers, 'content-type': 'application/json' }, body });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_query']);
    expect(api.errors).toEqual([]);
  });

  it('an export, and a write to many records does not know it', async () => {
    const exported = await api.request('GET', `/api/shops?${around}&distances=true`, { headers: { ...headers, accept: 'text/csv' } });
    expect([exported.status, exported.body.errors]).toMatchObject([
      400,
      [
        { field: 'near', rule: 'not_available' },
        { field: 'distances', rule: 'not_available' },
      ],
    ]);
    const deleted = await api.request('DELETE', `/api/shops?${around}`, { headers });
    expect([deleted.status, deleted.body.errors]).toMatchObject([400, [{ field: 'near', rule: 'unknown_parameter' }]]);
  });
});

describe('the index of a point', () => {
  it('is planned with the fields of the scope behind it, and for deleted records as well', async () => {
    const made = service<string>().api({ db: database.db, resources: define(service<string>()) });
    const { collections } = await planIndexes(made);
    const near = collections.flatMap(({ existing }) => existing.filter(({ reasons }) => reasons.some((one) => one.includes('near'))));
    expect(near.map(({ key, options, reasons }) => ({ key: Object.fromEntries(key), options, reasons }))).toEqual([
      { key: { at: '2dsphere', tenant: 1 }, options: {}, reasons: ['shops: near at'] },
      { key: { start: '2dsphere' }, options: {}, reasons: ['routes: near start'] },
      { key: { 'end.point': '2dsphere' }, options: {}, reasons: ['routes: near end.point'] },
    ]);
    expect(collections.flatMap(({ missing }) => missing)).toEqual([]);
  });

  const serve = useServer();

  it('is required: without it the answer is a 500, and the application is told which index to create', async () => {
    const Bare = defineModel('Bare', {
      collection: 'bare',
      fields: { id: t.string(), at: t.point({ policy: { near: { maxMetres: 9 } } }) },
    });
    const bare = service();
    const server = await serve(bare.api({ db: database.db, resources: [bare.resource({ model: Bare })] }).routes());
    const empty = await server.request('GET', '/bare?near=0,0,1');
    expect([empty.status, empty.body.data]).toEqual([200, []]);
    await database.db.collection<Any>('bare').insertOne({ _id: 'x', at: point(0, 0) });
    const { status, text } = await server.request('GET', '/bare?near=0,0,1');
    expect([status, text]).toEqual([500, expect.not.stringContaining('index')]);
    expect(server.errors.map(({ message }) => message)).toEqual([
      'A list of `bare` with `near` needs an index: await applyIndexes(api), or db.collection("bare").createIndex({ "at": \'2dsphere\' }).',
    ]);
  });
});

describe('a point that a caller does not read', () => {
  const serve = useServer();

  it.each(['near=0,0,1', 'near[at]=0,0,1', 'near=x', 'naer=1', 'distances=true', 'distances=true&near=0,0,1&sort=id'])(
    '%s is answered byte for byte as if there were none',
    async (query) => {
      const rules = { staff: (principal: string) => principal === 'staff' };
      const authenticate = (ctx: { get(name: string): string }) => ctx.get('authorization') || undefined;
      const hidden = service<string, 'staff'>({ authenticate, rules });
      const [ruled, plain] = await Promise.all([
        serve(
          hidden
            .api({ db: database.db, resources: [hidden.resource({ model: Spy, path: 'spies', ops: ['list'], aggregate: {} })] })
            .routes(),
        ),
        serve(
          hidden
            .api({ db: database.db, resources: [hidden.resource({ model: Plain, path: 'spies', ops: ['list'], aggregate: {} })] })
            .routes(),
        ),
      ]);
      for (const path of ['/spies', '/spies/aggregate']) {
        const [seen, without] = await Promise.all([ruled, plain].map((one) => one.request('GET', `${path}?${query}`)));
        expect([seen?.status, seen?.text]).toEqual([without?.status, without?.text]);
      }
      await database.db.collection('spies').createIndex({ at: '2dsphere' });
      const asStaff = await ruled.request('GET', '/spies?near=0,0,1', { headers: { authorization: 'staff' } });
      expect([asStaff.status, asStaff.body.data]).toEqual([200, []]);
    },
  );
});

describe('the definition', () => {
  const serve = useServer();
  const Point = { policy: { near: { maxMetres: 100 } } } as const;
  const make = (fields: Any) => () =>
    service().api({ db: database.db, resources: [service().resource({ model: defineModel('M', { collection: 'm', fields }) })] });

  it.each([
    ['no point', { at: t.string(Point) }, '`policy.near` of field `at` needs a point'],
    ['an array', { at: t.array(t.point(), Point) }, '`policy.near` of field `at` needs a point'],
    ['private', { at: t.point({ policy: { private: true, near: { maxMetres: 1 } } }) }, '`policy.near` would show its values'],
    ['too wide', { at: t.point({ policy: { near: { maxMetres: 3e7 } } }) }, 'from 1 to 20000000'],
    ['unbounded', { at: t.point({ policy: { near: {} as Any } }) }, 'must be { maxMetres }'],
    ['misspelt', { at: t.point({ policy: { near: { maxMetres: 5, max: 1 } as Any } }) }, 'must be { maxMetres }'],
    ['beside a field `near`', { at: t.point(Point), near: t.string({ policy: { filter: ['eq'] } }) }, '`policy.filter` of `near` in M'],
    ['beside a field `distances`', { at: t.point(Point), distances: t.int({ policy: { filter: true } }) }, '`distances=`'],
  ])('is a configuration error with a near that is %s', (_name, fields, message) => {
    expect(make(fields)).toThrow(message);
  });

  it('may have a field called near that is filtered otherwise, or where no point has a policy', async () => {
    const Odd = defineModel('Odd', {
      collection: 'shops',
      fields: { id: t.string(), at: t.point(Point), near: t.int({ policy: { filter: ['gte'] } }) },
    });
    const odd = service();
    const server = await serve(odd.api({ db: database.db, resources: [odd.resource({ model: Odd })] }).routes());
    expect((await server.request('GET', '/shops?near[gte]=5&near=0,0,100')).body).toMatchObject({ data: [], page: { has_next: false } });
    expect(make({ at: t.point(), near: t.string({ policy: { filter: ['eq'] } }) })).not.toThrow();
  });
});
