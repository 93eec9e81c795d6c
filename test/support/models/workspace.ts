import { randomUUID } from 'node:crypto';
import { defineModel, t } from '../../../src/index.ts';

/** A project; its owner's client alone may see it. */
export const Project = defineModel('Project', {
  collection: 'projects',
  fields: {
    id: t.string({ default: () => randomUUID(), policy: { insert: true } }),
    name: t.string({ default: 'p', policy: { filter: true } }),
    owner: t.string({ default: 'ann' }),
    updatedAt: t.updatedAt(),
    revision: t.revision(),
  },
});

/** Something that tasks refer to, and that may go at any time: nothing holds. */
export const Label = defineModel('Label', {
  collection: 'labels',
  fields: {
    id: t.string({ default: () => randomUUID(), policy: { insert: true } }),
    owner: t.string({ default: 'ann' }),
    revision: t.revision(),
  },
});

/** A record with references in every place, checked, but not held. */
export const Ticket = defineModel('Ticket', {
  collection: 'tickets',
  fields: {
    id: t.string({ default: () => randomUUID(), policy: { insert: true, filter: true } }),
    text: t.string({ default: 'x', policy: { filter: true } }),
    labelId: t.nullable(t.ref('Label', { id: t.string(), exists: true })),
    others: t.array(t.ref('Label', { id: t.string(), exists: true }), { default: [] }),
    lines: t.array(t.object('TicketLine', { labelId: t.optional(t.ref('Label', { id: t.string(), exists: true })) }), { default: [] }),
    home: t.nullable(
      t.object('TicketHome', { labelId: t.ref('Label', { id: t.string(), exists: true }), note: t.string({ default: 'n' }) }),
    ),
    by: t.nullable(t.ref('Label', { id: t.string(), exists: true, policy: { insert: false, update: false } })),
    secretId: t.nullable(t.ref('Label', { id: t.string(), exists: true, policy: { private: true } })),
    revision: t.revision(),
  },
});

/** A task, which holds to its project. */
export const Job = defineModel('Job', {
  collection: 'jobs',
  fields: {
    id: t.string({ default: () => randomUUID(), policy: { insert: true } }),
    projectId: t.ref('Project', { id: t.string(), onDelete: 'cascade', policy: { filter: true } }),
    text: t.string({ default: 'x' }),
    revision: t.revision(),
  },
});
