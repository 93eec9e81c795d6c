import type Koa from 'koa';
import { type Api, defineModel, service, t } from 'koa-mongo-resource';
import type { Db } from 'mongodb';

interface User {
  readonly tenant: string;
}

const tenant = t.string({ policy: { insert: false, update: false } });

const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: {
    tenant,
    name: t.string({ policy: { filter: ['eq'], sort: true } }),
    orders: t.hasMany('Order', { via: 'customerId' }),
    revision: t.revision(),
  },
});

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    tenant,
    number: t.nullable(t.string({ policy: { filter: ['eq', 'prefix'], sort: true } })),
    customerId: t.ref('Customer', { as: 'customer', exists: true, policy: { filter: ['eq'] } }),
    total: t.int({ policy: { sort: true } }),
    revision: t.revision(),
  },
  indexes: [{ fields: ['tenant', 'number'], unique: true }], // a unique index must begin with the shard key
});

/** An api each of whose commands has the shard key, `tenant`, in its filter. */
export function createShop(db: Db, authenticate: (ctx: Koa.Context) => User | undefined): Api<User> {
  const shop = service({ authenticate });
  const ofTenant = {
    scope: (ctx: { requirePrincipal(): User }) => ({ tenant: ctx.requirePrincipal().tenant }),
    scopeFields: ['tenant' as const], // the indexes begin with it
    serverFields: (ctx: { requirePrincipal(): User }) => ({ tenant: ctx.requirePrincipal().tenant }),
  };
  const customers = shop.resource({ model: Customer, ...ofTenant, include: ['orders'], nested: ['orders'] });
  const orders = shop.resource({
    model: Order,
    ...ofTenant,
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany', 'deleteMany'],
    include: ['customer'],
    through: ['customer'],
    operations: {
      double: {
        answer: 'record',
        async handler(ctx) {
          const order = await ctx.load();
          order.total *= 2;
          return ctx.save(order);
        },
      },
    },
  });
  return shop.api({ db, prefix: '/api', resources: [customers, orders], batch: true });
}
