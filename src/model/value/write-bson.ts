import { isUtf8 } from 'node:buffer';
import { bson, declined, documentEnd, keyEnd, readInt32, readInt64, valueEnd } from './bson-bytes.ts';
import type { JsonOutput } from './json-output.ts';
import { writeDate, writeDecimal, writeDouble, writeInt64 } from './write-bson-numbers.ts';

/**
 * Writes a stored value as JSON, directly from its BSON bytes. The text is byte for byte what `Leaf.toJson` writes for
 * the decoded value. Throws `declined` for rare types and damaged data.
 */
export type WriteBson = (source: Uint8Array, type: number, start: number, end: number, out: JsonOutput) => void;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const zero = 0x30;

const nullText = Buffer.from('null');
const trueText = Buffer.from('true');
const falseText = Buffer.from('false');

export function writeNull(out: JsonOutput): void {
  out.raw(nullText);
}

/** Writes a value of any type as `writeUntyped` does. */
export const writeBson: WriteBson = (source, type, start, end, out) => {
  switch (type) {
    case bson.string:
      writeString(source, start + 4, end - 1, out);
      return;
    case bson.int32:
      out.integer(readInt32(source, start));
      return;
    case bson.date:
      writeDate(readInt64(source, start), out);
      return;
    case bson.objectId:
      out.reserve(26);
      out.bytes[out.length++] = quote;
      writeHex(source, start, end, out);
      out.bytes[out.length++] = quote;
      return;
    case bson.boolean:
      if ((source[start] as number) > 1) throw declined;
      out.raw(source[start] === 1 ? trueText : falseText);
      return;
    case bson.null:
      out.raw(nullText);
      return;
    case bson.double:
      writeDouble(source, start, out);
      return;
    case bson.int64:
      writeInt64(source, start, out);
      return;
    case bson.decimal128:
      out.byte(quote);
      writeDecimal(source, start, out);
      out.byte(quote);
      return;
    case bson.binary:
      writeBinary(source, start, end, out);
      return;
    case bson.object:
      writeObject(source, start, end, out);
      return;
    case bson.array:
      writeArray(source, start, end, writeBson, out);
      return;
    default:
      throw declined;
  }
};

/** Writes a value of a decimal field: numbers as strings. */
export const writeBsonDecimal: WriteBson = (source, type, start, end, out) => {
  if (type !== bson.int32 && type !== bson.int64 && type !== bson.double) {
    writeBson(source, type, start, end, out);
    return;
  }
  const before = out.length;
  out.byte(quote);
  writeBson(source, type, start, end, out);
  if (type === bson.double && out.bytes[before + 1] === nullText[0]) throw declined; // NaN is written as null, without quotes
  out.byte(quote);
};

/** Makes the writer of a field with binary data of a subtype: bytes as base64. It declines those of other subtypes. */
export function writeBytesOf(subtype: number): WriteBson {
  return function writeBytes(source, type, start, end, out) {
    if (type !== bson.binary) writeBson(source, type, start, end, out);
    else if (source[start + 4] !== subtype || subtype === withLength) throw declined;
    else writeBase64(source, start + 5, end, out);
  };
}

/** The subtype whose bytes have their length in front once more. */
const withLength = 2;

/** Writes an array. The keys of a BSON array do not matter, only the order. */
export function writeArray(source: Uint8Array, start: number, end: number, writeItem: WriteBson, out: JsonOutput): void {
  const last = documentEnd(source, start, end) - 1;
  out.byte(0x5b);
  let at = start + 4;
  let isFirst = true;
  while (at < last) {
    const type = source[at] as number;
    const from = keyEnd(source, at + 1, last) + 1;
    const to = valueEnd(source, type, from, last);
    if (!isFirst) out.byte(comma);
    isFirst = false;
    if (type === bson.null) out.raw(nullText);
    else writeItem(source, type, from, to, out);
    at = to;
  }
  out.byte(0x5d);
}

/**
 * Writes an object whose keys are data. It declines objects that decoding would change: a JavaScript object sorts keys
 * that are numbers and drops duplicate keys, and the driver makes a DBRef of an object with `$ref`.
 */
export function writeMembers(source: Uint8Array, start: number, end: number, writeMember: WriteBson, out: JsonOutput): void {
  const last = documentEnd(source, start, end) - 1;
  const keys = new Set<string>();
  let count = 0;
  out.byte(0x7b);
  for (let at = start + 4; at < last; ) {
    const type = source[at] as number;
    const keyStart = at + 1;
    const from = keyEnd(source, keyStart, last) + 1;
    if (source[keyStart] === 0x24 || isDigits(source, keyStart, from - 1)) throw declined;
    at = valueEnd(source, type, from, last);
    if (count++ > 0) out.byte(comma);
    keys.add(keyText(source, keyStart, from - 1));
    writeString(source, keyStart, from - 1, out);
    out.byte(colon);
    if (type === bson.null) out.raw(nullText);
    else writeMember(source, type, from, at, out);
  }
  if (keys.size < count) throw declined;
  out.byte(0x7d);
}

function writeObject(source: Uint8Array, start: number, end: number, out: JsonOutput): void {
  writeMembers(source, start, end, writeBson, out);
}

function isDigits(source: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = source[at] as number;
    if (code < zero || code > zero + 9) return false;
  }
  return end > start;
}

function keyText(source: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at++) text += String.fromCharCode(source[at] as number);
  return text;
}

/** Writes the UTF-8 text of a BSON string. JSON needs escapes only for quotes, backslashes and control characters. */
function writeString(source: Uint8Array, start: number, end: number, out: JsonOutput): void {
  out.reserve(end - start + 2);
  const { bytes } = out;
  let at = out.length;
  bytes[at++] = quote;
  let all = 0;
  for (let from = start; from < end; from++) {
    const code = source[from] as number;
    if (code < 0x20 || code === quote || code === backslash) {
      writeEscaped(source, start, end, out);
      return;
    }
    all |= code;
    bytes[at++] = code;
  }
  if (all > 0x7f && !isUtf8(source.subarray(start, end))) throw declined;
  bytes[at++] = quote;
  out.length = at;
}

function writeEscaped(source: Uint8Array, start: number, end: number, out: JsonOutput): void {
  const part = source.subarray(start, end);
  if (!isUtf8(part)) throw declined;
  out.text(JSON.stringify(Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString()));
}

const hexDigits = Buffer.from('0123456789abcdef');

function writeHex(source: Uint8Array, start: number, end: number, out: JsonOutput): void {
  const { bytes } = out;
  let at = out.length;
  for (let from = start; from < end; from++) {
    const code = source[from] as number;
    bytes[at++] = hexDigits[code >> 4] as number;
    bytes[at++] = hexDigits[code & 15] as number;
  }
  out.length = at;
}

/** Writes a UUID in its text form and other bytes as base64. It declines rare subtypes and UUIDs of a wrong length. */
function writeBinary(source: Uint8Array, start: number, end: number, out: JsonOutput): void {
  const subtype = source[start + 4];
  if (subtype === 0) {
    writeBase64(source, start + 5, end, out);
    return;
  }
  if (subtype !== 4 || end - start !== 21) throw declined;
  out.reserve(38);
  out.byte(quote);
  let from = start + 5;
  for (const length of [4, 2, 2, 2, 6]) {
    if (from > start + 5) out.byte(0x2d);
    writeHex(source, from, from + length, out);
    from += length;
  }
  out.byte(quote);
}

function writeBase64(source: Uint8Array, start: number, end: number, out: JsonOutput): void {
  out.byte(quote);
  out.text(Buffer.from(source.buffer, source.byteOffset + start, end - start).toString('base64'));
  out.byte(quote);
}
