import { type } from 'arktype';
import { z } from 'zod';
import { compile, fieldRows, js, modelRows, type Rows, withFields } from '../wrong.ts';

/** A schema of another library, with the JSON Schemas of its input and its output. */
function foreign(input: object, output: object): unknown {
  return { '~standard': { version: 1, vendor: 'own', jsonSchema: { input: () => input, output: () => output } } };
}

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, additionalProperties: false, ...more });

/** `$defs` of which each refers to the next one twice. */
function doubled(levels: number): object {
  const definitions = Array.from({ length: levels }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, object({ a: next, b: next })] as const;
  });
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(definitions), [`d${levels}`]: { type: 'string' } } };
}

/** JSON Schemas that are written by hand, and what a builder makes of wrong options. */
export const schemas: Rows = {
  ...fieldRows({
    'no schema': () => undefined,
    'a text in place of a schema': () => 'string',
    'a schema of another library without t.from': () => z.string(),
    'an unknown keyword': () => js.string({ colour: 1 }),
    'a misspelt keyword': () => js.string({ minLenght: 1 }),
    'a keyword of another type': () => js.int({ minLength: 1 }),
    'a keyword of another type of an array': () => js.array(js.string(), { minLength: 1 }),
    'a keyword of another type of a map': () => js.map(js.string(), { minItems: 1 }),
    'a keyword of another type of an object': () => js.object('A', {}, { minProperties: 1 }),
    'null beside a type without it': () => ({ anyOf: [{ type: 'string' }, { type: 'null' }], type: 'string' }),
    'null beside an enum without it': () => ({ type: ['string', 'null'], enum: ['a'] }),
    'null beside a constant': () => ({ type: ['string', 'null'], const: 'a' }),
    'a keyword beside null and in its alternative': () => ({ anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }], minLength: 2 }),
    'further keys of an object': () => ({ ...object({ b: js.string() }), additionalProperties: true }),
    'required that is no array': () => ({ ...object({ b: js.string() }), required: 'b' }),
    'required that names no property': () => ({ ...object({ b: js.string() }), required: ['c'] }),
    'a check that is none': () => js.object('A', { b: js.string() }, { check: true }),
    'a name of an object with a space': () => js.object('An object', { b: js.string() }),
    'a relation in a wrapper': () => js.optional(js.hasMany('Thing', { via: 'a' })),
    'a relation in an object': () => js.object('A', { b: js.hasMany('Thing', { via: 'a' }) }),
    'an object that contains itself': () => {
      const inner: Record<string, unknown> = {};
      inner.b = js.object('A', inner);
      return inner.b;
    },
    'a marker of the items of an array': () => js.array(js.string({ unique: true })),
    'a policy of the values of a map': () => js.map(js.string({ policy: { sort: true } })),
    'items that are optional': () => js.array(js.optional(js.string())),
    'a merged map with values that may be null': () => js.map(js.nullable(js.string()), { merge: true }),
    'merged maps in one another, too many of them': () =>
      Array.from({ length: 17 }).reduce((inner) => js.map(inner, { merge: true }), js.string()),
    'merge that is no boolean': () => js.map(js.string(), { merge: 1 }),
    'uniqueItems that is no boolean': () => js.array(js.string(), { uniqueItems: 1 }),
    'a reference outside of t.from': () => ({ $ref: '#/$defs/a' }),
    'a reference in an alternative, outside of t.from': () => ({ anyOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] }),
    'an unknown keyword of an untyped value': () => ({ colour: 1 }),
    'an untyped schema that is not valid': () => ({ minItems: 'x' }),
    'an untyped schema that is no JSON': () => ({ const: 1n }),
    'examples that are no JSON': () => js.string({ examples: [1n] }),
    'an unknown format': () => js.string({ format: 'colour' }),
    'a misspelt format': () => js.string({ format: 'emial' }),
    'a pattern that is no expression': () => js.string({ pattern: 1 }),
    'propertyNames that are no schema': () => js.map(js.string(), { propertyNames: { minLength: 'x' } }),
    'a default of another type': () => js.int({ default: 'x' }),
    'a default beyond a bound': () => js.int({ maximum: 5, default: 6 }),
    'a default of a revision': () => js.revision({ default: 1 }),
    'a default of a time that the service sets': () => js.createdAt({ default: () => new Date() }),
  }),
  ...modelRows({
    'two fields of one key': () => [{ a: js.string(), b: js.string({ stored: 'a' }) }],
    'two mistakes': () => [{ a: js.string({ colour: 1 }), b: js.int({ colour: 1 }) }],
  }),
  'a check of a model that is none': () => withFields({ a: js.string() }, { check: 'x' }),
  'a model that is none': () => compile({ name: 'Thing' } as never),
};

/** Values of single fields. */
export const leaves: Rows = fieldRows({
  'an unknown stored type': () => ({ bsonType: 'regex' }),
  'an enum that is an object': () => js.enum({ a: 'x' }),
  'an enum without members': () => js.enum([]),
  'an enum with a number': () => js.enum(['a', 1]),
  'an enum with a member twice': () => js.enum(['a', 'a']),
  'a type that a date does not have': () => ({ ...js.date(), type: 'number' }),
  'a format that a date does not have': () => ({ ...js.date(), format: 'date' }),
  'a form in place of a key': () => js.date({ stored: 'string' }),
  'an unknown form': () => js.date({ storedAs: 'text' }),
  'a form that an int does not have': () => js.int({ storedAs: 'string' }),
  'a scale without its form': () => js.decimal({ scale: 2 }),
  'a form without its scale': () => js.decimal({ storedAs: 'int' }),
  'a scale that is no whole number': () => js.decimal({ storedAs: 'int', scale: 1.5 }),
  'caseless that is a text': () => js.string({ caseless: 'yes' }),
  'an unknown option of caseless': () => js.string({ caseless: { accent: false } }),
  'an encoding that is not base64': () => js.string({ contentEncoding: 'base32' }),
  'a fraction as a bound of an int64': () => js.int64({ minimum: 1.5 }),
  'a text as a bound of an int64': () => js.int64({ maximum: '5' }),
  'a bound of a decimal that is none': () => js.decimal({ minimum: 'x' }),
  'a bound of a decimal with too many digits': () => js.decimal({ maximum: '1'.repeat(40) }),
});

/** `t.from`. */
export const adopted: Rows = fieldRows({
  nothing: () => js.from(undefined),
  'a schema that cannot tell its JSON Schema': () => js.from({ '~standard': { version: 1, vendor: 'own' } }),
  'a schema whose library fails': () =>
    js.from({
      '~standard': {
        vendor: 'own',
        jsonSchema: {
          input: () => {
            throw new Error('No JSON for this');
          },
          output: () => ({}),
        },
      },
    }),
  'a refinement of Zod': () => js.from(z.string().refine(() => true)),
  'a pattern of Zod with flags': () => js.from(z.string().regex(/a/i)),
  'the protocol of a URL of Zod': () => js.from(z.url({ protocol: /^https$/ })),
  'a Date of Zod': () => js.from(z.object({ at: z.date() })),
  'a preprocess of Zod': () => js.from(z.preprocess((value) => value, z.string())),
  'a literal of Zod without JSON': () => js.from(z.literal(1n)),
  'a coercion of Zod': () => js.from(z.coerce.number()),
  'an optional value of Zod': () => js.from(z.string().optional()),
  'a predicate of ArkType': () => js.from(type('string').narrow(() => true)),
  'a required key that is dropped': () =>
    js.from(foreign(object({ b: { type: 'string' } }, { required: ['b'] }), object({ b: { type: 'string' } }))),
  'a default that its schema does not tell': () =>
    js.from(foreign(object({ b: { type: 'string' } }), object({ b: { type: 'string' } }, { required: ['b'] }))),
  'further keys that are kept': () =>
    js.from(foreign({ type: 'object', properties: {} }, { type: 'object', properties: {}, additionalProperties: {} })),
  'a changed type': () => js.from(foreign({ type: 'string' }, { type: 'number' })),
  'an older draft': () => js.from({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' }),
  'a keyword of references that is not followed': () => js.from({ $schema: undefined, $anchor: 'a', $defs: {}, type: 'string' }),
  'a default in an alternative': () =>
    js.from({ $defs: {}, anyOf: [{ type: 'string', default: 'a' }, { type: 'number' }, { type: 'boolean' }] }),
  'definitions that stand for too many schemas': () => js.from(doubled(14)),
  'a recursive schema': () => js.from({ $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } }, $ref: '#/$defs/a' }),
  'a keyword beside a reference and behind it': () =>
    js.from({ $defs: { a: { type: 'string', minLength: 1 } }, $ref: '#/$defs/a', minLength: 2 }),
  'a reference to nothing': () => js.from({ $defs: {}, $ref: '#/$defs/a' }),
  'a reference to another document': () => js.from({ $ref: 'other.json' }),
  'a reference that is no pointer': () => js.from({ $defs: {}, $ref: '#/$defs/%' }),
});
