import type Koa from 'koa';
import { type Document, defineModel, everything, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

interface User {
  readonly name: string;
  readonly roles: readonly string[];
}

const Order = defineModel('Order', { collection: 'orders', fields: { owner: t.string(), total: t.int(), revision: t.revision() } });
type Order = Document<typeof Order>;

// What `authenticate` returns, or promises, is what every function of a resource is given, without annotations.
const shop = service({
  authenticate: async (ctx): Promise<User | undefined> => {
    assert<Equal<typeof ctx, Koa.Context>>();
    return undefined;
  },
});

shop.api({
  db: undefined as never,
  resources: [],
  openapi: {
    guards: [
      (ctx) => {
        assert<Equal<typeof ctx.principal, User | undefined>>();
        // @ts-expect-error: a user has no email
        return ctx.requirePrincipal().email === 'ann@example.org';
      },
    ],
  },
});
// @ts-expect-error: guards stand in a list
shop.api({ db: undefined as never, resources: [], openapi: { guards: () => true } });

// So is every function that a service gives to all of its resources, whose records are unknown.
service({
  authenticate: async (): Promise<User | undefined> => undefined,
  guards: [(ctx) => ctx.principal?.name === 'ann'],
  guardsFor: { change: [(ctx) => ctx.requirePrincipal().roles.includes('editor')] },
  before: {
    write: [
      (ctx, draft) => {
        assert<Equal<typeof ctx.principal, User | undefined>>();
        assert<Equal<typeof draft, Record<string, unknown> | undefined>>();
      },
    ],
  },
  within: {
    delete: [
      (ctx, { before, tx }) => {
        assert<Equal<typeof ctx.principal, User | undefined>>();
        assert<Equal<typeof before, unknown>>();
        return tx.store(Order, { scope: everything }).count({});
      },
    ],
  },
  after: { list: [(ctx, result) => assert<Equal<[typeof ctx.principal, typeof result], [User | undefined, unknown]>>()] },
});
// @ts-expect-error: a custom operation belongs to one resource
service({ guardsFor: { send: [() => true] } });
// @ts-expect-error: a list writes nothing
service({ before: { list: [() => undefined] } });

shop.resource({
  model: Order,
  guards: [
    (ctx) => {
      assert<Equal<typeof ctx.principal, User | undefined>>();
      assert<Equal<ReturnType<typeof ctx.requirePrincipal>, User>>();
      // @ts-expect-error: an anonymous request has no principal
      void ctx.principal.name;
      // @ts-expect-error: a user has no email
      return ctx.requirePrincipal().email === 'ann@example.org';
    },
  ],
  guardsFor: {
    delete: [
      (ctx) => ctx.principal?.roles.includes('admin') ?? false,
      // @ts-expect-error: a user has roles, and no role
      (ctx) => ctx.principal?.role === 'admin',
    ],
  },
  scope(ctx) {
    assert<Equal<typeof ctx.principal, User | undefined>>();
    // @ts-expect-error: a user has no email
    void ctx.requirePrincipal().email;
    return ctx.principal?.name === 'root' ? everything : { owner: ctx.requirePrincipal().name };
  },
  serverFields(ctx) {
    // @ts-expect-error: a user has no email
    void ctx.requirePrincipal().email;
    return { owner: ctx.requirePrincipal().name };
  },
  operations: {
    send: {
      use: [
        async (ctx, next) => {
          assert<Equal<typeof ctx.principal, User | undefined>>();
          // @ts-expect-error: a user has no email
          void ctx.principal?.email;
          await next();
        },
      ],
      async handler(ctx) {
        assert<Equal<ReturnType<typeof ctx.requirePrincipal>, User>>();
        // @ts-expect-error: a user has no email
        void ctx.requirePrincipal().email;
        const order = await ctx.load();
        assert<Equal<typeof order, Order>>();
        return order;
      },
    },
  },
  after: {
    create: [
      (ctx, order) => {
        assert<Equal<typeof ctx.principal, User | undefined>>();
        assert<Equal<typeof order, Order>>();
        // @ts-expect-error: a user has no email
        void ctx.principal?.email;
      },
    ],
    list: [
      (_ctx, orders) => {
        assert<Equal<typeof orders, readonly Order[]>>();
        // @ts-expect-error: a list has no owner
        void orders.owner;
      },
    ],
    send: [
      (ctx, order) => {
        assert<Equal<ReturnType<typeof ctx.requirePrincipal>, User>>();
        // @ts-expect-error: an order has no price
        void order.price;
      },
    ],
  },
});

// @ts-expect-error: an owner is a text
shop.resource({ model: Order, scope: () => ({ owner: 5 }) });
// @ts-expect-error: a guard returns a boolean
shop.resource({ model: Order, guards: [() => 'yes'] });

// One that returns it at once does the same, and so does a principal of any type.
const byNumber = service({ authenticate: (ctx) => Number(ctx.get('x-user')) || null });
byNumber.resource({
  model: Order,
  guards: [
    (ctx) => {
      assert<Equal<typeof ctx.principal, number | undefined>>();
      return ctx.requirePrincipal() > 5;
    },
  ],
});

// Without `authenticate` there is nobody.
service().resource({
  model: Order,
  guards: [
    (ctx) => {
      assert<Equal<typeof ctx.principal, undefined>>();
      return true;
    },
  ],
});

// A resource belongs to the service whose principals its functions know.
const orders = shop.resource({ model: Order });
shop.api({ db: undefined as never, resources: [orders] });
// @ts-expect-error: its guards would be given numbers
byNumber.api({ db: undefined as never, resources: [orders] });
