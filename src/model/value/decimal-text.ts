import { Decimal128 } from 'mongodb';

/** Sign, digits before and behind the point, exponent. The text is known to be a number. */
const parts = /^([+-]?)0*(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;
const mostDigits = 34;
const leastExponent = -6176;
const mostExponent = 6111;

/**
 * The Decimal128 of a number whose digits and exponent fit as they are written: the same bytes as `Decimal128.fromString`, in a fraction of the
 * time. Undefined for any other number, which has to be shortened or refused.
 *
 * Its 128 bits are the sign, 14 bits of the exponent plus 6176, and 113 bits of the digits as an integer, from the last byte to the first.
 */
export function encodeDecimal(text: string): Decimal128 | undefined {
  const [, sign, integer = '', fraction = '', exponent = '0'] = parts.exec(text) ?? [];
  const digits = integer + fraction;
  const power = Number(exponent) - fraction.length;
  if (digits.length > mostDigits || power < leastExponent || power > mostExponent) return undefined;
  const bytes = Buffer.alloc(16);
  const high = (sign === '-' ? 0x80000000 : 0) + (power - leastExponent) * 0x20000;
  if (digits.length <= 15) {
    const value = Number(digits);
    bytes.writeUInt32LE(value >>> 0, 0);
    bytes.writeUInt32LE(Math.floor(value / 2 ** 32), 4);
    bytes.writeUInt32LE(high, 12);
  } else {
    const value = BigInt(digits);
    bytes.writeBigUInt64LE(BigInt.asUintN(64, value), 0);
    bytes.writeBigUInt64LE((BigInt(high) << 32n) + (value >> 64n), 8);
  }
  return new Decimal128(bytes);
}

/**
 * The text of a Decimal128, as its `toString` writes it. Numbers without an exponent are written here, in a fraction of the time.
 */
export function formatDecimal(decimal: Decimal128): string {
  const source = decimal.bytes;
  const { buffer, byteOffset } = source;
  const view = new DataView(buffer, byteOffset, 16);
  const top = view.getUint32(12, true);
  // Both bits are set for infinity, NaN, and digits in the encoding that nobody writes.
  if ((top & 0x60000000) !== 0x60000000) {
    const power = ((top >>> 17) & 0x3fff) + leastExponent;
    const digits = readDigits(view, top & 0x1ffff);
    if (power <= 0 && digits.length + power > -6 && digits.length <= mostDigits)
      return `${top >>> 31 ? '-' : ''}${placePoint(digits, -power)}`;
  }
  return decimal.toString();
}

function readDigits(view: DataView, high: number): string {
  const middle = view.getUint32(8, true);
  const low = view.getUint32(4, true);
  if (high === 0 && middle === 0 && low < 0x200000) return String(low * 2 ** 32 + view.getUint32(0, true));
  return String((BigInt(high) << 96n) + (BigInt(middle) << 64n) + view.getBigUint64(0, true));
}

function placePoint(digits: string, places: number): string {
  if (places === 0) return digits;
  const all = digits.padStart(places + 1, '0');
  return `${all.slice(0, -places)}.${all.slice(-places)}`;
}
