import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { defineModel, type Model, openapiDocument, service, t, toJsonSchema } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { compileCreate, compilePatch, compilePut } from '../../../src/model/write/compile-writes.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';
import { buildModel, finishFields, rawFields } from '../../support/fuzzing/random-model.ts';
import { db, Everything, Guarded } from '../fixtures.ts';
import { isAccepted } from '../published.ts';

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, keywords: ['x-merge'] });
formats.default(ajv);
ajv.addFormat('decimal', true);
const shapes = ['read', 'create', 'patch', 'put'] as const;
const models: [string, Model][] = [
  ['every builder', Everything as unknown as Model],
  ['every policy', Guarded as unknown as Model],
];

/**
 * The schema with those that it refers to in their places. Their names differ, because a document may share a schema
 * for several uses, and closes it then.
 */
function inline(part: unknown, named: unknown): unknown {
  if (typeof part === 'bigint') return Number(part);
  if (Array.isArray(part)) return part.map((one) => inline(one, named));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, additionalProperties, ...rest } = part as Record<string, unknown>;
  const name = String($ref).split('/').at(-1) ?? '';
  const referred =
    $ref === undefined ? {} : name === 'UntypedValue' ? { name } : (inline((named as Record<string, unknown>)[name], named) as object);
  const open =
    additionalProperties === undefined || additionalProperties === false
      ? {}
      : { additionalProperties: inline(additionalProperties, named) };
  return { ...referred, ...open, ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inline(value, named)])) };
}

describe.each(models)('the JSON Schema of a model with %s', (_name, model) => {
  const plain = service();
  const { components } = openapiDocument(
    plain.api({ db, resources: [plain.resource({ model, path: 'all', ops: ['get', 'create', 'patch', 'put'] })] }),
  );

  it.each(shapes)('for %s is that of the OpenAPI description', (shape) => {
    const { $schema, title, $defs, ...own } = toJsonSchema(model, shape);
    expect([$schema, title]).toEqual(['https://json-schema.org/draft/2020-12/schema', model.name]);
    const name = `${model.name}${shape.charAt(0).toUpperCase()}${shape.slice(1)}`;
    expect(inline(own, $defs)).toEqual(inline(components.schemas?.[name], components.schemas));
  });

  it.each(shapes)('for %s stands alone, as JSON that a strict validator takes', (shape) => {
    const schema = JSON.parse(JSON.stringify(toJsonSchema(model, shape)));
    expect(JSON.stringify(schema)).not.toMatch(/"\$id"|#\/components/);
    expect(() => ajv.compile(schema)).not.toThrow();
  });

  it('of what is read names no private field', () => {
    const names = [...compileModel(model).privateNames];
    const shown = JSON.stringify(toJsonSchema(model, 'read'));
    expect(names.filter((name) => shown.includes(`"${name}"`))).toEqual([]);
  });
});

it('a schema accepts exactly the bodies that a resource with its rules accepts', () => {
  fc.assert(
    fc.property(rawFields, fc.record({ explicitWrites: fc.boolean(), mergePatch: fc.boolean() }), (raw, rules) => {
      const model = buildModel(finishFields(raw, rules.explicitWrites), { revision: true, timestamps: true });
      const compiled = compileModel(model);
      const readers = {
        create: compileCreate(compiled, rules),
        patch: compilePatch(compiled, rules),
        put: compilePut(compiled, rules),
      };
      for (const shape of ['create', 'patch', 'put'] as const) {
        const fits = ajv.compile(toJsonSchema(model, shape, rules));
        for (const body of [{}, ...Object.keys(compiled.root.byName).map((name) => ({ [name]: null })), { zzz: 1 }]) {
          const isTaken = isAcceptedOrUnset(readers[shape], body);
          if (isTaken !== undefined) expect([shape, body, fits(body)]).toEqual([shape, body, isTaken]);
        }
      }
    }),
    cases(60),
  );
});

/**
 * Undefined for a create whose required fields only the server can set: that is an error of the deployer, and no matter
 * of the body.
 */
function isAcceptedOrUnset(read: (body: unknown) => unknown, body: object): boolean | undefined {
  try {
    return isAccepted(read, body);
  } catch {
    return undefined;
  }
}

describe('toJsonSchema()', () => {
  const Node = defineModel('Note', {
    collection: 'notes',
    fields: {
      text: t.string({ maxLength: 5 }),
      secret: t.string({ default: '', policy: { private: true } }),
      place: t.optional(t.object('Place', { city: t.string() })),
      count: t.int64({ default: 0n }),
      data: t.nullable(t.any()),
    },
  });

  it('has embedded objects and untyped values in $defs', () => {
    expect(toJsonSchema(Node, 'create')).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Note',
      type: 'object',
      properties: {
        text: { type: 'string', maxLength: 5 },
        place: { $ref: '#/$defs/PlaceCreate' },
        count: { type: 'integer', format: 'int64', minimum: -(2 ** 63), maximum: 2 ** 63 },
        data: { $ref: '#/$defs/UntypedValue' },
      },
      required: ['text'],
      additionalProperties: false,
      $defs: {
        PlaceCreate: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
        UntypedValue: expect.objectContaining({ description: expect.any(String) }),
      },
    });
  });

  it('follows the rules of a resource', () => {
    expect(toJsonSchema(Node, 'create', { explicitWrites: true })).toMatchObject({ properties: {} });
    expect(toJsonSchema(Node, 'patch')).toMatchObject({
      properties: { place: { anyOf: [{ $ref: '#/$defs/PlacePatch' }, { type: 'null' }] } },
    });
    expect(toJsonSchema(Node, 'patch', { mergePatch: false })).not.toHaveProperty('$defs.PlacePatch');
  });

  it('returns a new object each time', () => {
    const schema = toJsonSchema(Node, 'read') as { properties: { text?: object } };
    delete schema.properties.text;
    expect(toJsonSchema(Node, 'read')).toHaveProperty('properties.text');
  });

  it.each<[mistake: string, args: unknown[]]>([
    ["`toJsonSchema` describes 'read', 'create', 'patch' or 'put', and not 'list'", [Node, 'list']],
    ['`mergePatch` of `toJsonSchema` must be true or false', [Node, 'patch', { mergePatch: 1 }]],
    ['A `model` is what `defineModel', [{}, 'read']],
  ])('throws a ConfigurationError: %s', (mistake, args) => {
    expect(() => (toJsonSchema as (...given: unknown[]) => unknown)(...args)).toThrow(mistake);
  });
});
