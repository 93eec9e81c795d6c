import { Binary, BSON, Decimal128, Double } from 'mongodb';
import type { Fields } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';
import type { CompiledField, LeafNode } from '../../../src/model/node.ts';
import { declined } from '../../../src/model/value/bson-bytes.ts';
import { JsonOutput } from '../../../src/model/value/json-output.ts';
import { type Leaf, MisfitError } from '../../../src/model/value/leaf.ts';
import { Invalid } from '../../../src/rules.ts';
import { expectWith } from '../../support/expect.ts';
import { js, messageOf } from '../misuse.ts';
import { modelOf } from '../subject.ts';

describe('the mistakes of where and how a field is stored', () => {
  it.each<[string, Fields, string]>([
    [
      'two fields at one key',
      { a: t.string({ stored: 'x' }), b: t.int({ stored: 'x' }) },
      '`a` and `b` are both stored as `x`: two fields cannot share a key.',
    ],
    [
      'a field at the key of another',
      { a: t.string(), b: t.int({ stored: 'a' }) },
      '`a` and `b` are both stored as `a`: two fields cannot share a key.',
    ],
    [
      'two fields of an embedded object at one key',
      { place: t.object('Place', { a: t.string(), b: t.int({ stored: 'a' }) }) },
      '`place.a` and `place.b` are both stored as `a`: two fields cannot share a key.',
    ],
    ['an id stored elsewhere', { id: t.string({ stored: 'key' }) }, '`id` is stored as `_id`: it takes no `stored`.'],
    ['a field stored as the id', { a: t.string({ stored: '_id' }) }, '`a` cannot be stored as `_id`: that is the key of the `id`.'],
    ...['', 'a.b', '$a', '__proto__', '_bsontype', 'a[0]', 'a\0', '\ud800'].map((stored): [string, Fields, string] => [
      `the key ${JSON.stringify(stored)}`,
      { a: t.string({ stored }) },
      '`stored` of `a` must be one key, which is neither empty, `__proto__` nor `_bsontype`, does not begin with $, and holds no dot, bracket or NUL: for a key in an embedded object, describe that with `t.object`.',
    ]),
    [
      'a key that is no text',
      { a: js.string({ stored: 5 }) },
      '`stored` of `a` must be one key, which is neither empty, `__proto__` nor `_bsontype`, does not begin with $, and holds no dot, bracket or NUL: for a key in an embedded object, describe that with `t.object`.',
    ],
    [
      'a key of items',
      { a: t.array(t.string({ stored: 'x' })) },
      '`a.*` cannot have `stored`: give it to the field, not to the items of an array or a map.',
    ],
    [
      'a form that is given as a key',
      { a: t.date({ stored: 'epoch-ms' }) },
      "`stored: 'epoch-ms'` of `a` would be the key of the field: for the form of its values write `storedAs: 'epoch-ms'`.",
    ],
    ['a form of another type', { a: js.date({ storedAs: 'int' }) }, '`storedAs` of `a` must be one of string, epoch-ms, epoch-s.'],
    [
      'a form of a type that has one only',
      { a: js.string({ storedAs: 'int' }) },
      '`storedAs` of `a` is not a keyword of a field of type string',
    ],
    [
      'a decimal in units without a scale',
      { a: t.decimal({ storedAs: 'int' }) },
      '`scale` of `a` must be the number of digits behind the point, from 0 to 18: 2 for cents.',
    ],
    [
      'a scale of 19',
      { a: t.decimal({ storedAs: 'int', scale: 19 }) },
      '`scale` of `a` must be the number of digits behind the point, from 0 to 18: 2 for cents.',
    ],
    ['a scale alone', { a: t.decimal({ scale: 2 }) }, "`scale` of `a` belongs to `storedAs: 'int'`."],
    [
      'an id in another form',
      { id: t.date({ storedAs: 'epoch-ms' }) },
      '`id` takes no `storedAs`, unless it is a UUID: it is stored as its type says.',
    ],
    ['a maintained time in another form', { a: js.createdAt({ storedAs: 'epoch-ms' }) }, '`a` must be a date: use `t.createdAt()`.'],
  ])('%s', (_what, fields, message) => {
    expect(messageOf(() => modelOf(fields))).toContain(message);
  });
});

function leafOf(field: Fields[string]): Leaf {
  const { node } = modelOf({ a: field }).root.byName.get('a') as CompiledField;
  return (node as LeafNode).leaf;
}
const decimal = (text: string) => Decimal128.fromString(text);

const inFinestUnit = leafOf(t.decimal({ storedAs: 'int', scale: 18 }));
const isDeclined = 'is left to the reader of decoded records';

/** The JSON of a value's bytes. Only what does not fit, and what is rare, is declined. */
function fromBytes(leaf: Leaf, stored: unknown): string {
  const bytes = BSON.serialize({ a: stored });
  const out = new JsonOutput();
  try {
    leaf.writeBson?.(bytes, bytes[4] as number, 7, bytes.length - 1, out);
    return out.bytes.toString('utf8', 0, out.length);
  } catch (error) {
    if (error !== declined) throw error;
    return isDeclined;
  }
}

function declinedOr(write: () => string): string {
  try {
    return write();
  } catch (error) {
    if (error instanceof MisfitError) return isDeclined;
    throw error;
  }
}

describe('a value in another form', () => {
  const forms: [string, Leaf, readonly (readonly [json: unknown, stored: unknown, text: string])[]][] = [
    [
      'boolean as int',
      leafOf(t.boolean({ storedAs: 'int' })),
      [
        [true, 1, 'true'],
        [false, 0, 'false'],
      ],
    ],
    [
      'date as epoch-ms',
      leafOf(t.date({ storedAs: 'epoch-ms' })),
      [
        ['1970-01-01T00:00:00Z', 0, '"1970-01-01T00:00:00.000Z"'],
        ['1969-12-31T23:59:59.999Z', -1, '"1969-12-31T23:59:59.999Z"'],
        ['2026-01-31T12:00:00.123+01:00', 1769857200123n, '"2026-01-31T11:00:00.123Z"'],
        ['+010000-01-01T00:00:00Z', 253402300800000n, '"+010000-01-01T00:00:00.000Z"'],
      ],
    ],
    [
      'date as epoch-s',
      leafOf(t.date({ storedAs: 'epoch-s' })),
      [
        ['1969-12-31T23:59:59Z', -1, '"1969-12-31T23:59:59.000Z"'],
        ['2040-01-01T00:00:00Z', 2208988800n, '"2040-01-01T00:00:00.000Z"'],
      ],
    ],
    [
      'date as text',
      leafOf(t.date({ storedAs: 'string' })),
      [
        ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z', '"0000-01-01T00:00:00.000Z"'],
        ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z', '"9999-12-31T23:59:59.999Z"'],
      ],
    ],
    [
      'decimal in cents',
      leafOf(t.decimal({ storedAs: 'int', scale: 2 })),
      [
        ['12.50', 1250, '"12.50"'],
        ['12.5', 1250, '"12.50"'],
        ['12.5000000', 1250, '"12.50"'],
        [-0.05, -5, '"-0.05"'],
        ['1e3', 100000, '"1000.00"'],
        ['-0', 0, '"0.00"'],
        ['0E-40', 0, '"0.00"'],
        ['92233720368547758.07', 2n ** 63n - 1n, '"92233720368547758.07"'],
        ['-92233720368547758.08', -(2n ** 63n), '"-92233720368547758.08"'],
      ],
    ],
    [
      'decimal of whole units',
      leafOf(t.decimal({ storedAs: 'int', scale: 0 })),
      [
        ['7', 7, '"7"'],
        ['7.00', 7, '"7"'],
      ],
    ],
    [
      'decimal of the finest unit',
      inFinestUnit,
      [
        ['1e-18', 1, '"1E-18"'],
        ['9.2', 9200000000000000000n, '"9.200000000000000000"'],
      ],
    ],
  ];

  it.each(forms)('is written, read and shown: %s', (_form, leaf, values) => {
    for (const [json, stored, text] of values) {
      expect(leaf.fromJson(json)).toEqual(stored);
      expect(leaf.toJson(stored)).toBe(text);
      expect(leaf.fromDocument(leaf.toDocument(stored))).toEqual(stored);
      expect(leaf.fromText(String(json))).toEqual(stored);
    }
  });

  it.each(forms)('is written from its bytes as from its value: %s', (_form, leaf, values) => {
    const all = [
      ...values.map(([, stored]) => stored),
      0,
      1,
      -1,
      5,
      0.5,
      2 ** 53,
      8.64e15 + 1,
      -5n,
      2n ** 60n,
      'x',
      '2026-01-31T12:00:00Z',
      '2026-13-31T12:00:00.000Z',
      'é',
    ];
    for (const stored of all.flatMap((one) => (typeof one === 'number' ? [one, new Double(one)] : [one]))) {
      const read = BSON.deserialize(BSON.serialize({ stored }), { useBigInt64: true }).stored as unknown;
      const json = declinedOr(() => leaf.toJson(read));
      const isRare = Math.abs(Number(stored)) > Number.MAX_SAFE_INTEGER || leaf === inFinestUnit;
      expectWith(isRare ? [json, isDeclined] : [json], String(stored)).toContain(fromBytes(leaf, stored));
    }
  });

  it('may be a double, as drivers of JavaScript store large integers', () => {
    expect(leafOf(t.date({ storedAs: 'epoch-ms' })).toJson(1769857200123)).toBe('"2026-01-31T11:00:00.123Z"');
    expect(leafOf(t.date({ storedAs: 'epoch-ms' })).toJson(new Double(1769857200123))).toBe('"2026-01-31T11:00:00.123Z"');
    expect(leafOf(t.boolean({ storedAs: 'int' })).toJson(new Double(1))).toBe('true');
    expect(leafOf(t.decimal({ storedAs: 'int', scale: 2 })).toJson(new Double(-1250))).toBe('"-12.50"');
  });

  it.each<[string, Leaf, unknown, string]>([
    ['a fraction of a second', leafOf(t.date({ storedAs: 'epoch-s' })), '2026-01-01T00:00:00.001Z', 'precision'],
    ['a year of five digits', leafOf(t.date({ storedAs: 'string' })), '+010000-01-01T00:00:00Z', 'out_of_range'],
    ['a year before 0000', leafOf(t.date({ storedAs: 'string' })), '-000001-01-01T00:00:00Z', 'out_of_range'],
    ['a tenth of a cent', leafOf(t.decimal({ storedAs: 'int', scale: 2 })), '0.001', 'precision'],
    ['the least of all decimals', leafOf(t.decimal({ storedAs: 'int', scale: 2 })), '1e-6176', 'precision'],
    ['one cent too much', leafOf(t.decimal({ storedAs: 'int', scale: 2 })), '92233720368547758.08', 'out_of_range'],
    ['the greatest of all decimals', leafOf(t.decimal({ storedAs: 'int', scale: 2 })), '9e6144', 'out_of_range'],
    ['a number for a boolean', leafOf(t.boolean({ storedAs: 'int' })), 1, 'type'],
    ['a number for a date', leafOf(t.date({ storedAs: 'epoch-ms' })), 0, 'type'],
  ])('is refused where the form cannot hold it: %s', (_what, leaf, json, rule) => {
    expect(leaf.fromJson(json)).toMatchObject({ rule });
  });

  it.each<[string, Leaf, unknown[]]>([
    ['boolean as int', leafOf(t.boolean({ storedAs: 'int' })), [2, -1, 0.5, true, '1', 2n, decimal('1'), Number.NaN]],
    ['date as epoch-ms', leafOf(t.date({ storedAs: 'epoch-ms' })), [0.5, Number.NaN, Infinity, 8.64e15 + 2, 2n ** 62n, new Date(0), '0']],
    ['date as epoch-s', leafOf(t.date({ storedAs: 'epoch-s' })), [0.5, 8.64e12 + 1, '0', decimal('1')]],
    [
      'date as text',
      leafOf(t.date({ storedAs: 'string' })),
      [
        '',
        '2026-01-31',
        '2026-01-31T12:00:00Z',
        '2026-01-31t12:00:00.000z',
        '2026-02-30T00:00:00.000Z',
        '2026-01-31T24:00:00.000Z',
        '2026-01-31T12:00:00.0+1',
        new Date(0),
        5,
      ],
    ],
    [
      'decimal in cents',
      leafOf(t.decimal({ storedAs: 'int', scale: 2 })),
      [0.5, '1250', decimal('12.50'), Number.NaN, Infinity, new Binary()],
    ],
  ])('that does not fit is never guessed: %s', (_form, leaf, values) => {
    for (const stored of values) {
      expectWith(() => leaf.toJson(stored), String(stored)).toThrow(MisfitError);
      expectWith(() => leaf.toDocument(stored), String(stored)).toThrow(MisfitError);
    }
  });

  it('compares what it cannot hold with what it holds', () => {
    const inCents = leafOf(t.decimal({ storedAs: 'int', scale: 2 }));
    expect(String(inCents.fromText('12.505'))).toBe('1250.5');
    expect(String(inCents.fromCompared?.(decimal('9e6144')))).toBe('Infinity');
    expect(String(inCents.fromCompared?.(decimal('-9e6144')))).toBe('-Infinity');
    expect(inCents.fromCompared?.('x')).toBeInstanceOf(Invalid);
    expect(leafOf(t.date({ storedAs: 'epoch-s' })).fromText('1970-01-01T00:00:00.5Z')).toEqual(new Double(0.5));
    const asText = leafOf(t.date({ storedAs: 'string' }));
    expect([asText.fromText('-000001-01-01T00:00:00Z'), asText.fromText('+010000-01-01T00:00:00Z')]).toEqual(['', ':']);
  });
});
