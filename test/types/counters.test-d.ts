import { type Create, type Document, defineModel, openStore, type Patch, type Read, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { assert, type Equal } from './equal.ts';

const Product = defineModel('Product', { collection: 'products', fields: { name: t.string(), stock: t.counter({ minimum: 0 }) } });
const Tag = defineModel('Tag', { collection: 'tags', fields: { name: t.string() } });

// A counter is a number that may be left out of a create, and is in no patch.
assert<Equal<Document<typeof Product>['stock'], number>>();
assert<Equal<Read<typeof Product>['stock'], number>>();
assert<Equal<Create<typeof Product>, { readonly name: string; readonly stock?: number }>>();
assert<Equal<Patch<typeof Product>, { readonly name?: string }>>();

const shop = service();

// Its name is a key, and so are the groups of changes; the hooks are those of a patch.
shop.resource({
  model: Product,
  ops: ['get'],
  counters: ['stock'],
  guardsFor: { stock: [() => true], change: [() => true] },
  before: { stock: [(_ctx, draft) => void draft.name] },
  within: { change: [(_ctx, { before, after }) => void (after.stock - before.stock)] },
  after: { stock: [(_ctx, product) => void product.stock.toFixed()] },
});
// @ts-expect-error: not a counter
shop.resource({ model: Product, counters: ['name'] });
// @ts-expect-error: not a counter
shop.resource({ model: Product, guardsFor: { name: [] } });
// @ts-expect-error: a model without counters has no such key
shop.resource({ model: Tag, guardsFor: { stock: [] } });
// @ts-expect-error: and no group of changes, where nothing changes
shop.resource({ model: Tag, ops: ['get'], guardsFor: { change: [] } });
// @ts-expect-error: an option that would have no effect
t.counter({ multipleOf: 2 });

const store = openStore(Product, { db: {} as Any });
void store.step('id', 'stock', 1).then(({ stock }) => stock.toFixed());
// @ts-expect-error: not a counter
void store.step('id', 'name', 1);
