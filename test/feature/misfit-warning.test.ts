import { Decimal128 } from 'mongodb';
import { type Api, cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase();
const shop = service();

const Part = t.object('Part', { sku: t.string(), size: t.int({ default: 1 }) });
const Customer = defineModel('Customer', { collection: 'customers', fields: { id: t.string(), name: t.string() } });
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string(),
    total: t.int({ minimum: 0 }),
    status: t.enum(['open', 'paid'], { default: 'open' }),
    price: t.optional(t.decimal()),
    note: t.optional(t.string({ maxLength: 3 })),
    due: t.nullable(t.date()),
    parts: t.array(Part, { default: [] }),
    byKey: t.map(t.int(), { default: {}, propertyNames: { pattern: '^[a-z]+$' } }),
    extra: t.optional(t.any()),
    customer: t.optional(t.ref('Customer', { id: t.string() })),
    secret: t.string({ policy: { private: true } }),
    revision: t.revision(),
  },
  check: () => 'is never right',
});

let warnings: { text: string; options: unknown }[] = [];
const orders = () => database.db.collection<{ _id: string; [key: string]: unknown }>('orders');

function build(environment: string | undefined, resource: object = {}): Api {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = environment;
  try {
    return shop.api({
      db: database.db,
      warnOnScan: false,
      models: [Customer],
      resources: [shop.resource({ model: Order, ops: ['list', 'get'], include: ['customer'], ...resource })],
    });
  } finally {
    process.env.NODE_ENV = before;
  }
}

async function get(api: Api, path: string) {
  const response = await api.fetch(new Request(`http://in-process/${path}`));
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: unknown }).data;
}

beforeEach(async () => {
  warnings = [];
  jest.spyOn(process, 'emitWarning').mockImplementation((...given: unknown[]) => {
    warnings.push({ text: String(given[0]), options: given[1] });
  });
  await orders().deleteMany({});
});
afterEach(() => {
  jest.restoreAllMocks();
});

const told = (path: string, what: string, id = 'a') =>
  `A stored record of Order does not fit its model: \`${path}\` ${what}. It is served as it is; its id is "${id}".`;
const notInteger = 'must be an integer';

describe('a stored record that does not fit its model', () => {
  it.each<[what: string, stored: object, warning: string]>([
    ['another type', { total: 'five' }, told('total', notInteger)],
    ['a fraction', { total: 1.5 }, told('total', notInteger)],
    ['another number type', { total: Decimal128.fromString('5') }, told('total', notInteger)],
    ['a required value that is missing', { total: undefined }, told('total', 'is required')],
    ['a required value that is null', { total: null }, told('total', 'is required')],
    ['a text for a decimal', { price: '1.50' }, told('price', 'must be a decimal number, such as 12.50 or "12.50"')],
    ['no member of an enum', { status: 'opne' }, told('status', 'must be one of open, paid; did you mean `open`?')],
    ['a broken constraint', { total: -1 }, told('total', 'must be at least 0')],
    ['a text that is too long', { note: 'long' }, told('note', 'must have at most 3 characters')],
    ['no list', { parts: 5 }, told('parts', 'must be a list')],
    ['an item of a list', { parts: [{ sku: 's' }, { sku: 5 }] }, told('parts.1.sku', 'must be a string')],
    ['an item that is null', { parts: [null] }, told('parts.0', 'must not be null')],
    ['a value of a map', { byKey: { a: 1, b: 'x' } }, told('byKey.b', notInteger)],
  ])('is served as before, and told of in development: %s', async (_what, stored, warning) => {
    await orders().insertOne({ _id: 'a', total: 5, ...stored }, { ignoreUndefined: true });
    const silent = await get(build('production'), 'orders/a');
    expect(warnings).toEqual([]);
    expect(await get(build('development'), 'orders/a')).toEqual(silent);
    expect(warnings).toEqual([{ text: warning, options: { type: 'KoaMongoResourceWarning', code: 'RECORD_MISFIT' } }]);
  });

  it('is told of where NODE_ENV is not set, and not in tests', async () => {
    await orders().insertOne({ _id: 'a', total: 'x' });
    await get(build('test'), 'orders');
    expect(warnings).toEqual([]);
    await get(build(''), 'orders');
    expect(warnings).toHaveLength(1);
  });

  it('is told of once for each kind, however many records and requests, items and keys have it', async () => {
    await orders().insertMany([
      { _id: 'a', total: 'x', parts: [{ sku: 1 }, { sku: 2 }], byKey: { a: 'x', b: 'y' } },
      { _id: 'b', total: 'y', parts: [{ sku: 3 }], byKey: { c: 'x' } },
      { _id: 'c', total: -1 },
    ]);
    const api = build('development');
    for (const path of ['orders', 'orders/b', 'orders/c', 'orders?sort=id']) await get(api, path.replace('?sort=id', ''));
    expect(warnings.map(({ text }) => text)).toEqual([
      told('total', notInteger),
      told('parts.0.sku', 'must be a string'),
      told('byKey.a', notInteger),
      told('total', 'must be at least 0', 'c'),
    ]);
  });

  it('is told of when it is shown by `include`, too', async () => {
    await database.db.collection<{ _id: string }>('customers').insertOne({ _id: 'ann' });
    await orders().insertOne({ _id: 'a', total: 5, customer: 'ann' });
    await get(build('development'), 'orders?include=customer');
    expect(warnings.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^A stored record of Customer .* `name` is required\..* "ann"\.$/),
    ]);
  });

  it('remembers a thousand kinds at most: text that others have chosen may stand in them', async () => {
    await orders().insertMany(Array.from({ length: 1_100 }, (_, index) => ({ _id: `n${index}`, total: 5, byKey: { [`key${index}`]: 1 } })));
    await get(build('development', { paging: cursorPaging({ max: 1_100 }) }), 'orders?limit=1100');
    expect(warnings).toHaveLength(1_000);
  });

  it('is not told of for what fits: private values that are not fetched, checks, defaults, keys that no field has', async () => {
    await orders().insertMany([
      { _id: 'a', total: 5, alien: 1, price: 1.5 },
      { _id: 'b', total: 5.0, due: null, note: null, status: null, extra: { any: ['thing'] } },
      { _id: 'c', total: 5, due: new Date('+010000-01-01T00:00:00Z'), revision: null },
    ]);
    await get(build('development'), 'orders');
    expect(warnings).toEqual([]);
  });
});

describe('a value that its field cannot read', () => {
  it('is not said to be served as it is: it is a 500, which names it', async () => {
    const Bill = defineModel('Bill', {
      collection: 'orders',
      fields: { id: t.string(), due: t.date({ stored: 'd', storedAs: 'string' }), note: t.optional(t.string()) },
    });
    process.env.NODE_ENV = 'development';
    const api = shop.api({ db: database.db, warnOnScan: false, resources: [shop.resource({ model: Bill, ops: ['get'] })] });
    process.env.NODE_ENV = 'test';
    await orders().insertOne({ _id: 'a', d: 'soon', note: 5 });
    const told = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    expect((await api.fetch(new Request('http://in-process/orders/a'))).status).toBe(500);
    expect([warnings, String(told.mock.calls[0])]).toEqual([[], expect.stringContaining('`due` must be stored as a text')]);
  });
});
