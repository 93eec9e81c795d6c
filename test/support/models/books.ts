import type { ObjectId } from 'mongodb';
import { defineModel, t } from '../../../src/index.ts';

const id = t.string();
const own = t.string({ policy: { insert: true, sort: true } });

export const Company = defineModel('Company', {
  collection: 'companies',
  fields: {
    id: own,
    name: t.string(),
    taxId: t.optional(t.string({ policy: { private: true } })),
    owner: t.nullable(t.ref('Person', { id })),
    revision: t.revision(),
  },
});

export const Person = defineModel('Person', {
  collection: 'people',
  fields: {
    id: own,
    name: t.string(),
    email: t.optional(t.string({ policy: { private: true } })),
    address: t.nullable(t.object('Address', { city: t.string(), door: t.optional(t.string({ policy: { private: true } })) })),
    company: t.nullable(t.ref('Company', { id })),
    bossId: t.nullable(t.ref('Person', { id, as: 'boss' })),
    rank: t.int({ default: 7 }),
  },
});

const Edition = t.object('Edition', {
  publisher: t.nullable(t.ref('Company', { id })),
  printerId: t.optional(t.ref('Company', { id, as: 'printer' })),
});

/** Relations of every kind: in place and beside, alone and in lists, at the top and in embedded objects. */
export const Book = defineModel('Book', {
  collection: 'books',
  fields: {
    id: own,
    title: t.string({ policy: { filter: true } }),
    author: t.ref('Person', { id }),
    editorId: t.nullable(t.ref('Person', { id, as: 'editor' })),
    translators: t.array(t.ref('Person', { id }), { default: [] }),
    readerIds: t.optional(t.array(t.nullable(t.ref('Person', { id, as: 'readers' })))),
    edition: t.nullable(Edition),
    chapters: t.array(t.object('Chapter', { title: t.string(), by: t.nullable(t.ref('Person', { id })) }), { default: [] }),
    informant: t.optional(t.ref('Person', { id, policy: { private: true } })),
    revision: t.revision(),
  },
});

/** All relations of {@link Book} that clients may know. */
export const bookRelations = ['author', 'editor', 'translators', 'readers', 'edition.publisher', 'edition.printer', 'chapters.by'] as const;

/** A stored document. */
export interface Stored {
  readonly _id: string | ObjectId;
  readonly [key: string]: unknown;
}

export const companies: Stored[] = [
  { _id: 'acme', name: 'Acme', taxId: 'tax-1', owner: 'ann', revision: 3 },
  { _id: 'bolt', name: 'Bolt', taxId: 'tax-2' },
];

export const people: Stored[] = [
  { _id: 'ann', name: 'Ann', email: 'ann@x', address: { city: 'Ulm', door: '7b' }, company: 'acme', bossId: 'ben', rank: 1 },
  { _id: 'ben', name: 'Ben', email: 'ben@x', company: 'bolt', bossId: 'ann' },
  { _id: 'cat', name: 'Cat', company: 'gone', bossId: 'gone' },
];

export const books: Stored[] = [
  {
    _id: 'full',
    title: 'Full',
    author: 'ann',
    editorId: 'ben',
    translators: ['cat', 'gone', 'ann', 'cat'],
    readerIds: ['ben', null, 'gone', 'ann'],
    edition: { publisher: 'acme', printerId: 'bolt' },
    chapters: [
      { title: 'I', by: 'ben' },
      { title: 'II', by: null },
      { title: 'III', by: 'gone' },
    ],
    informant: 'ben',
    revision: 5,
  },
  { _id: 'gap', title: 'Gap', author: 'gone', editorId: 'gone', edition: { publisher: 'gone', printerId: 'gone' }, revision: 1 },
  { _id: 'nil', title: 'Nil', author: 'cat' },
];
