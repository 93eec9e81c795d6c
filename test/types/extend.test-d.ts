import type { Decimal128, ObjectId } from 'mongodb';
import { type Create, type Document, defineModel, type Patch, type Read, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: { owner: t.string(), total: t.decimal(), customer: t.ref('Customer'), revision: t.revision() },
});

// The fields of both, where those that are given replace others.
const PaidOrder = Order.extend('PaidOrder', {
  collection: 'paid_orders',
  fields: { paidAt: t.date(), owner: t.optional(t.string()), tasks: t.hasMany('Task', { via: 'order' }) },
  check: ({ paidAt, total, owner }) => {
    assert<Equal<typeof paidAt, Date>>();
    assert<Equal<typeof total, Decimal128>>();
    return owner === 'nobody' ? 'must have an owner' : undefined;
  },
  indexes: [{ fields: ['paidAt', '-total', 'id'] }],
  history: { scopeFields: ['owner'] },
});
assert<
  Equal<Document<typeof PaidOrder>, { id: ObjectId; total: Decimal128; customer: ObjectId; revision: number; paidAt: Date; owner?: string }>
>();
type Sent = { readonly total: string | number | bigint; readonly customer: string; readonly paidAt: string; readonly owner?: string };
assert<Equal<Create<typeof PaidOrder>, Sent>>();
assert<Equal<Read<typeof PaidOrder>['paidAt'], string>>();
assert<Equal<Patch<typeof PaidOrder>['owner'], string | null | undefined>>();

// It is a model like any other: it can be extended itself, and is served with its own names.
const Late = PaidOrder.extend('Late', { collection: 'late', fields: { days: t.int() } });
assert<Equal<Document<typeof Late>['days'], number>>();
assert<Equal<Document<typeof Late>['paidAt'], Date>>();
const OrderV2 = Order.extend('OrderV2', { maxTimeMS: 500 });
assert<Equal<Document<typeof OrderV2>, Document<typeof Order>>>();
const { resource } = service();
resource({
  model: PaidOrder,
  include: ['customer', 'tasks'],
  nested: ['tasks'],
  scope: () => ({ owner: 'ann', paidAt: { lt: new Date() } }),
});

// @ts-expect-error: a model has a name
Order.extend({ fields: { paidAt: t.date() } });
// @ts-expect-error: `feilds` is not an option
Order.extend('Paid', { feilds: {} });
// @ts-expect-error: a field is a schema
Order.extend('Paid', { fields: { paidAt: Date } });
// @ts-expect-error: `payedAt` is not a field
Order.extend('Paid', { fields: { paidAt: t.date() }, indexes: [{ fields: ['payedAt'] }] });
// @ts-expect-error: `payedAt` is not a field
Order.extend('Paid', { fields: { paidAt: t.date() }, check: ({ payedAt }) => payedAt });
// @ts-expect-error: the extension has no `tags`
resource({ model: PaidOrder, links: ['tags'] });
// @ts-expect-error: an order has no `paidAt`
resource({ model: Order, scope: () => ({ paidAt: { lt: new Date() } }) });
