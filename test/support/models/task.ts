import { defineModel, t } from '../../../src/index.ts';

const Place = t.object('Place', {
  city: t.string(),
  zip: t.nullable(t.string()),
  country: t.string({ default: 'DE' }),
  geoHash: t.optional(t.string({ policy: { private: true } })),
  checked: t.boolean({ default: false, policy: { insert: false, update: false } }),
});

/** A field of every policy and marker that decides what a client may write. */
export const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    title: t.string({ minLength: 1 }),
    priority: t.int({ default: 3 }),
    tags: t.array(t.string(), { default: [] }),
    note: t.optional(t.string()),
    due: t.nullable(t.date()),
    parent: t.nullable(t.objectId(), { storeNone: true }),
    status: t.enum(['open', 'done'], { default: 'open', policy: { insert: false } }),
    code: t.string({ immutable: true, default: 'none' }),
    owner: t.string({ policy: { insert: false, update: false } }),
    rank: t.int({ default: 0, policy: { update: false } }),
    secret: t.nullable(t.string({ policy: { private: true } })),
    password: t.optional(t.string({ policy: { private: true, insert: true, update: true } })),
    place: t.optional(Place),
    extra: t.optional(t.any()),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
  },
});
