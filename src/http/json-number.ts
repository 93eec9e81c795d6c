/**
 * A number of a JSON text that is beyond the range of doubles (`1e400`), or a fraction beyond their precision (`0.12345678901234567890`).
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
 * The exact value of one JSON number (RFC 8259 §6): a `bigint` when it is an integer outside the safe range but within that of doubles, a
 * `number` when a double's own text (`String(value)`) has that very value, else a {@link JsonNumber}. `5.0` and `1e17` are integers: the
 * value decides, not the spelling.
 *
 * @example
 * readNumber('9007199254740993.0') // 9007199254740993n
 */
export function readNumber(text: string): number | bigint | JsonNumber {
  const value = Number(text);
  const { sign, digits, exponent } = toDecimal(text);
  if (exponent >= 0) {
    if (Number.isSafeInteger(value)) return value;
    // 1e1000000 is nine characters on the wire and a megabyte as digits: beyond the range of doubles it stays text.
    return Number.isFinite(value) ? BigInt(sign + digits + '0'.repeat(exponent)) : new JsonNumber(text);
  }
  const shown = toDecimal(String(value)); // `Infinity` has no digits, and so equals nothing here
  return shown.digits === digits && shown.exponent === exponent ? value : new JsonNumber(text);
}

/** A decimal in one form: `sign digits × 10^exponent`, where `digits` neither starts nor ends with a zero, and zero has none. */
interface Decimal {
  readonly sign: string;
  readonly digits: string;
  readonly exponent: number;
}

function toDecimal(text: string): Decimal {
  const [, sign = '', integer = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const all = integer + fraction;
  let start = 0;
  while (all[start] === '0') start++;
  let end = all.length;
  while (end > start && all[end - 1] === '0') end--; // a loop, because /0+$/ takes quadratic time
  const digits = all.slice(start, end);
  return { sign, digits, exponent: digits === '' ? 0 : Number(exponent) - fraction.length + all.length - end };
}
