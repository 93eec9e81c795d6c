import type { Decimal128 } from 'mongodb';
import type { Constraint } from './node.ts';

/** Inclusive bounds of a decimal, compared digit by digit: a double would round them. */
export function compileDecimalBounds(minimum: Decimal128 | undefined, maximum: Decimal128 | undefined): Constraint | undefined {
  if (!minimum && !maximum) return undefined;
  return function checkBounds(value) {
    const decimal = value as Decimal128;
    if (minimum && compareDecimals(decimal, minimum) < 0) return `must be at least ${minimum}`;
    if (maximum && compareDecimals(decimal, maximum) > 0) return `must be at most ${maximum}`;
    return undefined;
  };
}

/** Below zero where `a` is less, above zero where it is more. Both are finite. */
export function compareDecimals(a: Decimal128, b: Decimal128): number {
  const [one, other] = [toParts(a), toParts(b)];
  if (one.sign !== other.sign) return one.sign - other.sign;
  return one.sign * (one.magnitude - other.magnitude || compareText(one.digits, other.digits));
}

/** `sign × 0.digits × 10^magnitude`, where `digits` neither starts nor ends with a zero, and zero has none. */
interface Parts {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly magnitude: number;
}

function toParts(decimal: Decimal128): Parts {
  const [, minus, integer = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]\d+))?$/.exec(decimal.toString()) ?? [];
  const digits = (integer + fraction).replace(/^0+/, '');
  if (digits === '') return { sign: 0, digits, magnitude: 0 };
  return { sign: minus ? -1 : 1, digits: digits.replace(/0+$/, ''), magnitude: digits.length - fraction.length + Number(exponent) };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
