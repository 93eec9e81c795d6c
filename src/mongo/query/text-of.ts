import { bson, declined, findMember, readInt32 } from '../../model/value/bson-bytes.ts';
import { isBinary, isObjectId } from '../../model/value/bson-type.ts';
import { isObject } from '../../model/value/plain-object.ts';

/**
 * A text of a filter, to compare filters: two filters with the same text are equal. Undefined for a filter with a value
 * of a rare type. It costs less than BSON.
 */
export function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Object.is(value, -0) ? undefined : String(value);
    case 'bigint':
      return `${value}n`;
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      return value === null ? 'null' : textOfObject(value);
    default:
      return undefined;
  }
}

function textOfObject(value: object): string | undefined {
  if (Array.isArray(value)) return joined('[', value.map(textOf), ']');
  if (isObjectId(value)) return `o${value.toHexString()}`;
  if (value instanceof Date) return `d${value.getTime()}`;
  if (!isObject(value)) return undefined;
  return joined(
    '{',
    Object.entries(value).map(([key, member]) => {
      const text = textOf(member);
      return text && `${JSON.stringify(key)}:${text}`;
    }),
    '}',
  );
}

function joined(open: string, texts: readonly (string | undefined)[], close: string): string | undefined {
  return texts.includes(undefined) ? undefined : `${open}${texts.join()}${close}`;
}

/** A text of an id, to compare ids. Undefined for types in which equal values have several forms, such as numbers. */
export function idTextOf(id: unknown): string | undefined {
  if (isObjectId(id)) return `o${id.toHexString()}`;
  if (typeof id === 'string') return `s${id}`;
  return isBinary(id) && id.sub_type === uuid && id.position === 16 ? `u${id.toString('hex')}` : undefined;
}

/** The text of the id in the BSON bytes of a record. */
export function idTextIn(bytes: Uint8Array): string | undefined {
  const { buffer, byteOffset } = bytes;
  const text = (encoding: 'hex' | 'utf8', start: number, length: number) =>
    Buffer.from(buffer, byteOffset + start, length).toString(encoding);
  try {
    const { type, start } = findMember(bytes, '_id') ?? { type: 0, start: 0 };
    if (type === bson.objectId) return `o${text('hex', start, 12)}`;
    if (type === bson.string) return `s${text('utf8', start + 4, readInt32(bytes, start) - 1)}`;
    return type === bson.binary && bytes[start + 4] === uuid ? `u${text('hex', start + 5, readInt32(bytes, start))}` : undefined;
  } catch (error) {
    if (error !== declined) throw error;
    return undefined;
  }
}

const uuid = 4;
