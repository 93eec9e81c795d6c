import { Decimal128 } from 'mongodb';
import type { Field, RawSchema } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';
import { create, modelWith, patch, refusals } from '../subject.ts';

describe('a constraint holds at its bound and is broken one beyond', () => {
  it.each<[string, Field | RawSchema, unknown[], [unknown, string][]]>([
    [
      'minLength',
      t.string({ minLength: 2 }),
      ['ab', '🙂🙂'],
      [
        ['a', 'must have at least 2 characters'],
        ['🙂', 'must have at least 2 characters'],
      ],
    ],
    ['maxLength', t.string({ maxLength: 2 }), ['', '🙂🙂'], [['abc', 'must have at most 2 characters']]],
    ['pattern', t.string({ pattern: '^\\p{Lu}' }), ['Ärger'], [['ärger', 'must match the pattern ^\\p{Lu}']]],
    ['format', t.string({ format: 'email' }), ['a@b.c'], [['a@', 'must have the format email']]],
    [
      'format url',
      t.string({ format: 'url' }),
      ['https://a.b/c?d#e'],
      [
        ['javascript:alert(1)', 'must have the format url'],
        ['http://', 'must have the format url'],
      ],
    ],
    ['minimum', t.int({ minimum: -1 }), [-1, 0], [[-2, 'must be at least -1']]],
    ['maximum', t.float({ maximum: 1.5 }), [1.5], [[1.51, 'must be at most 1.5']]],
    ['exclusiveMinimum', t.float({ exclusiveMinimum: 0 }), [0.1], [[0, 'must be more than 0']]],
    ['exclusiveMaximum', t.int({ exclusiveMaximum: 10 }), [9], [[10, 'must be less than 10']]],
    [
      'multipleOf',
      t.float({ multipleOf: 0.01 }),
      [1.1, 0.07, 123456.78, 1070468.14],
      [
        [0.001, 'must be a multiple of 0.01'],
        [1.005, 'must be a multiple of 0.01'],
      ],
    ],
    [
      'bounds of int64',
      t.int64({ minimum: 9007199254740993n }),
      [{ n: '9007199254740993' }],
      [[{ n: '9007199254740992' }, 'must be at least 9007199254740993']],
    ],
    ['upper bound of int64', t.int64({ maximum: 10 }), [10], [[11, 'must be at most 10']]],
    [
      'bounds of decimal',
      t.decimal({ minimum: '0.01', maximum: Decimal128.fromString('1E+3') }),
      ['0.010', 1000],
      [
        ['0.009', 'must be at least 0.01'],
        ['1000.0000001', 'must be at most 1E+3'],
      ],
    ],
    ['minItems', t.array(t.int(), { minItems: 1 }), [[1]], [[[], 'must have at least 1 item']]],
    ['maxItems', t.array(t.int(), { maxItems: 1 }), [[1]], [[[1, 2], 'must have at most 1 item']]],
    ['uniqueItems', t.array(t.string(), { uniqueItems: true }), [['a', 'b'], []], [[['a', 'a'], 'must not have equal items']]],
    [
      'uniqueItems by value',
      t.array(t.objectId(), { uniqueItems: true }),
      [],
      [[['65f1a0b2c3d4e5f60718293a', '65F1A0B2C3D4E5F60718293A'], 'must not have equal items']],
    ],
    ['minProperties', t.map(t.int(), { minProperties: 1 }), [{ a: 1 }], [[{}, 'must have at least 1 key']]],
    ['maxProperties', t.map(t.int(), { maxProperties: 1 }), [{ a: 1 }], [[{ a: 1, b: 1 }, 'must have at most 1 key']]],
    ['propertyNames', t.map(t.int(), { propertyNames: { pattern: '^[a-z]+$' } }), [{ a: 1 }], [[{ $a: 1 }, 'must not have the key $a']]],
    ['type', { type: ['string', 'integer'] }, ['a', 5], [[5.5, 'must be of type string or integer']]],
    ['const', { const: 'fixed' }, ['fixed'], [['other', 'must be "fixed"']]],
    ['enum of mixed types', { enum: [1, 'a', true] }, [1, 'a', true], [['b', 'must be one of 1, "a", true']]],
    [
      'oneOf',
      {
        oneOf: [
          { type: 'string', maxLength: 1 },
          { type: 'array', items: { type: 'integer' } },
        ],
      },
      ['a', [1]],
      [
        ['ab', 'must match exactly one of the alternatives'],
        [['x'], 'must match exactly one of the alternatives'],
      ],
    ],
    [
      'patternProperties',
      { type: 'object', patternProperties: { '^x-': { type: 'array', items: { type: 'number' } } }, additionalProperties: false },
      [{ 'x-a': [1] }],
      [
        [{ 'x-a': ['1'] }, '.x-a.0 must be of type number'],
        [{ y: 1 }, 'must not have the key y'],
      ],
    ],
    [
      'prefixItems',
      { type: 'array', prefixItems: [{ type: 'string' }], minItems: 1, items: false },
      [['a']],
      [[[], 'must have at least 1 item']],
    ],
    [
      'required in an untyped schema',
      { type: 'object', patternProperties: { a: {} }, required: ['a'] },
      [{ a: null }],
      [[{}, 'must have the key a']],
    ],
    [
      'uniqueItems in an untyped schema',
      { type: 'array', contains: { type: 'object' }, uniqueItems: true },
      [[{ a: 1 }, { a: 2 }]],
      [
        [
          [
            { a: 1, b: 1 },
            { b: 1, a: 1 },
          ],
          'must not have equal items',
        ],
      ],
    ],
  ])('%s', (_name, field, accepted, refused) => {
    const model = modelWith(field);
    const asBody = (value: unknown) => `{"value":${JSON.stringify(value).replace(/\{"n":"(\d+)"\}/, '$1')}}`;
    for (const value of accepted) expect(() => create(model, asBody(value))).not.toThrow();
    for (const [value, message] of refused) {
      const line = `value${message.startsWith('.') ? message : ` ${message}`}`;
      expect(refusals(() => create(model, asBody(value)))).toContain(line);
      expect(refusals(() => patch(model, asBody(value)))).toContain(line);
    }
  });

  it('equal items are not looked for among items that are wrong', () => {
    const model = modelWith(t.array(t.int(), { uniqueItems: true }));
    expect(refusals(() => create(model, { value: ['a', 'a'] }))).toEqual(['value.0 must be an integer', 'value.1 must be an integer']);
  });

  it('null is a value of a schema that allows it, in a list of untyped values too', () => {
    expect(create(modelWith(t.array(t.any())), { value: [null, 1] })).toEqual({ value: [null, 1] });
    expect(create(modelWith(t.map(t.any())), { value: { a: null } })).toEqual({ value: new Map([['a', null]]) });
    expect(
      refusals(() => create(modelWith(t.array({ oneOf: [{ type: 'string' }, { type: 'integer' }] })), { value: [null] })),
    ).toHaveLength(1);
    expect(refusals(() => create(modelWith(t.array(t.string())), { value: [null] }))).toEqual(['value.0 must not be null']);
    expect(create(modelWith(t.array(t.nullable(t.string()))), { value: [null] })).toEqual({ value: [null] });
  });
});

describe('a hostile text costs no more than its length', () => {
  it.each(['email', 'uri', 'url', 'hostname', 'ipv6', 'uri-template', 'json-pointer', 'duration', 'uuid', 'date-time', 'regex'])(
    'format %s',
    (format) => {
      const model = modelWith(t.string({ format }));
      for (const text of [
        `http://${'a:'.repeat(100_000)} `,
        `a@${'a.'.repeat(100_000)}!`,
        `${'1'.repeat(200_000)}x`,
        `${'{a,'.repeat(70_000)}!`,
      ]) {
        // Refused or not, it comes to an end.
        try {
          expect(create(model, { value: text })).toEqual({ value: text });
        } catch (error) {
          expect(error).toMatchObject({ errors: [{ field: 'value', message: `must have the format ${format}` }] });
        }
      }
    },
  );

  it('uniqueItems on a list of 200,000', () => {
    const model = modelWith(t.array(t.any(), { uniqueItems: true }));
    expect(create(model, { value: Array.from({ length: 200_000 }, (_, index) => index) }).value).toHaveLength(200_000);
  });
});
