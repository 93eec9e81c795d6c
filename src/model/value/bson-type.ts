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

/** A value of one of BSON's own types. A `UUID` is a `Binary`. */
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

// The BSON types of every copy of `bson` inherit a member with this key, and each copy requires it of the values that
// it stores. Clients cannot send it, because JSON has no symbols.
const version = Symbol.for('@@mdb.bson.version');

/** The major version of the `bson` package that made a BSON value. Undefined for any other value. */
export function bsonVersionOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { readonly [version]?: unknown })[version] : undefined;
}

const ours = bsonVersionOf(new ObjectId());

/**
 * Whether a value is of a BSON type, from any copy of the `bson` package with our major version. Mongoose or a
 * handler's own import may bring another copy. Its values are stored and compared like ours, but are not an
 * `instanceof` our classes.
 */
export function isBsonValue(value: unknown): value is BsonValue {
  return bsonVersionOf(value) === ours;
}

/** The name of a BSON value's type. Undefined for any other value, such as a client's object with a key `_bsontype`. */
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
/** False for a Timestamp, although its class extends Long. */
export const isLong = is('Long');
export const isBinary = is('Binary');
export const isDBRef = is('DBRef');

const uuidSubtype = 4;

/**
 * Whether a binary is a UUID (RFC 9562). Its length is checked too, because some drivers have stored other lengths with
 * this subtype.
 */
export function isUuid(value: Binary): boolean {
  return value.sub_type === uuidSubtype && value.position === 16;
}
