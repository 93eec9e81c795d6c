import { defineModel, everything, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import type { TestDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const Place = t.object('Place', { city: t.string(), code: t.optional(t.string({ policy: { private: true } })) });
const Box = t.object('Box', { city: t.string(), size: t.nullable(t.int()) });
const Line = t.object('Line', { sku: t.string() });

/** A model with a history, and values of every kind. */
export const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ policy: { insert: true } }),
    title: t.string({ default: 'untitled', policy: { filter: true } }),
    owner: t.string({ default: 'ann' }),
    total: t.nullable(t.decimal()),
    due: t.nullable(t.date()),
    big: t.nullable(t.int64()),
    spot: t.nullable(t.point()),
    ref: t.nullable(t.objectId()),
    place: t.nullable(Place),
    box: t.nullable(Box),
    lines: t.array(Line, { default: [] }),
    tags: t.map(t.int(), { default: {} }),
    note: t.optional(t.string()),
    extra: t.optional(t.any()),
    secret: t.optional(t.string({ policy: { private: true } })),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
    deletedAt: t.deletedAt(),
  },
  history: { scopeFields: ['owner'] },
});

/** Serves orders to their owners, and to `root`, who sees all of them. */
export function useOrders(database: TestDatabase) {
  let canaries = 0;
  const hooked: unknown[] = [];
  const hooks: { refuse?: (record: Any) => void } = {};
  const api = useApi<string>(
    database,
    (shop) => [
      shop.resource({
        model: Order,
        ops: ['get', 'create', 'patch', 'put', 'delete', 'restore', 'patchMany'],
        fields: true,
        scope: (ctx) => (ctx.requirePrincipal() === 'root' ? everything : { owner: ctx.requirePrincipal() }),
        scopeFields: ['owner'],
        scopeWrites: false,
        serverFields: { create: () => ({ secret: 'canary of create' }), update: () => ({ secret: `canary ${++canaries}` }) },
        deleted: { guards: [(ctx) => ctx.get('x-bin') === 'yes'] },
        guardsFor: { get: [(ctx) => ctx.get('x-get') !== 'no'], history: [(ctx) => ctx.get('x-history') !== 'no'] },
        after: {
          get: [
            (_ctx, record) => {
              hooked.push(record);
              hooks.refuse?.(record);
            },
          ],
        },
        history: true,
      }),
    ],
    { authenticate: (ctx) => ctx.get('authorization') || undefined, requestIds: true },
  );
  beforeEach(async () => {
    api.errors.length = 0;
    hooked.length = 0;
    delete hooks.refuse;
    for (const name of ['orders', 'orders_history']) await database.db.collection(name).deleteMany({});
  });
  const send = (method: string, path: string, body?: unknown, who = 'ann', more: object = {}) =>
    api.request(method, `/api/orders${path}`, { ...(body === undefined ? {} : { body }), headers: { authorization: who, ...more } });
  return {
    api,
    hooked,
    hooks,
    send,
    get: (path: string, who?: string, more?: object) => send('GET', path, undefined, who, more),
    entries: () => database.db.collection<Any>('orders_history'),
    stored: () => database.db.collection<Any>('orders'),
  };
}

/** What a list of changes is about, in short. */
export const revisions = ({ body }: { body: Any }) => body.data.map(({ revision }: Any) => revision);
