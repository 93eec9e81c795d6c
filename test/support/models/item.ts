import { Decimal128, Double, Long, ObjectId, UUID } from 'mongodb';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';

const all = { filter: true, sort: true } as const;

/** A field of every type that lists filter and sort by. */
export const Item = defineModel('Item', {
  collection: 'items',
  fields: {
    id: t.string({ policy: { ...all, insert: true } }),
    name: t.string({ policy: all }),
    note: t.nullable(t.string(), { policy: all }),
    count: t.nullable(t.int(), { policy: all }),
    big: t.optional(t.int64({ policy: all })),
    price: t.optional(t.decimal({ policy: all })),
    ratio: t.optional(t.float({ policy: all })),
    on: t.nullable(t.boolean(), { policy: all }),
    at: t.nullable(t.date(), { policy: all }),
    kind: t.optional(t.enum(['small', 'large', 'null'], { policy: all })),
    ref: t.optional(t.objectId({ policy: all })),
    key: t.optional(t.uuid({ policy: all })),
    tags: t.array(t.string(), { default: [], policy: { filter: true } }),
    place: t.optional(t.object('Place', { city: t.string({ policy: all }), zone: t.optional(t.string({ policy: { private: true } })) })),
    parts: t.array(t.object('Part', { sku: t.string({ policy: { filter: ['eq', 'in'] } }) }), { default: [] }),
    only: t.optional(t.string({ policy: { filter: ['eq'] } })),
    shut: t.optional(t.string()),
    secret: t.optional(t.string({ policy: { private: true } })),
    revision: t.revision(),
  },
});

export const ref = '0123456789abcdef01234567';
export const key = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

/** `a` has every value, `z` has none, `n` has null wherever that can be. */
export const items = [
  {
    _id: 'a',
    name: 'alpha',
    note: 'x.y*',
    count: 1,
    big: Long.fromString('9007199254740993'),
    price: Decimal128.fromString('12.50'),
    ratio: new Double(0.5),
    on: true,
    at: new Date('2026-01-31T12:00:00.000Z'),
    kind: 'small',
    ref: new ObjectId(ref),
    key: new UUID(key),
    tags: ['red', 'blue'],
    place: { city: 'Ulm', zone: 'z1' },
    parts: [{ sku: 's1' }, { sku: 's2' }],
    only: 'o',
    shut: 's',
    secret: 'top',
    revision: 1,
  },
  {
    _id: 'b',
    name: 'Beta',
    note: 'xay',
    count: 2,
    on: false,
    at: new Date('2027-01-01T00:00:00.000Z'),
    kind: 'large',
    tags: ['red'],
    place: { city: 'Rom' },
  },
  { _id: 'c', name: 'älpha', note: '', count: -3, price: Decimal128.fromString('-1'), ratio: new Double(2), kind: 'null', tags: [] },
  { _id: 'n', name: 'null', note: null, count: null, on: null, at: null },
  { _id: 'z', name: 'zeta' },
];
