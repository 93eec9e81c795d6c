import { cursorPaging, defineModel, everything, type Resource, type Service, t } from '../../../src/index.ts';
import { operations } from '../../../src/resource/define/standard-operations.ts';

const all = { filter: true, sort: true } as const;

/**
 * The same two models twice: under names of their own in the database, and under those of the fields. `at` says where
 * they are stored.
 */
export function defineShop(at: 'plain' | 'stored') {
  const as = (stored: string) => (at === 'stored' ? { stored } : {}) as { readonly stored: string };
  const inForm = <Form extends string>(storedAs: Form) => (at === 'stored' ? { storedAs } : {}) as { readonly storedAs: Form };
  const cents = at === 'stored' ? ({ storedAs: 'int', scale: 2 } as const) : {};

  const Place = t.object(
    'Place',
    {
      city: t.string({ ...as('stadt'), policy: all, caseless: true }),
      zip: t.optional(t.string({ ...as('PLZ'), policy: { filter: true } })),
      since: t.nullable(t.date({ ...as('von'), ...inForm('epoch-s'), policy: all })),
      secret: t.nullable(t.string({ ...as('geheim'), policy: { private: true, insert: true } })),
    },
    { check: ({ city, zip }) => (city === zip ? [{ field: 'zip', message: 'must differ from the city' }] : undefined) },
  );
  const Customer = defineModel('Customer', {
    collection: `${at}_customers`,
    fields: {
      id: t.string({ policy: { insert: true, ...all } }),
      name: t.string({ ...as('cust name'), unique: true, policy: { ...all, group: true } }),
      isActive: t.boolean({ ...as('active'), ...inForm('int'), default: true, policy: { ...all, group: true } }),
      orders: t.hasMany('Order', { via: 'customer', resource: 'orders', sort: '-placedAt' }),
      revision: t.revision(as('rev')),
      deletedAt: t.deletedAt({ ...as('gone'), policy: all }),
    },
    search: { fields: { name: 1 } },
  });
  const Order = defineModel('Order', {
    collection: `${at}_orders`,
    fields: {
      id: t.string({ policy: { insert: true, ...all } }),
      number: t.string({ ...as('no'), unique: true, caseless: { accents: false }, policy: all }),
      stock: t.counter({ ...as('bestand'), minimum: 0, maximum: 9, policy: all }),
      // The name of one field is the key of another.
      no: t.int({ ...as('number'), default: 0, policy: { ...all, group: true, aggregate: true } }),
      customer: t.nullable(
        t.ref('Customer', { ...as('cust_no'), id: t.string(), onDelete: 'cascade', policy: { filter: true, group: true } }),
      ),
      amount: t.decimal({
        ...as('total_cents'),
        ...cents,
        minimum: '0',
        default: '0.00',
        policy: { ...all, group: true, aggregate: true },
      }),
      placedAt: t.nullable(t.date({ ...as('placed'), ...inForm('epoch-ms'), policy: { ...all, group: true, aggregate: true } })),
      dueAt: t.nullable(t.date({ ...as('due'), ...inForm('string'), policy: { ...all, group: true, aggregate: true } })),
      isPaid: t.optional(t.boolean({ ...as('paid'), ...inForm('int'), policy: { ...all, group: true } })),
      place: t.nullable({ ...Place, ...as('ort') } as typeof Place),
      lines: t.array(
        t.object('Line', {
          sku: t.string({ ...as('_id'), policy: { filter: true } }),
          price: t.decimal({ ...as('p'), ...cents, policy: { filter: true } }),
          with: t.array(t.ref('Customer', { id: t.string(), exists: true }), { ...as('mit'), default: [] }),
          days: t.array(t.date(inForm('epoch-ms')), { ...as('tage'), default: [] }),
        }),
        { ...as('pos'), default: [], policy: { filter: true } },
      ),
      fans: t.array(t.ref('Customer', { id: t.string(), onDelete: 'pull' }), { ...as('fan_ids'), default: [], policy: { filter: true } }),
      names: t.map(t.object('Name', { full: t.string(as('f')), until: t.nullable(t.date(inForm('string'))) }), {
        ...as('namen'),
        default: {},
      }),
      note: t.nullable(t.string({ ...as('notiz'), policy: { private: true, insert: true } }), { storeNone: true }),
      revision: t.revision(as('_v')),
      createdAt: t.createdAt({ ...as('ins'), policy: { filter: true } }),
      updatedAt: t.updatedAt(as('upd')),
      deletedAt: t.deletedAt(as('weg')),
    },
    indexes: [{ fields: ['customer', '-placedAt'] }],
    history: { scopeFields: ['number'] },
    outbox: true,
  });
  return { Customer, Order };
}

type Shop = ReturnType<typeof defineShop>;

/** Serves both models with all that a resource can have. */
export function serveShop({ Customer, Order }: Shop, shop: Service<never>): readonly Resource<never>[] {
  return [
    shop.resource({
      model: Customer,
      path: 'customers',
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore'],
      include: ['orders'],
      nested: ['orders'],
      deleted: { guards: [() => true] },
      paging: cursorPaging({ total: true }),
      scope: () => everything,
    }),
    shop.resource({
      model: Order,
      path: 'orders',
      ops: operations,
      deleted: { guards: [() => true] },
      include: ['customer', 'fans'],
      through: ['customer'],
      links: ['fans'],
      fields: true,
      filters: ['any(lines, sku = … AND price < …)'],
      aggregate: true,
      export: {},
      history: true,
      paging: cursorPaging({ total: true }),
      scope: () => ({ number: { ne: 'hidden' } }),
      scopeFields: ['number'],
    }),
    shop.resource({
      model: Order,
      path: 'hooked',
      ops: ['patch'],
      before: {
        patch: [
          (_ctx, changes) => {
            if (changes.place?.city === 'hooked') changes.place.zip = 'by a hook';
          },
        ],
      },
      scope: () => everything,
    }),
  ];
}
