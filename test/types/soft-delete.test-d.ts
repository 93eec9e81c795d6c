import type { ObjectId } from 'mongodb';
import { type Create, type Document, defineModel, type NewDocument, type Patch, type Read, service, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: { number: t.string(), revision: t.revision(), deletedAt: t.deletedAt() },
});

// The time of deletion is there to read, as long as there is one, and never to write.
assert<Equal<Document<typeof Order>, { id: ObjectId; number: string; revision: number; deletedAt?: Date }>>();
assert<Equal<Read<typeof Order>, { id: string; readonly number: string; readonly revision: number; readonly deletedAt?: string }>>();
assert<Equal<Create<typeof Order>, { readonly number: string }>>();
assert<Equal<Patch<typeof Order>, { readonly number?: string }>>();
assert<Equal<NewDocument<typeof Order>, { readonly id?: ObjectId; readonly number: string }>>();

// @ts-expect-error nobody sets a default
t.deletedAt({ default: new Date() });

const shop = service<{ name: string }>({ authenticate: () => ({ name: 'ann' }) });
shop.resource({
  model: Order,
  ops: ['get', 'restore'],
  deleted: { guards: [(ctx) => ctx.requirePrincipal().name === 'ann'] },
  guardsFor: { restore: [(ctx) => ctx.principal !== undefined] },
  before: { restore: [(_ctx, draft) => assert<Equal<typeof draft, undefined>>()] },
  within: { restore: [(_ctx, { before, after }) => assert<Equal<typeof before | typeof after, Document<typeof Order>>>()] },
  after: { restore: [(_ctx, order) => assert<Equal<typeof order, Document<typeof Order>>>()] },
});

shop.resource({
  model: Order,
  ops: ['get'],
  // @ts-expect-error `restore` is not served
  after: { restore: [() => undefined] },
});

// @ts-expect-error there is no such option
shop.resource({ model: Order, deleted: { guards: [], guard: [] } });
