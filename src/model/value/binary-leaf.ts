import { Binary, BSON } from 'mongodb';
import { Invalid } from '../../rules.ts';
import { isBinary } from './bson-type.ts';
import { copyBinary } from './copy-value.ts';
import type { Leaf } from './leaf.ts';
import { writeUntyped } from './untyped.ts';
import { writeBytesOf } from './write-bson.ts';

/** The error of a text that is not base64. */
export const notBinary = new Invalid('type', 'must be base64 (RFC 4648 §4) with padding', { type: 'base64' });
const notVector = new Invalid('not_storable', 'must be the bytes of a vector, as BSON stores them');

// The pattern has no groups of four characters: V8 would run out of stack on a text of some megabytes.
const base64Text = /^[A-Za-z0-9+/]*={0,2}$/;
/** Whether a text is base64 with padding (RFC 4648 §4). */
export const isBase64 = (text: string): boolean => text.length % 4 === 0 && base64Text.test(text);

/** The subtype whose bytes the driver checks when it writes them. */
const vector = 9;

function isStorable(value: Binary): boolean {
  try {
    return BSON.serialize({ value }).length > 0;
  } catch {
    return false;
  }
}

/**
 * Bytes of a subtype. Those of another one are shown as Extended JSON, `{"$binary": {"base64": …, "subType": "05"}}`:
 * it is no text of bytes, so that no client sends it back as one, which would change its subtype.
 */
function makeBinaryLeaf(subtype: number): Leaf<Binary> {
  const notOfSubtype = new Invalid('type', `must be binary data of subtype ${subtype}`, { type: 'base64' });
  const isOwn = (value: Binary) => value.sub_type === subtype;
  function make(bytes: Uint8Array): Binary | Invalid {
    const value = new Binary(bytes, subtype);
    return subtype !== vector || isStorable(value) ? value : notVector;
  }
  const readText = (text: string) => (isBase64(text) ? make(Buffer.from(text, 'base64')) : notBinary);
  return {
    name: 'binary',
    ...(subtype !== 0 && { subtype }),
    readSchema: { type: 'string', contentEncoding: 'base64' },
    writeSchema: {
      type: 'string',
      contentEncoding: 'base64',
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    },
    bsonTypes: ['binData'],
    accepted: [{ bsonTypes: ['binData'], isOf: isOwn }],
    fromJson: (value) => (typeof value === 'string' ? readText(value) : notBinary),
    fromText: readText,
    fromDocument(value) {
      if (isBinary(value)) return isOwn(value) ? copyBinary(value) : notOfSubtype;
      return value instanceof Uint8Array ? make(Uint8Array.from(value)) : notBinary;
    },
    toDocument: (stored) => stored,
    toJson(stored) {
      if (!isBinary(stored)) return writeUntyped(stored);
      const base64 = stored.toString('base64');
      const subType = stored.sub_type.toString(16).padStart(2, '0');
      return JSON.stringify(isOwn(stored) ? base64 : { $binary: { base64, subType } });
    },
    writeBson: writeBytesOf(subtype),
  };
}

/** Bytes of the generic subtype. */
export const binaryLeaf = makeBinaryLeaf(0);

/** Bytes of a subtype, from 0 to 255. */
export function binaryLeafOf(subtype: number): Leaf<Binary> {
  return subtype === 0 ? binaryLeaf : makeBinaryLeaf(subtype);
}
