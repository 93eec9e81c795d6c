import Koa from 'koa';
import { type Document, defineModel, everything, jsonBody, type RequestContext, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

interface User {
  readonly name: string;
}

interface Session {
  readonly user: string | undefined;
  readonly visits: number;
}

const Order = defineModel('Order', { collection: 'orders', fields: { owner: t.string(), total: t.int(), revision: t.revision() } });
type Order = Document<typeof Order>;

// What the `ctx` of `authenticate` declares is what every function of a resource and of an api gets.
type Own = Koa.ParameterizedContext<{ readonly shop: string }, { readonly session: Session }>;
const shop = service({ authenticate: (ctx: Own): User | undefined => (ctx.session.user ? { name: ctx.session.user } : undefined) });

shop.resource({
  model: Order,
  guards: [
    (ctx) => {
      assert<Equal<typeof ctx.session, Session>>();
      assert<Equal<typeof ctx.state.shop, string>>();
      assert<Equal<typeof ctx.principal, User | undefined>>();
      // @ts-expect-error: a session has no `visit`
      void ctx.session.visit;
      // @ts-expect-error: the app has no `sesion`
      void ctx.sesion;
      // @ts-expect-error: the state has no `shops`
      return ctx.state.shops === 'a';
    },
  ],
  guardsFor: { delete: [(ctx) => ctx.session.visits > 1], send: [(ctx) => ctx.session.visits > 1] },
  // @ts-expect-error: a session has no `name`
  scope: (ctx) => (ctx.principal ? { owner: ctx.principal.name } : { owner: ctx.session.name }),
  serverFields: { create: (ctx) => ({ owner: ctx.state.shop }) },
  deleted: { guards: [(ctx) => ctx.session.visits > 1] },
  search: (q, ctx) => [q, ctx.state.shop],
  before: { create: [(ctx, draft) => void Object.assign(draft, { total: ctx.session.visits })] },
  within: {
    change: [
      (ctx, { after }) => {
        assert<Equal<typeof ctx.session, Session>>();
        assert<Equal<typeof after, Order>>();
      },
    ],
  },
  operations: {
    send: {
      path: '/:id/lines/:line',
      use: [
        jsonBody({ schema: t.object('SendOrder', { carrier: t.string() }) }),
        async (ctx, next) => {
          assert<Equal<typeof ctx.session, Session>>();
          await next();
        },
      ],
      async handler(ctx) {
        assert<Equal<typeof ctx.session, Session>>();
        assert<Equal<typeof ctx.request.body, { carrier: string }>>();
        assert<Equal<typeof ctx.params.line, string>>();
        // @ts-expect-error: the app has no `sesion`
        void ctx.sesion;
        ctx.body = ctx.method;
      },
    },
  },
  after: {
    create: [
      (ctx, order) => {
        assert<Equal<typeof ctx.session, Session>>();
        assert<Equal<typeof order, Order>>();
      },
    ],
    send: [(ctx) => ctx.session.visits],
  },
});

const api = shop.api({
  db: undefined as never,
  resources: [],
  openapi: { guards: [(ctx) => ctx.session.visits > 1] },
  maxConcurrency: { each: 5, by: (ctx) => ctx.state.shop },
  live: { by: (ctx) => ctx.session.user },
  idempotency: { principal: (ctx) => ctx.session.user ?? ctx.state.shop },
});
new Koa<{ readonly shop: string }, { session: Session }>().use(api.routes());

// A function of its own says the same.
const isKnown = (ctx: RequestContext<User, Own>) => ctx.session.user !== undefined;
shop.resource({ model: Order, guards: [isKnown] });
// @ts-expect-error: this service knows no session
service({ authenticate: (): User | undefined => undefined }).resource({ model: Order, guards: [isKnown] });

// Without `authenticate`, the type is written out.
service<never, never, Own>().resource({
  model: Order,
  scope(ctx) {
    assert<Equal<typeof ctx.session, Session>>();
    assert<Equal<typeof ctx.principal, undefined>>();
    return everything;
  },
});

// A context that adds to that of Koa keeps its open members, and so does a function that asks for less.
const open = service({ authenticate: (ctx: Koa.Context & { readonly session: Session }): User => ({ name: ctx.anything }) });
open.resource({
  model: Order,
  guards: [
    (ctx) => {
      assert<Equal<typeof ctx.session, Session>>();
      return ctx.path === ctx.anything;
    },
  ],
});
const less = service({ authenticate: (ctx: { get(name: string): string }): User => ({ name: ctx.get('x') }) });
less.resource({ model: Order, guards: [(ctx) => ctx.path === ctx.principal?.name] });
