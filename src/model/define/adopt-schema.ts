import { ConfigurationError } from '../../errors.ts';
import { isTable } from '../../options.ts';
import { type GivenSchema, isForeign } from './raw-schema.ts';
import { hasReference, resolveSchema } from './resolve-schema.ts';
import type { AnySchema } from './schema.ts';
import { askForSchemas, type StandardSchema } from './standard-schema.ts';

/**
 * Turns a schema of another library, or a JSON Schema with `$schema`, `$defs` or `$ref`, into a schema of this library.
 * Returns any other schema as it is. Throws a {@link ConfigurationError} for a rule that would be lost. It names the
 * rule and its place, which begins with `path`.
 */
export function adoptSchema(given: AnySchema, path: string): GivenSchema {
  if (!isForeign(given)) return isDocument(given) ? resolveSchema(given as GivenSchema, path) : ((given ?? {}) as GivenSchema);
  const { input, output } = askForSchemas(given as StandardSchema, path);
  return unite(resolveSchema(input, path), resolveSchema(output, path), path);
}

function isDocument(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  return ['$schema', '$id', '$defs', 'definitions'].some((keyword) => keyword in given) || hasReference(given);
}

/**
 * Keywords that may differ between the input and the output of a schema: they describe the value, or replace a missing
 * one.
 */
const describing: ReadonlySet<string> = new Set(['default', 'title', 'description', 'examples', 'deprecated']);

/**
 * Unites the schemas of the input and the output of a schema. A member that is missing in the first and not in the
 * second has a default. Everything else must be equal: this library would not carry out the change.
 */
function unite(input: GivenSchema, output: GivenSchema, path: string): GivenSchema {
  const united: Record<string, unknown> = { ...input };
  for (const keyword of new Set([...Object.keys(input), ...Object.keys(output)])) {
    if (describing.has(keyword)) continue;
    else if (keyword === 'properties') united.properties = uniteMembers(input.properties, output.properties, path);
    else if (keyword === 'required') united.required = uniteRequired(input, output, path);
    else if (keyword === 'additionalProperties' && input[keyword] === undefined) united[keyword] = onlyFalse(output[keyword], path);
    else united[keyword] = uniteValues(input[keyword], output[keyword], keyword === 'items' ? `${path}.*` : path, keyword);
  }
  return united;
}

function uniteMembers(input: unknown, output: unknown, path: string): GivenSchema {
  const before = (input ?? {}) as GivenSchema;
  const after = (output ?? {}) as GivenSchema;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries([...names].map((name) => [name, uniteValues(before[name], after[name], `${path}.${name}`, 'properties')]));
}

function uniteRequired(input: GivenSchema, output: GivenSchema, path: string): unknown {
  const before = (input.required ?? []) as readonly string[];
  const after = (output.required ?? []) as readonly string[];
  const lost = before.find((name) => !after.includes(name));
  if (lost !== undefined) throw changes(`${path}.${lost}`, 'required');
  const names = Object.keys((input.properties ?? {}) as GivenSchema);
  const unset = names.find((name) => after.includes(name) && !before.includes(name) && !hasDefault(input, name));
  if (unset === undefined) return [...new Set([...after, ...names.filter((name) => hasDefault(input, name))])];
  throw new ConfigurationError(
    `\`${path}.${unset}\` has a default that its JSON Schema does not tell: leave it out of that schema, and give the field a default here.`,
  );
}

function hasDefault({ properties }: GivenSchema, name: string): boolean {
  const member = (properties as Readonly<Record<string, unknown>>)[name];
  return typeof member === 'object' && member !== null && 'default' in member;
}

/** The output of an object has only known members. This library refuses an unknown member, and does not drop it. */
function onlyFalse(additional: unknown, path: string): unknown {
  if (additional === false) return false;
  throw changes(path, 'additionalProperties');
}

function uniteValues(input: unknown, output: unknown, path: string, keyword: string): unknown {
  if (isTable(input) && isTable(output)) return unite(input, output, path);
  if (Array.isArray(input) && Array.isArray(output) && input.length === output.length)
    return input.map((one, index) => uniteValues(one, output[index], path, keyword));
  if (input === output) return input;
  throw changes(path, keyword);
}

function changes(path: string, keyword: string): ConfigurationError {
  return new ConfigurationError(
    `The schema of \`${path}\` changes values (\`${keyword}\` differs between what it takes and what it gives), and this library would not do that: change them in the handler, or in a hook.`,
  );
}
