import { type Document, defineModel, jsonBody, type RequestContext, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

const Order = defineModel('Order', { collection: 'orders', fields: { owner: t.string(), revision: t.revision() } });
const shop = service({ authenticate: (): { readonly name: string } | undefined => undefined });
const log = (ctx: RequestContext<{ readonly name: string }>) => void ctx.params.anything;

// `ctx.params` of a handler has the parameters of the path, and no others.
shop.resource({
  model: Order,
  operations: {
    line: {
      path: '/:id/lines/:line',
      async handler(ctx) {
        assert<Equal<typeof ctx.params, { readonly id: string; readonly line: string }>>();
        log(ctx);
        // @ts-expect-error: the path has no `:lime`
        void ctx.params.lime;
        // @ts-expect-error: a parameter belongs to the request
        ctx.params.line = 'x';
        const order = await ctx.load();
        assert<Equal<typeof order, Document<typeof Order>>>();
        return order;
      },
    },
    overdue: {
      method: 'GET',
      path: '/overdue',
      handler(ctx) {
        assert<Equal<keyof typeof ctx.params, never>>();
        // @ts-expect-error: the path has no `:id`
        return ctx.params.id;
      },
    },
    send: {
      handler(ctx) {
        // The default path is `/:id/send`.
        assert<Equal<typeof ctx.params, { readonly id: string }>>();
        // @ts-expect-error: the path has no `:line`
        return ctx.params.line;
      },
    },
    all: {
      method: 'PUT',
      path: '/',
      use: [jsonBody({ schema: t.object('All', { note: t.string() }) })],
      query: { q: t.string() },
      handler(ctx) {
        assert<Equal<keyof typeof ctx.params, never>>();
        assert<Equal<typeof ctx.request.body, { note: string }>>();
        assert<Equal<Readonly<typeof ctx.typedQuery>, Readonly<{ q: string }>>>();
      },
    },
    late: {
      // The order of the members does not matter.
      handler: (ctx) => ctx.params.year + ctx.params.week,
      method: 'GET',
      path: '/late/:year/:week',
      use: [(_ctx, next) => next()],
    },
  },
});

// One operation alone, that has nothing but functions and its path.
shop.resource({
  model: Order,
  operations: {
    page: {
      path: '/pages/:page',
      handler(ctx) {
        assert<Equal<typeof ctx.params, { readonly page: string }>>();
      },
    },
  },
});

// @ts-expect-error: a path begins with a slash
shop.resource({ model: Order, operations: { overdue: { path: 'overdue', handler: () => undefined } } });
// @ts-expect-error: a path is a text
shop.resource({ model: Order, operations: { overdue: { path: 5, handler: () => undefined } } });
