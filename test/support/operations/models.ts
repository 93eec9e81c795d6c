import { defineModel, t } from '../../../src/index.ts';

const id = t.string({ policy: { insert: true } });
const group = t.string({ default: '', policy: { filter: true } });
const text = t.string({ default: '', policy: { insert: true, update: true } });

/** Its deletes cascade. */
export const Label = defineModel('Label', {
  collection: 'labels',
  fields: { id, group, text, tasks: t.hasMany('Task', { via: 'label' }), deletedAt: t.deletedAt(), revision: t.revision() },
});
/** It holds to its label, and to its tags. */
export const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id,
    group,
    text,
    uses: t.counter(),
    label: t.nullable(t.ref('Label', { id: t.string(), onDelete: 'cascade' })),
    tagIds: t.array(t.ref('Tag', { id: t.string(), onDelete: 'pull', as: 'tags' }), { default: [] }),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
});
export const Tag = defineModel('Tag', { collection: 'tags', fields: { id, group, text, revision: t.revision() } });
export const Entry = defineModel('Entry', { collection: 'entries', fields: { of: t.string() } });

/** The collections of the api. */
export const collections = ['labels', 'tasks', 'tags', 'entries', 'idempotency_keys', 'plain'] as const;

/** A record that no other feature touches: its writes are one command each, outside of a transaction. */
export const Plain = defineModel('Plain', { collection: 'plain', fields: { id, group, text, uses: t.counter(), revision: t.revision() } });
