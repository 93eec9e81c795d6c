import { Decimal128 } from 'mongodb';
import { type AnySchema, type Document, defineModel, type HandlerContext, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Place = t.object('Place', { city: t.string(), checkedBy: t.optional(t.string({ policy: { private: true } })) });
const Order = defineModel('Order', {
  collection: 'orders',
  fields: { id: t.string(), total: t.decimal(), place: Place, owner: t.string({ policy: { private: true } }), revision: t.revision() },
});
type Order = Document<typeof Order>;

const Total = t.object('Total', {
  sum: t.decimal(),
  count: t.int({ minimum: 1, default: 1 }),
  at: t.optional(t.date()),
  note: t.optional(t.string({ policy: { private: true } })),
});
const Summary = t.object('Summary', { owner: t.string(), order: t.any() });
const total = Decimal128.fromString('12.50');

type Run = (order: Order, ctx: { body: unknown }) => unknown;
type Answered = AnySchema | 'record' | 'none';

/** What each operation returns, or does. */
const returns: Record<string, [answer: Answered | undefined, run: Run]> = {
  sum: [Total, () => ({ sum: total, at: new Date(0), note: 'not for clients' })],
  numbers: [t.array(t.int64()), () => [1n, 2n ** 60n]],
  nothing: [t.nullable(Total), () => null],
  summary: [Summary, (order) => ({ owner: order.owner, order })],
  record: ['record', (order) => order],
  none: ['none', () => undefined],
  byHand: [Total, (order, ctx) => void Object.assign(ctx, { body: { order, orders: [order] } })],
  noNumbers: [undefined, () => ({ share: 0 / 0, most: [1 / 0] })],
  noNumbersInAny: [Summary, () => ({ owner: 'ann', order: { share: 0 / 0, most: [1 / 0] } })],
  unknownKey: [Total, () => ({ sum: total, secret: 'x' })],
  missingKey: [Total, () => ({})],
  wrongType: [Total, () => ({ sum: 'much' })],
  broken: [Total, () => ({ sum: total, count: 0 })],
  nullOfTotal: [Total, () => null],
  undefinedOfTotal: [Total, () => undefined],
  aRecordOfTotal: [Total, (order) => order],
  jsonOfRecord: ['record', () => ({ id: 'a' })],
  nothingOfRecord: ['record', () => undefined],
  somethingOfNone: ['none', () => 'x'],
  copyInAny: [Summary, (order) => ({ owner: 'ann', order: { ...order } })],
  copy: [undefined, (order) => ({ ...order })],
  partOfCopy: [undefined, ({ id, owner }) => [{ id, owner }]],
  embedded: [undefined, (order) => ({ place: order.place })],
  copyByHand: [undefined, (order, ctx) => void Object.assign(ctx, { body: { ...order } })],
};

const toHandler = (run: Run) => async (ctx: HandlerContext<never, Order>) => run(await ctx.load(), ctx);
const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({
    model: Order,
    operations: Object.fromEntries(
      Object.entries(returns).map(([name, [answer, run]]) => [
        name,
        { handler: toHandler(run), ...(answer === undefined ? {} : { answer }) },
      ]),
    ),
  }),
]);
const ask = (name: string) => api.request('POST', `/api/orders/a/${name}`);

beforeEach(async () => {
  const orders = database.db.collection<{ _id: string }>('orders');
  await orders.deleteMany({});
  await orders.insertOne({ _id: 'a', total, place: { city: 'Ulm', checkedBy: 'spy' }, owner: 'ann', revision: 2 } as never);
  api.errors.length = 0;
});

const readable = { id: 'a', total: '12.50', place: { city: 'Ulm' }, revision: 2 };

describe('the answer of a custom operation that has a schema', () => {
  it.each<[string, unknown]>([
    ['sum', { sum: '12.50', count: 1, at: '1970-01-01T00:00:00.000Z' }],
    ['nothing', null],
    ['record', readable],
    ['summary', { owner: 'ann', order: readable }],
  ])('is written by it, with defaults and without what it calls private: %s', async (name, data) => {
    const { status, body } = await ask(name);
    expect([status, body]).toEqual([200, { data }]);
    expect(api.errors).toEqual([]);
  });

  it('is exact', async () => {
    expect((await ask('numbers')).text).toBe('{"data":[1,1152921504606846976]}');
  });

  it.each([
    ['noNumbers', { share: null, most: [null] }],
    ['noNumbersInAny', { owner: 'ann', order: { share: null, most: [null] } }],
  ])('has null for a number that JSON does not have, with a schema and without: %s', async (name, data) => {
    const { status, body } = await ask(name);
    expect([status, body]).toEqual([200, { data }]);
  });

  it('is 204 where it says so', async () => {
    const { status, text } = await ask('none');
    expect([status, text]).toEqual([204, '']);
  });

  it.each<[string, RegExp]>([
    ['unknownKey', /does not match its schema: `data\.secret` is not a known field/],
    ['missingKey', /`data\.sum` is required/],
    ['wrongType', /`data\.sum` must be/],
    ['broken', /`data\.count` must be/],
    ['nullOfTotal', /`data` must not be null/],
    ['undefinedOfTotal', /returned nothing/],
    ['aRecordOfTotal', /`data\.id` is not a known field/],
    ['jsonOfRecord', /must return a record/],
    ['nothingOfRecord', /returned nothing/],
    ['somethingOfNone', /`answer: 'none'`/],
  ])('is a bare 500 where the handler deviates from it, and its message goes to the log: %s', async (name, message) => {
    const { status, body } = await ask(name);
    expect([status, body]).toEqual([500, { type: 'about:blank', title: 'Internal Server Error', status: 500 }]);
    expect(api.errors.map((error) => error.message)).toEqual([expect.stringMatching(message)]);
  });
});

describe('what is private in a record', () => {
  it.each(['copyInAny', 'copy', 'partOfCopy', 'embedded', 'copyByHand'])('is never answered by mistake: %s', async (name) => {
    const { status, text } = await ask(name);
    expect(status).toBe(500);
    expect(text).not.toMatch(/ann|spy/);
    expect(api.errors[0]?.message).toMatch(/returned an object with `(owner|checkedBy)`, the name of a private field/);
  });

  it('is not in a body that a handler sets by hand', async () => {
    const { status, body, headers } = await ask('byHand');
    expect([status, body]).toEqual([200, { order: readable, orders: [readable] }]);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });
});
