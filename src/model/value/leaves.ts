import { ObjectId, UUID } from 'mongodb';
import { firstNames, listNames, nearest } from '../../hints.ts';
import { Invalid } from '../../rules.ts';
import { isBinary, isObjectId, isUuid } from './bson-type.ts';
import { copyBinary } from './copy-value.ts';
import { parseDate } from './date-text.ts';
import type { Leaf } from './leaf.ts';
import { checkUntyped, readUntyped, writeUntyped } from './untyped.ts';

/** Reads a value in document form, or the text of one. */
export function fromDocumentOrText(leaf: Leaf, value: unknown): unknown {
  const stored = leaf.fromDocument(value);
  if (!(stored instanceof Invalid) || typeof value !== 'string') return stored;
  const read = leaf.fromText(value);
  return read instanceof Invalid ? stored : read;
}

const notString = new Invalid('type', 'must be a string', { type: 'string' });
const loneSurrogate = new Invalid('unicode', 'must be well-formed Unicode: it holds a lone surrogate');
const notBoolean = new Invalid('type', 'must be true or false', { type: 'boolean' });
const notBooleanText = new Invalid('type', 'must be true, false, 1 or 0', { type: 'boolean' });
const notDate = new Invalid('type', 'must be an RFC 3339 date-time, such as 2026-01-31T12:00:00Z', { type: 'date-time' });
const lostPlus = new Invalid('type', `${notDate.message}; its + must be sent as %2B`, { type: 'date-time' });
const notObjectId = new Invalid('type', 'must be an ObjectId of 24 hexadecimal digits', { type: 'objectId' });
const notUuid = new Invalid('type', 'must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000', { type: 'uuid' });
const notFilterable = new Invalid('not_comparable', 'cannot be compared with text');

const identity = (stored: unknown): unknown => stored;

function readString(value: unknown): string | Invalid {
  if (typeof value !== 'string') return notString;
  return value.isWellFormed() ? value : loneSurrogate;
}

/** A string. */
export const stringLeaf: Leaf<string> = {
  name: 'string',
  readSchema: { type: 'string' },
  textSchema: { type: 'string', pattern: '^[^\\x00]*$' }, // every query string with a NUL character is refused
  bsonTypes: ['string'],
  accepted: [{ bsonTypes: ['string'] }],
  fromJson: readString,
  fromText: readString,
  fromDocument: readString,
  toDocument: identity,
  toJson: (stored) => (typeof stored === 'string' ? JSON.stringify(stored) : writeUntyped(stored)),
};

const booleanTexts = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** True or false. */
export const booleanLeaf: Leaf<boolean> = {
  name: 'boolean',
  readSchema: { type: 'boolean' },
  bsonTypes: ['bool'],
  accepted: [{ bsonTypes: ['bool'] }],
  fromJson: (value) => (typeof value === 'boolean' ? value : notBoolean),
  fromText: (text) => booleanTexts.get(text.toLowerCase()) ?? notBooleanText,
  fromDocument: (value) => (typeof value === 'boolean' ? value : notBoolean),
  toDocument: identity,
  toJson: writeUntyped,
};

const isDate = (value: unknown): value is Date => value instanceof Date && !Number.isNaN(value.getTime());
const readDate = (text: string): Date | Invalid => parseDate(text) ?? notDate;

/**
 * Explains a lost `+`: in a query string, the `+` of an offset such as `+01:00` or of a year such as `+010000` is read
 * as a space.
 */
function readDateText(text: string): Date | Invalid {
  const date = parseDate(text);
  if (date) return date;
  return parseDate(text.replace(/^ | (?=\d\d:\d\d$)/g, '+')) ? lostPlus : notDate;
}

/** For digits beyond milliseconds, but zeros. */
function nextDateText(text: string): string | undefined {
  const date = /\.\d{3}\d*[1-9]/.test(text) ? parseDate(text) : undefined;
  return date && new Date(date.getTime() + 1).toISOString();
}

/** A point in time, with millisecond precision. */
export const dateLeaf: Leaf<Date> = {
  name: 'date',
  readSchema: { type: 'string', format: 'date-time' },
  bsonTypes: ['date'],
  accepted: [{ bsonTypes: ['date'] }],
  fromJson: (value) => (typeof value === 'string' ? readDate(value) : notDate),
  fromText: readDateText,
  nextText: nextDateText,
  fromDocument: (value) => (isDate(value) ? new Date(value) : notDate),
  toDocument: identity,
  toJson: (stored) => (isDate(stored) ? `"${stored.toISOString()}"` : writeUntyped(stored)),
};

const objectIdText = /^[0-9a-fA-F]{24}$/;
const readObjectId = (text: string): ObjectId | Invalid => (objectIdText.test(text) ? ObjectId.createFromHexString(text) : notObjectId);

/** An ObjectId. */
export const objectIdLeaf: Leaf<ObjectId> = {
  name: 'objectId',
  readSchema: { type: 'string', pattern: '^[0-9a-fA-F]{24}$' },
  bsonTypes: ['objectId'],
  accepted: [{ bsonTypes: ['objectId'] }],
  fromJson: (value) => (typeof value === 'string' ? readObjectId(value) : notObjectId),
  fromText: readObjectId,
  fromDocument: (value) => (isObjectId(value) ? value : notObjectId),
  toDocument: identity,
  toJson: (stored) => (stored instanceof ObjectId ? `"${stored.toHexString()}"` : writeUntyped(stored)),
};

const uuidText = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
const readUuid = (text: string): UUID | Invalid => (uuidText.test(text) ? new UUID(Buffer.from(text.replaceAll('-', ''), 'hex')) : notUuid);

/** A UUID, stored as binary of subtype 4. */
export const uuidLeaf: Leaf<UUID> = {
  name: 'uuid',
  readSchema: { type: 'string', format: 'uuid' },
  bsonTypes: ['binData'],
  accepted: [{ bsonTypes: ['binData'], isOf: isUuid }],
  fromJson: (value) => (typeof value === 'string' ? readUuid(value) : notUuid),
  fromText: readUuid,
  fromDocument: (value) => (isBinary(value) && isUuid(value) ? (copyBinary(value) as UUID) : notUuid),
  toDocument: (stored) => (isBinary(stored) && isUuid(stored) && !(stored instanceof UUID) ? copyBinary(stored) : stored),
  toJson: writeUntyped,
};

/** One of the given strings. */
export function enumLeaf(values: readonly string[]): Leaf<string> {
  const members = new Set<unknown>(values);
  const legal = listNames(values);
  function read(value: unknown): string | Invalid {
    if (members.has(value)) return value as string;
    const suggestion = typeof value === 'string' ? nearest(value, values) : undefined;
    const message = `must be one of ${legal}${suggestion === undefined ? '' : `; did you mean \`${suggestion}\`?`}`;
    return new Invalid('enum', message, { values: firstNames(values), suggestion });
  }
  return {
    name: 'enum',
    readSchema: { type: 'string', enum: [...values] },
    bsonTypes: ['string'],
    accepted: [{ bsonTypes: ['string'] }],
    fromJson: read,
    fromText: read,
    fromDocument: read,
    toDocument: identity,
    toJson: writeUntyped,
  };
}

/**
 * Any JSON value in bodies, any BSON value in the database. It has no text form, because lists neither filter nor sort
 * by it.
 */
export const anyLeaf: Leaf = {
  name: 'any',
  readSchema: {},
  bsonTypes: [],
  fromJson: readUntyped,
  fromText: () => notFilterable,
  fromDocument: checkUntyped,
  toDocument: identity,
  toJson: writeUntyped,
};
