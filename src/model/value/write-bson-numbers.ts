import { Decimal128 } from 'mongodb';
import { readInt32, readInt64 } from './bson-bytes.ts';
import { formatDecimal } from './decimal-text.ts';
import type { JsonOutput } from './json-output.ts';

const quote = 0x22;
const colon = 0x3a;
const zero = 0x30;

const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);

/** Reads a double. */
export function readDouble(source: Uint8Array, start: number): number {
  for (let index = 0; index < 8; index++) floatBytes[index] = source[start + index] as number;
  return float[0] as number;
}

/** Writes a double as `String` does; what JSON cannot express is null. */
export function writeDouble(source: Uint8Array, start: number, out: JsonOutput): void {
  const value = readDouble(source, start);
  if (Number.isSafeInteger(value))
    out.integer(value + 0); // -0 is 0
  else out.text(Number.isFinite(value) ? String(value) : 'null');
}

/** Writes a 64-bit integer exactly. */
export function writeInt64(source: Uint8Array, start: number, out: JsonOutput): void {
  const value = readInt64(source, start);
  if (Number.isSafeInteger(value)) {
    out.integer(value);
    return;
  }
  const exact = (BigInt(readInt32(source, start + 4)) << 32n) | BigInt(readInt32(source, start) >>> 0);
  out.text(String(exact));
}

const day = 86_400_000;
const year0 = -62_167_219_200_000;
const year10000 = 253_402_300_800_000;

/** Writes a date as `toISOString` does. */
export function writeDate(time: number, out: JsonOutput): void {
  if (time < year0 || time >= year10000) {
    const date = new Date(time);
    out.text(Number.isNaN(date.getTime()) ? 'null' : `"${date.toISOString()}"`);
    return;
  }
  const days = Math.floor(time / day);
  let rest = time - days * day;
  // From the number of days to year, month and day, in eras of 400 years that begin in March.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = ((dayOfEra - ((dayOfEra / 1_460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0));
  const shiftedMonth = ((5 * dayOfYear + 2) / 153) | 0;
  const dayOfMonth = dayOfYear - (((153 * shiftedMonth + 2) / 5) | 0) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  out.reserve(26);
  const { bytes } = out;
  let at = out.length;
  bytes[at++] = quote;
  at = twoDigits(bytes, at, (year / 100) | 0);
  at = twoDigits(bytes, at, year % 100);
  bytes[at++] = 0x2d;
  at = twoDigits(bytes, at, month);
  bytes[at++] = 0x2d;
  at = twoDigits(bytes, at, dayOfMonth);
  bytes[at++] = 0x54;
  const hours = (rest / 3_600_000) | 0;
  rest -= hours * 3_600_000;
  const minutes = (rest / 60_000) | 0;
  rest -= minutes * 60_000;
  const seconds = (rest / 1_000) | 0;
  rest -= seconds * 1_000;
  at = twoDigits(bytes, at, hours);
  bytes[at++] = colon;
  at = twoDigits(bytes, at, minutes);
  bytes[at++] = colon;
  at = twoDigits(bytes, at, seconds);
  bytes[at++] = 0x2e;
  const hundreds = (rest / 100) | 0;
  bytes[at++] = zero + hundreds;
  at = twoDigits(bytes, at, rest - hundreds * 100);
  bytes[at++] = 0x5a;
  bytes[at++] = quote;
  out.length = at;
}

function twoDigits(bytes: Uint8Array, at: number, value: number): number {
  const tens = (value / 10) | 0;
  bytes[at] = zero + tens;
  bytes[at + 1] = zero + (value - tens * 10);
  return at + 2;
}

const bias = 6_176;

/** Writes a Decimal128. Amounts of up to 15 digits are written without an object. */
export function writeDecimal(source: Uint8Array, start: number, out: JsonOutput): void {
  const top = (source[start + 15] as number) * 256 + (source[start + 14] as number);
  const exponent = ((top & 0x7fff) >> 1) - bias;
  const digits = readInt64(source, start);
  const isPlain =
    (top & 0x6000) !== 0x6000 && // not infinite, not NaN, and in the usual encoding
    (top & 1) === 0 &&
    readInt32(source, start + 8) === 0 &&
    (readInt32(source, start + 12) & 0xffff) === 0 &&
    digits >= 0 &&
    digits <= 999_999_999_999_999 &&
    exponent <= 0 &&
    exponent >= -6;
  if (!isPlain) {
    out.text(formatDecimal(new Decimal128(source.slice(start, start + 16))));
    return;
  }
  if ((top & 0x8000) !== 0) out.byte(0x2d);
  if (exponent === 0) {
    out.integer(digits);
    return;
  }
  const scale = 10 ** -exponent;
  const whole = Math.floor(digits / scale);
  out.integer(whole);
  out.reserve(8);
  const { bytes } = out;
  bytes[out.length] = 0x2e;
  let rest = digits - whole * scale;
  for (let place = -exponent; place > 0; place--) {
    const next = (rest / 10) | 0;
    bytes[out.length + place] = zero + (rest - next * 10);
    rest = next;
  }
  out.length += 1 - exponent;
}
