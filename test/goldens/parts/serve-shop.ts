import type { Db } from 'mongodb';
import { type Api, cursorPaging, defineModel, everything, offsetPaging, type RequestContext, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';

const id = t.string({ policy: { insert: true, filter: true, sort: true } });
const staff = { read: 'staff' } as const;

const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: {
    id,
    name: t.string({ policy: { filter: true, sort: true } }),
    rating: t.optional(t.string({ policy: { ...staff, filter: true } })),
    orders: t.hasMany('Order', { via: 'customer', max: 5, sort: '-total' }),
    orderCount: t.hasMany('Order', { via: 'customer', count: true }),
    revision: t.revision(),
  },
});

const Place = t.object('Place', { city: t.string({ policy: { filter: true, sort: true } }), zip: t.optional(t.string()) });

/** It has every kind of field that lists ask for, and no feature that makes its writes transactions. */
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id,
    owner: t.string({ policy: { insert: false, update: false, filter: true } }),
    number: t.string({ caseless: true, policy: { filter: ['eq', 'prefix'], sort: true } }),
    status: t.enum(['open', 'paid'], { default: 'open', policy: { filter: true, sort: true, group: true } }),
    total: t.decimal({ default: '0', policy: { filter: ['gt', 'gte', 'lt'], sort: true, aggregate: true } }),
    cents: t.optional(t.decimal({ stored: 'in_cents', storedAs: 'int', scale: 2, policy: { filter: true } })),
    note: t.nullable(t.string({ policy: { filter: ['eq', 'gt', 'exists'], sort: true } })),
    place: t.nullable(Place),
    lines: t.array(t.object('Line', { sku: t.string({ policy: { filter: true } }), count: t.int({ policy: { filter: true } }) }), {
      default: [],
    }),
    labels: t.map(t.string(), { merge: true, maxProperties: 5, default: {} }),
    customer: t.nullable(t.ref('Customer', { id: t.string(), exists: true, policy: { filter: true } })),
    secret: t.optional(t.string({ policy: { ...staff, filter: true } })),
    spot: t.optional(t.point({ policy: { near: { maxMetres: 50_000 } } })),
    hits: t.counter({ minimum: 0, maximum: 10 }),
    createdAt: t.createdAt({ policy: { filter: true, sort: true, group: true } }),
    updatedAt: t.updatedAt(),
    revision: t.revision(),
  },
  indexes: [{ fields: ['owner', 'number'], unique: true }],
  search: { fields: { number: 2, note: 1 } },
});

/** It keeps its history and its deleted records, and tells of its changes. */
const Invoice = defineModel('Invoice', {
  collection: 'invoices',
  fields: {
    id,
    owner: t.string({ default: 'ann', policy: { filter: true } }),
    text: t.string({ default: 'x', policy: { filter: true, sort: true } }),
    secret: t.optional(t.string({ policy: staff })),
    stock: t.counter(),
    parent: t.nullable(t.ref('Invoice', { id: t.string(), onDelete: 'cascade' })),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
  history: { scopeFields: ['owner'] },
  outbox: true,
});

const Part = t.object('BookingPart', { from: t.int(), to: t.int() }, { check: ({ from, to }) => (from < to ? undefined : 'is empty') });

/** Its checks need values that clients cannot write, and it has no revision. */
const Booking = defineModel('Booking', {
  collection: 'bookings',
  fields: {
    id,
    seats: t.int({ default: 1 }),
    room: t.int({ default: 5, policy: { insert: false, update: false } }),
    part: t.nullable(Part),
    at: t.nullable(t.date({ policy: { filter: true, sort: true } })),
  },
  check: ({ seats, room }) => (seats <= room ? undefined : [{ field: 'seats', message: 'are too many' }]),
});

export const collections = ['customers', 'orders', 'invoices', 'invoices_history', 'events', 'bookings', 'idempotency_keys'] as const;

/** Serves what no api of `serveEveryOperation` has: callers are `ann`, `ann staff` and `root`. */
export function serveShop(db: Db): Api<string> {
  const shop = service({ authenticate: (ctx) => ctx.get('authorization'), rules: { staff: (user: string) => user.includes('staff') } });
  const owned = (ctx: RequestContext<string>) => (ctx.requirePrincipal() === 'root' ? everything : { owner: 'ann' });
  const all = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
  const orders = {
    model: Order,
    ops: [...all, 'patchMany', 'deleteMany'],
    scope: owned,
    scopeFields: ['owner'],
    serverFields: () => ({ owner: 'ann' }),
    paging: cursorPaging({ max: 50, total: true }),
    fields: true,
    include: ['customer', 'customer.orders', 'customer.orderCount'],
    through: ['customer'],
    export: {},
    aggregate: true,
  };
  const invoices = {
    model: Invoice,
    ops: [...all, 'restore', 'patchMany', 'deleteMany'],
    scope: owned,
    scopeFields: ['owner'],
    deleted: { guards: [() => true] },
    history: true,
  };
  const customers = {
    model: Customer,
    ops: all,
    paging: offsetPaging({ max: 50, total: 'estimate' }),
    include: ['orders', 'orderCount'],
    nested: ['orders'],
    through: ['orders', 'orderCount'],
  };
  return shop.api({
    db,
    batch: true,
    warnOnScan: false,
    idempotency: { principal: (ctx: RequestContext<string>) => ctx.requirePrincipal() },
    resources: [
      shop.resource(orders as Any),
      shop.resource(invoices as Any),
      shop.resource(customers as Any),
      shop.resource({ model: Booking, ops: ['list', 'create', 'patch', 'put'] }),
      shop.resource({ model: Booking, path: 'whole-bookings', ops: ['patch'], mergePatch: false }),
    ],
  } as Any);
}
