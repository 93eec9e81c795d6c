import fc from 'fast-check';
import { Decimal128 } from 'mongodb';
import { encodeDecimal, formatDecimal, isDecimalNumber } from '../../../src/model/value/decimal-text.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength });
const texts = fc
  .tuple(fc.constantFrom('', '+', '-'), digits(36), fc.constantFrom('', '.'), digits(36), fc.option(fc.integer({ min: -6300, max: 6300 })))
  .filter(([, integer, point, fraction]) => integer + (point && fraction) !== '')
  .map(
    ([sign, integer, point, fraction, exponent]) =>
      `${sign}${integer}${point}${point && fraction}${exponent === null ? '' : `e${exponent}`}`,
  );

describe('encodeDecimal()', () => {
  it('has the bytes of Decimal128.fromString, or leaves the number to it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const encoded = encodeDecimal(text);
        if (encoded) expect([text, encoded.toString(), [...encoded.bytes]]).toEqual([text, ...same(text)]);
      }),
      cases(1_000),
    );
  });

  it.each([
    '0',
    '-0',
    '0.00',
    '000.100',
    '12.50',
    '9'.repeat(34),
    `-0.${'9'.repeat(34)}`,
    '1e6111',
    '1e-6176',
    '9007199254740993',
    '.5',
    '5.',
  ])('encodes %s', (text) => expect([encodeDecimal(text)?.toString(), [...(encodeDecimal(text)?.bytes ?? [])]]).toEqual(same(text)));

  it.each(['1'.repeat(35), '1e6112', '1e-6177', `1${'0'.repeat(34)}`])('leaves %s to the driver', (text) => {
    expect(encodeDecimal(text)).toBeUndefined();
  });
});

describe('formatDecimal()', () => {
  it('writes what Decimal128.toString writes, for whatever bytes', () => {
    const random = fc.uint8Array({ minLength: 16, maxLength: 16 });
    const usual = texts.filter((text) => encodeDecimal(text) !== undefined).map((text) => Decimal128.fromString(text).bytes);
    fc.assert(
      fc.property(fc.oneof(random, usual), (bytes) => {
        const decimal = new Decimal128(Uint8Array.from(bytes));
        expect(formatDecimal(decimal)).toBe(decimal.toString());
      }),
      cases(1_000),
    );
  });

  it.each(['NaN', 'Infinity', '-Infinity', '-0', '0.000000', '1e-7', '0.0000001', '1e5'])('writes %s', (text) => {
    expect(formatDecimal(Decimal128.fromString(text))).toBe(Decimal128.fromString(text).toString());
  });
});

function same(text: string): [string, number[]] {
  const expected = Decimal128.fromString(text);
  return [expected.toString(), [...expected.bytes]];
}

describe('isDecimalNumber()', () => {
  it('is true for whatever bytes have a text with digits', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const decimal = new Decimal128(Uint8Array.from(bytes));
        expect(isDecimalNumber(decimal)).toBe(/^-?\d/.test(decimal.toString()));
      }),
      cases(1_000),
    );
  });

  it.each(['NaN', 'Infinity', '-Infinity'])('is false for %s', (text) => {
    expect(isDecimalNumber(Decimal128.fromString(text))).toBe(false);
  });
});
