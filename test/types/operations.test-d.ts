import type { Decimal128, ObjectId } from 'mongodb';
import { type Document, defineModel, jsonBody, type RequestContext, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

interface User {
  readonly name: string;
}

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    status: t.enum(['open', 'sent'], { default: 'open' }),
    total: t.decimal(),
    carrier: t.optional(t.string()),
    revision: t.revision(),
  },
});
type OrderDocument = Document<typeof Order>;

const shop = service({ authenticate: (): User | undefined => undefined });
const notify = (_ctx: unknown, _order: OrderDocument) => undefined;

// Principal, record and body flow into a handler without annotations, wherever the `jsonBody` stands in `use`.
shop.resource({
  model: Order,
  guardsFor: { send: [(ctx) => ctx.principal?.name === 'ann'], list: [] },
  operations: {
    send: {
      summary: 'Mark the order as sent',
      use: [
        jsonBody({ schema: t.object('SendOrder', { carrier: t.string(), on: t.optional(t.date()), fee: t.nullable(t.decimal()) }) }),
        async (ctx, next) => {
          assert<Equal<typeof ctx.principal, User | undefined>>();
          await next();
        },
      ],
      async handler(ctx) {
        assert<Equal<typeof ctx.request.body, { carrier: string; on?: Date; fee: Decimal128 | null }>>();
        assert<Equal<ReturnType<typeof ctx.requirePrincipal>, User>>();
        const order = await ctx.load();
        assert<Equal<typeof order, { id: ObjectId; status: 'open' | 'sent'; total: Decimal128; carrier?: string; revision: number }>>();
        order.status = 'sent';
        // @ts-expect-error: `snet` is no status
        order.status = 'snet';
        // @ts-expect-error: `save` takes the record
        await ctx.save({ status: 'sent' });
        const saved = await ctx.save(order);
        assert<Equal<typeof saved, OrderDocument>>();
        return saved;
      },
    },
    raw: {
      use: [jsonBody({ schema: { type: 'object', properties: { a: { type: 'string' } } } })],
      handler(ctx) {
        assert<Equal<typeof ctx.request.body, { a?: string }>>();
      },
    },
    any: {
      use: [jsonBody()],
      handler(ctx) {
        assert<Equal<typeof ctx.request.body, unknown>>();
      },
    },
    overdue: {
      method: 'GET',
      path: '/overdue',
      handler: async (ctx) => ({ by: ctx.requirePrincipal().name }),
    },
    export: {
      use: [
        async (ctx: RequestContext<User>) => {
          ctx.body = 'a;b';
        },
      ],
    },
  },
  after: {
    // What a custom operation returns is unknown to a hook, unless it says itself what it takes it for.
    send: [
      notify,
      (ctx, order: OrderDocument) => [ctx.principal?.name, order.status],
      (_ctx, order) => {
        assert<Equal<typeof order, unknown>>();
      },
    ],
    overdue: [
      (_ctx, result: { readonly by: string }) => result.by,
      // @ts-expect-error: it may be anything
      (_ctx, result) => result.status,
    ],
    list: [(_ctx, orders) => orders.length],
    get: [
      (_ctx, order) => order.status,
      // @ts-expect-error: an order is a record, and no list
      (_ctx, order: OrderDocument[]) => order.length,
    ],
  },
});

// An operation that has nothing but functions of `ctx` is inferred too.
shop.resource({
  model: Order,
  operations: {
    touch: {
      async handler(ctx) {
        assert<Equal<typeof ctx.request.body, unknown>>();
        return ctx.save(await ctx.load());
      },
    },
  },
  guardsFor: { touch: [(ctx) => ctx.requirePrincipal().name === 'ann'] },
  after: { touch: [notify] },
});
// @ts-expect-error: `tuoch` is not an operation
shop.resource({ model: Order, operations: { touch: { handler: async (ctx) => ctx.load() } }, after: { tuoch: [] } });
// @ts-expect-error: `sned` is not an operation
shop.resource({ model: Order, operations: { send: { handler: () => 1 } }, guardsFor: { sned: [] } });
// Guards of what a list also has.
shop.resource({ model: Order, guardsFor: { query: [(ctx) => ctx.principal !== undefined], export: [], aggregate: [] } });
// @ts-expect-error: a query has the hooks of its list
shop.resource({ model: Order, after: { query: [] } });
// @ts-expect-error: there are no custom operations
shop.resource({ model: Order, after: { send: [] } });
// @ts-expect-error: `put` is not listed
shop.resource({ model: Order, after: { put: [] } });
// @ts-expect-error: `hander` is not an option
shop.resource({ model: Order, operations: { send: { hander: () => 1 } } });
// @ts-expect-error: TRACE is no method of an operation
shop.resource({ model: Order, operations: { send: { method: 'TRACE', handler: () => 1 } } });
// @ts-expect-error: a schema describes an object
jsonBody({ schema: 'object' });

const api = shop.api({ db: undefined as never, resources: [] });
void (() => api.fetch(new Request('http://x/'), { principal: { name: 'ann' } }));
void (() => api.fetch(new Request('http://x/'), { principal: null }));
// @ts-expect-error: a principal is a user
void (() => api.fetch(new Request('http://x/'), { principal: 'ann' }));

// A body may be absent, and the middlewares of `use` have the record.
shop.resource({
  model: Order,
  operations: {
    note: {
      status: 202,
      use: [
        jsonBody({ optional: true, schema: t.object('NoteOrder', { text: t.string() }) }),
        async (ctx, next) => {
          assert<Equal<Awaited<ReturnType<typeof ctx.load>>, OrderDocument>>();
          await next();
        },
      ],
      handler(ctx) {
        assert<Equal<typeof ctx.request.body, { text: string } | undefined>>();
      },
    },
    raw: {
      use: [jsonBody({ optional: true, schema: { type: 'object', properties: { a: { type: 'string' } } } })],
      handler(ctx) {
        assert<Equal<typeof ctx.request.body, { a?: string } | undefined>>();
      },
    },
  },
});
// @ts-expect-error: a status is a number
shop.resource({ model: Order, operations: { send: { status: '201', handler: () => undefined } } });
