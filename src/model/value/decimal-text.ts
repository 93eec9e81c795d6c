import { Decimal128 } from 'mongodb';

const mostDigits = 34;
const leastExponent = -6176;
const mostExponent = 6111;

const two32 = 2 ** 32;
const million = 1_000_000;

/** The four 32-bit words of a whole number, the lowest first. Products of a word and a million are exact as doubles. */
type Words = [number, number, number, number];

/**
 * The Decimal128 of a number whose digits and exponent fit as they are written: the same bytes as
 * `Decimal128.fromString`, in a fraction of the time. Undefined for any other number, which has to be shortened or
 * refused. The text is known to be a number.
 *
 * Its 128 bits are the sign, 14 bits of the exponent plus 6176, and 113 bits of the digits as an integer, from the last
 * byte to the first.
 */
export function encodeDecimal(text: string): Decimal128 | undefined {
  const words: Words = [0, 0, 0, 0];
  let digits = 0;
  let power = 0;
  let part = 0;
  let unit = 1;
  let isBehindPoint = false;
  const first = text.charCodeAt(0);
  for (let at = first === minus || first === plus ? 1 : 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === point) {
      isBehindPoint = true;
      continue;
    }
    if (code > nine) {
      power += Number(text.slice(at + 1)); // behind the `e`
      break;
    }
    if (isBehindPoint) power--;
    else if (digits === 0 && code === zero) continue;
    if (++digits > mostDigits) return undefined;
    part = part * 10 + (code - zero);
    unit *= 10;
    if (unit < million) continue;
    append(words, unit, part);
    part = 0;
    unit = 1;
  }
  if (power < leastExponent || power > mostExponent) return undefined;
  append(words, unit, part);
  words[3] += (first === minus ? 0x80000000 : 0) + (power - leastExponent) * 0x20000;
  return new Decimal128(toBytes(words));
}

const zero = 0x30;
const nine = 0x39;
const point = 0x2e;
const minus = 0x2d;
const plus = 0x2b;

/** Multiplies a number by a unit of at most a million, and adds a part that is less than it. */
function append(words: Words, unit: number, part: number): void {
  let carry = part;
  for (let index = 0; index < 4; index++) {
    const product = (words[index] as number) * unit + carry;
    carry = Math.floor(product / two32);
    words[index] = product - carry * two32;
  }
}

function toBytes(words: Words): Buffer {
  const bytes = Buffer.allocUnsafe(16); // all of it is written
  for (let index = 0; index < 4; index++) {
    const word = words[index] as number;
    const at = index * 4;
    bytes[at] = word;
    bytes[at + 1] = word >>> 8;
    bytes[at + 2] = word >>> 16;
    bytes[at + 3] = word >>> 24;
  }
  return bytes;
}

/** Both bits are set for infinity, NaN, and digits in an encoding that no writer uses. */
const isSpecial = (top: number): boolean => (top & 0x60000000) === 0x60000000;

/** Whether a Decimal128 is a number: neither infinity nor NaN. */
export function isDecimalNumber(decimal: Decimal128): boolean {
  return !isSpecial(wordAt(decimal.bytes, 12)) || /^-?\d/.test(decimal.toString());
}

const powerOf = (top: number): number => ((top >>> 17) & 0x3fff) + leastExponent;

/**
 * The text of a Decimal128, as its `toString` writes it, in a fraction of the time.
 */
export function formatDecimal(decimal: Decimal128): string {
  const { bytes } = decimal;
  const top = wordAt(bytes, 12);
  if (isSpecial(top)) return decimal.toString();
  const power = powerOf(top);
  const digits = formatDigits([wordAt(bytes, 0), wordAt(bytes, 4), wordAt(bytes, 8), top & 0x1ffff]);
  if (digits.length > mostDigits) return decimal.toString();
  const magnitude = digits.length - 1 + power;
  const sign = top >>> 31 ? '-' : '';
  if (power <= 0 && magnitude > -7) return sign + placePoint(digits, -power);
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${sign}${digits[0]}${fraction}E${magnitude > 0 ? '+' : ''}${magnitude}`;
}

/**
 * A double close to a Decimal128: they differ by less than a part in 10^12, unless it is beyond the range of doubles.
 * NaN for what is not a number, and for some zeros.
 */
export function approximateDecimal({ bytes }: Decimal128): number {
  const top = wordAt(bytes, 12);
  if (isSpecial(top)) return Number.NaN;
  const digits = (((top & 0x1ffff) * two32 + wordAt(bytes, 8)) * two32 + wordAt(bytes, 4)) * two32 + wordAt(bytes, 0);
  return (top >>> 31 ? -digits : digits) * 10 ** powerOf(top);
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)) >>> 0
  );
}

function formatDigits(words: Words): string {
  if (words[3] === 0 && words[2] === 0 && words[1] < 0x200000) return String(words[1] * two32 + words[0]);
  let text = '';
  for (;;) {
    const low = takeLowest(words);
    const part = String(takeLowest(words) * million + low);
    if (words[0] + words[1] + words[2] + words[3] === 0) return part + text;
    text = part.padStart(12, '0') + text;
  }
}

/** Removes the six lowest digits of a number, and returns them. */
function takeLowest(words: Words): number {
  let rest = 0;
  for (let index = 3; index >= 0; index--) {
    const value = rest * two32 + (words[index] as number);
    const quotient = Math.floor(value / million);
    rest = value - quotient * million;
    words[index] = quotient;
  }
  return rest;
}

function placePoint(digits: string, places: number): string {
  if (places === 0) return digits;
  const all = digits.padStart(places + 1, '0');
  return `${all.slice(0, -places)}.${all.slice(-places)}`;
}
