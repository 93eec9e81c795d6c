import { isObject } from '../../model/value/plain-object.ts';
import type { Schema } from '../../openapi/document.ts';

/** Finds the schema that a reference names. */
export type Resolve = (reference: string) => Schema;

/** Keywords that every client takes, and that are kept as they are. */
const kept = ['default', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;

/** Patterns that the library itself adds: they say nothing that the type does not. */
const libraryPatterns: ReadonlySet<unknown> = new Set([
  '^[^\\x00]*$',
  '^[^\\x00,]*$',
  '^[0-9a-fA-F]{24}$',
  '^[0-9a-f]{24}$',
  '^[\\w.~-]+$',
]);

/**
 * Simplifies a schema of the OpenAPI description to what the clients of language models take: no `$ref`, no lists of
 * types, no `const`, no `oneOf` and `allOf`, no formats but `date-time`, no bounds that only say how many bits a number
 * has. Rules that are lost stay in the description as words, if they are short. The api checks all of them in any case.
 */
export function simplify(schema: Schema, resolve: Resolve, inside: readonly string[] = []): Schema {
  const { $ref: reference } = schema;
  if (typeof reference === 'string') {
    if (inside.includes(reference)) return {};
    return simplify(resolve(reference), resolve, [...inside, reference]);
  }
  if ('if' in schema) return {}; // any value, as the api describes it
  const one = (part: unknown) => (isObject(part) ? simplify(part, resolve, inside) : {});
  const alternatives = alternativesOf(schema);
  if (alternatives) return withDescription(anyOf(distinct(alternatives.map(one))), schema.description);
  const { allOf = [], ...own } = schema as Schema & { readonly allOf?: readonly unknown[] };
  return Object.assign({}, ...allOf.map(one), simplifySingle(own, one));
}

/**
 * The alternatives of a schema that allows several types. A decimal may also be sent as a number, but only text is
 * exact.
 */
function alternativesOf(schema: Schema): readonly unknown[] | undefined {
  const { type, format, enum: values, anyOf, oneOf, description, ...rest } = schema;
  if (Array.isArray(anyOf ?? oneOf)) return (anyOf ?? oneOf) as readonly unknown[];
  if (!Array.isArray(type)) return undefined;
  const types = format === 'decimal' ? type.filter((name) => name !== 'number') : type;
  return types.map((name) => (name === 'null' ? { type: 'null' } : { ...rest, type: name, format, enum: valuesOf(values, name) }));
}

function valuesOf(values: unknown, type: string): unknown {
  const types = type === 'integer' ? ['number', 'bigint'] : [type];
  return Array.isArray(values) ? values.filter((value) => types.includes(typeof value)) : undefined;
}

function simplifySingle(schema: Schema, one: (part: unknown) => Schema): Schema {
  const { type, enum: values, const: only, properties, required, items, additionalProperties, format } = schema;
  const simple: Record<string, unknown> = type === undefined ? {} : { type };
  for (const keyword of kept) if (schema[keyword] !== undefined) simple[keyword] = schema[keyword];
  for (const keyword of ['minimum', 'maximum'] as const) if (isBound(schema[keyword])) simple[keyword] = Number(schema[keyword]);
  if (format === 'date-time') simple.format = format;
  if (values !== undefined || only !== undefined) simple.enum = values ?? [only];
  if (isObject(properties)) simple.properties = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, one(part)]));
  if (Array.isArray(required) && required.length > 0) simple.required = required;
  if (isObject(items)) simple.items = one(items);
  if (isObject(additionalProperties)) simple.additionalProperties = one(additionalProperties);
  const description = [schema.description, ...wordsFor(schema)].filter((text) => text !== undefined).join('; ');
  return description === '' ? simple : { ...simple, description };
}

/** A bound that the definition has, and not merely the type. */
function isBound(value: unknown): boolean {
  if (typeof value !== 'number' && typeof value !== 'bigint') return false;
  return value > -Number.MAX_SAFE_INTEGER && value < Number.MAX_SAFE_INTEGER;
}

/** The meaning of the omitted keywords, in words. */
function wordsFor({ format, pattern, exclusiveMinimum, exclusiveMaximum, multipleOf, uniqueItems, maximum, type }: Schema): string[] {
  const isInt64 = type === 'integer' && format === 'int64' && typeof maximum === 'bigint' && maximum > BigInt(Number.MAX_SAFE_INTEGER);
  return [
    ...(format === 'decimal' ? ['decimal such as "12.50"'] : []),
    ...(isInt64 ? ['beyond 9007199254740991 as text'] : []),
    ...(typeof format === 'string' && !wordless.has(format) ? [format] : []),
    ...(typeof pattern === 'string' && format === undefined && pattern.length <= 60 && !libraryPatterns.has(pattern)
      ? [`matches ${pattern}`]
      : []),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`below ${exclusiveMaximum}`]),
    ...(multipleOf === undefined ? [] : [`a multiple of ${multipleOf}`]),
    ...(uniqueItems === true ? ['each once'] : []),
  ];
}

/** Formats that the type or the schema says in another way. */
const wordless: ReadonlySet<string> = new Set(['date-time', 'decimal', 'int32', 'int64', 'float', 'double']);

/** A schema with a description, unless it has one of its own. */
export function withDescription(schema: Schema, description: unknown): Schema {
  return description === undefined || schema.description !== undefined ? schema : { ...schema, description };
}

function anyOf(schemas: readonly Schema[]): Schema {
  const [only, ...others] = schemas;
  return others.length === 0 ? (only ?? {}) : { anyOf: schemas };
}

function distinct(schemas: readonly Schema[]): Schema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}
