import { Readable } from 'node:stream';
import Koa from 'koa';
import { type AnySchema, type Document, defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

/** In `npm run test:oldest`. */
const isKoa2 = !('isHttpError' in Koa);

const Place = t.object('Place', { city: t.string(), checkedBy: t.optional(t.string({ policy: { private: true } })) });
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string(),
    status: t.string({ default: 'open' }),
    place: Place,
    owner: t.string({ policy: { private: true } }),
    revision: t.revision(),
  },
});
type Order = Document<typeof Order>;

interface Ctx {
  body: unknown;
  record?: unknown;
  load(): Promise<Order>;
  save(order: Order): Promise<Order>;
}

class Box {
  readonly held: unknown;
  constructor(held: unknown) {
    this.held = held;
  }
}
class View {}

/** What the handler and the hook do in the test at hand. */
let step: (ctx: Ctx) => unknown;
let hook: (ctx: Ctx, result: unknown) => unknown;
const handler = (ctx: unknown) => step(ctx as Ctx);
const hooks = [(ctx: unknown, result: unknown) => hook(ctx as Ctx, result)];
const answers: Record<string, AnySchema | undefined> = {
  free: undefined,
  any: t.any(),
  items: t.array(t.any()),
  map: t.map(t.any()),
  maps: t.map(t.map(t.any())),
};
const operations = Object.fromEntries(
  Object.entries(answers).map(([name, answer]) => [name, { handler, ...(answer === undefined ? {} : { answer }) }]),
);
const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({
    model: Order,
    ops: ['get', 'patch', 'delete'],
    operations,
    after: { free: hooks as never[], get: hooks as never[], patch: hooks as never[], delete: hooks as never[] },
  }),
]);
const ask = (name: string) => api.request('POST', `/api/orders/a/${name}`);

beforeEach(async () => {
  step = () => undefined;
  hook = () => undefined;
  const orders = database.db.collection<{ _id: string }>('orders');
  await orders.deleteMany({});
  await orders.insertOne({ _id: 'a', place: { city: 'Ulm', checkedBy: 'spy' }, owner: 'ann', revision: 2 } as never);
  api.errors.length = 0;
});

const readable = { id: 'a', status: 'open', place: { city: 'Ulm' }, revision: 2 };
const copies: [string, (order: Order) => unknown][] = [
  ['a copy', (order) => ({ ...order })],
  ['a copy of a class', (order) => Object.assign(new View(), order)],
  ['a copy that JSON is made of', (order) => ({ toJSON: () => ({ ...order }) })],
  ['a Map of its members', (order) => new Map(Object.entries(order))],
  ['a part', (order) => order.place],
];
const wrappings: [string, (value: unknown) => unknown, (data: unknown) => unknown][] = [
  ['in a Map', (value) => new Map([['o', value]]), (o) => ({ o })],
  ['in an object of a class', (value) => new Box(value), (held) => ({ held })],
  ['in one in an object', (value) => ({ x: new Box(value) }), (held) => ({ x: { held } })],
  ['behind `toJSON`', (value) => ({ x: { toJSON: () => value } }), (x) => ({ x })],
];
const cases = wrappings.flatMap(([where, wrap, expected]) =>
  ['free', 'any', 'items', 'map', 'maps', 'body', 'hook'].map((operation) => ({ where, wrap, expected, operation })),
);

/** Answers a value as the operation does, or in a body that is set by hand. */
function answerWith(operation: string, make: (order: Order) => unknown): Promise<{ status: number; body: unknown; text: string }> {
  if (operation === 'body' || operation === 'hook') {
    const set = async (ctx: Ctx) => void Object.assign(ctx, { body: { data: make(await ctx.load()) } });
    if (operation === 'body') step = set;
    else hook = set;
    return ask('free');
  }
  step = async (ctx) => {
    const made = make(await ctx.load());
    return operation === 'items' ? [made] : operation === 'maps' ? { m: made } : made;
  };
  return ask(operation);
}
const within = (operation: string, data: unknown) => ({
  data: operation === 'items' ? [data] : operation === 'maps' ? { m: data } : data,
});

describe('a record in an answer', () => {
  it.each(cases)('is written as clients read it, $where: $operation', async ({ wrap, expected, operation }) => {
    const { status, body } = await answerWith(operation, wrap);
    expect([status, body, api.errors]).toEqual([200, within(operation, expected(readable)), []]);
  });

  it.each(cases.flatMap((one) => copies.map(([copied, copy]) => ({ ...one, copied, copy }))))(
    'is an error where it is $copied, $where: $operation',
    async ({ wrap, operation, copy }) => {
      const { status, text } = await answerWith(operation, (order) => wrap(copy(order)));
      expect(status).toBe(500);
      expect(text).not.toMatch(/ann|spy/);
      expect(api.errors[0]?.message).toMatch(/the name of a private field/);
    },
  );

  it.each(['free', 'any', 'items', 'map', 'maps', 'body', 'hook'])('is an error where it is a copy, alone: %s', async (operation) => {
    expect((await answerWith(operation, (order) => ({ ...order }))).status).toBe(500);
    expect(api.errors[0]?.message).toMatch(/`(owner|checkedBy)`, the name of a private field/);
  });

  it('may be `ctx.record`, or what a hook is given', async () => {
    step = async (ctx) => void (await ctx.save(Object.assign(await ctx.load(), { status: 'sent' })));
    const saved = { ...readable, status: 'sent', revision: 3 };
    hook = (ctx, result) => Object.assign(ctx, { body: { result, record: ctx.record } });
    expect((await ask('free')).body).toEqual({ result: saved, record: saved });
    hook = (ctx) => Object.assign(ctx, { body: ctx.record });
    expect((await ask('free')).body).toEqual({ ...saved, revision: 3 });
  });
});

describe('a hook of a custom operation', () => {
  it('that saves changes the answer, which is as all is stored in the end', async () => {
    step = async (ctx) => ctx.save(Object.assign(await ctx.load(), { status: 'sent' }));
    hook = async (ctx) => ctx.save(Object.assign(await ctx.load(), { status: 'told' }));
    const { status, body, headers } = await ask('free');
    expect([status, body, headers.etag]).toEqual([200, { data: { ...readable, status: 'told', revision: 4 } }, '"4"']);
  });

  it.each(['GET', 'PATCH', 'DELETE'])('of %s does not make its answer: a body that it sets is replaced', async (method) => {
    hook = (ctx, result) => Object.assign(ctx, { body: { result } });
    const { status, text } = await api.request(method, '/api/orders/a', method === 'PATCH' ? { body: {} } : {});
    expect([status, text === '' ? '' : JSON.parse(text)]).toEqual(method === 'DELETE' ? [204, ''] : [200, { data: readable }]);
  });
});

describe('a body that is set by hand', () => {
  it.each<[string, () => unknown, string]>([
    ['a 64-bit integer in an object of a class', () => new Box(2n ** 60n), '{"held":1152921504606846976}'],
    ['a 64-bit integer', () => 5n, '5'],
    ['a hole of a list', () => Object.assign([1], { 2: 2 }), '[1,null,2]'],
    ['a Map whose keys are no text', () => new Map([[1, 'x']]), '{"1":"x"}'],
  ])('is JSON as everywhere: %s', async (_what, make, text) => {
    step = (ctx) => void Object.assign(ctx, { body: make() });
    const answer = await ask('free');
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'application/json; charset=utf-8', text]);
  });

  // Koa 2 takes those of the web for objects, and sends `{}`.
  const ofTheWeb: [string, () => unknown][] = [
    ['a web stream', () => new Blob(['as it is']).stream()],
    ['a blob', () => new Blob(['as it is'])],
    ['a response', () => new Response('as it is')],
  ];
  it.each<[string, () => unknown]>([
    ['a buffer', () => Buffer.from('as it is')],
    ['a stream', () => Readable.from(['as it is'])],
    ['text', () => 'as it is'],
    ...(isKoa2 ? [] : ofTheWeb),
  ])('is left as it is: %s', async (_what, make) => {
    step = (ctx) => void Object.assign(ctx, { body: make() });
    const answer = await ask('free');
    expect([answer.status, answer.text]).toEqual([200, 'as it is']);
  });
});
