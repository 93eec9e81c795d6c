import { Decimal128, Double } from 'mongodb';
import { Invalid } from '../../rules.ts';
import { type AcceptedForm, isAccepted, numberOf } from './accepted.ts';
import { bson, declined, readInt32, readInt64 } from './bson-bytes.ts';
import { partsOf, toUnits } from './decimal-parts.ts';
import type { JsonOutput } from './json-output.ts';
import { type Leaf, MisfitError } from './leaf.ts';
import { booleanLeaf, dateLeaf } from './leaves.ts';
import { legacyUuidLeaves, legacyUuids } from './legacy-uuids.ts';
import { decimalLeaf, maxInt64, minInt64, storeInteger } from './number-leaves.ts';
import { readDouble, writeDate } from './write-bson-numbers.ts';

/** The forms in which a collection may have the values of a type, besides the BSON type of its own. */
export const storedForms = {
  boolean: ['int'],
  date: ['string', 'epoch-ms', 'epoch-s'],
  decimal: ['int'],
  uuid: legacyUuids,
} as const;

/** How the values of a type stand in the database. */
interface Form {
  /** What a stored value must be, as the end of a sentence that begins with its field. */
  readonly rule: string;
  readonly accepted: readonly AcceptedForm[];
  /** The stored form of a value. What it cannot hold exactly is invalid. */
  write(value: unknown): unknown;
  /** The same for a value that is only compared: stored values are as much before and behind it as they should. */
  compare(value: unknown): unknown;
  /** The value of a stored one that is accepted. */
  read(stored: unknown): unknown;
  /** Writes the JSON of a stored text or integer. False if it does not fit, or has to be written in another way. */
  writeJson(stored: string | number, out: JsonOutput): boolean;
  /** The same as an expression of the database, with null for what does not fit. */
  ownForm(path: string): object;
}

/**
 * Makes the leaf of a type whose values are stored in another form. For clients and handlers it is the same type. A
 * stored value that does not fit is a {@link MisfitError}: it is never guessed.
 */
function storedIn(base: Leaf, form: Form): Leaf {
  const onValid = (convert: (value: unknown) => unknown) => (read: unknown) => (read instanceof Invalid ? read : convert(read));
  const [write, compare] = [onValid(form.write), onValid(form.compare)];
  const notStored = new Invalid('type', form.rule, { type: base.name });
  function read(stored: unknown): unknown {
    if (!isAccepted(form.accepted, stored)) throw new MisfitError(form.rule);
    return form.read(stored);
  }
  return {
    ...base,
    base,
    ownForm: form.ownForm,
    bsonTypes: form.accepted.flatMap(({ bsonTypes }) => bsonTypes),
    accepted: form.accepted,
    fromJson: (value) => write(base.fromJson(value)),
    fromText: (text) => compare(base.fromText(text)),
    fromDocument: (value) => write(base.fromDocument(value)),
    fromCompared: (value) => compare(base.fromDocument(value)),
    fromStored(document) {
      const value = (base.fromStored ?? base.fromDocument)(document);
      return value instanceof Invalid ? notStored : form.write(value);
    },
    toDocument: (stored) => base.toDocument(read(stored)),
    toJson: (stored) => base.toJson(read(stored)),
    writeBson(source, type, start, end, out) {
      const value = readPlain(source, type, start, end);
      // What does not fit is left to the reader of decoded records, which says so.
      if (value === undefined || !form.writeJson(value, out)) throw declined;
    },
  };
}

/** A text of ASCII, or an integer that a double holds exactly, in BSON bytes. Undefined for any other value. */
function readPlain(source: Uint8Array, type: number, start: number, end: number): string | number | undefined {
  if (type === bson.string) return Buffer.from(source.buffer, source.byteOffset + start + 4, end - start - 5).toString('latin1');
  const value =
    type === bson.int32
      ? readInt32(source, start)
      : type === bson.int64
        ? readInt64(source, start)
        : type === bson.double
          ? readDouble(source, start)
          : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

const integers = ['int', 'long', 'double'];

/** The milliseconds of the last date of JavaScript, and without the sign those of the first. */
const lastTime = 8.64e15;

/** The expression that is true if a path has an integer that is not beyond a bound, whichever BSON type it has. */
function isIntegerWithin(path: string, bound: number): object {
  const [least, most] = [new Double(-bound), new Double(bound)]; // NaN is less than every number
  return {
    $and: [{ $in: [{ $type: path }, integers] }, { $gte: [path, least] }, { $lte: [path, most] }, { $eq: [{ $trunc: [path] }, path] }],
  };
}

/** The bounds of 64-bit integers. Both are doubles; the second one is beyond. */
const [least64, beyond64] = [new Double(-(2 ** 63)), new Double(2 ** 63)];

/** The greatest double within 64 bits. */
const lastDouble64 = 2 ** 63 - 1_024;

/** The expression that is true if a value is a double that is an integer of 64 bits. */
export function isWholeDouble(value: string | object): object {
  return {
    $and: [
      { $eq: [{ $type: value }, 'double'] },
      { $gte: [value, least64] }, // NaN is less
      { $lt: [value, beyond64] },
      { $eq: [{ $trunc: value }, value] },
    ],
  };
}

/** The expression that is true if a value is an integer of 64 bits, whichever BSON type it has. */
export function isInt64(value: string | object): object {
  return { $or: [{ $in: [{ $type: value }, ['int', 'long']] }, isWholeDouble(value)] };
}

/** Integers of any BSON type. Drivers of JavaScript store every number beyond 32 bits as a double. */
function integersFrom(minimum: number, maximum: number): AcceptedForm {
  return { bsonTypes: integers, isWhole: true, minimum, maximum };
}

function asInteger(units: bigint): number | bigint {
  const value = Number(units);
  return Number.isSafeInteger(value) ? storeInteger(value) : units;
}

const booleanAsInt: Form = {
  rule: 'must be stored as 0 or 1',
  accepted: [integersFrom(0, 1)],
  write: (value) => (value ? 1 : 0),
  compare: (value) => (value ? 1 : 0),
  read: (stored) => Number(numberOf(stored)) === 1,
  writeJson(stored, out) {
    if (stored !== 0 && stored !== 1) return false;
    out.text(stored === 1 ? 'true' : 'false');
    return true;
  },
  ownForm: (path) => ({ $cond: [{ $in: [path, [0, 1]] }, { $eq: [path, 1] }, null] }),
};

/** Milliseconds, or seconds, since 1970 in UTC. */
function epoch(unit: 1 | 1_000): Form {
  const notWhole = new Invalid('precision', 'must be a whole second', { limit: 0 });
  const compare = (value: unknown) => {
    const time = (value as Date).getTime() / unit;
    return Number.isInteger(time) ? storeInteger(time) : new Double(time);
  };
  return {
    rule: `must be stored as an integer of ${unit === 1 ? 'milli' : ''}seconds since 1970`,
    accepted: [integersFrom(-lastTime / unit, lastTime / unit)],
    write: (value) => ((value as Date).getTime() % unit === 0 ? compare(value) : notWhole),
    compare,
    read: (stored) => new Date(Number(numberOf(stored)) * unit),
    writeJson(stored, out) {
      if (typeof stored === 'string' || Math.abs(stored) > lastTime / unit) return false;
      writeDate(stored * unit, out);
      return true;
    },
    ownForm: (path) => ({
      $cond: [isIntegerWithin(path, lastTime / unit), { $toDate: { $multiply: [{ $toLong: path }, BigInt(unit)] } }, null],
    }),
  };
}

const fullYears = new Invalid('out_of_range', 'must be in a year from 0000 to 9999');

const dayPattern = '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
const leapYearPattern = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const timePattern = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z';

/** The dates of the years 0000 to 9999, to the millisecond. */
const dateText = new RegExp(`^(?:[0-9]{4}-${dayPattern}|${leapYearPattern}-02-29)T${timePattern}$`);

/** Their order as texts is their order in time. */
const dateAsText: Form = {
  rule: 'must be stored as a text such as 2026-01-31T12:00:00.000Z',
  accepted: [{ bsonTypes: ['string'], pattern: dateText }],
  write(value) {
    const text = (value as Date).toISOString();
    return text.length === 24 ? text : fullYears;
  },
  compare(value) {
    const text = (value as Date).toISOString();
    if (text.length === 24) return text;
    return text.startsWith('-') ? '' : ':'; // before every digit, and behind every one
  },
  read: (stored) => new Date(stored as string),
  writeJson(stored, out) {
    if (typeof stored !== 'string' || !dateText.test(stored)) return false;
    out.text(`"${stored}"`);
    return true;
  },
  ownForm: (path) => ({
    $let: {
      vars: { date: { $cond: [{ $eq: [{ $type: path }, 'string'] }, { $convert: { input: path, to: 'date', onError: null } }, null] } },
      in: { $cond: [{ $eq: [{ $dateToString: { date: '$$date', format: '%Y-%m-%dT%H:%M:%S.%LZ' } }, path] }, '$$date', null] },
    },
  }),
};

/** An integer of units, of which `10 ** scale` are one: cents, for a scale of 2. */
function scaled(scale: number): Form {
  const tooFine = new Invalid('precision', `must have at most ${scale} digits behind the point`, { limit: scale });
  const [minimum, maximum] = [minInt64, maxInt64].map((units) => String(fromUnits(units, scale)));
  const tooLarge = new Invalid('out_of_range', `must be from ${minimum} to ${maximum}`, { minimum, maximum });
  function compare(value: unknown): unknown {
    const units = toUnits(value as Decimal128, scale);
    return typeof units === 'bigint' && units >= minInt64 && units <= maxInt64 ? asInteger(units) : shifted(value as Decimal128, scale);
  }
  return {
    rule: `must be stored as an integer, of which 1${'0'.repeat(scale)} are 1`,
    accepted: [{ bsonTypes: ['int', 'long'] }, { ...integersFrom(-(2 ** 63), lastDouble64), bsonTypes: ['double'] }],
    write(value) {
      const units = toUnits(value as Decimal128, scale);
      if (units === undefined) return tooFine;
      return units < minInt64 || units > maxInt64 ? tooLarge : asInteger(units);
    },
    compare,
    read: (stored) => fromUnits(BigInt(numberOf(stored) as number | bigint), scale),
    writeJson(stored, out) {
      if (typeof stored === 'string' || scale > mostPlain) return false;
      const digits = String(Math.abs(stored)).padStart(scale + 1, '0');
      const point = digits.length - scale;
      out.text(`"${stored < 0 ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? '.' : ''}${digits.slice(point)}"`);
      return true;
    },
    ownForm: (path) => ({
      $cond: [isInt64(path), { $multiply: [{ $toDecimal: { $toLong: path } }, fromUnits(1n, scale)] }, null],
    }),
  };
}

/** With more digits behind the point, a decimal is written with an exponent. */
const mostPlain = 6;

/** The same as a decimal, with a fraction, or beyond 64 bits. */
function shifted(decimal: Decimal128, scale: number): Decimal128 {
  const { sign, digits, power } = partsOf(decimal);
  const isBeyond = digits.length + power + scale > 6_144;
  return Decimal128.fromString(isBeyond ? `${sign}Infinity` : `${sign}${digits}E${Math.max(power + scale, -6_176)}`);
}

function fromUnits(units: bigint, scale: number): Decimal128 {
  return Decimal128.fromString(`${units}E-${scale}`);
}

/** The largest scale: a unit of which 64 bits hold one whole. */
export const maxScale = 18;

const known = new Map<string, Leaf>([
  ['boolean int', storedIn(booleanLeaf as Leaf, booleanAsInt)],
  ['date epoch-ms', storedIn(dateLeaf as Leaf, epoch(1))],
  ['date epoch-s', storedIn(dateLeaf as Leaf, epoch(1_000))],
  ['date string', storedIn(dateLeaf as Leaf, dateAsText)],
]);

/** The leaf of a type in another stored form. Undefined if the type does not have this form. */
export function leafStoredAs(base: Leaf, form: unknown, scale: number): Leaf | undefined {
  const key = `${base.name} ${String(form)}`;
  if (base.name === 'uuid') return legacyUuidLeaves.get(String(form));
  return key === 'decimal int' ? storedIn(decimalLeaf as Leaf, scaled(scale)) : known.get(key);
}
