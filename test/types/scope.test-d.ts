import { ObjectId } from 'mongodb';
import { type Document, defineModel, everything, type ScopeFilter, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

interface User {
  readonly name: string;
  readonly tenants: readonly string[];
}

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    owner: t.string(),
    status: t.enum(['open', 'paid']),
    tags: t.array(t.string()),
    place: t.object('Place', { city: t.string() }),
    due: t.nullable(t.date()),
    note: t.optional(t.string()),
    customer: t.ref('Customer'),
    revision: t.revision(),
  },
});
type Order = Document<typeof Order>;
const shop = service({ authenticate: (): User | undefined => undefined });
const { resource } = shop;

// A key that is not a field does not compile, wherever the function returns it.

// @ts-expect-error: `onwer` is not a field
resource({ model: Order, scope: () => ({ onwer: 'ann' }) });
// @ts-expect-error: `onwer` is not a field, though `owner` beside it is one
resource({ model: Order, scope: () => ({ owner: 'ann', onwer: 'ann' }) });
// @ts-expect-error: `onwer` is not a field, nor in a promise
resource({ model: Order, scope: async () => ({ owner: 'ann', onwer: 'ann' }) });
// @ts-expect-error: `onwer` is not a field, nor in one of two branches
resource({ model: Order, scope: (ctx) => (ctx.principal ? everything : { onwer: 'ann' }) });
resource({
  model: Order,
  // @ts-expect-error: `onwer` is not a field, nor in one of two returns
  scope(ctx) {
    if (ctx.principal?.name === 'root') return { owner: 'root' };
    return { owner: 'ann', onwer: ctx.requirePrincipal().name };
  },
});
resource({
  model: Order,
  // @ts-expect-error: `onwer` is not a field, nor in one of two returns of a promise
  async scope(ctx) {
    if (ctx.principal?.name === 'root') return everything;
    return { onwer: ctx.requirePrincipal().name };
  },
});

// A value has the type of its field, and an operator is one of the library's.

// @ts-expect-error: an owner is a text
resource({ model: Order, scope: () => ({ owner: 5 }) });
// @ts-expect-error: `shut` is no member of the enum
resource({ model: Order, scope: () => ({ status: 'shut' }) });
// @ts-expect-error: an owner is a text
resource({ model: Order, scope: () => ({ owner: { in: [5] } }) });
// @ts-expect-error: `equals` is no operator
resource({ model: Order, scope: () => ({ owner: { equals: 'ann' } }) });
// @ts-expect-error: `$in` is none either
resource({ model: Order, scope: () => ({ owner: { $in: ['ann'] } }) });
// @ts-expect-error: nothing returned is no scope
resource({ model: Order, scope: () => undefined });
// @ts-expect-error: a forgotten `return` is none either
resource({ model: Order, scope() {} });
// @ts-expect-error: a list is no filter
resource({ model: Order, scope: () => [{ owner: 'ann' }] });

// What is right compiles, and every function is still given what `authenticate` returns.

resource({ model: Order, scope: () => everything });
resource({ model: Order, scope: () => ({ owner: 'ann', status: 'open', tags: 'red', due: null, note: 'n', 'place.city': 'Ulm' }) });
resource({ model: Order, scope: () => ({ status: { in: ['open', 'paid'] }, due: { gte: new Date(0) }, note: { exists: true } }) });
resource({ model: Order, scope: () => ({ id: new ObjectId(), customer: { ne: new ObjectId() }, revision: { lt: 5 } }) });
resource({ model: Order, scope: (ctx) => ({ owner: { in: ctx.requirePrincipal().tenants } }) });
resource({ model: Order, scope: (ctx) => (ctx.principal ? { owner: ctx.principal.name } : { status: 'open' }) });
resource({ model: Order, scope: (): ScopeFilter<Order> => ({ owner: 'ann' }) });
const own = (ctx: { readonly principal: User | undefined }) => ({ owner: ctx.principal?.name ?? '' });
resource({ model: Order, scope: own });
resource({
  model: Order,
  scopeFields: ['owner'],
  async scope(ctx) {
    assert<Equal<typeof ctx.principal, User | undefined>>();
    if (ctx.requirePrincipal().name === 'root') return everything;
    return { owner: ctx.requirePrincipal().name, tags: { in: ['a'] } };
  },
  serverFields: (ctx) => ({ owner: ctx.requirePrincipal().name }),
  operations: {
    send: {
      async handler(ctx) {
        const order = await ctx.load();
        assert<Equal<typeof order, Order>>();
        return ctx.save(order);
      },
    },
  },
  after: {
    create: [
      (ctx, order) => {
        assert<Equal<typeof order, Order>>();
        assert<Equal<typeof ctx.principal, User | undefined>>();
      },
    ],
  },
});
