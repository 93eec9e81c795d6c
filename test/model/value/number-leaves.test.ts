import { Decimal128, Double } from 'mongodb';
import { type JsonValue, parseJson } from '../../../src/http/json.ts';
import type { Leaf } from '../../../src/model/value/leaf.ts';
import { decimalLeaf, floatLeaf, int64Leaf, intLeaf } from '../../../src/model/value/number-leaves.ts';
import { Invalid } from '../../../src/rules.ts';
import { bsonTypeOf, readBack } from '../subject.ts';

const notInteger = 'must be an integer';
const beyondInt64 = 'must be an integer between -9223372036854775808 and 9223372036854775807';
const beyondSafe = 'must be an integer between -9007199254740991 and 9007199254740991';
const notNumber = 'must be a finite number';
const beyondDouble = 'must be a number within the range of a double';
const tooSmall = 'must not be a number other than zero that a double would hold as zero';
const notDecimal = 'must be a decimal number, such as 12.50 or "12.50"';
const longDecimal = 'must have at most 34 significant digits and an exponent within the range of a Decimal128';
const digits34 = '1234567890123456789012345678901234';

const leaves: Readonly<Record<string, Leaf>> = { int: intLeaf, int64: int64Leaf, float: floatLeaf, decimal: decimalLeaf };
const leafOf = (name: string): Leaf => leaves[name] as Leaf;

describe('a number is read exactly, stored as its BSON type and written with all its digits', () => {
  it.each([
    ['int', '0', 'int', '0'],
    ['int', '-0', 'int', '0'],
    ['int', '5.0', 'int', '5'],
    ['int', '1e3', 'int', '1000'],
    ['int', '2147483647', 'int', '2147483647'],
    ['int', '-2147483648', 'int', '-2147483648'],
    ['int', '2147483648', 'long', '2147483648'],
    ['int', '-2147483649', 'long', '-2147483649'],
    ['int', '9007199254740991', 'long', '9007199254740991'],
    ['int', '-9007199254740991', 'long', '-9007199254740991'],
    ['int64', '5', 'long', '5'],
    ['int64', '5.0', 'long', '5'],
    ['int64', '-0', 'long', '0'],
    ['int64', '9007199254740993', 'long', '9007199254740993'],
    ['int64', '9223372036854775807', 'long', '9223372036854775807'],
    ['int64', '-9223372036854775808', 'long', '-9223372036854775808'],
    ['int64', '9.223372036854775807e18', 'long', '9223372036854775807'],
    ['int64', '9007199254740993.0', 'long', '9007199254740993'],
    ['int64', '-90071992547409930e-1', 'long', '-9007199254740993'],
    ['int64', '1234567890123456700e0', 'long', '1234567890123456700'],
    ['int64', '1e17', 'long', '100000000000000000'],
    ['float', '5', 'double', '5'],
    ['float', '0.1', 'double', '0.1'],
    ['float', '1e17', 'double', '100000000000000000'],
    ['float', '9223372036854775808', 'double', '9223372036854776000'],
    ['float', '0.12345678901234567890', 'double', '0.12345678901234568'],
    ['float', '1.7976931348623157e308', 'double', '1.7976931348623157e+308'],
    ['float', '6.02e23', 'double', '6.02e+23'],
    ['float', '5e-324', 'double', '5e-324'],
    ['float', '0e-400', 'double', '0'],
    ['decimal', '12.5', 'decimal', '"12.5"'],
    ['decimal', '6.02e23', 'decimal', '"6.02E+23"'],
    ['decimal', '"1e-400"', 'decimal', '"1E-400"'],
    ['decimal', '1e-400', 'decimal', '"1E-400"'],
    ['decimal', '1e400', 'decimal', '"1E+400"'],
    ['decimal', '-9.9e6144', 'decimal', '"-9.900000000000000000000000000000000E+6144"'],
    ['decimal', '"12.50"', 'decimal', '"12.50"'],
    ['decimal', '"-0.00"', 'decimal', '"-0.00"'],
    ['decimal', '0.12345678901234567890', 'decimal', '"0.12345678901234567890"'],
    ['decimal', `"${digits34}"`, 'decimal', `"${digits34}"`],
    ['decimal', digits34, 'decimal', `"${digits34}"`],
    ['decimal', '9223372036854775808', 'decimal', '"9223372036854775808"'],
    ['decimal', '"1e6144"', 'decimal', '"1.000000000000000000000000000000000E+6144"'],
    ['decimal', '"1e-6176"', 'decimal', '"1E-6176"'],
    ['decimal', `"${digits34}0"`, 'decimal', `"1.${digits34.slice(1)}E+34"`],
  ])('%s %s', (name, json, bsonType, shown) => {
    const leaf = leafOf(name);
    const stored = leaf.fromJson(parseJson(json));
    expect(stored).not.toBeInstanceOf(Invalid);
    expect(bsonTypeOf(stored)).toBe(bsonType);
    expect(leaf.toJson(stored)).toBe(shown);
    expect(leaf.toJson(readBack({ stored }).stored)).toBe(shown);
  });
});

describe('what is no such number is refused, and never rounded', () => {
  it.each<[string, string, string, boolean]>([
    ['int', '5.5', notInteger, false],
    ['int', '"5"', notInteger, false],
    ['int', 'true', notInteger, false],
    ['int', '{"$gt":1}', notInteger, false],
    ['int', '0.12345678901234567890', notInteger, false],
    ['int', '1e-400', notInteger, false],
    ['int', '9007199254740992', beyondSafe, true],
    ['int', '-9007199254740992', beyondSafe, true],
    ['int', '9223372036854775807', beyondSafe, true],
    ['int', '9223372036854775808', beyondInt64, true],
    ['int', '1e400', beyondInt64, true],
    ['int64', '5.5', notInteger, false],
    ['int64', '"5"', notInteger, false],
    ['int64', '{"$numberLong":"5"}', notInteger, false],
    ['int64', '9223372036854775808', beyondInt64, true],
    ['int64', '-9223372036854775809', beyondInt64, true],
    ['int64', '1e300', beyondInt64, true],
    ['int64', '1e400', beyondInt64, true],
    ['int64', '1e1000000', beyondInt64, true],
    ['float', '"5"', notNumber, false],
    ['float', 'false', notNumber, false],
    ['float', '1e400', beyondDouble, true],
    ['float', '-1e309', beyondDouble, true],
    ['float', '1e-400', tooSmall, false],
    ['float', `-0.${'0'.repeat(324)}1`, tooSmall, false],
    ['decimal', `"${digits34}5"`, longDecimal, false],
    ['decimal', `${digits34}5`, longDecimal, false],
    ['decimal', '"1e6145"', longDecimal, false],
    ['decimal', '"1e-6177"', longDecimal, false],
    ['decimal', `"${'1'.repeat(8000)}"`, longDecimal, false],
    ['decimal', '1e6145', longDecimal, false],
    ['decimal', '-1e-6177', longDecimal, false],
    ['decimal', '1e1000000', longDecimal, false],
    ['decimal', '""', notDecimal, false],
    ['decimal', '"NaN"', notDecimal, false],
    ['decimal', '"Infinity"', notDecimal, false],
    ['decimal', '" 1"', notDecimal, false],
    ['decimal', '"1,5"', notDecimal, false],
    ['decimal', '"0x10"', notDecimal, false],
    ['decimal', '{"$numberDecimal":"1"}', notDecimal, false],
    ['decimal', 'true', notDecimal, false],
  ])('%s %s', (name, json, message, outOfRange) => {
    const found = leafOf(name).fromJson(parseJson(json)) as Invalid;
    expect([found.message, found.rule === 'out_of_range']).toEqual([message, outOfRange]);
  });

  it.each<[string, JsonValue]>([
    ['int', Number.NaN],
    ['int', Number.POSITIVE_INFINITY],
    ['int64', Number.NaN],
    ['float', Number.POSITIVE_INFINITY],
    ['float', Number.NaN],
    ['decimal', Number.NEGATIVE_INFINITY],
  ])('%s refuses %s, which JSON does not have', (name, value) => {
    expect(leafOf(name).fromJson(value)).toBeInstanceOf(Invalid);
  });

  it('a megabyte of digits costs no more than a glance', () => {
    expect(decimalLeaf.fromJson(`${'1'.repeat(1_000_000)}x`)).toMatchObject({ rule: 'type', message: notDecimal });
    expect(decimalLeaf.fromText('1'.repeat(1_000_000))).toMatchObject({ rule: 'precision', message: longDecimal });
    expect(floatLeaf.fromText(`${'1'.repeat(1_000_000)}x`)).toMatchObject({ rule: 'type', message: notNumber });
    expect(intLeaf.fromText(`${'1'.repeat(1_000_000)}x`)).toMatchObject({ rule: 'type', message: notInteger });
    expect(intLeaf.fromText('1'.repeat(1_000_000))).toMatchObject({ rule: 'out_of_range' });
  });
});

describe('the text of a query string', () => {
  it.each<[string, string, unknown]>([
    ['int', '9', 9n],
    ['int', '9.0', 9n],
    ['int', '+9', 9n],
    ['int64', '9223372036854775807', 9223372036854775807n],
    ['float', '-1.5e3', new Double(-1500)],
    ['float', '.5', new Double(0.5)],
    ['float', '0e-400', new Double(0)],
    ['decimal', '1.50', Decimal128.fromString('1.50')],
  ])('%s %s', (name, text, stored) => {
    expect(leafOf(name).fromText(text)).toEqual(stored);
  });

  it.each<[string, string, boolean]>([
    ['int', '', false],
    ['int', '9.5', false],
    ['int', '0x9', false],
    ['int', 'e9', false],
    ['int', '9223372036854775808', true],
    ['int64', '-9223372036854775809', true],
    ['float', 'NaN', false],
    ['float', '1e999', false],
    ['float', '1e-400', false],
    ['float', '', false],
    ['decimal', 'Infinity', false],
  ])('%s refuses %s', (name, text, outOfRange) => {
    expect((leafOf(name).fromText(text) as Invalid).rule === 'out_of_range').toBe(outOfRange);
  });
});

describe('values of handlers', () => {
  it.each<[string, unknown, unknown]>([
    ['int', 5, 5],
    ['int', 2 ** 40, 2n ** 40n],
    ['int64', 5n, 5n],
    ['int64', 5, 5n],
    ['int64', -(2n ** 63n), -(2n ** 63n)],
    ['float', 5, new Double(5)],
    ['decimal', Decimal128.fromString('1.50'), Decimal128.fromString('1.50')],
    ['decimal', '1.50', Decimal128.fromString('1.50')],
    ['decimal', 0.1, Decimal128.fromString('0.1')],
    ['decimal', 5n, Decimal128.fromString('5')],
  ])('%s takes %o', (name, given, stored) => {
    expect(leafOf(name).fromDocument(given)).toEqual(stored);
  });

  it.each<[string, unknown]>([
    ['int', 5n],
    ['int', 2 ** 53],
    ['int', 5.5],
    ['int64', 2n ** 63n],
    ['int64', 2 ** 53],
    ['int64', '5'],
    ['float', Number.NaN],
    ['float', 5n],
    ['decimal', 'five'],
    ['decimal', ''],
    ['decimal', true],
    ['decimal', Number.NaN],
    ['decimal', Number.POSITIVE_INFINITY],
    ['decimal', '1'.repeat(35)],
    ['decimal', Decimal128.fromString('NaN')],
    ['decimal', Decimal128.fromString('-Infinity')],
  ])('%s refuses %o', (name, given) => {
    expect(leafOf(name).fromDocument(given)).toBeInstanceOf(Invalid);
  });

  it.each<[string, unknown, unknown]>([
    ['int', 5n, 5],
    ['int64', 5, 5n],
    ['int64', 5.5, 5.5],
    ['float', 5n, 5],
    ['float', new Double(1.5), 1.5],
    ['decimal', 1.5, Decimal128.fromString('1.5')],
    ['decimal', 5n, Decimal128.fromString('5')],
    ['decimal', 'text', 'text'],
  ])('%s shows a stored %o to handlers as its own type where it can', (name, stored, document) => {
    expect(leafOf(name).toDocument(stored)).toEqual(document);
  });
});

describe('a decimal is written as a string', () => {
  it.each([
    [5, '"5"'],
    [5n, '"5"'],
    [new Double(1.5), '"1.5"'],
    [Decimal128.fromString('NaN'), '"NaN"'],
    ['text', '"text"'],
    [true, 'true'],
    [Number.NaN, 'null'],
  ])('%#: a stored %o as %s', (stored, json) => {
    expect(decimalLeaf.toJson(stored)).toBe(json);
  });
});
