import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ConfigurationError } from '../../errors.ts';
import { didYouMean, firstNames, listNames } from '../../hints.ts';
import { isPlainJson, stringifyJson } from '../../http/json.ts';
import { once } from '../../mistakes.ts';
import { Invalid } from '../../rules.ts';
import { annotations, type GivenSchema, pick } from '../define/raw-schema.ts';
import type { Constraint } from '../value/leaf.ts';
import { decimalLeaf } from '../value/number-leaves.ts';
import { hasEqualItems } from '../value/unique-items.ts';

/**
 * Ajv in strict mode, for the constraints of single fields. It does not know this library's keywords: they would have
 * no effect inside an untyped schema, and must be refused there. Compiled schemas are removed from it.
 */
const ajv = createAjv();

function createAjv(): Ajv2020 {
  const created = new Ajv2020({ strict: true, strictTypes: true, strictRequired: false, allowUnionTypes: true, multipleOfPrecision: 8 });
  formats.default(created);
  created.addFormat('url', isUrl);
  created.addFormat('decimal', isDecimal); // as this library describes `t.decimal()`
  created.removeKeyword('uniqueItems');
  created.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: isUnique });
  return created;
}

/**
 * Keywords that refer to another schema. Ajv would take `#/constructor` for one that allows everything: only
 * `resolveSchema` follows them.
 */
const referring = ['$ref', '$dynamicRef', '$recursiveRef'];

/**
 * Ajv when it does not know these keywords either. It needs them for the schema of schemas, whose compilation takes
 * most of its start.
 */
const withoutReferences = once(() => {
  void ajv.validateSchema({});
  for (const keyword of referring) ajv.removeKeyword(keyword);
  return ajv;
});

// The pattern of ajv-formats would take minutes for a malicious string of 1 MiB.
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\//i.test(text) && !/\s/.test(text) && URL.canParse(text);
}

function isDecimal(text: string): boolean {
  return !(decimalLeaf.fromJson(text) instanceof Invalid);
}

function isUnique(wanted: boolean, items: readonly unknown[]): boolean {
  return !wanted || !hasEqualItems(items);
}

/** The formats that a string may have. */
const stringFormats = Object.entries(ajv.formats).flatMap(([name, format]) => (isStringFormat(format) ? [name] : []));

function isStringFormat(format: (typeof ajv.formats)[string]): boolean {
  return typeof format !== 'boolean' && format !== undefined && !('type' in format && format.type === 'number');
}

/**
 * Compiles the keywords of a value into a constraint. Undefined if there are none. Configuration errors name `path`.
 */
export function compileConstraint(type: string, keywords: GivenSchema, path: string): Constraint | undefined {
  if (Object.keys(keywords).length === 0) return undefined;
  checkFormat(keywords.format, path);
  return compile({ type, ...keywords }, path);
}

/**
 * Compiles a hand-written schema of an untyped value. It checks JSON, with numbers rounded to the precision of a
 * double.
 */
export function compileUntyped(keywords: GivenSchema, path: string): Constraint | undefined {
  const reference = referring.find((keyword) => Object.hasOwn(keywords, keyword));
  if (reference !== undefined)
    throw new ConfigurationError(
      `\`${reference}\` of \`${path}\` is not followed here: write \`t.from(…)\` around the schema that it belongs to.`,
    );
  const unknown = Object.keys(keywords).find((keyword) => !Object.hasOwn(ajv.RULES.keywords, keyword));
  if (unknown !== undefined)
    throw new ConfigurationError(`\`${unknown}\` of \`${path}\` is neither a keyword of JSON Schema nor one of this library.`);
  if (Object.keys(keywords).length === 0) return undefined;
  const check = compile(keywords, path);
  return (value) => check(isPlainJson(value) ? value : JSON.parse(stringifyJson(value)));
}

/** Checks the types of `title`, `description`, `examples` and `deprecated`. */
export function checkAnnotations(schema: GivenSchema, path: string): void {
  const given = pick(schema, annotations);
  if (Object.keys(given).length === 0 || ajv.validateSchema(toJson(given, path))) return;
  const [error] = ajv.errors ?? [];
  throw new ConfigurationError(`\`${error?.instancePath.slice(1)}\` of \`${path}\` is not valid: it ${error?.message}.`);
}

/**
 * Compiled keywords, by their JSON. Many fields have the same ones, and compiling takes most of the time of a start.
 */
const compiled = new Map<string, Constraint>();
/** An app that never stops defining models must not fill the memory. */
const mostCompiled = 1_000;

function compile(keywords: GivenSchema, path: string): Constraint {
  const schema = toJson(keywords, path);
  const text = JSON.stringify(schema);
  const constraint = compiled.get(text) ?? compileAnew(schema, path);
  if (compiled.size >= mostCompiled) compiled.clear();
  compiled.set(text, constraint);
  return constraint;
}

function compileAnew(schema: GivenSchema, path: string): Constraint {
  try {
    const validate = withoutReferences().compile(schema);
    return (value) => (validate(value) ? undefined : describe(validate.errors?.at(-1)));
  } catch (error) {
    throw new ConfigurationError(`The schema of \`${path}\` is not valid: ${(error as Error).message}`);
  } finally {
    ajv.removeSchema(schema);
  }
}

/** Copies a schema as JSON, so that the caller's object is neither kept nor changed. */
function toJson(schema: GivenSchema, path: string): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
  } catch (error) {
    throw new ConfigurationError(`The schema of \`${path}\` is not JSON: ${(error as Error).message}`);
  }
}

function checkFormat(format: unknown, path: string): void {
  if (format === undefined || stringFormats.includes(format as string)) return;
  throw new ConfigurationError(
    `\`format\` of \`${path}\` is unknown: \`${String(format)}\`${didYouMean(String(format), stringFormats, `. Allowed: ${stringFormats.join(', ')}.`)}`,
  );
}

const count = (limit: unknown, noun: string): string => `${limit} ${noun}${limit === 1 ? '' : 's'}`;

const noMatch = new Invalid('schema', 'does not match the schema of this field');

type Params = Readonly<Record<string, unknown>>;

// By keyword of JSON Schema. Clients must not depend on Ajv's own messages and params, which change with its versions.
const explanations: Readonly<Record<string, (params: Params) => Invalid>> = {
  type: ({ type }) => new Invalid('type', `must be of type ${[type].flat().join(' or ')}`, { type }),
  enum({ allowedValues }) {
    const values = allowedValues as unknown[];
    return new Invalid('enum', `must be one of ${listNames(values.map((value) => JSON.stringify(value)))}`, { values: firstNames(values) });
  },
  const: ({ allowedValue: value }) => new Invalid('const', `must be ${JSON.stringify(value)}`, { value }),
  required: ({ missingProperty: key }) => new Invalid('required_key', `must have the key ${key}`, { key }),
  additionalProperties: ({ additionalProperty: key }) => new Invalid('unknown_key', `must not have the key ${key}`, { key }),
  minLength: ({ limit }) => new Invalid('minLength', `must have at least ${count(limit, 'character')}`, { limit }),
  maxLength: ({ limit }) => new Invalid('maxLength', `must have at most ${count(limit, 'character')}`, { limit }),
  pattern: ({ pattern }) => new Invalid('pattern', `must match the pattern ${pattern}`, { pattern }),
  format: ({ format }) => new Invalid('format', `must have the format ${format}`, { format }),
  minimum: ({ limit }) => new Invalid('minimum', `must be at least ${limit}`, { limit }),
  maximum: ({ limit }) => new Invalid('maximum', `must be at most ${limit}`, { limit }),
  exclusiveMinimum: ({ limit }) => new Invalid('exclusiveMinimum', `must be more than ${limit}`, { limit }),
  exclusiveMaximum: ({ limit }) => new Invalid('exclusiveMaximum', `must be less than ${limit}`, { limit }),
  multipleOf: ({ multipleOf }) => new Invalid('multipleOf', `must be a multiple of ${multipleOf}`, { multipleOf }),
  minItems: ({ limit }) => new Invalid('minItems', `must have at least ${count(limit, 'item')}`, { limit }),
  maxItems: ({ limit }) => new Invalid('maxItems', `must have at most ${count(limit, 'item')}`, { limit }),
  uniqueItems: () => new Invalid('uniqueItems', 'must not have equal items'),
  minProperties: ({ limit }) => new Invalid('minProperties', `must have at least ${count(limit, 'key')}`, { limit }),
  maxProperties: ({ limit }) => new Invalid('maxProperties', `must have at most ${count(limit, 'key')}`, { limit }),
  propertyNames: ({ propertyName: key }) => new Invalid('propertyNames', `must not have the key ${key}`, { key }),
  anyOf: () => new Invalid('anyOf', 'must match one of the alternatives'),
  oneOf: () => new Invalid('oneOf', 'must match exactly one of the alternatives'),
};

// Of several errors the last is the outermost. For `oneOf`, the errors before it are those of the branches.
function describe(error: ErrorObject | undefined): Invalid {
  if (!error) return noMatch;
  const { rule, message, params } = explanations[error.keyword]?.(error.params) ?? noMatch;
  const within = error.instancePath.slice(1).split('/').map(unescapePointer).join('.');
  return new Invalid(rule, message, params, within);
}

/** Decodes a step of a JSON Pointer (RFC 6901 §4). */
function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
