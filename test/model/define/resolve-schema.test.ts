import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { compileBody } from '../../../src/model/compile/compile-body.ts';
import { adoptSchema } from '../../../src/model/define/adopt-schema.ts';
import type { AnySchema } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';
import { messageOf } from '../misuse.ts';
import { refusals } from '../subject.ts';

const read = (schema: AnySchema, body: unknown) => compileBody(schema).read(body);
const dialect = 'https://json-schema.org/draft/2020-12/schema';

describe('a JSON Schema with references', () => {
  const Place = { type: 'object', title: 'Place', properties: { city: { $ref: '#/$defs/text' } }, required: ['city'] };
  const $defs = { Place, text: { type: 'string', minLength: 1 }, 'a/b~c': { type: 'integer' } };

  it('is read as if each schema stood in its place', () => {
    const schema = {
      $schema: dialect,
      $id: 'https://example.org/body',
      $defs,
      type: 'object',
      properties: {
        place: { $ref: '#/$defs/Place', description: 'Where.' },
        places: { type: 'array', items: { $ref: '#/$defs/Place' } },
        count: { $ref: '#/$defs/a~1b~0c', minimum: 1 },
        maybe: { anyOf: [{ $ref: '#/$defs/text' }, { type: 'null' }] },
      },
      required: ['place'],
      additionalProperties: false,
    };
    const { node } = compileBody(schema);
    expect(node.byName.get('place')?.annotations).toEqual({ title: 'Place', description: 'Where.' });
    expect(node.byName.get('place')?.node).toMatchObject({ kind: 'object', name: 'Place' });
    expect(node.byName.get('maybe')?.nullable).toBe(true);
    expect(refusals(() => read(schema, { place: { city: '' }, places: [{}], count: 0, maybe: '' }))).toEqual([
      'place.city must have at least 1 character',
      'places.0.city is required',
      'count must be at least 1',
      'maybe must have at least 1 character',
    ]);
  });

  it('may begin with a reference', () => {
    expect(read({ $ref: '#/$defs/Place', $defs }, { city: 'Bern' })).toEqual({ city: 'Bern' });
    expect(read({ definitions: { A: Place }, $defs, $ref: '#/definitions/A' }, { city: 'Bern' })).toEqual({ city: 'Bern' });
  });

  it('may refer from within alternatives', () => {
    const schema = { $defs, type: 'object', properties: { a: { oneOf: [{ $ref: '#/$defs/Place' }, { $ref: '#/$defs/a~1b~0c' }] } } };
    expect(read(schema, { a: 5 })).toEqual({ a: 5 });
    expect(refusals(() => read(schema, { a: { city: '' } }))).toEqual(['a must match exactly one of the alternatives']);
  });

  it.each<[string, AnySchema]>([
    [
      'a JSON Schema',
      {
        $defs: { Tree: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/Tree' } } } } },
        $ref: '#/$defs/Tree',
      },
    ],
    [
      'a JSON Schema that is the document',
      { $schema: dialect, type: 'object', properties: { kids: { type: 'array', items: { $ref: '#' } } } },
    ],
    ['a JSON Schema without `$schema`', { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#' } } } }],
    [
      'Zod',
      z.object({
        get kids() {
          return z.array(z.lazy((): z.ZodType => Tree));
        },
      }),
    ],
    ['Valibot', toStandardJsonSchema(v.object({ kids: v.array(v.lazy((): v.GenericSchema => Leaf)) }))],
    ['ArkType', type({ kids: 'this[]' })],
  ])('that is recursive is a mistake: of %s', (_name, schema) => {
    expect(() => compileBody(schema)).toThrow(
      /`\$ref` of `body[^`]*` refers to a schema that contains it .*a recursive schema is not supported/,
    );
  });

  it('may share definitions, but its references may stand for 10000 schemas at most', () => {
    const twice = (name: string) => ({ type: 'object', properties: { x: { $ref: `#/$defs/${name}` }, y: { $ref: `#/$defs/${name}` } } });
    const doubled = (levels: number) => {
      const $defs = Object.fromEntries(Array.from({ length: levels }, (_, level) => [`d${level + 1}`, twice(`d${level}`)]));
      return { $defs: { ...$defs, d0: { type: 'string' } }, type: 'object', properties: { f: { $ref: `#/$defs/d${levels}` } } };
    };
    expect(refusals(() => read(doubled(4), { f: { y: { x: { y: { x: 1 } } } } }))).toEqual(['f.y.x.y.x must be a string']);
    expect(() => adoptSchema(doubled(12), 'body')).not.toThrow(); // 2¹³ - 1
    for (const levels of [13, 60])
      expect(messageOf(() => t.from(doubled(levels)))).toMatch(
        /^`t\.from\(…\)\.f\.[^`]*` is one schema too many: .* may stand for 10000 schemas, each counted wherever it is referred to/,
      );
  });

  it.each(['#/__proto__', '#/constructor', '#/%63onstructor', '#/$defs/none', '#/required/length', '#/required/00'])(
    'needs no `$defs`, and a reference leads only to what the document itself has: not %s',
    ($ref) => {
      const text = { type: 'string', minLength: 2 };
      const schemaOf = (reference: string) => ({ type: 'object', properties: { a: { $ref: reference }, text }, required: ['text'] });
      expect(refusals(() => read(schemaOf('#/properties/text'), { a: '', text: 'ab' }))).toEqual(['a must have at least 2 characters']);
      const mistake = `must refer to a schema in \`$defs\` of the same document, and is ${$ref}.`;
      expect(messageOf(() => t.from(schemaOf($ref)))).toBe(`\`$ref\` of \`t.from(…).a\` ${mistake}`);
      expect(messageOf(() => t.from({ oneOf: [text, { type: 'array', items: { $ref } }] }))).toBe(`\`$ref\` of \`t.from(…).*\` ${mistake}`);
      expect(messageOf(() => compileBody(schemaOf($ref)))).toBe(`\`$ref\` of \`body.a\` ${mistake}`);
    },
  );

  it.each<[mistake: string, schema: object]>([
    ['`$schema` of `body` must be https://json-schema.org/draft/2020-12/schema', { $schema: 'http://json-schema.org/draft-07/schema#' }],
    ['`$ref` of `body.a` must refer to a schema in `$defs`', { properties: { a: { $ref: '#/$defs/none' } } }],
    ['`$ref` of `body.a` must refer to a schema in `$defs`', { properties: { a: { $ref: 'https://example.org/a.json' } } }],
    ['`$ref` of `body.a` must refer to a schema in `$defs`', { properties: { a: { $ref: '#/$defs/constructor' } } }],
    ['`minLength` of `body.a` is also a keyword of the schema', { properties: { a: { $ref: '#/$defs/text', minLength: 2 } } }],
    ['`$anchor` of `body.a` is not supported', { properties: { a: { $anchor: 'a', type: 'string' } } }],
    ['`$id` of `body.a` is not supported', { properties: { a: { $id: 'a', type: 'string' } } }],
    ['`not` of `body.a` is not a keyword of a field of type string', { properties: { a: { type: 'string', not: { const: 'x' } } } }],
    ['`if` of `body.a` is not a keyword of an object with `properties`', { properties: { a: { type: 'object', properties: {}, if: {} } } }],
    ['`patternProperties` of `body` is not a keyword of an object', { properties: {}, patternProperties: { '^a': {} } }],
    ['`unevaluatedProperties` of `body`', { properties: {}, unevaluatedProperties: false }],
    [
      '`mystery` of `body.a.b` is not a keyword',
      { properties: { a: { type: 'object', properties: { b: { type: 'string', mystery: 1 } } } } },
    ],
  ])('%s', (mistake, schema) => {
    expect(() => compileBody({ $defs, type: 'object', ...schema })).toThrow(mistake);
  });
});

it('a schema of this library is not touched', () => {
  const schema = t.object('A', { a: t.optional(t.decimal()) });
  expect(adoptSchema(schema, 'body')).toBe(schema);
});

const Tree: z.ZodType = z.object({
  get kids() {
    return z.array(Tree);
  },
});
const Leaf: v.GenericSchema = v.object({ kids: v.array(v.lazy(() => Leaf)) });
