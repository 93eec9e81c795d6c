import { Binary, Decimal128, Double, Long, ObjectId, UUID } from 'mongodb';

const name = /^[\w$]+$/;

/** Writes a value of a command on one line, with its BSON type: `{ _id: ObjectId(…), n: Long(5) }`. */
export function writeValue(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\n', '\\n')}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`;
  return writeType(value) ?? writeDocument(Object.entries(value));
}

function writeType(value: object): string | undefined {
  if (value instanceof Date) return `Date(${value.toISOString()})`;
  if (value instanceof RegExp) return String(value);
  if (value instanceof ObjectId) return `ObjectId(${value})`;
  if (value instanceof UUID) return `UUID(${value})`;
  if (value instanceof Binary) return `Binary(${value.sub_type}, ${value.toString('hex')})`;
  if (value instanceof Uint8Array) return `Bytes(${Buffer.from(value).toString()})`;
  if (value instanceof Decimal128) return `Decimal(${value})`;
  if (value instanceof Long) return `Long(${value})`;
  if (value instanceof Double) return `Double(${value.value})`;
  if (value instanceof Map) return writeDocument([...value]);
  return undefined;
}

function writeDocument(entries: readonly (readonly [string, unknown])[]): string {
  const written = entries.map(([key, one]) => `${name.test(key) ? key : `'${key}'`}: ${writeValue(one)}`);
  return written.length === 0 ? '{}' : `{ ${written.join(', ')} }`;
}
