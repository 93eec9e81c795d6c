import type { Decimal128 } from 'mongodb';
import { formatDecimal } from './decimal-text.ts';

/** A decimal as its sign, its digits without zeros at either end, and the power of ten that they count. */
interface DecimalParts {
  readonly sign: string;
  readonly digits: string;
  readonly power: number;
}

/** The parts of a decimal, of which equal ones have the same. It must be neither NaN nor infinite. */
export function partsOf(decimal: Decimal128): DecimalParts {
  return partsOfText(formatDecimal(decimal));
}

/** The same of the text of a number. */
export function partsOfText(text: string): DecimalParts {
  const [, sign = '', whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return { sign, digits: kept || '0', power: kept ? Number(power) - fraction.length + digits.length - kept.length : 0 };
}

/** The integer that a decimal is in units, of which `10 ** scale` are one. Undefined if it is none. */
export function toUnits(decimal: Decimal128, scale: number): bigint | undefined {
  const { sign, digits, power } = partsOf(decimal);
  return power + scale < 0 ? undefined : BigInt(sign + digits + '0'.repeat(power + scale));
}
