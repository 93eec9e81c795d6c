import type { RecordContext as HandlerContext } from '../../../src/index.ts';
import { type Api, cursorPaging, defineModel, service, t, toJsonSchema } from '../../../src/index.ts';
import type { TestDatabase } from '../database/database.ts';

/** Stands in every hidden field: no answer to a caller outside its view may have it. */
export const canary = 'zqcanary';

/** Hidden fields of every kind, in every place. Without `rules`, the same models do not have these fields at all. */
function fieldsOf(hasHidden: boolean) {
  const staff = { read: 'staff' } as const;
  // biome-ignore lint/suspicious/noExplicitAny: two models of different types, which tests use as one
  const hidden = (fields: Record<string, any>): Record<string, any> => (hasHidden ? fields : {});
  const Line = t.object('Line', {
    sku: t.string({ policy: { filter: true } }),
    ...hidden({ cost: t.optional(t.string({ policy: { ...staff, filter: true } })) }),
  });
  const Note = t.object('Note', { text: t.string() });
  const Place = t.object('Place', {
    city: t.string({ policy: { filter: true, sort: true } }),
    ...hidden({
      code: t.optional(t.string({ policy: { ...staff, filter: true, sort: true, group: true } })),
      mark: t.computed(t.string(), { from: ['city', 'code'], get: ({ city, code }) => `${city} ${code}` }),
    }),
  });
  const order = {
    id: t.string({ policy: { insert: true, filter: true, sort: true } }),
    title: t.string({ policy: { filter: true, sort: true, group: true } }),
    place: t.nullable(Place),
    notes: t.array(Note, { default: [] }),
    customer: t.nullable(t.ref('Customer', { id: t.string() })),
    ...hidden({
      secret: t.optional(t.string({ policy: { ...staff, filter: true, sort: true, group: true } })),
      margin: t.optional(
        t.string({
          policy: { read: ['staff', 'finance'], insert: 'finance', update: 'finance', filter: ['gte'], sort: true, group: true },
        }),
      ),
      boss: t.optional(t.ref('Customer', { id: t.string(), as: 'chief', policy: staff })),
      inner: t.optional(t.object('Inner', { text: t.string({ policy: { filter: true } }) }, { policy: staff })),
      lines: t.optional(t.array(Line, { policy: { ...staff, filter: true } })),
      extra: t.optional(t.map(t.string(), { policy: staff })),
      hits: t.counter({ policy: staff }),
      spot: t.optional(t.point({ policy: { ...staff, near: { maxMetres: 5000 } } })),
      tag: t.computed(t.string(), { from: ['title', 'secret'], get: ({ title, secret }) => `${title} ${secret}` }),
      stamp: t.computed(t.array(t.string(), { policy: staff }), { from: ['title'], get: () => [canary] }),
    }),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  };
  const customer = {
    id: t.string({ policy: { insert: true, filter: true } }),
    name: t.string({ policy: { filter: true, sort: true } }),
    orders: t.hasMany('Order', { via: 'customer', max: 5 }),
    ...hidden({
      led: t.hasMany('Order', { via: 'boss' }),
      ledCount: t.hasMany('Order', { via: 'boss', count: true }),
      rating: t.optional(t.string({ policy: { ...staff, filter: true, sort: true } })),
    }),
    revision: t.revision(),
  };
  return { order, customer };
}

const rules = {
  staff: (user: string) => user.includes('staff'),
  finance: (user: string) => Promise.resolve(user.includes('finance')),
};

/** An api over orders and customers: with hidden fields and their rules, or without both. */
export function viewsApi({ db }: TestDatabase, hasHidden: boolean, isCarried = true): Api {
  const { order, customer } = fieldsOf(hasHidden);
  const search = { fields: { title: 2, secret: 1, 'place.code': 1, 'lines.cost': 1 } };
  const Order = defineModel('Order', { collection: 'orders', fields: order, history: true, ...(hasHidden && { search }) });
  const Customer = defineModel('Customer', { collection: 'customers', fields: customer });
  const shop = service({
    authenticate: (ctx) => ctx.get('authorization'),
    ...(hasHidden ? { rules } : {}),
  }) as unknown as ReturnType<typeof service<string>>;
  const hidden = (names: readonly string[]) => (hasHidden ? names : []);
  return shop.api({
    db,
    prefix: '/api',
    ...(isCarried ? { batch: true, idempotency: { principal: (ctx) => String(ctx.principal ?? 'nobody') } } : {}),
    resources: [
      shop.resource({
        model: Order,
        ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany', 'deleteMany'],
        fields: true,
        export: {},
        aggregate: true,
        live: true,
        history: true,
        paging: cursorPaging({ total: true }),
        include: ['customer', 'customer.orders', ...hidden(['chief', 'chief.led'])] as never,
        through: ['customer', ...hidden(['chief'])] as never,
        operations: {
          touch: { summary: 'Show', handler: (ctx: HandlerContext) => ctx.load() },
          all: {
            method: 'GET',
            path: '/all',
            summary: 'All',
            handler: async (ctx: HandlerContext) => (await ctx.store(Order).find({})).length,
          },
          found: {
            method: 'GET',
            path: '/found',
            summary: 'Find',
            query: { title: t.optional(t.string()) },
            answer: 'records',
            handler: (ctx: HandlerContext) => ctx.store(Order).find({}),
          },
          paged: {
            method: 'GET',
            path: '/paged',
            summary: 'Page',
            answer: 'page',
            handler: async (ctx: HandlerContext) => ({ records: await ctx.store(Order).find({}), next: 'x' }),
          },
          described: {
            method: 'GET',
            path: '/described',
            summary: 'Find',
            answer: t.array(t.from(toJsonSchema(Order, 'read'))),
            handler: (ctx: HandlerContext) => ctx.store(Order).find({}),
          },
          copied: {
            method: 'GET',
            path: '/copied',
            summary: 'Copy',
            answer: t.array(t.from(toJsonSchema(Order, 'read'))),
            handler: async (ctx: HandlerContext) => JSON.parse(JSON.stringify(await ctx.store(Order).find({}))),
          },
          stored: { summary: 'Show', handler: async (ctx: HandlerContext) => [await ctx.store(Order).get(ctx.params.id)] },
        },
      } as never),
      shop.resource({
        model: Customer,
        ops: ['list', 'get', 'create', 'patch', 'put'],
        fields: true,
        include: ['orders', ...hidden(['led', 'ledCount'])] as never,
        nested: ['orders', ...hidden(['led'])] as never,
        through: ['orders', ...hidden(['led', 'ledCount'])] as never,
      } as never),
    ],
  });
}

/** Records with a canary in every hidden field, or the same without them. */
export async function seed({ db }: TestDatabase, hasHidden: boolean): Promise<void> {
  const hidden = (fields: object) => (hasHidden ? fields : {});
  const at = new Date('2026-01-01T00:00:00Z');
  await db.collection('orders').deleteMany({});
  await db.collection('customers').deleteMany({});
  await db.collection('orders_history').deleteMany({});
  await db.collection<{ _id: string }>('orders').insertMany(
    ['o1', 'o2', 'o3'].map((_id, index) => ({
      _id,
      title: `title ${index}`,
      place: { city: `city ${index}`, ...hidden({ code: `${canary}${9 - index}` }) },
      notes: [{ text: 'one' }],
      customer: 'c1',
      ...hidden({
        secret: `${canary}${index}`,
        margin: `${canary}${5 - index}`,
        boss: 'c2',
        inner: { text: canary },
        lines: [{ sku: canary, cost: canary }],
        extra: { key: canary },
      }),
      revision: 3,
      updatedAt: at,
    })),
  );
  const change = (path: string, before: string) => ({ path, before, after: `after ${before}` });
  const secret = hasHidden
    ? [change('secret', canary), change('margin', canary), change('place.code', canary), change('inner', canary)]
    : [];
  const entry = (revision: number, changes: ReturnType<typeof change>[]) => ({
    record: 'o1',
    life: null,
    revision,
    previous: revision - 1,
    at,
    change: 'patched',
    actor: 'ann',
    paths: changes.map(({ path }) => path),
    changes,
    private: [],
  });
  const entries = [entry(1, [change('title', 'a'), ...secret]), entry(2, secret), entry(3, [...secret, change('place.city', 'b')])];
  await db.collection('orders_history').insertMany(entries.filter(({ changes }) => changes.length > 0));
  await db
    .collection<{ _id: string }>('customers')
    .insertMany(['c1', 'c2'].map((_id, index) => ({ _id, name: `name ${index}`, ...hidden({ rating: canary }), revision: 0 })));
}
