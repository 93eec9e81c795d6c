import type { Schema } from '../../../src/openapi/document.ts';
import { simplify } from '../../../src/products/mcp/input-schema.ts';

const schemas: Readonly<Record<string, Schema>> = {
  '#/Address': { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
  '#/Tree': { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/Tree' } } } },
};
const resolve = (reference: string) => schemas[reference] as Schema;

describe('simplify', () => {
  it.each<[string, Schema, Schema]>([
    [
      'puts a referenced schema in its place',
      { $ref: '#/Address' },
      { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    ],
    ['stops where a schema holds itself', { $ref: '#/Tree' }, { type: 'object', properties: { children: { type: 'array', items: {} } } }],
    ['says nothing of an untyped value', { description: 'Any', if: { type: 'object' }, else: {} }, {}],
    ['turns a list of types into alternatives', { type: ['string', 'null'] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [
      'keeps an enum with null apart',
      { type: ['string', 'null'], enum: ['a', null] },
      { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    ],
    ['writes `const` as an enum', { const: 'a' }, { enum: ['a'] }],
    [
      'takes a decimal as text only, which is exact',
      { type: ['string', 'number'], format: 'decimal', pattern: '^.*$' },
      { type: 'string', description: 'decimal such as "12.50"' },
    ],
    ['keeps date-time', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
    ['says other formats in words', { type: 'string', format: 'email' }, { type: 'string', description: 'email' }],
    ['says a pattern in words', { type: 'string', pattern: '^[A-Z]{2}$' }, { type: 'string', description: 'matches ^[A-Z]{2}$' }],
    ['leaves out patterns of the library', { type: 'string', pattern: '^[0-9a-f]{24}$' }, { type: 'string' }],
    ['leaves out a pattern that is too long', { type: 'string', pattern: `^${'a'.repeat(60)}$` }, { type: 'string' }],
    [
      'adds the words to a description',
      { type: 'number', description: 'In m²', exclusiveMinimum: 0, exclusiveMaximum: 9, multipleOf: 3 },
      { type: 'number', description: 'In m²; above 0; below 9; a multiple of 3' },
    ],
    ['keeps bounds of a definition', { type: 'number', minimum: -90, maximum: 90n }, { type: 'number', minimum: -90, maximum: 90 }],
    [
      'leaves out bounds of a type, and says how large integers are sent',
      { type: 'integer', format: 'int64', minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n },
      { type: 'integer', description: 'beyond 9007199254740991 as text' },
    ],
    [
      'keeps the values of a map',
      { type: 'object', additionalProperties: { type: 'string' }, propertyNames: { pattern: '^a' } },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    ['combines `allOf`', { allOf: [{ type: 'string' }, { minLength: 1 }] }, { type: 'string', minLength: 1 }],
    ['takes a single alternative for the schema', { anyOf: [{ type: 'string' }, { type: 'string' }] }, { type: 'string' }],
    ['says that items are different', { type: 'array', items: true, uniqueItems: true }, { type: 'array', description: 'each once' }],
    ['drops negations', { not: { type: 'null' }, description: 'Any' }, { description: 'Any' }],
  ])('%s', (_what, schema, simple) => {
    expect(simplify(schema, resolve)).toEqual(simple);
  });
});
