import type { Schema } from '../document.ts';

/** Keywords that hold a schema for each of several names. */
const schemasByName = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);

/** Keywords that hold values, which are no schemas whatever they look like. */
const ofValues = new Set(['const', 'enum']);

/**
 * Returns the keywords of a definition with the control characters of its patterns written as escapes. Generators copy
 * patterns into source files, where a line break ends a regular expression and a NUL character makes the file binary.
 */
export function escapePatterns(keywords: Schema): Schema {
  const entries = Object.entries(keywords).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'pattern' && typeof value === 'string') return [keyword, escapeControls(value)];
    if (ofValues.has(keyword) || !isObject(value)) return [keyword, value];
    if (Array.isArray(value)) return [keyword, value.map((one: unknown) => (isObject(one) ? escapePatterns(one) : one))];
    return [keyword, schemasByName.has(keyword) ? escapeEach(value, keyword === 'patternProperties') : escapePatterns(value)];
  });
  return Object.fromEntries(entries);
}

function escapeEach(schemas: Schema, areKeysPatterns: boolean): Schema {
  const entries = Object.entries(schemas).map(([name, schema]) => [
    areKeysPatterns ? escapeControls(name) : name,
    isObject(schema) ? escapePatterns(schema) : schema,
  ]);
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

/** Controls, and the two other characters that end a line of JavaScript. */
function escapeControls(pattern: string): string {
  return pattern
    .replaceAll(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
