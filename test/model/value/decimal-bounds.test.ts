import fc from 'fast-check';
import { Decimal128 } from 'mongodb';
import { compareDecimals, compileDecimalBounds } from '../../../src/model/value/decimal-bounds.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

const decimal = (text: string) => Decimal128.fromString(text);

describe('compareDecimals', () => {
  it.each([
    ['0', '-0', 0],
    ['0E+10', '0.000', 0],
    ['1', '1.000', 0],
    ['100', '1E+2', 0],
    ['-1', '1', -1],
    ['-2', '-1', -1],
    ['0', '0.000000000000000000000000000000001', -1],
    ['9', '10', -1],
    ['0.9', '0.11', 1],
    ['1E-6176', '0', 1],
    ['1E+6144', '9999999999999999999999999999999999', 1],
    ['1234567890123456789012345678901234', '1234567890123456789012345678901235', -1],
    ['0.1', '0.1000000000000000055511151231257827', -1],
  ])('%s against %s', (a, b, sign) => {
    expect(Math.sign(compareDecimals(decimal(a), decimal(b)))).toBe(sign);
    expect(Math.sign(compareDecimals(decimal(b), decimal(a)))).toBe(-sign + 0);
  });

  it('agrees with whole numbers', () => {
    const scaled = fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 12 }));
    fc.assert(
      fc.property(scaled, scaled, ([a, m], [b, n]) => {
        const order = a * 10n ** BigInt(m) - b * 10n ** BigInt(n);
        expect(Math.sign(compareDecimals(decimal(`${a}E${m}`), decimal(`${b}E${n}`)))).toBe(Number(order > 0n) - Number(order < 0n));
      }),
    );
  });
});

describe('compileDecimalBounds', () => {
  it('includes both bounds', () => {
    const check = compileDecimalBounds(decimal('0.10'), decimal('99.9'));
    expect(['0.1', '99.90', '50'].map((text) => check?.(decimal(text)))).toEqual([undefined, undefined, undefined]);
    expect(check?.(decimal('0.0999999999999999999999999999999999'))).toMatchObject({
      rule: 'minimum',
      params: { limit: '0.10' },
      message: 'must be at least 0.10',
    });
    expect(check?.(decimal('99.90000000000000000000000000000001'))).toMatchObject({
      rule: 'maximum',
      params: { limit: '99.9' },
      message: 'must be at most 99.9',
    });
  });

  it('agrees with a comparison of the digits, for whatever numbers', () => {
    const digits = fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n });
    const power = fc.oneof(fc.integer({ min: -40, max: 40 }), fc.constantFrom(-6176, -400, -330, 270, 330, 6111));
    const number = fc.tuple(digits, power).map(([value, exponent]) => decimal(`${value}E${exponent}`));
    // A neighbour differs in the last digit, where doubles are equal.
    const neighbours = fc
      .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 2n }), power)
      .map(([value, exponent]) => [value, value + 1n].map((one) => decimal(`${one}E${exponent}`)));
    const pairs = fc.oneof(fc.tuple(number, number), neighbours as fc.Arbitrary<[Decimal128, Decimal128]>);
    fc.assert(
      fc.property(pairs, ([value, bound]) => {
        const order = compareDecimals(value, bound);
        expect(compileDecimalBounds(bound, undefined)?.(value)?.rule).toBe(order < 0 ? 'minimum' : undefined);
        expect(compileDecimalBounds(undefined, bound)?.(value)?.rule).toBe(order > 0 ? 'maximum' : undefined);
        expect(compileDecimalBounds(value, value)?.(value)).toBeUndefined();
      }),
      cases(500),
    );
  });

  it('is nothing without bounds', () => {
    expect(compileDecimalBounds(undefined, undefined)).toBeUndefined();
  });
});
