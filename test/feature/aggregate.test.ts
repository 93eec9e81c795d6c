import { Decimal128, Double, Long } from 'mongodb';
import { aggregate, defineModel, openapiDocument, queryBody, type RequestContext, type Service, service, t } from '../../src/index.ts';
import { compileSchema } from '../openapi/published.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const grouped = { policy: { filter: true, group: true } } as const;
const summed = { policy: { filter: true, aggregate: true } } as const;

const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: { id: t.string(), city: t.string({ policy: { filter: true } }) },
});
const Sale = defineModel('Sale', {
  collection: 'sales',
  fields: {
    id: t.string(),
    tenant: t.string(),
    status: t.enum(['open', 'paid'], grouped),
    city: t.nullable(t.string({ caseless: true, policy: { filter: true, group: true } })),
    customer: t.nullable(t.ref('Customer', { id: t.string() }), grouped),
    place: t.optional(t.object('Place', { zip: t.string({ policy: { group: true } }), floor: t.int({ policy: { aggregate: true } }) })),
    isGift: t.optional(t.boolean({ policy: { group: true } })),
    at: t.nullable(t.date({ policy: { filter: true, group: true, aggregate: true } })),
    amount: t.nullable(t.decimal(summed)),
    pieces: t.nullable(t.int(summed)),
    big: t.nullable(t.int64(summed)),
    weight: t.nullable(t.float(summed)),
    margin: t.nullable(t.decimal({ policy: { read: 'staff', aggregate: true, group: true } })),
    secret: t.nullable(t.int({ policy: { private: true } })),
    lines: t.array(t.object('Line', { sku: t.string(grouped), price: t.int(summed) }), { default: [] }),
    deletedAt: t.deletedAt(),
  },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const ofTenant = (ctx: RequestContext<string>) => ({ tenant: ctx.requirePrincipal().split('+')[0] as string });
const resources = (shop: Service<string, 'staff'>) => [
  shop.resource({
    model: Sale,
    ops: ['list', 'get', 'delete', 'restore'],
    scope: ofTenant,
    through: ['customer'],
    deleted: { guards: [(ctx) => ctx.get('x-bin') === 'yes'] },
    guardsFor: { get: [], list: [(ctx) => ctx.get('x-shut') === ''], aggregate: [(ctx) => ctx.get('x-count') !== 'no'] },
    aggregate: { maxMatches: 20, maxGroups: 6 },
  }),
  shop.resource({ model: Customer, scope: ofCity, ops: ['get'] }),
];
function ofCity(ctx: RequestContext<string>) {
  return ctx.get('x-city') === '' ? { city: 'Ulm' } : { city: ctx.get('x-city') };
}

const rules = { staff: (principal: string) => principal.endsWith('+staff') };
const authenticate = (ctx: { get(name: string): string }) => ctx.get('authorization') || undefined;
const serve = useServer();
let api: TestServer;
beforeAll(async () => {
  api = await serve(build(resources).routes());
});

type Define = typeof resources;
const build = (define: Define) => {
  const shop = service<string, 'staff'>({ authenticate, rules });
  return shop.api({ db: database.db, prefix: '/api', resources: define(shop) });
};

const at = (text: string) => new Date(text);
const sale = (_id: string, more: object) => ({
  _id,
  tenant: 'ann',
  status: 'open',
  city: null,
  customer: null,
  lines: [],
  revision: 0,
  ...more,
});
const sales = [
  sale('1', {
    city: 'Ulm',
    'city[fold2]': 'ulm',
    customer: 'c1',
    place: { zip: '1', floor: 3 },
    isGift: true,
    at: at('2026-01-31T23:30:00Z'),
    amount: Decimal128.fromString('0.10'),
    pieces: 1,
    big: Long.fromString('9223372036854775807'),
    weight: new Double(0.5),
    margin: Decimal128.fromString('7'),
    secret: 5,
  }),
  sale('2', {
    city: 'ulm',
    'city[fold2]': 'ulm',
    customer: 'c2',
    place: { zip: '1', floor: -1 },
    isGift: false,
    at: at('2026-02-01T10:00:00Z'),
    amount: Decimal128.fromString('0.20'),
    pieces: 2,
    big: Long.fromString('9223372036854775807'),
    weight: new Double(0.25),
    margin: Decimal128.fromString('8'),
  }),
  sale('3', {
    status: 'paid',
    at: at('2026-03-29T00:30:00Z'),
    amount: Decimal128.fromString('99999999999999999999.99'),
    pieces: null,
    weight: Number.NaN,
  }),
  sale('4', { status: 'paid', at: at('2026-12-31T10:00:00Z'), amount: 5, pieces: 'many', weight: Number.POSITIVE_INFINITY, big: 1 }),
  sale('5', { status: 'paid', amount: null, deletedAt: new Date() }),
  sale('6', { tenant: 'ben', amount: Decimal128.fromString('1000') }),
];

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('sales').insertMany(sales as never);
  await database.db.collection<{ _id: string }>('customers').insertMany([
    { _id: 'c1', city: 'Ulm' },
    { _id: 'c2', city: 'Rome' },
  ] as never);
});
beforeEach(() => commands.clear());

const send = (query: string, headers = {}) =>
  api.request('GET', `/api/sales/aggregate?${query}`, { headers: { authorization: 'ann', ...headers } });

async function ask(query: string, headers = {}) {
  const { status, body } = await send(query, headers);
  expect([query, status, body.errors ?? body.detail]).toEqual([query, 200, undefined]);
  return body.data;
}

describe('GET <list>/aggregate', () => {
  it.each<[string, unknown]>([
    ['', [{ count: 4 }]],
    ['count=true', [{ count: 4 }]],
    ['sum=amount', [{ sum: { amount: '100000000000000000005.29' } }]],
    ['sum=amount&count=true', [{ count: 4, sum: { amount: '100000000000000000005.29' } }]],
    [
      'avg=pieces&sum=pieces&min=pieces&max=pieces',
      [{ sum: { pieces: 3 }, avg: { pieces: '1.5' }, min: { pieces: 1 }, max: { pieces: 2 } }],
    ],
    ['sum=weight&avg=weight', [{ sum: { weight: 0.75 }, avg: { weight: 0.375 } }]],
    [
      'min=at&max=at,amount',
      [{ min: { at: '2026-01-31T23:30:00.000Z' }, max: { at: '2026-12-31T10:00:00.000Z', amount: '99999999999999999999.99' } }],
    ],
    ['sum=place.floor,place.floor', [{ sum: { 'place.floor': 2 } }]],
    [
      'group=status',
      [
        { group: { status: 'open' }, count: 2 },
        { group: { status: 'paid' }, count: 2 },
      ],
    ],
    ['group=status&status=paid&sum=pieces', [{ group: { status: 'paid' }, sum: { pieces: null } }]],
    [
      'group=city',
      [
        { group: { city: null }, count: 2 },
        { group: { city: 'Ulm' }, count: 1 },
        { group: { city: 'ulm' }, count: 1 },
      ],
    ],
    [
      'group=city&city=ULM&filter=status%3D%22open%22',
      [
        { group: { city: 'Ulm' }, count: 1 },
        { group: { city: 'ulm' }, count: 1 },
      ],
    ],
    [
      'group=place.zip,isGift',
      [
        { group: { 'place.zip': null, isGift: null }, count: 2 },
        { group: { 'place.zip': '1', isGift: false }, count: 1 },
        { group: { 'place.zip': '1', isGift: true }, count: 1 },
      ],
    ],
    ['group=at[month]', ['2026-01', '2026-02', '2026-03', '2026-12'].map((month) => ({ group: { 'at[month]': month }, count: 1 }))],
    [
      'group=at[month]&timezone=Europe/Berlin',
      [
        ['2026-02', 2],
        ['2026-03', 1],
        ['2026-12', 1],
      ].map(([month, count]) => ({ group: { 'at[month]': month }, count })),
    ],
    [
      'group=at[year],at[quarter]',
      [
        ['2026-Q1', 3],
        ['2026-Q4', 1],
      ].map(([quarter, count]) => ({ group: { 'at[year]': '2026', 'at[quarter]': quarter }, count })),
    ],
    ['group=at[week]&amount[lt]=1', [{ group: { 'at[week]': '2026-W05' }, count: 2 }]],
    ['group=at[day]&status=paid', ['2026-03-29', '2026-12-31'].map((day) => ({ group: { 'at[day]': day }, count: 1 }))],
    [
      'group=at[hour]&status=open&timezone=%2B05:30',
      ['2026-01-31T23:30:00.000Z', '2026-02-01T09:30:00.000Z'].map((hour) => ({ group: { 'at[hour]': hour }, count: 1 })),
    ],
    ['status=open&pieces[gt]=5&sum=amount&count=true', [{ count: 0, sum: { amount: null } }]],
    ['group=status&pieces[gt]=5', []],
    [
      'group=customer',
      [
        { group: { customer: null }, count: 2 },
        { group: { customer: 'c1' }, count: 1 },
        { group: { customer: 'c2' }, count: 1 },
      ],
    ],
    ['customer.city=Ulm', [{ count: 1 }]],
    ['filter=customer.city%3D%22Rome%22', [{ count: 0 }]],
  ])('%s', async (query, data) => expect(await ask(query)).toEqual(data));

  it('adds integers of 64 bits exactly', async () => {
    const { text } = await send('sum=big&avg=big&max=big');
    expect(text).toBe(
      '{"data":[{"sum":{"big":18446744073709551615},"avg":{"big":"6148914691236517205"},"max":{"big":9223372036854775807}}]}',
    );
  });

  it('is one command, and sees the scope, the living records and the view of the caller', async () => {
    expect(await ask('sum=amount', { authorization: 'ben' })).toEqual([{ sum: { amount: '1000' } }]);
    expect(commands.events.map(({ commandName }) => commandName)).toEqual(['aggregate']);
    expect(await ask('deleted=with', { 'x-bin': 'yes' })).toEqual([{ count: 5 }]);
    expect(await ask('deleted=only', { 'x-bin': 'yes' })).toEqual([{ count: 1 }]);
    expect((await send('deleted=only')).status).toBe(403);
    expect(await ask('sum=margin', { authorization: 'ann+staff' })).toEqual([{ sum: { margin: '15' } }]);
  });
});

describe('what GET <list>/aggregate refuses', () => {
  it.each([
    ['group=tenant', 'group', 'not_groupable'],
    ['group=stauts', 'group', 'not_groupable'],
    ['group=', 'group', 'not_groupable'],
    ['group=lines.sku', 'group', 'not_groupable'],
    ['group=lines', 'group', 'not_groupable'],
    ['group=customer.city', 'group', 'not_groupable'],
    ['group=$status', 'group', 'not_groupable'],
    ['group=__proto__', 'group', 'not_groupable'],
    ['group=secret', 'group', 'not_groupable'],
    ['group=margin', 'group', 'not_groupable'],
    ['group=id', 'group', 'not_groupable'],
    ['group=at', 'group', 'parameter_syntax'],
    ['group=at[minute]', 'group', 'parameter_syntax'],
    ['group=at[constructor]', 'group', 'parameter_syntax'],
    ['group=status[month]', 'group', 'parameter_syntax'],
    ['group=at[month][day]', 'group', 'not_groupable'],
    [`group=${['year', 'quarter', 'month', 'week', 'day', 'hour'].map((unit) => `at[${unit}]`)},status,city,customer`, 'group', 'maxItems'],
    ['sum=status', 'sum', 'not_aggregable'],
    ['sum=at', 'sum', 'not_aggregable'],
    ['sum=lines.price', 'sum', 'not_aggregable'],
    ['sum=margin', 'sum', 'not_aggregable'],
    ['sum=secret', 'sum', 'not_aggregable'],
    ['avg=customer.city', 'avg', 'not_aggregable'],
    ['min=_id', 'min', 'not_aggregable'],
    ['max=constructor', 'max', 'not_aggregable'],
    ['count=yes', 'count', 'type'],
    ['count=true&count=true', 'count', 'repeated_parameter'],
    ['timezone=Mars', 'timezone', 'format'],
    ['timezone=$$ROOT', 'timezone', 'format'],
    ['timezone=%2B25:00', 'timezone', 'format'],
    ['timezone=', 'timezone', 'format'],
    ['page=5', 'page', 'unknown_parameter'],
    ['before=x', 'before', 'unknown_parameter'],
    ['group[in]=status', 'group[in]', 'unknown_parameter'],
    ['tenant=ben', 'tenant', 'not_filterable'],
    ['margin=7', 'margin', 'unknown_parameter'],
    ['filter=tenant%3D%22ben%22', 'filter', 'not_filterable'],
    ['filter=x', 'filter', 'syntax'],
    ['status=opne', 'status', 'enum'],
    ['deleted=all', 'deleted', 'enum'],
  ])('%s is 400', async (query, field, rule) => {
    const { status, body } = await send(query, { 'x-bin': 'yes' });
    expect([query, status, body.code]).toEqual([query, 400, 'invalid_query']);
    expect(body.errors[0]).toMatchObject({ field, rule });
    expect(commands.events).toEqual([]);
  });

  it('tells a hidden field from an unknown one by nothing', async () => {
    for (const [parameter, name, other] of [
      ['sum', 'margin', 'nothing'],
      ['group', 'margin', 'nothing'],
      ['sum', 'secret', 'absent'],
    ]) {
      const [hidden, unknown] = [await send(`${parameter}=${name}`), await send(`${parameter}=${other}`)];
      const text = (answer: typeof hidden) => answer.text.replaceAll(/"request_id":"[^"]*"/g, '');
      expect(text(hidden)).toBe(text(unknown).replaceAll(other as string, name as string));
    }
    expect((await send('sum=amuont')).body.errors[0].params).toEqual({ name: 'amuont', suggestion: 'amount' });
  });

  it('is 422 for an integer of more than 64 bits, for too many groups and for too many records', async () => {
    expect((await send('pieces=9223372036854775808')).body).toMatchObject({ status: 422, code: 'validation_failed' });
    const many = Array.from({ length: 21 }, (_, index) => ({
      _id: `m${index}`,
      tenant: 'many',
      status: 'open',
      city: `c${index % 7}`,
      lines: [],
    }));
    await database.db.collection<{ _id: string }>('sales').insertMany(many.slice(0, 20) as never);
    expect(await ask('group=status', { authorization: 'many' })).toEqual([{ group: { status: 'open' }, count: 20 }]);
    const groups = await send('group=city', { authorization: 'many' });
    expect([groups.status, groups.body.code, groups.body.detail]).toEqual([
      422,
      'too_many_matches',
      'The answer would have more than 6 groups: narrow the list by filters, or group it by fewer fields.',
    ]);
    await database.db.collection<{ _id: string }>('sales').insertOne(many[20] as never);
    for (const query of ['', 'group=status', 'sum=pieces', 'count=false&sum=pieces']) {
      const records = await send(query, { authorization: 'many' });
      expect([query, records.status, records.body.detail]).toEqual([query, 422, 'More than 20 records match: narrow the list by filters.']);
    }
  });

  it('asks the guards of the list, and then its own', async () => {
    expect((await send('', { 'x-shut': 'yes' })).status).toBe(403);
    expect((await send('', { 'x-count': 'no' })).status).toBe(403);
    expect((await api.request('GET', '/api/sales', { headers: { authorization: 'ann', 'x-count': 'no' } })).status).toBe(200);
    expect((await api.request('GET', '/api/sales/aggregate')).status).toBe(401);
    expect((await api.request('POST', '/api/sales/aggregate', { headers: { authorization: 'ann' }, body: {} })).status).toBe(405);
    expect((await api.request('HEAD', '/api/sales/aggregate', { headers: { authorization: 'ann' } })).status).toBe(200);
  });

  it('survives what no program of this library has stored', async () => {
    const strange = [
      { at: 'yesterday', amount: 'much', city: ['a', { b: 1 }], status: { $gt: 1 } },
      { at: new Date(8.64e15), amount: Decimal128.fromString('NaN'), city: 5, status: null },
      { at: new Date(-8.64e15), amount: Decimal128.fromString('Infinity'), city: { x: 1 }, place: 'x' },
      { at: [new Date(0)], amount: Decimal128.fromString('9.999E+6144'), city: null, place: [{ floor: 1 }] },
      { at: new Date(0), amount: Decimal128.fromString('9.999E+6144'), city: 'x', place: null },
    ];
    await database.db
      .collection<{ _id: string }>('sales')
      .insertMany(strange.map((one, index) => ({ _id: `s${index}`, tenant: 'strange', lines: [], ...one })) as never);
    const as = { authorization: 'strange' };
    for (const unit of ['year', 'quarter', 'month', 'week', 'day', 'hour'])
      for (const zone of ['UTC', 'Pacific/Kiritimati', '-14:00']) {
        const groups = await ask(`group=at[${unit}]&timezone=${encodeURIComponent(zone)}`, as);
        expect(groups.map(({ count }: { count: number }) => count)).toEqual([4, 1]);
      }
    expect((await api.request('GET', '/api/sales/aggregate?sum=amount', { headers: as })).body.errors).toEqual([
      { field: 'sum', rule: 'out_of_range', message: 'of `amount` is beyond the range of a Decimal128' },
    ]);
    expect(await ask('group=city&max=place.floor', as)).toEqual([
      { group: { city: null }, max: { 'place.floor': null } },
      { group: { city: 'x' }, max: { 'place.floor': null } },
    ]);
    expect(await ask('group=status', as)).toEqual([{ group: { status: null }, count: 5 }]);
  });
});

describe('numbers that another program has stored', () => {
  const as = { authorization: 'other' };
  const others = [
    {
      pieces: new Double(9007199254740991),
      amount: new Double(9007199254740991),
      weight: Decimal128.fromString('5.00'),
      at: at('9999-12-31T23:00:00Z'),
    },
    { pieces: new Double(5), amount: new Double(0.5), weight: 1, at: at('0001-01-01T00:00:00Z') },
    { pieces: new Double(2.5), amount: Decimal128.fromString('1'), weight: Long.fromNumber(2), at: null },
    { pieces: Number.NaN, amount: new Double(1e300), weight: Number.NaN, at: null },
    { pieces: Decimal128.fromString('7.00'), amount: null, weight: null, at: null },
  ];
  beforeAll(() =>
    database.db
      .collection<{ _id: string }>('sales')
      .insertMany(others.map((one, index) => sale(`o${index}`, { tenant: 'other', ...one })) as never),
  );

  it('are added up exactly where they are integers, and do not count where they are of no type of the field', async () => {
    const { text } = await send('sum=pieces,weight&avg=pieces&max=pieces,weight', as);
    expect(text).toBe(
      '{"data":[{"sum":{"pieces":9007199254740996,"weight":3},"avg":{"pieces":"4503599627370498"},"max":{"pieces":9007199254740991,"weight":2}}]}',
    );
    expect((await ask('sum=amount&amount[lt]=1e299', as))[0]).toEqual({ sum: { amount: '9007199254740992.500000000000000' } });
  });

  it('are dates of all years with four digits', async () => {
    const years = await ask('group=at[year]', as);
    expect(years.map(({ group }: Any) => group['at[year]'])).toEqual([null, '0001', '9999']);
    const later = await ask('group=at[year]&timezone=Pacific/Auckland', as); // there, the last day has already ended
    expect(later.map(({ group }: Any) => group['at[year]'])).toEqual([null, '0001']);
  });
});

describe('an aggregate that would be too large', () => {
  it('is 422 for a caller in the process who wants less', async () => {
    const call = (maxPageBytes: number) =>
      build(resources).fetch(new Request('http://in-process/api/sales/aggregate?group=city', { headers: { authorization: 'ann' } }), {
        maxPageBytes,
      });
    expect((await call(10)).status).toBe(422);
    expect((await call(1_000)).status).toBe(200);
  });

  it('is refused behind `queryBody`, whose parameters it would not read', async () => {
    const alone = await serve(queryBody(), aggregate(Sale, { db: database.db }) as never);
    expect((await alone.request('POST', '/', { body: { status: 'open' } })).status).toBe(500);
  });
});

describe('the path of an aggregate', () => {
  it('is that of a record for other methods', async () => {
    await database.db
      .collection<{ _id: string }>('sales')
      .insertMany(['aggregate', 'query'].map((id) => sale(id, { tenant: 'paths' })) as never);
    const as = { headers: { authorization: 'paths' } };
    expect((await api.request('GET', '/api/sales/query', as)).body.data.id).toBe('query');
    for (const id of ['aggregate', 'query']) expect((await api.request('DELETE', `/api/sales/${id}`, as)).status).toBe(204);
    expect((await api.request('PUT', '/api/sales/aggregate', { ...as, body: {} })).headers.allow).toBe('GET, HEAD, DELETE');
  });
});

describe('`aggregate` of a resource', () => {
  const refusal = (options: object, model: object = Sale) => {
    const shop = service<string, 'staff'>({ authenticate, rules });
    try {
      shop.api({ db: database.db, resources: [shop.resource({ model, path: 'x', ...options } as never)] });
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('is legal');
  };
  const counted = defineModel('Counted', { collection: 'counted', fields: { id: t.string(), count: t.int({ policy: { filter: true } }) } });

  it.each([
    [{ aggregate: 'yes' }, 'must be true or an object: { maxMatches, maxGroups }'],
    [{ aggregate: { maxMatch: 1 } }, 'did you mean `maxMatches`?'],
    [{ aggregate: { maxGroups: 0 } }, '`maxGroups`'],
    [{ aggregate: true, ops: ['get'] }, '`ops` has no `list`'],
    [{ aggregate: true, after: { list: [() => undefined] } }, 'What they hide would be counted'],
    [{ aggregate: true, after: { read: [() => undefined] } }, 'What they hide would be counted'],
    [{ aggregate: true, operations: { aggregate: { handler: () => undefined } } }, 'a custom operation cannot have this name'],
    [
      { aggregate: true, operations: { all: { method: 'GET', path: '/aggregate', handler: () => undefined } } },
      'are both GET `/aggregate`',
    ],
    [{ aggregate: true, model: counted }, '`policy.filter` of `count` in Counted cannot have `eq`'],
    [{ guardsFor: { aggregate: [] } }, '`aggregate` is not an operation in `guardsFor`'],
  ])('cannot be %j', (options, words) => expect(refusal(options)).toContain(words));

  it.each([
    [t.string({ policy: { aggregate: true } }), 'does not fit its type'],
    [t.date({ policy: { aggregate: ['sum'] } }), 'does not fit its type'],
    [t.array(t.int(), { policy: { aggregate: true } }), 'does not fit its type'],
    [t.array(t.int(), { policy: { group: true } }), 'needs a single value'],
    [t.map(t.int(), { policy: { group: true } }), 'needs a single value'],
    [t.any({ policy: { group: true } }), 'needs a single value'],
  ])('is refused for a field that has none: %#', (x, words) => {
    const model = defineModel('Wrong', { collection: 'wrong', fields: { id: t.string(), x } });
    expect(refusal({ model })).toContain(words);
  });

  it('is not there without it', async () => {
    const shop = service();
    const quiet = await serve(
      shop.api({ db: database.db, prefix: '/api', resources: [shop.resource({ model: Customer, ops: ['list'] })] }).routes(),
    );
    expect((await quiet.request('GET', '/api/customers/aggregate')).status).toBe(404);
  });
});

describe('the description of an aggregate', () => {
  const document = () => openapiDocument(build(resources)) as Any;

  it('has its parameters and its answer', async () => {
    const { parameters, responses, operationId } = document().paths['/api/sales/aggregate'].get;
    expect(operationId).toBe('aggregateSales');
    const enumOf = (name: string) => parameters.find((one: Any) => one.name === name)?.schema.items.enum;
    expect(enumOf('group')).toEqual([
      'status',
      'city',
      'customer',
      'place.zip',
      'isGift',
      'at[year]',
      'at[quarter]',
      'at[month]',
      'at[week]',
      'at[day]',
      'at[hour]',
      'margin',
    ]);
    expect(enumOf('sum')).toEqual(['place.floor', 'amount', 'pieces', 'big', 'weight', 'margin']);
    expect(enumOf('min')).toEqual(['place.floor', 'at', 'amount', 'pieces', 'big', 'weight', 'margin']);
    const names = parameters.map(({ name }: Any) => name);
    expect(names).toEqual(expect.arrayContaining(['count', 'timezone', 'filter', 'status[eq]', 'customer.city[eq]', 'deleted']));
    expect(names).toEqual(expect.arrayContaining(['sort', 'limit', 'after', 'having']));
    expect(names).not.toContain('before');
    const fits = compileSchema(document(), responses[200].content['application/json'].schema);
    for (const query of [
      'group=status,at[month],at[hour],isGift&count=true&sum=pieces,amount,weight,big&avg=pieces,weight&min=at,amount&max=big',
      '',
    ]) {
      const { body } = await send(query);
      expect([query, fits(body)]).toEqual([query, true]);
    }
    expect(fits({ data: [{ sum: { amount: 5 } }] })).toBe(false);
  });
});
