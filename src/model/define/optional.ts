import type { GivenSchema } from './raw-schema.ts';

// A symbol, because a spread copies it and the JSON of the schema does not show it.
const optional = Symbol.for('koa-mongo-resource.optional');

/** Copies a schema and marks its field as one that may be absent. */
export function markOptional(schema: GivenSchema): GivenSchema {
  return { ...schema, [optional]: true };
}

/** Whether the field of a schema may be absent: {@link markOptional} has marked it, or TypeBox's `Type.Optional`. */
export function isOptional(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && (optional in schema || '~optional' in schema);
}
