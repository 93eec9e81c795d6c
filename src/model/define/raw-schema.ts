import { isDeepStrictEqual } from 'node:util';
import { ConfigurationError } from '../../errors.ts';
import { keywords } from '../../features/keywords.ts';
import { didYouMean } from '../../hints.ts';
import { isTable } from '../../options.ts';

/** A JSON Schema before it is compiled: a builder made it, or it was written by hand. */
export type GivenSchema = Readonly<Record<string, unknown>>;

/** Keywords that describe a field to people and do not restrict its values. */
export const annotations = ['title', 'description', 'examples', 'deprecated'] as const;

/** This library's keywords for fields. They are not about the field's value. */
export const markers = [
  'policy',
  'immutable',
  'storeNone',
  'default',
  'ref',
  'maintained',
  ...keywords,
  'unique',
  'index',
  'stored',
  'computed',
] as const;

/**
 * Whether a value is a schema of another library that follows Standard Schema, even one that cannot tell its JSON
 * Schema.
 */
export function isForeign(value: unknown): value is { readonly '~standard': unknown } {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value;
}

/** Returns the value as a schema. Throws a {@link ConfigurationError} if it is not an object. */
export function asSchema(value: unknown, path: string): GivenSchema {
  if (isForeign(value)) throw new ConfigurationError(`The schema of \`${path}\` is of another library: write \`t.from(…)\` around it.`);
  if (isTable(value)) return value;
  throw new ConfigurationError(`The schema of \`${path}\` must be an object: a builder of \`t\`, or a JSON Schema.`);
}

/** Copies some of a schema's keywords. */
export function pick(schema: GivenSchema, keywords: readonly string[]): GivenSchema {
  const picked: Record<string, unknown> = {};
  for (const keyword of keywords) if (schema[keyword] !== undefined) picked[keyword] = schema[keyword];
  return picked;
}

/** The keywords that a field of any kind may have. */
const ofEveryField: ReadonlySet<string> = new Set([...annotations, ...markers, '$comment']);

/** Refuses keywords that would have no effect: misspelt keywords, and those of another kind of value. */
export function checkKeywords(schema: GivenSchema, own: readonly string[], path: string, kind: string): void {
  for (const keyword of Object.keys(schema)) {
    if (schema[keyword] === undefined || own.includes(keyword) || ofEveryField.has(keyword)) continue;
    const legal = [...new Set([...own, ...ofEveryField])];
    throw new ConfigurationError(
      `\`${keyword}\` of \`${path}\` is not a keyword of ${kind}${didYouMean(keyword, legal, `. Allowed: ${legal.join(', ')}.`)}`,
    );
  }
}

/**
 * Separates null from the other values that a schema allows. The returned schema describes only the other values.
 * Annotations and markers beside an `anyOf` take precedence over those of its branch. Throws a
 * {@link ConfigurationError} if they have different values for another keyword.
 */
export function unwrapNull(schema: GivenSchema, path: string): { schema: GivenSchema; nullable: boolean } {
  return separateNull(schema, path, refuseNullForbidden);
}

function separateNull(schema: GivenSchema, path: string, check?: typeof refuseNullForbidden): { schema: GivenSchema; nullable: boolean } {
  for (const keyword of ['anyOf', 'oneOf', 'type', 'enum'] as const) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    const { [keyword]: _, ...outer } = schema;
    const rest = branches.filter((branch) => !isNull(branch, keyword));
    if (rest.length === branches.length || rest.length === 0) continue;
    check?.(outer, keyword, path);
    return { schema: separateNull(withBranches(outer, keyword, rest, path), path).schema, nullable: true }; // null may be allowed twice
  }
  return { schema, nullable: false };
}

/** Refuses a keyword beside null that forbids it: null would be legal here, and is not in JSON Schema. */
function refuseNullForbidden({ type, enum: values, const: only }: GivenSchema, keyword: string, path: string): void {
  const forbids = (allowed: unknown, isIn: boolean) => allowed !== undefined && !isIn;
  const other =
    (forbids(type, type === 'null' || (Array.isArray(type) && type.includes('null'))) && 'type') ||
    (forbids(values, Array.isArray(values) && values.includes(null)) && 'enum') ||
    (forbids(only, only === null) && 'const');
  if (other)
    throw new ConfigurationError(
      `\`${keyword}\` of \`${path}\` allows null, but \`${other}\` beside it does not: let both allow it, or none.`,
    );
}

function isNull(branch: unknown, keyword: 'anyOf' | 'oneOf' | 'type' | 'enum'): boolean {
  if (keyword === 'type') return branch === 'null';
  if (keyword === 'enum') return branch === null;
  return typeof branch === 'object' && branch !== null && (branch as GivenSchema).type === 'null' && Object.keys(branch).length === 1;
}

function withBranches(outer: GivenSchema, keyword: string, rest: readonly unknown[], path: string): GivenSchema {
  const [only] = rest;
  if (rest.length > 1 || keyword === 'enum') return { ...outer, [keyword]: rest };
  return keyword === 'type' ? { ...outer, type: only } : layOver(asSchema(only, path), outer, path);
}

function layOver(inner: GivenSchema, given: GivenSchema, path: string): GivenSchema {
  const { schema } = separateNull(given, path); // the alternatives have lost their null, too
  const outer = pick(schema, Object.keys(schema)); // what is undefined is absent
  const differs = (keyword: string) => keyword in outer && !isDeepStrictEqual(inner[keyword], outer[keyword]);
  const lost = Object.keys(inner).find((keyword) => !ofEveryField.has(keyword) && !keyword.startsWith('~') && differs(keyword));
  if (lost)
    throw new ConfigurationError(`\`${lost}\` of \`${path}\` is also a keyword of its alternative beside null: give it to one of them.`);
  const merged = { ...inner, ...outer };
  if (!isPolicy(inner.policy) || !isPolicy(outer.policy)) return merged;
  return { ...merged, policy: { ...inner.policy, ...outer.policy } };
}

function isPolicy(value: unknown): value is GivenSchema {
  return typeof value === 'object' && value !== null;
}
