import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import { parseJson } from '../../../src/http/json.ts';
import { checkUntyped, readUntyped, writeUntyped } from '../../../src/model/value/untyped.ts';
import { Invalid } from '../../../src/rules.ts';
import { bsonTypeOf, readBack } from '../subject.ts';

const hex = '65f1a0b2c3d4e5f60718293a';
const uuid = '123e4567-e89b-42d3-a456-426614174000';

describe('what a client sends for an untyped value is plain data', () => {
  it.each([
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}},"toString":1,"toJSON":2,"toBSON":3,"hasOwnProperty":4}',
    '{"_bsontype":"ObjectId","id":"x"}',
    '{"a":[{"_bsontype":"Long","low":1,"high":2}]}',
    `{"$oid":"${hex}"}`,
    '{"$date":"2026-01-31T12:00:00Z","$where":"sleep(1000)","$set":{"a":1}}',
    '{"$ref":"customers","$id":1}',
    '{"$ref":5}',
    '{"a.b":{"c.d":1},"":2}',
    '{"deep":[[],[[{"a":null}]]],"no":null}',
    '[9007199254740993,-9223372036854775808,9223372036854775807]',
    '[0.1,-1.5e-300,1e-7,123456789012]',
    '"2026-01-31T12:00:00Z"',
    '[6.02e23,-1e17,1E+300,5e-324,0e-400,0.0]',
    'null',
    'true',
  ])('%s comes back unchanged, before and after it was stored', (json) => {
    const stored = readUntyped(parseJson(json));
    const expected = JSON.parse(JSON.stringify(JSON.parse(json)));
    expect(stored).not.toBeInstanceOf(Invalid);
    expect(JSON.parse(writeUntyped(stored))).toEqual(expected);
    expect(writeUntyped(readBack({ stored }).stored)).toBe(writeUntyped(stored));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('a value that is stored otherwise than it came leaves the body alone', () => {
    const body = { a: [1, { at: 1_767_225_600_000, text: 'x' }], b: { _bsontype: 'x' } };
    const before = structuredClone(body);
    expect(writeUntyped(readUntyped(body))).toBe(JSON.stringify(before));
    expect(body).toEqual(before);
    expect(readUntyped(body)).not.toBe(body);
  });

  it('a value that is stored as it came is not copied', () => {
    const body = { a: [1, { text: 'x', none: null }], b: 1.5 };
    expect(readUntyped(body)).toBe(body);
  });

  it('an object of many keys comes back unchanged, too', () => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`key ${n}`, { n }]));
    expect(writeUntyped(readBack({ stored: readUntyped(wide) }).stored)).toBe(JSON.stringify(wide));
  });

  it('64-bit integers keep all their digits', () => {
    expect(writeUntyped(readUntyped(parseJson('[9007199254740993,-9223372036854775808]')))).toBe('[9007199254740993,-9223372036854775808]');
  });

  it.each([
    ['5', 'int'],
    ['2147483648', 'long'],
    ['9007199254740993', 'long'],
    ['100000000000000000', 'long'],
    ['1e17', 'double'],
    ['6.02e23', 'double'],
    ['9007199254740993.0', 'double'],
    ['-1.7976931348623157e308', 'double'],
    ['5e-324', 'double'],
    ['5.5', 'double'],
    ['0.12345678901234567890', 'double'],
    ['{}', 'object'],
    ['[]', 'array'],
  ])('%s is stored as %s', (json, type) => {
    expect(bsonTypeOf(readUntyped(parseJson(json)))).toBe(type);
  });

  it.each([
    ['9223372036854775808', 'must not hold an integer of more than 64 bits', true],
    ['{"a":[-9223372036854775809]}', 'must not hold an integer of more than 64 bits', true],
    ['{"a":[1e-400]}', 'must not hold a number other than zero that a double would hold as zero', false],
    [`[0.${'0'.repeat(400)}1]`, 'must not hold a number other than zero that a double would hold as zero', false],
    ['{"a":{"b":1e400}}', 'must not hold a number beyond the range of a double', true],
    ['["\\ud800"]', 'must be well-formed Unicode: it holds a lone surrogate', false],
    ['{"a\\u0000b":1}', 'must not have a key with a NUL character or a lone surrogate', false],
    ['{"a":{"\\udc00":1}}', 'must not have a key with a NUL character or a lone surrogate', false],
  ])('%s is refused', (json, message, outOfRange) => {
    const found = readUntyped(parseJson(json)) as Invalid;
    expect([found.message, found.rule === 'out_of_range']).toEqual([message, outOfRange]);
  });
});

describe('values of handlers for an untyped field', () => {
  it('are copied, so that a default is not shared', () => {
    const given = { list: [{ at: new Date(0) }] };
    const stored = checkUntyped(given) as Map<string, Map<string, Date>[]>;
    given.list.push({ at: new Date(1) });
    expect(stored.get('list')).toHaveLength(1);
    expect(stored.get('list')?.[0]?.get('at')).not.toBe(given.list[0]?.at);
  });

  it('may be what a client had stored, `_bsontype` included', () => {
    const loaded = readBack({ value: readUntyped(parseJson('{"_bsontype":"ObjectId"}')) }).value;
    expect(readBack({ value: checkUntyped(loaded) }).value).toEqual({ _bsontype: 'ObjectId' });
  });

  it('may stand in an object of a class, or be a number of a body without a schema', () => {
    class Box {
      readonly held = parseJson('{"_bsontype":"ObjectId","n":1.0}');
    }
    expect(readBack({ value: checkUntyped(new Box()) }).value).toEqual({ held: { _bsontype: 'ObjectId', n: 1 } });
  });

  it("keep BSON's own types", () => {
    const id = new ObjectId(hex);
    expect(checkUntyped({ id, gone: undefined })).toEqual(new Map([['id', id]]));
  });

  it.each([
    [undefined],
    [[undefined]],
    [{ a: () => 1 }],
    [new Map<unknown, unknown>([[1, 2]])],
    [{ 'a\0': 1 }],
    [{ a: '\ud800' }],
    [2n ** 63n],
    [{ at: new Date('soon') }],
  ])('%#: %o is refused', (value) => {
    expect(checkUntyped(value)).toBeInstanceOf(Invalid);
  });
});

describe('writeUntyped', () => {
  it.each<[string, unknown, string]>([
    ['ObjectId', new ObjectId(hex), `"${hex}"`],
    ['UUID', new UUID(uuid), `"${uuid}"`],
    ['UUID as binary', new Binary(new UUID(uuid).buffer, 4), `"${uuid}"`],
    ['binary of subtype 4 and another length', new Binary(Buffer.from('abc'), 4), '"YWJj"'],
    ['legacy UUID', new Binary(new UUID(uuid).buffer, 3), '"Ej5FZ+ibQtOkVkJmFBdAAA=="'],
    ['binary', new Binary(Buffer.from('abc')), '"YWJj"'],
    ['bytes', Uint8Array.from([97, 98, 99]), '"YWJj"'],
    ['date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['invalid date', new Date(Number.NaN), 'null'],
    ['timestamp', new Timestamp({ t: 1_700_000_000, i: 7 }), '"2023-11-14T22:13:20.000Z"'],
    ['decimal', Decimal128.fromString('1.50'), '"1.50"'],
    ['Long', Long.fromString('9223372036854775807'), '9223372036854775807'],
    ['Int32', new Int32(5), '5'],
    ['Double', new Double(1.5), '1.5'],
    ['NaN as Double', new Double(Number.NaN), 'null'],
    ['bigint', -(2n ** 63n), '-9223372036854775808'],
    ['Infinity', Number.POSITIVE_INFINITY, 'null'],
    ['regular expression', new BSONRegExp('^a"b', 'i'), '"^a\\"b"'],
    ['native regular expression', /^a\/b/i, '"^a\\\\/b"'],
    ['code', new Code('f()', { a: 1 }), '"f()"'],
    ['symbol', new BSONSymbol('s'), '"s"'],
    ['MinKey', new MinKey(), 'null'],
    ['MaxKey', new MaxKey(), 'null'],
    ['DBRef', new DBRef('users', new ObjectId(hex), undefined, { note: 1 }), `{"$ref":"users","$id":"${hex}","note":1}`],
    ['undefined in a list', [undefined], '[null]'],
    ['undefined in an object', { a: undefined, b: 1 }, '{"b":1}'],
    ['object without prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['its own `_bsontype`', { _bsontype: 'ObjectId', a: new ObjectId(hex) }, `{"_bsontype":"ObjectId","a":"${hex}"}`],
    ['nested Maps', new Map([['__proto__', new Map([['a', 1n]])]]), '{"__proto__":{"a":1}}'],
  ])('%s', (_name, value, json) => {
    expect(writeUntyped(value)).toBe(json);
  });
});
