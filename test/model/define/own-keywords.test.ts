import { ConfigurationError, defineModel, jsonBody, t, toJsonSchema } from '../../../src/index.ts';
import { adoptSchema } from '../../../src/model/define/adopt-schema.ts';
import type { RawSchema } from '../../../src/model/define/schema.ts';
import { create, modelWith, refusals } from '../subject.ts';

/** The schema of a member of a JSON Schema, as this library reads it. */
function read(member: object): unknown {
  const { properties } = adoptSchema({ $schema: dialect, type: 'object', properties: { a: member } } as never, 'x');
  return (properties as { readonly a: unknown }).a;
}

const dialect = 'https://json-schema.org/draft/2020-12/schema';
const int64 = { type: 'integer', format: 'int64' } as const;
const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

describe('an integer with the format int64', () => {
  it.each<[string, object, object]>([
    ['within the safe range is one of JavaScript', { ...int64, ...safe }, { type: 'integer', ...safe }],
    [
      'within other bounds is one of JavaScript',
      { ...int64, exclusiveMinimum: 0.5, maximum: 9 },
      { type: 'integer', exclusiveMinimum: 0.5, maximum: 9 },
    ],
    ['without bounds has 64 bits', int64, { ...int64, bsonType: 'long' }],
    ['with one bound has 64 bits', { ...int64, minimum: 0 }, { ...int64, minimum: 0, bsonType: 'long' }],
    ['has no bounds that were rounded', { ...int64, minimum: -(2 ** 63), maximum: 2 ** 63 }, { ...int64, bsonType: 'long' }],
    ['may be null', { ...int64, type: ['integer', 'null'] }, { ...int64, type: ['integer', 'null'], bsonType: 'long' }],
    ['keeps its members', { ...int64, enum: [1, 2] }, { ...int64, enum: [1, 2] }],
    ['is not read among other types', { type: ['integer', 'string'], format: 'int64' }, { type: ['integer', 'string'], format: 'int64' }],
    ['is not read among alternatives', { anyOf: [int64, { type: 'string' }] }, { anyOf: [int64, { type: 'string' }] }],
    ['is not read elsewhere', { type: 'string', format: 'email' }, { type: 'string', format: 'email' }],
  ])('%s', (_what, given, expected) => {
    expect(read(given)).toEqual(expected);
  });
});

describe('what a schema says of its readers', () => {
  it('is the policy of the field', () => {
    const visible = { type: 'string', description: 'What is left. Only for callers with the rule `a` or `b`.', 'x-visible-to': ['a', 'b'] };
    expect(read(visible)).toEqual({ type: 'string', description: 'What is left.', policy: { read: ['a', 'b'] } });
    const { description: _, ...silent } = visible;
    expect(read(silent)).toEqual({ type: 'string', policy: { read: ['a', 'b'] } });
    expect(read({ ...visible, description: 'Only for callers with the rule `a` or `b`.' })).not.toHaveProperty('description');
  });

  it('is in no body, which would name the field to every caller', () => {
    const Order = defineModel('Order', {
      collection: 'orders',
      fields: { a: t.string(), b: t.optional(t.string({ policy: { read: 'staff' } })) },
    });
    expect(() => jsonBody({ schema: toJsonSchema(Order, 'create') })).toThrow(ConfigurationError);
    expect(() => jsonBody({ schema: t.object('Body', { order: t.from(toJsonSchema(Order, 'read')) }) })).toThrow(
      'The schema of a body has a field that only callers with the rule `staff` read',
    );
  });
});

describe('a text of a JSON Schema', () => {
  const field = (schema: RawSchema) => modelWith(t.from({ $schema: dialect, ...schema } as never));

  it.each<[string, RawSchema, unknown[], [unknown, string][]]>([
    [
      'a decimal',
      { type: 'string', format: 'decimal' },
      ['1', '-0.50', '1e3'],
      [
        ['x', 'must have the format decimal'],
        ['NaN', 'must have the format decimal'],
        ['', 'must have the format decimal'],
      ],
    ],
    [
      'bytes',
      { type: 'string', contentEncoding: 'base64', maxLength: 8 },
      ['', 'AAA='],
      [
        ['AAA', 'must be base64 (RFC 4648 §4) with padding'],
        ['AAAAAAAAAAAA', 'must have at most 8 characters'],
      ],
    ],
  ])('may be %s', (_what, schema, good, bad) => {
    for (const value of good) expect(create(field(schema), { value })).toMatchObject({ value });
    for (const [value, message] of bad) expect(refusals(() => create(field(schema), { value }))).toEqual([`value ${message}`]);
  });

  it('has no other encoding', () => {
    expect(() => jsonBody({ schema: { type: 'object', properties: { a: { type: 'string', contentEncoding: 'base32' } } } })).toThrow(
      '`contentEncoding` of `body.a` must be `base64`.',
    );
  });
});
