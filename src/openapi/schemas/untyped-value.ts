import type { Schema } from '../document.ts';

/** The name of the schema of untyped values in bodies. No object may have this name. */
export const untypedName = 'UntypedValue';

/** The reference to an untyped value in a body. */
export const untypedReference: Schema = { $ref: `#/components/schemas/${untypedName}` };

/** Keys at any depth have no NUL character, because BSON ends keys with it. */
export const keySchema: Schema = { pattern: '^[^\\x00]*$' };

const object: Schema = { type: 'object', propertyNames: keySchema, additionalProperties: untypedReference };
const array: Schema = { type: 'array', items: untypedReference };
const single: Schema = { type: ['null', 'boolean', 'number', 'string'], minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n };

/**
 * Any value that the database can hold. JSON Schema cannot tell `1e30`, which is stored as a double, from the same
 * number in plain digits, which is refused. The schema of numbers therefore says only what holds for both. It uses `if`
 * and not `anyOf`: generators turn conditions into `unknown`, but a union that contains arrays of itself into a type
 * that TypeScript refuses.
 */
export const untypedSchema: Schema = {
  description: 'Any JSON value whose integers have at most 64 bits and whose keys have no NUL character.',
  ...choose(object, choose(single, array)),
};

/** The first schema for values of its type, the second for all others. */
function choose(first: Schema, second: Schema): Schema {
  // biome-ignore lint/suspicious/noThenProperty: `then` of JSON Schema's `if`; nobody awaits a schema
  return { if: { type: first.type }, then: first, else: second };
}

/** An untyped value in a body, with its own keywords. */
export function describeUntyped(keywords: Schema): Schema {
  if (Object.keys(keywords).length === 0) return untypedReference;
  if (isAlwaysStorable(keywords)) return keywords;
  const { allOf = [] } = keywords as { readonly allOf?: readonly Schema[] };
  return { ...keywords, allOf: [...allOf, untypedReference] };
}

/** Whether the keywords allow no numbers and no keys, except those that the definition names. */
function isAlwaysStorable({ type, ...others }: Schema): boolean {
  if ('enum' in others || 'const' in others) return true;
  return type !== undefined && [type].flat().every((one) => one === 'string' || one === 'boolean' || one === 'null');
}

/** Whether a part of the description refers to untyped values. */
export function holdsUntyped(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return ('$ref' in part && part.$ref === untypedReference.$ref) || Object.values(part).some(holdsUntyped);
}
