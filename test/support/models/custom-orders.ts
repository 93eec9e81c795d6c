import { Readable } from 'node:stream';
import { type Collection, Decimal128, ObjectId } from 'mongodb';
import { cursorPaging, defineModel, findPage, jsonBody, listQuery, Problem, page, t, Unauthorized } from '../../../src/index.ts';
import type { TestDatabase } from '../database/database.ts';
import { useApi } from '../http/api.ts';
import type { Answer, TestServer } from '../http/serve.ts';

interface User {
  readonly name: string;
}

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ policy: { insert: true } }),
    status: t.enum(['open', 'sent'], { default: 'open', policy: { insert: false, update: false } }),
    carrier: t.nullable(t.string({ maxLength: 10 })),
    total: t.decimal({ default: Decimal128.fromString('0') }),
    owner: t.string({ policy: { private: true } }),
    revision: t.revision(),
  },
});
const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id: t.string(), text: t.string(), tags: t.array(t.string(), { default: [] }) },
});

const signedIn = (ctx: { requirePrincipal(): User }) => ctx.requirePrincipal().name !== 'guest';

/** A request of {@link CustomOrders.send}. */
interface Sent {
  readonly body?: unknown;
  readonly headers?: Record<string, string | undefined>;
}

/**
 * Orders with a custom operation of every kind, below `/api/orders`, and notes, of which every write needs `If-Match`.
 */
export interface CustomOrders {
  readonly api: TestServer;
  /** What handlers and hooks were given, oldest first. */
  readonly calls: unknown[][];
  orders(): Collection<{ _id: string; [key: string]: unknown }>;
  /** Asks Ann's order `a` to be sent. */
  send(sent?: Sent, path?: string): Promise<Answer>;
}

export const ann = { authorization: 'ann' };

export function useCustomOrders(database: TestDatabase): CustomOrders {
  const calls: unknown[][] = [];
  const api = useApi<User>(
    database,
    (shop) => [
      shop.resource({
        model: Order,
        guards: [signedIn],
        guardsFor: { close: [(ctx) => ctx.principal?.name === 'root'] },
        scope: (ctx) => ({ owner: ctx.requirePrincipal().name }),
        serverFields: (ctx) => ({ owner: ctx.requirePrincipal().name }),
        operations: {
          send: {
            summary: 'Mark the order as sent',
            use: [
              jsonBody({
                schema: t.object('SendOrder', {
                  carrier: t.string({ minLength: 2 }),
                  on: t.optional(t.date()),
                  tags: t.array(t.string(), { default: [] }),
                }),
              }),
            ],
            async handler(ctx) {
              calls.push(['body', ctx.request.body]);
              const order = await ctx.load();
              order.status = 'sent';
              order.carrier = ctx.request.body.carrier;
              return ctx.save(order);
            },
          },
          close: { handler: () => undefined },
          look: { method: 'GET', handler: (ctx) => ctx.load() },
          total: {
            method: 'GET',
            async handler(ctx) {
              const { total, carrier, id } = await ctx.load();
              return {
                total,
                carrier,
                id,
                at: new Date(0),
                big: 9007199254740993n,
                none: undefined,
                list: [null, new ObjectId('0123456789abcdef01234567')],
              };
            },
          },
          wrap: { method: 'GET', handler: async (ctx) => ({ order: await ctx.load(), orders: [await ctx.load()] }) },
          touch: {
            async handler(ctx) {
              const order = await ctx.load();
              order.carrier = 'touched';
              await ctx.save(order);
            },
          },
          given: { handler: (ctx) => ctx.request.body ?? { none: true }, use: [jsonBody()] },
          overdue: { method: 'GET', path: '/overdue', handler: (ctx) => [ctx.requirePrincipal().name] },
          search: {
            method: 'POST',
            path: '/search',
            use: [listQuery(Order, cursorPaging()), (ctx, next) => findPage(Order, { db: database.db })(ctx as never, next), page()],
          },
          line: { method: 'PUT', path: '/:id/lines/:line', handler: (ctx) => ({ line: ctx.params.line, of: ctx.params.id }) },
          last: { method: 'PUT', path: '/:id/lines/last', handler: () => 'the last' },
          clear: { method: 'DELETE', path: '/', handler: () => null },
          answered: {
            path: '/answered',
            handler(ctx) {
              ctx.status = 202;
              ctx.set('x-job', '5');
              return { queued: true };
            },
          },
          accepted: {
            path: '/accepted',
            handler(ctx) {
              ctx.status = 202;
            },
          },
          csv: {
            method: 'GET',
            path: '/csv',
            handler(ctx) {
              ctx.type = 'text/csv';
              ctx.body = Readable.from(['a;b\n', 'c;d\n']);
            },
          },
          fails: {
            path: '/fails',
            handler() {
              throw new Problem({ code: 'forbidden', detail: 'Not on Sundays.' });
            },
          },
          breaks: { path: '/breaks', handler: () => Promise.reject(new Error('a bug')) },
          copies: { handler: async (ctx) => ({ data: { ...(await ctx.load()) } }) },
          savesCopy: { handler: async (ctx) => ctx.save({ ...(await ctx.load()) }) },
          lost: { path: '/lost', handler: (ctx) => ctx.load() },
        },
        after: {
          send: [(ctx, order) => calls.push(['after send', order, ctx.res.headersSent])],
          touch: [(_ctx, order) => calls.push(['after touch', order])],
          overdue: [(_ctx, names) => calls.push(['after overdue', names])],
          close: [(_ctx, nothing) => calls.push(['after close', nothing])],
        },
      }),
      shop.resource({
        model: Note,
        ops: [],
        preconditionRequired: true,
        operations: {
          write: { handler: async (ctx) => ctx.save(Object.assign(await ctx.load(), { text: 'written' })) },
          read: { method: 'GET', handler: (ctx) => ctx.load() },
          all: { path: '/all', handler: () => 'all' },
        },
      }),
    ],
    {
      maxBody: 300,
      authenticate(ctx) {
        const name = ctx.get('authorization');
        if (name === 'stolen') throw new Unauthorized();
        return name ? { name } : undefined;
      },
    },
  );
  const orders = () => database.db.collection<{ _id: string; [key: string]: unknown }>('orders');

  beforeEach(async () => {
    calls.length = 0;
    api.errors.length = 0;
    await orders().deleteMany({});
    await orders().insertMany([
      { _id: 'a', status: 'open', carrier: null, total: Decimal128.fromString('12.50'), owner: 'ann', revision: 3 },
      { _id: 'bens', status: 'open', owner: 'ben', revision: 0 },
      { _id: 'overdue', status: 'open', owner: 'ann', revision: 0 },
    ]);
    await database.db.collection<{ _id: string; [key: string]: unknown }>('notes').deleteMany({});
    await database.db.collection<{ _id: string; [key: string]: unknown }>('notes').insertOne({ _id: 'n', text: 'old' });
  });

  const send = (sent: Sent = {}, path = '/api/orders/a/send') =>
    api.request('POST', path, { body: { carrier: 'DHL' }, ...sent, headers: { ...ann, ...sent.headers } });
  return { api, calls, orders, send };
}
