import { defineModel, t } from 'koa-mongo-resource';

const Address = t.object('Address', {
  street: t.string(),
  city: t.string({ policy: { filter: ['eq'] } }),
  // Ours, inside of what is the client's: a patch of the address goes around it, and cannot clear the address as a
  // whole.
  verifiedBy: t.optional(t.string({ policy: { private: true } })),
});

export const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: {
    id: t.objectId({ policy: { filter: ['in'] } }), // ?id[in]=… reads the customers of a page of orders at once
    name: t.string({ minLength: 1, policy: { filter: ['eq', 'prefix'], sort: true } }),
    email: t.string({ format: 'email', unique: true, policy: { filter: ['eq'] } }),
    revision: t.revision(),
    // The other side of `customerId` below. Neither is stored: ?include=orders,orderCount shows what the caller may see
    // of them.
    orders: t.hasMany('Order', { via: 'customerId', max: 10, sort: '-createdAt' }),
    orderCount: t.hasMany('Order', { via: 'customerId', count: true }),
  },
});

export const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    number: t.string({ immutable: true, policy: { filter: ['eq', 'prefix'], sort: true } }),
    status: t.enum(['open', 'paid', 'sent'], { default: 'open', policy: { insert: false, filter: ['eq', 'in'] } }),
    total: t.decimal({ policy: { filter: ['gte', 'lt'], sort: true } }),
    shipTo: t.nullable(Address, { storeNone: true }),
    customerId: t.ref('Customer', { as: 'customer', policy: { filter: ['eq'] } }),
    owner: t.string({ policy: { insert: false, update: false } }),
    internalNote: t.optional(t.string({ policy: { private: true } })), // for the staff: no client learns that there is such a field
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { sort: true } }),
    updatedAt: t.updatedAt(),
  },
  indexes: [{ fields: ['owner', 'number'], unique: true }], // two orders of one owner never share a number (409)
});
