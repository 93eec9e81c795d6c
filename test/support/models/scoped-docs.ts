import { defineModel, t } from '../../../src/index.ts';

const closed = { policy: { insert: false, update: false } };
const Geo = t.object('Geo', { lat: t.int(), grid: t.string({ default: 'g' }) });

/** Documents of owners and teams, with fields of every kind that a scope can ask for. */
export const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: '' }),
    owner: t.string({ default: 'ann' }),
    secretOwner: t.string({ default: 'ann', policy: { private: true, insert: true, update: true } }),
    team: t.string({ default: 'red', ...closed }),
    count: t.nullable(t.int()),
    price: t.nullable(t.decimal()),
    at: t.optional(t.date()),
    tags: t.array(t.string(), { default: [] }),
    items: t.array(t.object('Item', { sku: t.string() }), { default: [] }),
    place: t.nullable(
      t.object('Place', {
        city: t.string(),
        zone: t.string({ default: 'z' }),
        seal: t.string({ default: 's', ...closed }),
        geo: t.nullable(Geo),
      }),
    ),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  },
});

/** What is stored of one without a place. */
export const stored = {
  _id: 'a',
  text: 'x',
  owner: 'ann',
  secretOwner: 'ann',
  team: 'red',
  count: 1,
  tags: ['t'],
  items: [{ sku: 'i' }],
  revision: 0,
};
export const place = { city: 'Ulm', zone: 'z', seal: 's', geo: { lat: 1, grid: 'g' } };
