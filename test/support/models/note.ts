import { defineModel, t } from '../../../src/index.ts';

/** A small model for tests of single middlewares. */
export const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string({ policy: { insert: true, filter: true, sort: true } }),
    text: t.string({ policy: { filter: true, sort: true } }),
    owner: t.string({ default: 'ann', policy: { insert: false, update: false } }),
    secret: t.string({ default: 'hidden', policy: { private: true } }),
    place: t.optional(t.object('Place', { city: t.string(), zip: t.nullable(t.string()) })),
    revision: t.revision(),
  },
});
