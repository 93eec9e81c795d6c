import type { Decimal128 } from 'mongodb';
import { Invalid } from '../../rules.ts';
import type { Constraint } from './leaf.ts';

/** Inclusive bounds of a decimal, compared digit by digit: a double would round them. */
export function compileDecimalBounds(minimum: Decimal128 | undefined, maximum: Decimal128 | undefined): Constraint | undefined {
  if (!minimum && !maximum) return undefined;
  return function checkBounds(value) {
    const decimal = value as Decimal128;
    if (minimum && compareDecimals(decimal, minimum) < 0) return belowMinimum(String(minimum));
    if (maximum && compareDecimals(decimal, maximum) > 0) return aboveMaximum(String(maximum));
    return undefined;
  };
}

/** What is said of a value below its least, which is given as it stands in JSON. */
export function belowMinimum(limit: bigint | string): Invalid {
  return new Invalid('minimum', `must be at least ${limit}`, { limit });
}

/** What is said of a value above its greatest. */
export function aboveMaximum(limit: bigint | string): Invalid {
  return new Invalid('maximum', `must be at most ${limit}`, { limit });
}

/** Below zero where `a` is less, above zero where it is more. Both are finite: decimals, or numbers written with all of their digits. */
export function compareDecimals(a: Decimal128 | string, b: Decimal128 | string): number {
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

function toParts(decimal: Decimal128 | string): Parts {
  const [, minus, integer = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]\d+))?$/i.exec(decimal.toString()) ?? [];
  const digits = (integer + fraction).replace(/^0+/, '');
  if (digits === '') return { sign: 0, digits, magnitude: 0 };
  return { sign: minus ? -1 : 1, digits: digits.replace(/0+$/, ''), magnitude: digits.length - fraction.length + Number(exponent) };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
