import {
  type Binary,
  type BSONRegExp,
  type BSONSymbol,
  type Code,
  type DBRef,
  type Decimal128,
  type Double,
  type Int32,
  type Long,
  type MaxKey,
  type MinKey,
  ObjectId,
  type Timestamp,
} from 'mongodb';

/** A value of one of BSON's own types. A UUID is a Binary. */
export type BsonValue =
  | Binary
  | BSONRegExp
  | BSONSymbol
  | Code
  | DBRef
  | Decimal128
  | Double
  | Int32
  | Long
  | MaxKey
  | MinKey
  | ObjectId
  | Timestamp;

/** What BSON's types of every copy inherit, and what each copy requires of the values that it is to store. JSON has no symbols: no client sends it. */
const version = Symbol.for('@@mdb.bson.version');

/** The major version of BSON that a value is of; undefined for anything but a value of its types. */
export function bsonVersionOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { readonly [version]?: unknown })[version] : undefined;
}

const ours = bsonVersionOf(new ObjectId());

/**
 * Whether a value is of one of BSON's types, whichever copy of the `bson` package has made it. Mongoose and a handler's own import may bring
 * another one, of which nothing is an `instanceof` our classes. Its values are stored and compared as ours are where the major version is the same.
 */
export function isBsonValue(value: unknown): value is BsonValue {
  return bsonVersionOf(value) === ours;
}

/** The name of its type; undefined for what is no BSON value, and so for data with a `_bsontype` of its own. */
export function tagOf(value: unknown): BsonValue['_bsontype'] | undefined {
  return isBsonValue(value) ? value._bsontype : undefined;
}

function is<Tag extends BsonValue['_bsontype']>(tag: Tag) {
  return (value: unknown): value is Extract<BsonValue, { readonly _bsontype: Tag }> => tagOf(value) === tag;
}

export const isObjectId = is('ObjectId');
export const isDecimal128 = is('Decimal128');
export const isDouble = is('Double');
export const isInt32 = is('Int32');
/** A Timestamp is none, though it is one to `instanceof`. */
export const isLong = is('Long');
export const isBinary = is('Binary');
export const isDBRef = is('DBRef');

const uuidSubtype = 4;

/** Whether a binary is a UUID (RFC 9562): some drivers have stored other lengths under its subtype. */
export function isUuid(value: Binary): boolean {
  return value.sub_type === uuidSubtype && value.position === 16;
}
