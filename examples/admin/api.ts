import { defineModel, service, t, Unauthorized } from 'koa-mongo-resource';
import type { Db } from 'mongodb';

const Address = t.object('Address', { street: t.string(), city: t.string() });
const Line = t.object('Line', { product: t.string({ minLength: 1 }), quantity: t.int({ minimum: 1 }) });

const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: {
    id: t.objectId({ policy: { filter: ['in'] } }),
    name: t.string({ minLength: 1, caseless: true, policy: { filter: ['eq', 'contains'], sort: true } }),
    email: t.string({ format: 'email', unique: true }),
    revision: t.revision(),
  },
});

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    number: t.string({ immutable: true, unique: true, policy: { filter: ['eq', 'prefix'], sort: true } }),
    status: t.enum(['open', 'paid', 'sent'], { default: 'open', policy: { filter: ['eq', 'in'] } }),
    total: t.decimal({ policy: { filter: ['gte', 'lt'], sort: true } }),
    customerId: t.ref('Customer', { policy: { filter: ['eq'] } }),
    shipTo: t.nullable(Address),
    lines: t.array(Line, { default: [] }),
    labels: t.map(t.string({ minLength: 1 }), { default: {} }),
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { sort: true } }),
  },
});

export function createShop(db: Db) {
  const shop = service({
    authenticate(ctx) {
      if (ctx.get('authorization') !== 'Bearer root-token') throw new Unauthorized('Sign in.');
      return { name: 'root' };
    },
  });
  return shop.api({ db, prefix: '/api', resources: [shop.resource({ model: Order }), shop.resource({ model: Customer })] });
}
