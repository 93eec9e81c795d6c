import { defineModel, jsonBody, type RequestContext, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

const Order = defineModel('Order', { collection: 'orders', fields: { owner: t.string(), by: t.optional(t.string()) } });
const shop = service({ authenticate: (): { name: string } | undefined => undefined });

/** What was sent may be anything wherever a function of the user sees it. */
const ofSent = (sent: unknown) => ({ owner: typeof sent === 'string' ? sent : 'ann' });
const see = (_sent: unknown) => undefined;

shop.resource({
  model: Order,
  guards: [(ctx) => ctx.request.body !== undefined],
  guardsFor: { write: [(ctx) => ctx.request.body !== undefined] },
  scope: (ctx) => ofSent(ctx.request.body),
  serverFields: { create: (ctx) => ofSent(ctx.request.body), update: async (ctx) => ({ by: ofSent(ctx.request.body).owner }) },
  before: { create: [(ctx) => see(ctx.request.body)], change: [(ctx) => see(ctx.request.body)] },
  within: { create: [(ctx) => see(ctx.request.body)] },
  after: { remove: [(ctx) => see(ctx.request.body)] },
  operations: {
    send: {
      use: [
        jsonBody(),
        async (ctx, next) => {
          see(ctx.request.body);
          await next();
        },
      ],
      handler: (ctx) => see(ctx.request.body),
    },
    sum: { use: [jsonBody({ schema: t.object('Sum', { n: t.int() }) })], handler: (ctx) => ctx.request.body.n.toFixed() },
  },
});
shop.resource({ model: Order, path: 'own', serverFields: (ctx) => ofSent(ctx.request.body) });

assert<Equal<RequestContext<unknown>['request']['body'], unknown>>();
// @ts-expect-error: it must be narrowed first
export const text = (ctx: RequestContext<unknown>): string => ctx.request.body;
