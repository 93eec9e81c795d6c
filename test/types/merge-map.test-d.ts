import type { ChangesDraft, Create, Document, DocumentChanges, Patch } from '../../src/index.ts';
import { defineModel, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

const Price = t.object('Price', { amount: t.decimal(), note: t.optional(t.string()) });
const Priced = defineModel('Priced', { collection: 'priced', fields: { amount: t.decimal(), note: t.optional(t.string()) } });
const Product = defineModel('Product', {
  collection: 'products',
  fields: {
    labels: t.map(t.string(), { merge: true }),
    prices: t.optional(t.map(Price, { merge: true })),
    whole: t.map(t.int()),
  },
});

// A patch removes a key of a merged map by null, and merges the objects in it.
assert<
  Equal<
    Patch<typeof Product>,
    {
      readonly labels?: Readonly<Record<string, string | null>>;
      readonly prices?: Readonly<Record<string, Patch<typeof Priced> | null>> | null;
      readonly whole?: Readonly<Record<string, number>>;
    }
  >
>();
assert<Equal<Create<typeof Product>['labels'], Readonly<Record<string, string>>>>();
assert<Equal<Document<typeof Product>['labels'], Record<string, string>>>();
assert<Equal<NonNullable<ChangesDraft<typeof Product>['labels']>, Record<string, string | null>>>();

const changes: DocumentChanges<typeof Product> = { labels: { a: null, b: 'x' }, prices: { eur: { note: null }, usd: null } };
void changes;
// @ts-expect-error null removes no key of a map that is replaced
const replaced: DocumentChanges<typeof Product> = { whole: { a: null } };
void replaced;

// @ts-expect-error `filterKeys` are names
t.map(t.string(), { filterKeys: [1], policy: { filter: true } });
// @ts-expect-error `merge` is true or false
t.map(t.string(), { merge: 'keys' });
