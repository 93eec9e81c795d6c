import type { ObjectId } from 'mongodb';
import { type ChangesDraft, type Create, type Document, defineModel, type NewDocument, type Patch, type Read, t } from '../../src/index.ts';
import { assert, type Equal } from './equal.ts';

const first = t.string();
const born = t.optional(t.date());
const Person = defineModel('Person', {
  collection: 'people',
  fields: {
    first,
    born,
    margin: t.decimal({ policy: { read: 'staff' } }),
    name: t.computed(t.string(), { from: ['first'], get: ({ first }) => `Dr ${first}` }),
    length: t.computed(t.int(), { from: ['first', 'id'], get: ({ first }: { first: string }) => first.length }),
    year: t.computed(t.nullable(t.int()), { from: { first, born }, get: ({ born }) => born?.getUTCFullYear() ?? null }),
    day: t.computed(t.optional(t.date()), { from: { born }, get: ({ born }) => born }),
    profit: t.computed(t.boolean(), { from: ['margin'], get: ({ margin }) => margin !== undefined }),
    loss: t.computed(t.boolean({ policy: { read: true } }), { from: ['margin'], get: ({ margin }) => margin === undefined }),
    place: t.object('Place', {
      street: t.string(),
      label: t.computed(t.string(), { from: ['street'], get: ({ street }: { street: string }) => street.trim() }),
    }),
  },
});

type Place = { street: string };
assert<Equal<Document<typeof Person>['place'], Place>>();
assert<Equal<keyof Document<typeof Person>, 'id' | 'first' | 'born' | 'margin' | 'place'>>();
assert<Equal<keyof Create<typeof Person>, 'first' | 'born' | 'margin' | 'place'>>();
assert<Equal<keyof Patch<typeof Person>, 'first' | 'born' | 'margin' | 'place'>>();
assert<Equal<keyof ChangesDraft<typeof Person>, 'first' | 'born' | 'margin' | 'place'>>();
assert<Equal<keyof NewDocument<typeof Person>, 'id' | 'first' | 'born' | 'margin' | 'place'>>();
assert<
  Equal<
    Read<typeof Person>,
    {
      id: string;
      readonly first: string;
      readonly born?: string;
      readonly margin?: string;
      readonly name: string;
      readonly length: number;
      readonly year: number | null;
      readonly day?: string;
      readonly profit?: boolean; // as the field of which it is made
      readonly loss: boolean;
      readonly place: { readonly street: string; readonly label: string };
    }
  >
>();
assert<Equal<Document<typeof Person>['id'], ObjectId>>();

const collection = 'people';
// @ts-expect-error: no field of the object
defineModel('Person', { collection, fields: { first, name: t.computed(t.string(), { from: ['frist'], get: () => '' }) } });
defineModel('Person', {
  collection,
  // @ts-expect-error: a parameter of another type
  fields: { first, name: t.computed(t.string(), { from: ['first'], get: ({ first }: { first: number }) => String(first) }) },
});
defineModel('Person', {
  collection,
  // @ts-expect-error: a parameter that is not in `from`
  fields: { first, born, name: t.computed(t.string(), { from: ['first'], get: ({ born }: { born?: Date }) => String(born) }) },
});
defineModel('Person', {
  collection,
  // @ts-expect-error: a field of another type than the model has under this name
  fields: { first, born: t.int(), year: t.computed(t.any(), { from: { born }, get: ({ born }) => born }) },
});
t.object('Person', {
  first,
  a: t.computed(t.string(), { from: ['first'], get: () => '' }),
  // @ts-expect-error: a computed field is made of stored ones
  b: t.computed(t.any(), { from: ['a'], get: () => 1 }),
});
// @ts-expect-error: a name that is not in `from`
t.computed(t.string(), { from: ['first'], get: ({ last }) => String(last) });
// @ts-expect-error: a value of another type
t.computed(t.string(), { from: ['first'], get: () => 5 });
// @ts-expect-error: null, where the type has none
t.computed(t.string(), { from: ['first'], get: () => null });
// @ts-expect-error: an async function
t.computed(t.string(), { from: ['first'], get: async () => 'x' });
// @ts-expect-error: an async function of any value
t.computed(t.any(), { from: ['first'], get: async () => 'x' });
// @ts-expect-error: a misspelt option
t.computed(t.string(), { from: ['first'], gte: () => 'x' });
