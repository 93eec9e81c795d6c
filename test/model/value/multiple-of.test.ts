import { isMultipleOf } from '../../../src/model/value/multiple-of.ts';

const decades = Array.from({ length: 13 }, (_, digits) => 10 ** digits);
/** Above, a double does not hold a tenth of a cent. */
const tenthsBelow = 1e12;

/** 10,000 amounts of cents between a power of ten and the next, as texts. */
function amounts(decade: number): string[] {
  return Array.from({ length: 10_000 }, (_, nth) => {
    const cents = BigInt(decade) * 100n + (BigInt(decade) * 900n * BigInt(nth)) / 10_000n + BigInt(nth % 100);
    return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
  });
}

describe('isMultipleOf', () => {
  it.each(decades)('takes every amount of cents from %d on', (decade) => {
    expect(amounts(decade).filter((text) => !isMultipleOf(0.01, Number(text)) || !isMultipleOf(0.01, -Number(text)))).toEqual([]);
  });

  it.each(decades.filter((decade) => decade < tenthsBelow))('takes no amount with tenths of a cent from %d on', (decade) => {
    const tenths = (text: string) => [`${text}1`, `${text}9`].map(Number);
    expect(amounts(decade).filter((text) => tenths(text).some((value) => isMultipleOf(0.01, value)))).toEqual([]);
  });

  it.each([
    [1070468.14, 0.01],
    [0.1 + 0.2, 0.1],
    [Array.from({ length: 1000 }).reduce<number>((sum) => sum + 0.01, 0), 0.01],
    [20000000000.1 + 0.2, 0.1],
    [0, 0.3],
    [-0, 7],
    [9007199254740990, 2],
    [1e300, 0.01],
    [1e22, 1e21],
    [3e-7, 1e-7],
    [1.5e300, 5e-324],
  ])('says that %d is a multiple of %d', (value, divisor) => expect(isMultipleOf(divisor, value)).toBe(true));

  it.each([
    [1070468.145, 0.01],
    [1e-11, 0.01],
    [1.000000001, 1],
    [9007199254740991, 2],
    [9007199254740991, 0.3],
    [4503599627370495.5, 1],
    [999999999999.991, 0.01],
    [1e300, 0.03],
    [5e-324, 1],
  ])('says that %d is no multiple of %d', (value, divisor) => expect(isMultipleOf(divisor, value)).toBe(false));
});
