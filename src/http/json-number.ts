/**
 * A number in a JSON text that a double cannot hold: because of its range (`1e400`), or because it has a fraction or an exponent and too many
 * digits (`0.12345678901234567890`).
 *
 * @example
 * String(parseJson('0.12345678901234567890')) // '0.12345678901234567890'
 */
export class JsonNumber {
  /** The number as it was written. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/**
 * The exact value of a JSON number (RFC 8259 §6): a `number` if the text of the double (`String(value)`) has the same value, so that `5.0` and `5`
 * are equal; a `bigint` for plain digits beyond the safe range; a {@link JsonNumber} otherwise.
 *
 * @example
 * readNumber('9007199254740993') // 9007199254740993n
 * readNumber('6.02e23') // 6.02e23
 */
export function readNumber(text: string): number | bigint | JsonNumber {
  const value = Number(text);
  if (!Number.isFinite(value)) return new JsonNumber(text);
  if (plainDigits.test(text)) return Number.isSafeInteger(value) ? value : BigInt(text);
  // With equal digits the value is equal: a double never differs from its text by a factor of ten.
  return toDecimal(String(value)).digits === toDecimal(text).digits ? value : new JsonNumber(text);
}

const plainDigits = /^-?\d+$/;

/**
 * The integer that a number stands for, by its text and not by the nearest double (`9007199254740993.0`). Undefined for a fraction, and for a
 * number beyond the range of doubles: 1e1000000 has nine characters on the wire and a megabyte of digits.
 */
export function toInteger(number: number | JsonNumber): bigint | undefined {
  const text = String(number);
  if (!Number.isFinite(Number(text))) return undefined;
  const { sign, digits, exponent } = toDecimal(text);
  return exponent >= 0 ? BigInt(`${sign}0${digits}${'0'.repeat(exponent)}`) : undefined;
}

/** Whether a number is not zero, but would be zero as a double. */
export function underflows(text: string): boolean {
  return Number(text) === 0 && /^[^eE]*[1-9]/.test(text);
}

/** A decimal in one form: `sign digits × 10^exponent`, where `digits` neither starts nor ends with a zero, and zero has none. */
interface Decimal {
  readonly sign: string;
  readonly digits: string;
  readonly exponent: number;
}

/** Parses a number as JSON and JavaScript write it. */
function toDecimal(text: string): Decimal {
  const [, sign, integer, fraction = '', exponent = 0] = /(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?/i.exec(text) as unknown as DecimalParts;
  const all = integer + fraction;
  let start = 0;
  while (all[start] === '0') start++;
  let end = all.length;
  while (all[end - 1] === '0') end--; // a loop, because /0+$/ takes quadratic time
  const digits = all.slice(start, end);
  return { sign, digits, exponent: digits === '' ? 0 : Number(exponent) - fraction.length + all.length - end };
}

type DecimalParts = readonly [all: string, sign: string, integer: string, fraction?: string, exponent?: string];
