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

/** A step of a job: two cascades lead from a project to it. */
export const Step = defineModel('Step', {
  collection: 'steps',
  fields: {
    id: t.string({ default: () => randomUUID(), policy: { insert: true } }),
    jobId: t.ref('Job', { id: t.string(), onDelete: 'cascade' }),
    afterId: t.nullable(t.ref('Step', { id: t.string(), onDelete: 'cascade' })),
    revision: t.revision(),
  },
});

/** A bill keeps its project, and a job of it, from being deleted. */
export const Bill = defineModel('Bill', {
  collection: 'bills',
  fields: {
    id: t.string({ default: () => randomUUID(), policy: { insert: true } }),
    owner: t.string({ default: 'ann' }),
    projectId: t.nullable(t.ref('Project', { id: t.string(), onDelete: 'restrict' })),
    jobId: t.optional(t.ref('Job', { id: t.string(), onDelete: 'restrict' })),
    hiddenId: t.nullable(t.ref('Project', { id: t.string(), onDelete: 'restrict', policy: { private: true } })),
    stepId: t.nullable(t.ref('Step', { id: t.string(), onDelete: 'cascade' })),
    revision: t.revision(),
  },
});

const ref = () => t.ref('Project', { id: t.string(), onDelete: 'nullify' });

/** A memo forgets its projects, wherever it names them. */
export const Memo = defineModel('Memo', {
  collection: 'memos',
  fields: {
    id: t.string({ default: () => randomUUID(), policy: { insert: true } }),
    text: t.string({ default: 'x' }),
    projectId: t.nullable(ref()),
    keptNull: t.nullable(ref(), { storeNone: true }),
    items: t.array(t.nullable(ref()), { default: [] }),
    lines: t.array(
      t.object('MemoLine', {
        projectId: t.optional(ref()),
        note: t.string({ default: 'n' }),
        parts: t.array(t.object('MemoPart', { projectId: t.nullable(ref()) }), { default: [] }),
      }),
      { default: [] },
    ),
    home: t.nullable(t.object('MemoHome', { projectId: t.nullable(ref()), note: t.string({ default: 'n' }) })),
    team: t.array(t.ref('Project', { id: t.string(), onDelete: 'pull' }), { default: [] }),
    inner: t.nullable(t.object('MemoInner', { team: t.array(t.ref('Project', { id: t.string(), onDelete: 'pull' }), { default: [] }) })),
    updatedAt: t.updatedAt(),
    revision: t.revision(),
  },
});
