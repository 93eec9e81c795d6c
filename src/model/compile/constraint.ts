import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import { ConfigurationError } from '../../errors.ts';
import { didYouMean, firstNames, listNames, showName } from '../../hints.ts';
import { isPlainJson, stringifyJson } from '../../http/json.ts';
import { aWholeNumber, checkValue, type Legal, trueOrFalse } from '../../options.ts';
import { Invalid } from '../../rules.ts';
import type { annotations, GivenSchema } from '../define/raw-schema.ts';
import type { Constraint } from '../value/leaf.ts';
import { own } from '../value/plain-object.ts';
import { ajv, checkingAjv, referring, stringFormats } from './ajv.ts';

/**
 * Compiles the keywords of a value into a constraint. Undefined if there are none. Configuration errors name `path`.
 */
export function compileConstraint(type: string, keywords: GivenSchema, path: string): Constraint | undefined {
  const names = Object.keys(keywords);
  if (names.length === 0) return undefined;
  checkFormat(keywords.format, path);
  checkLegal(keywords, legalKeywords, path);
  const isChecked = names.every((name) => Object.hasOwn(legalKeywords, name));
  return compile({ type, ...keywords }, path, isChecked ? () => ajv : checkingAjv);
}

const aText: Legal = [(value) => typeof value === 'string', 'a string'];
const aNumber: Legal = [(value) => Number.isFinite(value), 'a number'];
const aCount = aWholeNumber(0);

/** What is legal for the keywords of typed values. Missing is `propertyNames`, which is a schema. */
const legalKeywords: Readonly<Record<string, Legal>> = {
  minLength: aCount,
  maxLength: aCount,
  pattern: aText,
  format: aText,
  minimum: aNumber,
  maximum: aNumber,
  exclusiveMinimum: aNumber,
  exclusiveMaximum: aNumber,
  multipleOf: [(value) => Number.isFinite(value) && (value as number) > 0, 'a number above 0'],
  minItems: aCount,
  maxItems: aCount,
  minProperties: aCount,
  maxProperties: aCount,
};

const legalAnnotations: Readonly<Record<(typeof annotations)[number], Legal>> = {
  title: aText,
  description: aText,
  examples: [Array.isArray, 'an array'],
  deprecated: trueOrFalse,
};

/** Checks the values of those keywords that the table has. */
function checkLegal(given: GivenSchema, legal: Readonly<Record<string, Legal>>, path: string): void {
  for (const [name, value] of Object.entries(given)) {
    const one = own(legal, name);
    if (one && value !== undefined) checkValue(`\`${name}\` of \`${path}\``, value, one);
  }
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
  const unknown = Object.keys(keywords).find((keyword) => !Object.hasOwn(checkingAjv().RULES.keywords, keyword));
  if (unknown !== undefined)
    throw new ConfigurationError(`\`${unknown}\` of \`${path}\` is neither a keyword of JSON Schema nor one of this library.`);
  if (Object.keys(keywords).length === 0) return undefined;
  const check = compile(keywords, path, checkingAjv);
  return (value) => check(isPlainJson(value) ? value : JSON.parse(stringifyJson(value)));
}

/** Checks the types of `title`, `description`, `examples` and `deprecated`, and that the examples are JSON. */
export function checkAnnotations(schema: GivenSchema, path: string): void {
  checkLegal(schema, legalAnnotations, path);
  if (schema.examples !== undefined) toText({ examples: schema.examples }, path);
}

/**
 * Compiled keywords, by their JSON. Many fields have the same ones, and compiling takes most of the time of a start.
 */
const compiled = new Map<string, Constraint>();
/** An app that never stops defining models must not fill the memory. */
const mostCompiled = 1_000;

function compile(keywords: GivenSchema, path: string, compiler: () => Ajv2020): Constraint {
  const text = toText(keywords, path);
  const constraint = compiled.get(text) ?? compileAnew(JSON.parse(text) as GivenSchema, path, compiler());
  if (compiled.size >= mostCompiled) compiled.clear();
  compiled.set(text, constraint);
  return constraint;
}

function compileAnew(schema: GivenSchema, path: string, compiler: Ajv2020): Constraint {
  try {
    const validate = compiler.compile(schema);
    return (value) => (validate(value) ? undefined : describe(validate.errors?.at(-1)));
  } catch (error) {
    throw new ConfigurationError(`The schema of \`${path}\` is not valid: ${(error as Error).message}`);
  } finally {
    compiler.removeSchema(schema);
  }
}

/** The JSON of a schema. What is compiled is read from it, so that the caller's object is neither kept nor changed. */
function toText(schema: GivenSchema, path: string): string {
  try {
    return JSON.stringify(schema);
  } catch (error) {
    throw new ConfigurationError(`The schema of \`${path}\` is not JSON: ${(error as Error).message}`);
  }
}

function checkFormat(format: unknown, path: string): void {
  if (format === undefined || stringFormats.includes(format as string)) return;
  throw new ConfigurationError(
    `\`format\` of \`${path}\` is unknown: \`${showName(format)}\`${didYouMean(format, stringFormats, `. Allowed: ${stringFormats.join(', ')}.`)}`,
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
