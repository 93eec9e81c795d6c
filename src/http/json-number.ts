/**
 * A number in a JSON text that a double cannot hold: because of its range (`1e400`), or because it has a fraction or an
 * exponent and too many digits (`0.12345678901234567890`).
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
 * The exact value of a JSON number (RFC 8259 §6): a `number` if the text of the double (`String(value)`) has the same
 * value, so that `5.0` and `5` are equal; a `bigint` for plain digits beyond the safe range; a {@link JsonNumber}
 * otherwise.
 *
 * @example
 * readNumber('9007199254740993') // 9007199254740993n
 * readNumber('6.02e23') // 6.02e23
 */
export function readNumber(text: string): number | bigint | JsonNumber {
  const value = Number(text);
  if (!Number.isFinite(value)) return new JsonNumber(text);
  if (plainDigits.test(text)) return Number.isSafeInteger(value) ? value : BigInt(text);
  const { digits } = toDecimal(text);
  if (digits.length > mostDigits) return new JsonNumber(text);
  // With equal digits the value is equal: a double never differs from its text by a factor of ten.
  return toDecimal(String(value)).digits === digits ? value : new JsonNumber(text);
}

const plainDigits = /^-?\d+$/;
/** The most digits that `String` writes of a double, without zeros at the ends. */
const mostDigits = 17;

/**
 * The integer that a number means by its text, and not by the nearest double (`9007199254740993.0`). Undefined for a
 * fraction, and for a number beyond the range of doubles: 1e1000000 has nine characters on the wire and a megabyte of
 * digits.
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

/**
 * A decimal in one form: `sign digits × 10^exponent`, where `digits` neither starts nor ends with a zero, and zero has
 * none.
 */
interface Decimal {
  readonly sign: string;
  readonly digits: string;
  readonly exponent: number;
}

/** Parses a number as JSON and JavaScript write it. */
function toDecimal(text: string): Decimal {
  let first = -1;
  let last = -1;
  let point = -1;
  let end = 0;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === dot) point = end;
    else if (code > nine)
      break; // the `e` of an exponent
    else if (code > zero) {
      if (first === -1) first = end;
      last = end;
    }
  }
  const sign = text.charCodeAt(0) === minus ? '-' : '';
  if (first === -1) return { sign, digits: '', exponent: 0 };
  const digits = text.slice(first, last + 1);
  const units = point === -1 ? end : point; // behind the last digit of the integer
  const exponent = last < units ? units - last - 1 : units - last;
  const isCut = first < point && point < last;
  return {
    sign,
    digits: isCut ? digits.replace('.', '') : digits,
    exponent: exponent + (end < text.length ? Number(text.slice(end + 1)) : 0),
  };
}

/**
 * What a number looks like in a parameter or a filter, which people write by hand: as in JSON, or with a plus sign,
 * with zeros in front, or without digits on one side of the point. A run of digits matches in one way only:
 * `\d+\.?\d*` would take quadratic time on a long one.
 */
export const numberPattern = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,6})?`;

const zero = 0x30;
const nine = 0x39;
const dot = 0x2e;
const minus = 0x2d;
