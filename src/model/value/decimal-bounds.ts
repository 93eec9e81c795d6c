import type { Decimal128 } from 'mongodb';
import { Invalid } from '../../rules.ts';
import { approximateDecimal, formatDecimal } from './decimal-text.ts';
import type { Constraint } from './leaf.ts';

/** Compiles inclusive bounds of a decimal. They are compared digit by digit, because a double would round them. */
export function compileDecimalBounds(minimum: Decimal128 | undefined, maximum: Decimal128 | undefined): Constraint | undefined {
  if (!minimum && !maximum) return undefined;
  const [toMinimum, toMaximum] = [minimum, maximum].map((bound) => bound && compileComparison(bound));
  return function checkBounds(value) {
    if (toMinimum && toMinimum(value as Decimal128) < 0) return belowMinimum(String(minimum));
    if (toMaximum && toMaximum(value as Decimal128) > 0) return aboveMaximum(String(maximum));
    return undefined;
  };
}

/** Compiles a comparison with a bound. Doubles decide it unless they are so close that the digits must. */
function compileComparison(bound: Decimal128): (decimal: Decimal128) => number {
  const exact = toParts(bound);
  const close = approximateDecimal(bound);
  const tolerance = Math.abs(close) * 1e-11;
  return function compare(decimal) {
    const distance = approximateDecimal(decimal) - close;
    return Math.abs(distance) > tolerance ? distance : compareParts(toParts(decimal), exact);
  };
}

/** The error of a value below its minimum, which is given in JSON form. */
export function belowMinimum(limit: bigint | string): Invalid {
  return new Invalid('minimum', `must be at least ${limit}`, { limit });
}

/** The error of a value above its maximum, which is given in JSON form. */
export function aboveMaximum(limit: bigint | string): Invalid {
  return new Invalid('maximum', `must be at most ${limit}`, { limit });
}

/**
 * Negative if `a` is less than `b`, positive if it is greater, else 0. Both are finite: decimals, or numbers written
 * with all their digits.
 */
export function compareDecimals(a: Decimal128 | string, b: Decimal128 | string): number {
  return compareParts(toParts(a), toParts(b));
}

function compareParts(left: Parts, right: Parts): number {
  if (left.sign !== right.sign) return left.sign - right.sign;
  return left.sign * (left.magnitude - right.magnitude || compareText(left.digits, right.digits));
}

/** A number as `sign × 0.digits × 10^magnitude`. `digits` neither starts nor ends with a zero; it is empty for zero. */
interface Parts {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly magnitude: number;
}

function toParts(decimal: Decimal128 | string): Parts {
  const [, minus, integer = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]\d+))?$/i.exec(textOf(decimal)) ?? [];
  const digits = (integer + fraction).replace(/^0+/, '');
  if (digits === '') return { sign: 0, digits, magnitude: 0 };
  return { sign: minus ? -1 : 1, digits: digits.replace(/0+$/, ''), magnitude: digits.length - fraction.length + Number(exponent) };
}

function textOf(decimal: Decimal128 | string): string {
  return typeof decimal === 'string' ? decimal : formatDecimal(decimal);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
