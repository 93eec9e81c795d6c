import { defineModel, t } from '../../../src/index.ts';

const id = t.string({ policy: { insert: true } });
const text = t.string({ default: 'd', policy: { insert: true, update: true, filter: true } });
/** A field that some callers do not see: what is served depends on who asks. */
const hidden = t.optional(t.string({ policy: { read: 'staff' } }));
const tagIds = t.array(t.ref('Tag', { id: t.string(), as: 'tags' }), { default: [] });

/** It has every kind of operation but links and whole lists, which refuse hooks. */
export const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id, text, hidden, stock: t.counter(), tagIds, deletedAt: t.deletedAt(), revision: t.revision() },
  history: { scopeFields: ['text'] }, // for tests that give it a scope
});

/** It has links. */
export const Label = defineModel('Label', { collection: 'labels', fields: { id, text, hidden, tagIds, revision: t.revision() } });

/** It has lists that are answered whole. */
export const Item = defineModel('Item', { collection: 'items', fields: { id, text, hidden } });

/** Notes are nested in it. */
export const Tag = defineModel('Tag', { collection: 'tags', fields: { id, text, hidden, notes: t.hasMany('Note', { via: 'tagIds' }) } });
