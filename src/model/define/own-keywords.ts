import type { GivenSchema } from './raw-schema.ts';

/**
 * Reads what this library itself writes into the JSON Schema of a model and JSON Schema leaves open: the range of an
 * integer, and which callers read or write a field.
 */
export function readOwnKeywords(schema: GivenSchema): GivenSchema {
  return readInteger(readVisibility(readWriting(withoutMerge(schema))));
}

/** What a patch merges has values that may be null: in any other schema, the keyword says nothing. */
function withoutMerge(given: GivenSchema): GivenSchema {
  const { 'x-merge': isMerged, ...schema } = given;
  return isMerged === undefined ? given : schema;
}

/** What is `readOnly`, clients do not write. */
function readWriting(given: GivenSchema): GivenSchema {
  const { readOnly, ...schema } = given;
  return readOnly === true ? { ...schema, policy: { insert: false, update: false, ...(schema.policy as GivenSchema | undefined) } } : given;
}

/** The sentence by which the description of a field says which callers read it. */
export function describeReaders(rules: readonly string[]): string {
  return `Only for callers with the rule ${rules.map((name) => `\`${name}\``).join(' or ')}.`;
}

function readVisibility(given: GivenSchema): GivenSchema {
  const { 'x-visible-to': read, description, ...schema } = given;
  if (read === undefined) return given;
  const own = typeof description === 'string' && Array.isArray(read) ? description.replace(describeReaders(read), '').trim() : description;
  const policy = { ...(schema.policy as GivenSchema | undefined), read };
  return { ...schema, ...(own === undefined || own === '' ? {} : { description: own }), policy };
}

/** An integer with the format `int64` has 64 bits, unless its bounds say that a JavaScript number holds all of them. */
function readInteger(schema: GivenSchema): GivenSchema {
  const { type, format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, bsonType } = schema;
  const isInteger = [type].flat().every((one) => one === 'integer' || one === 'null');
  if (format !== 'int64' || !isInteger || bsonType !== undefined || 'enum' in schema || 'const' in schema) return schema;
  const { format: _, ...bare } = schema;
  if (isSafe(minimum ?? exclusiveMinimum) && isSafe(maximum ?? exclusiveMaximum)) return bare;
  const { minimum: __, maximum: ___, ...open } = schema;
  return { ...open, ...(isSafe(minimum) ? { minimum } : {}), ...(isSafe(maximum) ? { maximum } : {}), bsonType: 'long' };
}

/** A bound beyond the safe range has been rounded, so that it could refuse a value that it allows. */
function isSafe(bound: unknown): boolean {
  return typeof bound === 'number' && Math.abs(bound) <= Number.MAX_SAFE_INTEGER;
}
