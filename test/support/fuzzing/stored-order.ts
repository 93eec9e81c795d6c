import { Binary, Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';

/** A number as `digits * 10 ** exponent`, or one of the three that are none. */
type Exact = { readonly digits: bigint; readonly exponent: number } | 'NaN' | 'Infinity' | '-Infinity';

/**
 * MongoDB's order of values, written from its manual ("Comparison/Sort Order") and not from our cursors: null and
 * missing are equal and first, then numbers of all types by value with NaN before them, then strings by their UTF-8
 * bytes, binary values by their length, subtype and bytes, ObjectIds, booleans and dates.
 */
export function compareStored(a: unknown, b: unknown): number {
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0 || a === null || a === undefined) return ranks;
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  if (a instanceof ObjectId) return Buffer.compare(a.id, (b as ObjectId).id);
  if (a instanceof Binary && b instanceof Binary)
    return a.position - b.position || a.sub_type - b.sub_type || Buffer.compare(a.value(), b.value());
  if (a instanceof Date || typeof a === 'boolean') return Math.sign(Number(a) - Number(b));
  return compareNumbers(toExact(a), toExact(b));
}

function rankOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === 'string') return 2;
  if (value instanceof Binary) return 3;
  if (value instanceof ObjectId) return 4;
  if (typeof value === 'boolean') return 5;
  return value instanceof Date ? 6 : 1;
}

function compareNumbers(a: Exact, b: Exact): number {
  const [first, second] = [extremeOf(a), extremeOf(b)];
  if (first !== 0 || second !== 0 || typeof a === 'string' || typeof b === 'string') return Math.sign(first - second);
  const exponent = Math.min(a.exponent, b.exponent);
  const difference = a.digits * 10n ** BigInt(a.exponent - exponent) - b.digits * 10n ** BigInt(b.exponent - exponent);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

function extremeOf(value: Exact): number {
  return value === 'NaN' ? -2 : value === '-Infinity' ? -1 : value === 'Infinity' ? 1 : 0;
}

function toExact(value: unknown): Exact {
  if (value instanceof Decimal128) return fromText(value.toString());
  if (value instanceof Long) return { digits: value.toBigInt(), exponent: 0 };
  return fromDouble(value instanceof Double || value instanceof Int32 ? value.value : Number(value));
}

function fromText(text: string): Exact {
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return text;
  const [, sign = '', integer = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/.exec(text) ?? [];
  return { digits: BigInt(`${sign}${integer}${fraction}`), exponent: Number(exponent) - fraction.length };
}

/** A double is a fraction of a power of two, and so a finite decimal: `m / 2 ** k = m * 5 ** k / 10 ** k`. */
function fromDouble(value: number): Exact {
  if (!Number.isFinite(value)) return String(value) as 'NaN';
  let mantissa = value;
  let halvings = 0;
  for (; !Number.isInteger(mantissa); mantissa *= 2) halvings++;
  return { digits: BigInt(mantissa) * 5n ** BigInt(halvings), exponent: -halvings };
}
