/**
 * A number of a JSON text that is beyond the range of doubles (`1e400`), or written with a fraction or an exponent and beyond their
 * precision (`0.12345678901234567890`).
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
 * The exact value of one JSON number (RFC 8259 §6): a `number` when a double's own text (`String(value)`) has that very value, so that
 * `5.0` and `5` are the same; a `bigint` for plain digits beyond the safe range; else a {@link JsonNumber}.
 *
 * @example
 * readNumber('9007199254740993') // 9007199254740993n
 * readNumber('6.02e23') // 6.02e23
 */
export function readNumber(text: string): number | bigint | JsonNumber {
  const value = Number(text);
  if (!Number.isFinite(value)) return new JsonNumber(text);
  if (plainDigits.test(text)) return Number.isSafeInteger(value) ? value : BigInt(text);
  // Of equal digits, because a double is never ten times as much as its text.
  return toDecimal(String(value)).digits === toDecimal(text).digits ? value : new JsonNumber(text);
}

const plainDigits = /^-?\d+$/;

/**
 * The integer that a finite number is, by the value of its text and not of the double next to it (`9007199254740993.0`); undefined for a
 * fraction, and for what is beyond the range of doubles: 1e1000000 is nine characters on the wire and a megabyte as digits.
 */
export function toInteger(number: number | JsonNumber): bigint | undefined {
  const text = String(number);
  if (!Number.isFinite(Number(text))) return undefined;
  const { sign, digits, exponent } = toDecimal(text);
  return exponent >= 0 ? BigInt(`${sign}0${digits}${'0'.repeat(exponent)}`) : undefined;
}

/** Whether a double would hold a number as zero that is none. */
export function underflows(text: string): boolean {
  return Number(text) === 0 && /^[^eE]*[1-9]/.test(text);
}

/** A decimal in one form: `sign digits × 10^exponent`, where `digits` neither starts nor ends with a zero, and zero has none. */
interface Decimal {
  readonly sign: string;
  readonly digits: string;
  readonly exponent: number;
}

/** Of a number as JSON and JavaScript write them. */
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
