import { type Binary, Decimal128, ObjectId, UUID } from 'mongodb';
import { t } from '../../../src/model/define/t.ts';
import { create, modelOf, readBack } from '../subject.ts';

const uuid = '123e4567-e89b-42d3-a456-426614174000';
const oid = '65f1a0b2c3d4e5f60718293a';

describe('a stored record as handlers hold it', () => {
  const model = modelOf({
    big: t.int64(),
    far: t.int(),
    rate: t.float(),
    price: t.decimal(),
    at: t.date(),
    ref: t.ref('Other'),
    uuid: t.uuid(),
    bytes: t.binary(),
    secret: t.string({ policy: { private: true, insert: true } }),
    byKey: t.map(t.float()),
    any: t.any(),
  });
  const body = `{"big":9007199254740993,"far":9007199254740991,"rate":5,"price":"1.50","at":"2026-01-31T12:00:00Z","ref":"${oid}","uuid":"${uuid}",
    "bytes":"YWJj","secret":"s","byKey":{"__proto__":1,"a.b":2},"any":{"__proto__":{"a":1},"_bsontype":"x","n":[0.5,123456789012,0.12345678901234567890]}}`;
  const stored = create(model, body);

  it.each([
    ['just inserted', { _id: new ObjectId(oid), ...stored }],
    ['read back', readBack({ _id: new ObjectId(oid), ...stored })],
  ])('%s: `id`, bigint, number, Decimal128, Date, ObjectId, UUID, and what is private', (_name, record) => {
    const document = model.hydrate(record) as Record<string, unknown>;
    expect(document).toMatchObject({
      id: new ObjectId(oid),
      big: 9007199254740993n,
      far: 9007199254740991,
      rate: 5,
      price: Decimal128.fromString('1.50'),
      at: new Date('2026-01-31T12:00:00Z'),
      ref: new ObjectId(oid),
      uuid: new UUID(uuid),
      secret: 's',
    });
    expect((document.bytes as Binary).toString('utf8')).toBe('abc');
    expect(Object.entries(document.byKey as object)).toEqual([
      ['__proto__', 1],
      ['a.b', 2],
    ]);
    expect(Object.getOwnPropertyDescriptor(document.any, '__proto__')?.value).toEqual({ a: 1 });
    expect(document.any).toMatchObject({ _bsontype: 'x', n: [0.5, 123456789012n, 0.12345678901234568] });
    expect(document).not.toHaveProperty('_id');
  });

  it('embedded objects, lists and maps are hydrated too, null included', () => {
    const nested = modelOf({
      a: t.nullable(t.object('A', { n: t.nullable(t.int64()), d: t.int({ default: 1 }) }), { storeNone: true }),
      b: t.array(t.nullable(t.int64())),
      c: t.map(t.object('C', { n: t.int64() })),
    });
    expect(nested.hydrate({ a: { n: 1 }, b: [1, null], c: { _bsontype: { n: 1 } } })).toEqual({
      a: { n: 1n, d: 1 },
      b: [1n, null],
      c: { _bsontype: { n: 1n } },
    });
    expect(nested.hydrate({ a: null, b: [], c: {} })).toEqual({ a: null, b: [], c: {} });
  });
});
