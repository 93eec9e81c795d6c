/** The element types of BSON (bsonspec.org) that can be written without decoding them. */
export const bson = {
  double: 0x01,
  string: 0x02,
  object: 0x03,
  array: 0x04,
  binary: 0x05,
  objectId: 0x07,
  boolean: 0x08,
  date: 0x09,
  null: 0x0a,
  int32: 0x10,
  int64: 0x12,
  decimal128: 0x13,
} as const;

/** The `$type` names of the element types that an id may have. */
export const typeNames: ReadonlyMap<number | undefined, string> = new Map([
  [bson.double, 'double'],
  [bson.string, 'string'],
  [bson.object, 'object'],
  [bson.binary, 'binData'],
  [bson.objectId, 'objectId'],
  [bson.boolean, 'bool'],
  [bson.date, 'date'],
  [bson.null, 'null'],
  [bson.int32, 'int'],
  [bson.int64, 'long'],
  [bson.decimal128, 'decimal'],
]);

/**
 * Thrown for bytes that this code does not handle: rare types and damaged data. The caller decodes the record instead.
 * It is a single object, because the stack trace of a new one would cost more than decoding.
 */
export const declined = new Error('These bytes must be decoded.');

/** Reads a little-endian signed 32-bit integer. */
export function readInt32(source: Uint8Array, at: number): number {
  return (
    (source[at] as number) | ((source[at + 1] as number) << 8) | ((source[at + 2] as number) << 16) | ((source[at + 3] as number) << 24)
  );
}

/** The end of the document that begins at `start`. It must lie before `end`. */
export function documentEnd(source: Uint8Array, start: number, end: number): number {
  if (start + 5 > end) throw declined;
  const size = readInt32(source, start);
  if (size < 5 || size > end - start || source[start + size - 1] !== 0) throw declined;
  return start + size;
}

/** The position of the NUL that ends the key at `start`. */
export function keyEnd(source: Uint8Array, start: number, end: number): number {
  let at = start;
  while (source[at] !== 0) if (++at >= end) throw declined;
  return at;
}

/** The end of the value that begins at `start`. */
export function valueEnd(source: Uint8Array, type: number, start: number, end: number): number {
  const after = start + sizeOf(source, type, start, end);
  if (after > end) throw declined;
  return after;
}

function sizeOf(source: Uint8Array, type: number, start: number, end: number): number {
  switch (type) {
    case bson.double:
    case bson.date:
    case bson.int64:
      return 8;
    case bson.string: {
      const size = sizeAt(source, start, end);
      if (size < 1 || size > end - start - 4 || source[start + 3 + size] !== 0) throw declined;
      return 4 + size;
    }
    case bson.object:
    case bson.array:
      return documentEnd(source, start, end) - start;
    case bson.binary:
      return 5 + sizeAt(source, start, end);
    case bson.objectId:
      return 12;
    case bson.boolean:
      return 1;
    case bson.null:
      return 0;
    case bson.int32:
      return 4;
    case bson.decimal128:
      return 16;
    default:
      throw declined;
  }
}

function sizeAt(source: Uint8Array, start: number, end: number): number {
  if (start + 4 > end) throw declined;
  const size = readInt32(source, start);
  if (size < 0) throw declined;
  return size;
}

/** The type of a member of a document, and where its value begins. */
export interface Member {
  readonly type: number;
  readonly start: number;
}

/**
 * Finds a member of a document by its ASCII key. Of several members with this key it is the last, as for the driver.
 */
export function findMember(source: Uint8Array, key: string): Member | undefined {
  let found: Member | undefined;
  const last = documentEnd(source, 0, source.length) - 1;
  for (let at = 4; at < last; ) {
    const type = source[at] as number;
    const nul = keyEnd(source, at + 1, last);
    if (nul - at - 1 === key.length && isText(source, at + 1, key)) found = { type, start: nul + 1 };
    at = valueEnd(source, type, nul + 1, last);
  }
  return found;
}

/** The document with only the members that have one of these ASCII keys. */
export function pickMembers(source: Uint8Array, keys: readonly string[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const last = documentEnd(source, 0, source.length) - 1;
  for (let at = 4; at < last; ) {
    const keyStart = at + 1;
    const nul = keyEnd(source, keyStart, last);
    const end = valueEnd(source, source[at] as number, nul + 1, last);
    if (oneOf(source, keyStart, nul, keys) !== undefined) parts.push(source.subarray(at, end));
    at = end;
  }
  const size = parts.reduce((sum, part) => sum + part.length, 5);
  const picked = Buffer.alloc(size); // ends with NUL
  picked.writeInt32LE(size);
  let at = 4;
  for (const part of parts) {
    picked.set(part, at);
    at += part.length;
  }
  return picked;
}

/** Whether the bytes at `start` are this ASCII text. */
export function isText(source: Uint8Array, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) if (source[start + index] !== text.charCodeAt(index)) return false;
  return true;
}

/**
 * Which of these ASCII keys stands between `start` and `end`. It has no closure, which a loop over the members of a
 * record would make for each of them: that was a third of what a page of 100 records allocated.
 */
export function oneOf(source: Uint8Array, start: number, end: number, keys: readonly string[]): string | undefined {
  for (const key of keys) if (end - start === key.length && isText(source, start, key)) return key;
  return undefined;
}

const two32 = 4_294_967_296;

/** Reads a little-endian signed 64-bit integer as a double, which is exact up to 2^53. */
export function readInt64(source: Uint8Array, at: number): number {
  return readInt32(source, at + 4) * two32 + (readInt32(source, at) >>> 0);
}
