import { Decimal128, Double, Long } from 'mongodb';
import { defineModel, everything, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const Product = defineModel('Product', {
  collection: 'products',
  fields: {
    id: t.string({ policy: { insert: true } }),
    name: t.string({ default: '', policy: { filter: true } }),
    stock: t.counter({ minimum: 0, maximum: 100 }),
    views: t.counter({ policy: { insert: false } }),
    seats: t.counter({ minimum: 5, default: 10 }),
    by: t.optional(t.string({ policy: { insert: false, update: false } })),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  },
});
const api = useApi(database, (shop) => [
  shop.resource({
    model: Product,
    ops: ['list', 'get', 'create', 'patch', 'put', 'patchMany'],
    scope: (ctx) => (ctx.get('x-reach') ? JSON.parse(ctx.get('x-reach')) : everything),
  }),
  shop.resource({ model: Product, path: 'signed', serverFields: { update: (ctx) => ({ by: ctx.get('x-user') }) } }),
  shop.resource({ model: Product, path: 'strict', preconditionRequired: true }),
]);
const products = () => database.db.collection<Any>('products');
const stored = (_id: string) => products().findOne({ _id });
const step = (path: string, body: unknown, headers = {}) => api.request('POST', `/api/${path}`, { body: body as Any, headers });

beforeEach(async () => {
  await products().deleteMany({});
  await products().insertMany([{ _id: 'pen', name: 'Pen', stock: 10, views: 0, seats: 10, revision: 4 }, { _id: 'bare' }]);
  commands.clear();
});

describe('POST <record>/<counter>', () => {
  it('adds to the counter by one command, with one step of the revision and the time of the write', async () => {
    const { status, body, headers } = await step('products/pen/stock', { add: -3 });
    expect([status, headers.etag, body.data]).toMatchObject([200, '"5"', { id: 'pen', stock: 7, views: 0, revision: 5 }]);
    expect(commands.names).toEqual(['findAndModify']);
    expect(await stored('pen')).toMatchObject({ stock: 7, name: 'Pen', revision: 5, updatedAt: expect.any(Date) });
  });

  it('counts from the default where nothing or null is stored', async () => {
    expect((await step('products/bare/stock', { add: 2 })).body.data).toMatchObject({ stock: 2, revision: 1 });
    expect((await step('products/bare/seats', { add: -4 })).body.data).toMatchObject({ seats: 6, revision: 2 });
    await products().updateOne({ _id: 'bare' }, { $set: { seats: null } });
    expect((await step('products/bare/seats', { add: 1 })).body.data).toMatchObject({ seats: 11, revision: 3 });
  });

  it('lets exactly ten of a hundred take from a stock of ten', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => step('products/pen/stock', { add: -1 })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status, body }) => status === 422 && body.errors[0].field === 'stock')).toHaveLength(90);
    expect(await stored('pen')).toMatchObject({ stock: 0, revision: 14 });
  });

  it.each([
    ['stock', -11, { rule: 'minimum', params: { limit: 0 } }],
    ['stock', 91, { rule: 'maximum', params: { limit: 100 } }],
    ['seats', -6, { rule: 'minimum', params: { limit: 5 } }],
    ['seats', 2 ** 53 - 1, { rule: 'out_of_range' }],
    ['stock', 2 ** 53 - 1, { rule: 'maximum' }],
    ['stock', -(2 ** 53 - 1), { rule: 'minimum' }],
  ])('refuses a step of %s by %d, which would pass a bound, and changes nothing', async (counter, add, error) => {
    const { status, body } = await step(`products/pen/${counter}`, { add });
    expect([status, body.code, body.errors]).toMatchObject([422, 'validation_failed', [{ field: counter, ...error }]]);
    expect(await stored('pen')).toMatchObject({ stock: 10, seats: 10, revision: 4 });
  });

  it('reaches both bounds', async () => {
    expect((await step('products/pen/stock', { add: 90 })).body.data.stock).toBe(100);
    expect((await step('products/pen/stock', { add: -100 })).body.data.stock).toBe(0);
    expect((await step('products/pen/views', { add: 2 ** 53 - 1 })).body.data.views).toBe(2 ** 53 - 1);
    expect((await step('products/pen/views', { add: 1 })).body.errors[0]).toMatchObject({ field: 'views', rule: 'out_of_range' });
    expect((await step('products/pen/views', { add: -(2 ** 53 - 1) })).body.data.views).toBe(0);
    expect((await step('products/pen/views', { add: -(2 ** 53 - 1) })).status).toBe(200);
    expect((await step('products/pen/views', { add: -1 })).body.errors[0]).toMatchObject({ field: 'views', rule: 'out_of_range' });
  });

  it.each([
    [{ add: 0 }, 'add', 'check'],
    [{ add: -0 }, 'add', 'check'],
    [{ add: 1.5 }, 'add', 'type'],
    [{ add: '1' }, 'add', 'type'],
    [{ add: null }, 'add', 'not_null'],
    [{ add: [1] }, 'add', 'type'],
    [{ add: { $inc: 1 } }, 'add', 'type'],
    [{ add: true }, 'add', 'type'],
    [{}, 'add', 'required'],
    [{ add: 1, by: 2 }, 'by', 'unknown_field'],
    [{ add: 1, stock: 2 }, 'stock', 'unknown_field'],
    [{ $inc: 1 }, '$inc', 'unknown_field'],
  ])('answers 422 to %j', async (sent, field, rule) => {
    const { status, body } = await step('products/pen/stock', sent);
    expect([status, body.errors]).toEqual([422, expect.arrayContaining([expect.objectContaining({ field, rule })])]);
    expect(commands.names).toEqual([]);
  });

  it.each([
    ['{"add":1e400}', 422, 'out_of_range'],
    ['{"add":9007199254740992}', 422, 'out_of_range'],
    ['{"add":-9223372036854775809}', 422, 'out_of_range'],
    ['{"add":99999999999999999999999999}', 422, 'out_of_range'],
    ['{"add":1.0}', 200, undefined],
    ['{"add":2e0}', 200, undefined],
    ['[1]', 422, 'type'],
    ['', 422, 'type'],
    ['{"add":', 400, undefined],
  ])('reads %s exactly: %d', async (text, status, rule) => {
    const answer = await api.request('POST', '/api/products/pen/views', { body: text, headers: { 'content-type': 'application/json' } });
    expect([answer.status, answer.body.errors?.[0]?.rule]).toEqual([status, rule]);
  });

  it('answers 404 for a record that is not there, 412 for another revision, and 428 where If-Match is required', async () => {
    expect((await step('products/none/stock', { add: 1 })).status).toBe(404);
    expect((await step('products/none/stock', { add: 1 }, { 'if-match': '"1"' })).status).toBe(404);
    expect((await step('products/pen/stock', { add: 1 }, { 'if-match': '"3"' })).status).toBe(412);
    expect((await step('products/pen/stock', { add: -99 }, { 'if-match': '"3"' })).status).toBe(412);
    expect((await step('products/pen/stock', { add: 1 }, { 'if-match': '"4"' })).headers.etag).toBe('"5"');
    expect((await step('strict/pen/stock', { add: 1 })).status).toBe(428);
    expect((await step('strict/pen/stock', { add: 1 }, { 'if-match': '"5"' })).status).toBe(200);
  });

  it('takes numbers that other programs have stored, and makes integers of them', async () => {
    for (const stock of [new Double(7), new Long(7), Decimal128.fromString('7'), 7]) {
      await products().updateOne({ _id: 'pen' }, { $set: { stock } });
      expect((await step('products/pen/stock', { add: 1 })).body.data.stock).toBe(8);
      expect(await products().countDocuments({ _id: 'pen', stock: { $type: 'long' } })).toBe(1);
    }
  });

  it.each([
    ['ten'],
    [new Double(1.5)],
    [new Double(Number.NaN)],
    [new Double(Number.POSITIVE_INFINITY)],
    [[10]],
    [true],
    [new Date(10)],
    [{}],
  ])('leaves %s as it is, which is no integer: a mistake that is reported', async (stock) => {
    await products().updateOne({ _id: 'pen' }, { $set: { stock } });
    expect((await step('products/pen/stock', { add: 1 })).status).toBe(500);
    expect(api.errors.splice(0).map(String)).toEqual([expect.stringContaining('`stock` that is no integer')]);
    expect(await stored('pen')).toMatchObject({ revision: 4 });
  });

  it('comes back from outside of the bounds, and goes no further', async () => {
    await products().updateOne({ _id: 'pen' }, { $set: { stock: -5, views: Long.MAX_VALUE } });
    expect((await step('products/pen/stock', { add: 4 })).body.errors[0]).toMatchObject({ field: 'stock', rule: 'minimum' });
    expect((await step('products/pen/views', { add: 1 })).body.errors[0]).toMatchObject({ field: 'views', rule: 'out_of_range' });
    expect((await step('products/pen/stock', { add: 5 })).body.data.stock).toBe(0);
  });

  it('writes the values that the server sets on update together with the step', async () => {
    await step('signed/pen/stock', { add: 1 }, { 'x-user': 'ann' });
    expect(await stored('pen')).toMatchObject({ stock: 11, by: 'ann', revision: 5 });
  });
});

describe('a counter', () => {
  it('is not set by patch, put and patchMany, and keeps its value', async () => {
    const refused = { field: 'stock', rule: 'not_writable', params: { operation: 'update' } };
    for (const [method, path] of [
      ['PATCH', 'products/pen'],
      ['PUT', 'products/pen'],
      ['PATCH', 'products?name=Pen'],
    ] as const) {
      const { status, body } = await api.request(method, `/api/${path}`, { body: { stock: 3 } });
      expect([path, status, body.errors[0]]).toMatchObject([path, 422, refused]);
    }
    expect((await api.request('PUT', '/api/products/pen', { body: { name: 'Quill' } })).body.data).toMatchObject({ stock: 10, seats: 10 });
  });

  it('may be set on create, and has its default otherwise', async () => {
    const create = (body: object) => api.request('POST', '/api/products', { body });
    expect((await create({ id: 'a', stock: 3 })).body.data).toMatchObject({ stock: 3, views: 0, seats: 10 });
    expect((await create({ id: 'b', stock: 101, seats: 4, views: 1 })).body.errors).toMatchObject([
      { field: 'views', rule: 'not_writable' },
      { field: 'stock', rule: 'maximum' },
      { field: 'seats', rule: 'minimum' },
    ]);
  });
});

describe('the scope', () => {
  const within = (reach: object) => ({ 'x-reach': JSON.stringify(reach) });

  it('hides a record that is outside of it, whatever the step', async () => {
    const [foreign, none] = [
      await step('products/pen/stock', { add: -99 }, within({ name: 'Ink' })),
      await step('products/none/stock', { add: -99 }, within({ name: 'Ink' })),
    ];
    expect([foreign.status, foreign.text]).toEqual([404, none.text]);
  });

  it.each([
    [{ stock: { gte: 8 } }, -2, 200],
    [{ stock: { gte: 8 } }, -3, 422],
    [{ stock: { gt: 8 } }, -2, 422],
    [{ stock: { lte: 12 } }, 2, 200],
    [{ stock: { lt: 12 } }, 2, 422],
    [{ stock: 10 }, 1, 422],
    [{ stock: { in: [10, 11] } }, 1, 200],
    [{ stock: { in: [10, 11] } }, 2, 422],
    [{ stock: { ne: 11 } }, 1, 422],
    [{ stock: { nin: [11, 12] } }, 3, 200],
    [{ stock: { nin: [11, 12] } }, 2, 422],
    [{ stock: { exists: true } }, 1, 200],
    [{ stock: { gte: 8, lt: 20 }, name: 'Pen' }, 9, 200],
  ])('of %j also bounds the record that is written: a step by %d is %d', async (reach, add, status) => {
    const answer = await step('products/pen/stock', { add }, within(reach));
    expect([answer.status, answer.body.errors?.[0]]).toEqual([
      status,
      status === 200 ? undefined : expect.objectContaining({ field: 'stock', rule: 'scope' }),
    ]);
    expect(await stored('pen')).toMatchObject({ revision: status === 200 ? 5 : 4 });
  });
});
