import { defineModel, t } from '../../../src/index.ts';

/** A model whose records are marked by a delete. */
export const Parcel = defineModel('Parcel', {
  collection: 'parcels',
  fields: {
    id: t.string({ policy: { insert: true, filter: true, sort: true } }),
    code: t.nullable(t.string({ unique: true, policy: { filter: true, sort: true } })),
    place: t.string({ default: 'here', policy: { filter: true, sort: true } }),
    owner: t.string({ default: 'ann', policy: { insert: false, update: false } }),
    uses: t.counter({ policy: { insert: false } }),
    from: t.optional(t.ref('Parcel', { id: t.string() })),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt({ policy: { sort: true } }),
    deletedAt: t.deletedAt({ policy: { filter: true, sort: true } }),
  },
});
