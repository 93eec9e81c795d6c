import type { GivenSchema } from './raw-schema.ts';

// A symbol: a spread copies it, and no text of the schema shows it.
const optional = Symbol.for('koa-mongo-resource.optional');

/** A copy of a schema whose field may be absent. */
export function markOptional(schema: GivenSchema): GivenSchema {
  return { ...schema, [optional]: true };
}

/** Whether the field of a schema may be absent: {@link markOptional} says so, or `Type.Optional` of TypeBox. */
export function isOptional(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && (optional in schema || '~optional' in schema);
}
