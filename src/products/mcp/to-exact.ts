import { JsonNumber } from '../../http/json.ts';
import type { Schema } from '../../openapi/document.ts';
import { ToolError } from './tool.ts';

/** The envelope of a call has some levels of its own: a body of as many as the api allows passes. */
const maxDepth = 70;

/**
 * Copies a value so that no integer is changed without notice. The SDK's transports parse JSON with numbers of double
 * precision: an integer beyond 2^53 has been rounded already, and is refused. Where the schema has an integer, its
 * digits as text are taken instead.
 */
export function toExact(value: unknown, schema: Schema, path: string, depth = 0): unknown {
  if (depth > maxDepth) throw new ToolError(`\`${path.slice(0, 64)}\` is nested too deeply.`);
  if (typeof value === 'number') return checkNumber(value, path);
  if (typeof value === 'string') return isLongInteger(value) && takesInteger(schema) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value;
  if (Array.isArray(value)) return value.map((item, index) => toExact(item, partOf(schema, 'items'), `${path}.${index}`, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, toExact(one, memberOf(schema, key), `${path}.${key}`, depth + 1)]),
  );
}

const maxInt64 = 2 ** 63;

function checkNumber(value: number, path: string): number {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) <= maxInt64;
  if (!isRounded) return value;
  throw new ToolError(
    `\`${path.slice(0, 64)}\` is an integer beyond 9007199254740991, which JSON numbers round here: send its digits as text.`,
  );
}

function isLongInteger(text: string): boolean {
  return /^-?\d{16,19}$/.test(text) && !Number.isSafeInteger(Number(text));
}

function takesInteger({ type, anyOf }: Schema): boolean {
  return type === 'integer' || (Array.isArray(anyOf) && anyOf.some(takesInteger));
}

function memberOf(schema: Schema, key: string): Schema {
  for (const one of alternativesOf(schema)) {
    const properties = partOf(one, 'properties');
    if (Object.hasOwn(properties, key)) return properties[key] as Schema;
  }
  return partOf(schema, 'additionalProperties');
}

function partOf(schema: Schema, keyword: string): Schema {
  const holder = alternativesOf(schema).find((one) => one[keyword] !== undefined);
  return (holder?.[keyword] ?? {}) as Schema;
}

function alternativesOf(schema: Schema): readonly Schema[] {
  return Array.isArray(schema.anyOf) ? (schema.anyOf as readonly Schema[]) : [schema];
}
