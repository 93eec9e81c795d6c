import fc from 'fast-check';
import { JsonNumber, parseJson, stringifyJson } from '../../src/http/json.ts';
import { toInteger, underflows } from '../../src/http/json-number.ts';
import { cases } from '../support/fuzzing/fuzz.ts';

/** The value of a decimal × 10^400, to compare spellings. */
function scale(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [integer = '', fraction = ''] = mantissa.split('.');
  return BigInt(integer + fraction) * 10n ** BigInt(400 - fraction.length + Number(exponent));
}

const digits = (options: fc.StringConstraints) => fc.string({ unit: fc.constantFrom(...'0123456789'), ...options });

/** Numbers as JSON writes them, of up to 40 + 40 digits, with zeros at either end and exponents. */
const decimal = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits({ maxLength: 40 }).map((text) => text.replace(/^0+/, '') || '0'),
    fc.oneof(
      fc.constant(''),
      fc.tuple(digits({ minLength: 1, maxLength: 40 }), digits({ maxLength: 3 })).map(([f, z]) => `.${f}${z.replace(/./g, '0')}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.nat(300)).map(([e, n]) => e + n),
    ),
  )
  .map((parts) => parts.join(''));

describe('a number in JSON', () => {
  it.each<[string, number]>([
    ['0', 0],
    ['5.0', 5],
    ['-5.000000000000000000000', -5],
    ['5e0', 5],
    ['120e-1', 12],
    ['1.5E2', 150],
    ['0e999999999', 0],
    ['0.000e-999999999', 0],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991.0', Number.MIN_SAFE_INTEGER],
    ['9.007199254740991e15', Number.MAX_SAFE_INTEGER],
    ['0.1', 0.1],
    ['0.10000000000000000000', 0.1],
    ['1e-7', 1e-7],
    ['123456789.012345', 123456789.012345],
    ['0.30000000000000004', 0.1 + 0.2],
    ['2.2250738585072014e-308', 2.2250738585072014e-308],
    ['5e-324', 5e-324],
    ['1e17', 1e17],
    ['6.02e23', 6.02e23],
    ['-1.5E+300', -1.5e300],
    ['1e308', 1e308],
    ['17976931348623157e292', Number.MAX_VALUE],
    ['100000000000000000.0', 1e17],
    [`1${'0'.repeat(1_000_000)}e-1000000`, 1],
  ])('is a number when a double shows its very value: %.40s', (text, value) => {
    expect(parseJson(text)).toBe(value);
  });

  it.each<[string, bigint]>([
    ['9007199254740992', 2n ** 53n],
    ['9007199254740993', 2n ** 53n + 1n],
    ['-9007199254740992', -(2n ** 53n)],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775809', -(2n ** 63n) - 1n],
    ['100000000000000000', 10n ** 17n],
  ])('is a bigint when it is written in plain digits beyond the safe range: %s', (text, value) => {
    expect(parseJson(text)).toBe(value);
  });

  it.each([
    '1e309',
    '1.8e308',
    '1e400',
    '-1e400',
    '1e1000000',
    '1e999999999999999999999',
    '7'.repeat(401),
    '1e-400',
    '0.12345678901234567890',
    '123456789012345678.5',
    '9007199254740993.5',
    '9007199254740993.0',
    '90071992547409930e-1',
    '1.2345678901234567e-320',
    `0.${'0'.repeat(400)}1`,
    `${'9'.repeat(400)}.5`,
  ])('stays text when a double shows another value: %.40s', (text) => {
    expect(parseJson(text)).toEqual(new JsonNumber(text));
    expect(String(parseJson(text))).toBe(text);
  });

  it('keeps its value through parseJson and stringifyJson', () => {
    fc.assert(
      fc.property(decimal, (text) => {
        expect(scale(stringifyJson(parseJson(text)))).toBe(scale(text));
      }),
      cases(2000),
    );
  });

  it('keeps every double that JSON.stringify wrote', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        const parsed = parseJson(JSON.stringify(value));
        expect(parsed).not.toBeInstanceOf(JsonNumber);
        expect(Number(parsed)).toBe(value === 0 ? 0 : value);
      }),
      cases(2000),
    );
  });
});

describe('toInteger()', () => {
  it.each<[number | string, bigint]>([
    [0, 0n],
    [-0, 0n],
    [5, 5n],
    [-1e21, -(10n ** 21n)],
    ['0.00', 0n],
    ['0e-5', 0n],
    ['9007199254740993.0', 2n ** 53n + 1n],
    ['-90071992547409930e-1', -(2n ** 53n) - 1n],
    ['1.5E1', 15n],
    ['1e+2', 100n],
  ])('is the integer that a text means: %s', (number, integer) => {
    expect(toInteger(typeof number === 'string' ? new JsonNumber(number) : number)).toBe(integer);
  });

  it.each([0.5, -1.5, 1e-7, '9007199254740993.5', '15e-1', '1e400', '-1e1000000'])(
    'is undefined for a fraction, and beyond doubles: %s',
    (number) => {
      expect(toInteger(typeof number === 'string' ? new JsonNumber(number) : number)).toBeUndefined();
    },
  );
});

describe('underflows()', () => {
  it.each(['1e-400', '-1e-400', '0.1e-400', '100e-500', `0.${'0'.repeat(400)}1`, '2e-324'])(
    'is true for what a double holds as zero: %.20s',
    (text) => {
      expect(underflows(text)).toBe(true);
    },
  );

  it.each(['0', '-0.0', '0e5', '0.0E-400', '5e-324', '1', '10', '0.01'])('is false for zero, and for what it holds: %s', (text) => {
    expect(underflows(text)).toBe(false);
  });
});
