import type { Decimal128, ObjectId } from 'mongodb';
import { type BeforeHook, beforeHooks, type ChangesDraft, type Context, type Document, defineModel, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

interface User {
  readonly name: string;
}

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    status: t.enum(['open', 'sent'], { default: 'open' }),
    total: t.nullable(t.decimal()),
    carrier: t.optional(t.string()),
    shipTo: t.nullable(t.object('ShipTo', { city: t.string(), zip: t.optional(t.string()), at: t.date() })),
    lines: t.array(t.object('Line', { text: t.string() })),
    labels: t.map(t.int()),
    secret: t.string({ policy: { private: true } }),
    fixed: t.string({ immutable: true }),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  },
});
type Changes = ChangesDraft<typeof Order>;

const shop = service({ authenticate: (): User | undefined => undefined });

shop.resource({
  model: Order,
  ops: ['create', 'patch', 'put', 'delete'],
  serverFields: {
    create: (ctx) => ({ secret: ctx.requirePrincipal().name }),
    update: async (ctx) => ({ secret: ctx.requirePrincipal().name }),
  },
  before: {
    create: [
      (ctx, draft) => {
        assert<Equal<ReturnType<typeof ctx.requirePrincipal>, User>>();
        assert<Equal<typeof draft, Document<typeof Order>>>();
        draft.secret = 'x';
        // @ts-expect-error: `snet` is no status
        draft.status = 'snet';
      },
    ],
    patch: [
      async (ctx, draft) => {
        assert<Equal<typeof ctx.principal, User | undefined>>();
        assert<Equal<typeof draft, Changes>>();
      },
    ],
    put: [(_ctx, draft) => assert<Equal<typeof draft, Changes>>()],
    delete: [(_ctx, draft) => assert<Equal<typeof draft, undefined>>()],
  },
});

assert<
  Equal<
    Changes,
    {
      status?: 'open' | 'sent';
      total?: Decimal128 | null;
      carrier?: string | null;
      shipTo?: { city?: string; zip?: string | null; at?: Date } | null;
      lines?: { text: string }[];
      labels?: Record<string, number>;
      secret?: string;
      fixed?: string;
    }
  >
>();

const draft: Changes = {};
draft.shipTo = { city: 'A' };
draft.carrier = null;
// @ts-expect-error: a status cannot be cleared
draft.status = null;
// @ts-expect-error: the service itself counts
draft.revision = 1;
// @ts-expect-error: an id never changes
draft.id = undefined as unknown as ObjectId;

// @ts-expect-error: put is not served
shop.resource({ model: Order, ops: ['create', 'patch'], before: { put: [] } });
// @ts-expect-error: a list writes nothing
shop.resource({ model: Order, ops: ['list', 'create'], before: { list: [] } });
// @ts-expect-error: there is no `patch` in `serverFields`
shop.resource({ model: Order, serverFields: { patch: () => ({}) } });
// @ts-expect-error: a secret is a text
shop.resource({ model: Order, serverFields: { update: () => ({ secret: 5 }) } });

// Alone, hooks declare what they get.
const hash: BeforeHook<Context, Changes> = (_ctx, changes) => {
  changes.secret = 'x';
};
beforeHooks(Order, [hash, (ctx, _draft: Document<typeof Order>) => ctx.state.user, (ctx) => ctx.path]);
// @ts-expect-error: hooks are functions
beforeHooks(Order, ['hash']);
