import { type Document, defineModel, jsonBody, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: { status: t.string(), total: t.nullable(t.int()), deletedAt: t.deletedAt() },
});
type OrderDocument = Document<typeof Order>;
const shop = service({ authenticate: (): { readonly name: string } | undefined => undefined });
const anybody = () => true;

// A group means the served operations of its kind, and its functions get what these operations give.
shop.resource({
  model: Order,
  ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'deleteMany'],
  guardsFor: { read: [(ctx) => ctx.principal?.name === 'ann'], write: [anybody], change: [anybody], remove: [anybody] },
  before: {
    change: [
      (_ctx, changes) => {
        assert<Equal<typeof changes.status, string | undefined>>();
      },
    ],
    write: [(_ctx, written) => void written],
  },
  within: {
    remove: [
      (_ctx, { before, after }) => {
        assert<Equal<typeof before, OrderDocument>>();
        assert<Equal<typeof after, null>>();
      },
    ],
    change: [
      (_ctx, { before, after }) => {
        assert<Equal<typeof before, OrderDocument>>();
        assert<Equal<typeof after, OrderDocument>>();
      },
    ],
    write: [
      (_ctx, { before, after }) => {
        assert<Equal<typeof before, OrderDocument | null>>();
        assert<Equal<typeof after, OrderDocument | null>>();
      },
    ],
  },
});

// A group of which no operation is served covers nothing.
shop.resource({
  model: Order,
  ops: ['list', 'create'],
  // @ts-expect-error: no operation of `remove` is served
  guardsFor: { remove: [anybody] },
});
shop.resource({
  model: Order,
  ops: ['list', 'create'],
  // @ts-expect-error: no operation of `change` is served
  before: { change: [() => undefined] },
});
shop.resource({
  model: Order,
  ops: ['list', 'create'],
  // @ts-expect-error: hooks of `within` are for writes
  within: { read: [() => undefined] },
});

// A custom operation belongs to the group that it names: its hooks get no draft, and what is read after it is unknown.
shop.resource({
  model: Order,
  ops: ['list', 'patch'],
  guardsFor: { change: [anybody], remove: [anybody], send: [anybody] },
  operations: {
    send: { group: 'change', handler: () => undefined },
    erase: { group: 'remove', handler: () => undefined },
    total: { method: 'GET', handler: () => 1 },
  },
  before: {
    patch: [(_ctx, changes) => void changes.status],
    change: [
      (_ctx, changes) => {
        assert<Equal<NonNullable<typeof changes>['status'], string | undefined>>();
        // @ts-expect-error: `send` has no draft
        void changes.status;
      },
    ],
    remove: [
      (_ctx, none) => {
        assert<Equal<typeof none, undefined>>();
      },
    ],
    send: [
      (_ctx, none) => {
        assert<Equal<typeof none, undefined>>();
      },
    ],
  },
  within: {
    remove: [
      (_ctx, { before }) => {
        assert<Equal<typeof before, OrderDocument | null>>();
      },
    ],
  },
  after: {
    change: [
      (_ctx, result) => {
        assert<Equal<typeof result, unknown>>();
      },
    ],
  },
});

// A group to which no operation belongs covers nothing.
shop.resource({
  model: Order,
  ops: ['list'],
  operations: { send: { handler: () => undefined } },
  // @ts-expect-error: `send` says no group
  before: { change: [() => undefined] },
});
shop.resource({
  model: Order,
  ops: ['list'],
  // @ts-expect-error: there is no such group
  operations: { send: { group: 'changes', handler: () => undefined } },
});

// A GET reads: it belongs to no group of writes, and has no hooks before it or in a transaction.
shop.resource({
  model: Order,
  ops: ['list'],
  operations: {
    total: { method: 'GET', group: 'read', handler: () => 1 },
    look: { method: 'POST', group: 'read', handler: () => 1 },
    send: { method: 'PUT', group: 'change', handler: () => undefined },
  },
  guardsFor: { read: [anybody], change: [anybody], total: [anybody] },
  before: { look: [() => undefined], read: [() => undefined], send: [() => undefined], change: [() => undefined], write: [] },
  within: { look: [() => undefined], read: [() => undefined], send: [() => undefined] },
  after: { total: [() => undefined], read: [() => undefined] },
});
shop.resource({
  model: Order,
  ops: ['list'],
  // @ts-expect-error: a GET changes nothing
  operations: { total: { method: 'GET', group: 'change', handler: () => 1 } },
});
shop.resource({
  model: Order,
  ops: ['list', 'create'],
  operations: { total: { method: 'GET', handler: () => 1 }, send: { handler: () => undefined } },
  // @ts-expect-error: `total` writes nothing
  before: { total: [() => undefined], send: [] },
});
shop.resource({
  model: Order,
  ops: ['list', 'create'],
  operations: { total: { method: 'GET', handler: () => 1 }, send: { handler: () => undefined } },
  // @ts-expect-error: `total` has no transaction
  within: { total: [() => undefined], send: [] },
});
shop.resource({
  model: Order,
  ops: ['list', 'create'],
  operations: { total: { method: 'GET', group: 'read', handler: () => 1 } },
  // @ts-expect-error: all that belongs to `read` is a GET
  before: { read: [() => undefined] },
});

// The types of a handler do not suffer: its body, its query, its parameters and its record.
shop.resource({
  model: Order,
  ops: ['list'],
  operations: {
    line: {
      method: 'PUT',
      path: '/:id/lines/:line',
      group: 'change',
      query: { limit: t.int() },
      use: [jsonBody({ schema: t.object('Line', { text: t.string() }) })],
      async handler(ctx) {
        assert<Equal<typeof ctx.params, { readonly id: string; readonly line: string }>>();
        assert<Equal<typeof ctx.request.body.text, string>>();
        assert<Equal<typeof ctx.typedQuery.limit, number>>();
        const order = await ctx.load();
        assert<Equal<typeof order, OrderDocument>>();
        return ctx.save(order);
      },
    },
  },
  before: { line: [(ctx) => void ctx.requirePrincipal().name] },
});

// Hooks before an operation, and those in its transaction, run around its handler.
const answers = async (_ctx: unknown, next: () => Promise<void>) => next();
shop.resource({
  model: Order,
  operations: { send: { handler: () => 1 }, close: { group: 'change', handler: async (ctx) => ctx.load() } },
  before: { send: [() => undefined], change: [() => undefined] },
  within: { close: [() => undefined], write: [() => undefined] },
});
// @ts-expect-error: `send` has no handler, around which a hook could run
shop.resource({ model: Order, operations: { send: { use: [answers] } }, before: { send: [() => undefined] } });
// @ts-expect-error: nor around which a transaction could be
shop.resource({ model: Order, operations: { send: { use: [answers] } }, within: { send: [() => undefined] } });
// @ts-expect-error: `send` belongs to the group, and has no handler
shop.resource({ model: Order, operations: { send: { use: [answers], group: 'change' } }, before: { change: [() => undefined] } });
// @ts-expect-error: `send` belongs to a group of the group
shop.resource({ model: Order, operations: { send: { use: [answers], group: 'remove' } }, within: { write: [() => undefined] } });
// Of others nothing is asked.
shop.resource({
  model: Order,
  operations: { send: { use: [answers] }, drop: { group: 'remove', use: [answers] }, close: { handler: () => 1 } },
  before: { create: [() => undefined], change: [() => undefined], close: [() => undefined] },
  after: { send: [() => undefined] },
});
