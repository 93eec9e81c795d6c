/** Below this quotient, a division of doubles says how far a number is from a multiple. */
const exactBelow = 1e12;

/**
 * Whether a number is a multiple of another one. The noise of sums such as `0.1 + 0.2` is not held against it. A large
 * quotient has no digits left for a fraction: there the numbers are read as they are written in decimal.
 */
export function isMultipleOf(divisor: number, value: number): boolean {
  const quotient = Math.abs(value / divisor);
  if (quotient < exactBelow) return Math.abs(Math.round(quotient) - quotient) <= Math.min(quotient * 1e-12, 1e-3);
  const [dividend, step] = [digitsOf(value), digitsOf(divisor)];
  const exponent = Math.min(dividend.exponent, step.exponent);
  return atExponent(dividend, exponent) % atExponent(step, exponent) === 0n;
}

interface Digits {
  readonly digits: bigint;
  /** The power of ten that the digits are multiplied by. */
  readonly exponent: number;
}

function digitsOf(value: number): Digits {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function atExponent({ digits, exponent }: Digits, lower: number): bigint {
  return digits * 10n ** BigInt(exponent - lower);
}
