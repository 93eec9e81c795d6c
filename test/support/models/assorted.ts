import { defineModel, type Service, t } from '../../../src/index.ts';

const all = { filter: true, sort: true } as const;

/** One field of every kind that a client may fill, all of them optional, and one that it must not see. */
const Assorted = defineModel('Assorted', {
  collection: 'assorted',
  fields: {
    id: t.string({ policy: { ...all, insert: true } }),
    text: t.optional(t.string({ policy: all })),
    int: t.optional(t.int({ policy: all })),
    float: t.optional(t.float({ policy: all })),
    decimal: t.optional(t.decimal({ policy: all })),
    flag: t.optional(t.boolean({ policy: all })),
    date: t.optional(t.date({ policy: all })),
    ref: t.optional(t.objectId({ policy: all })),
    uuid: t.optional(t.uuid({ policy: all })),
    kind: t.optional(t.enum(['a', 'b'], { policy: all })),
    tags: t.optional(t.array(t.string(), { policy: { filter: true } })),
    place: t.optional(t.object('Place', { city: t.string({ policy: all }) })),
    map: t.optional(t.map(t.any())),
    any: t.optional(t.any()),
    owner: t.string({ default: 'ann', policy: { private: true } }),
    revision: t.revision(),
  },
});

/** The fields whose values have one type: no object fits them. */
export const typedFields = ['text', 'int', 'float', 'decimal', 'flag', 'date', 'ref', 'uuid', 'kind'] as const;

/** Served to ann, with a record of somebody else beside hers. */
export const assorted = (shop: Service<never>) => [
  shop.resource({
    model: Assorted,
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
    scope: () => ({ owner: 'ann' }),
    fields: true,
  }),
];
