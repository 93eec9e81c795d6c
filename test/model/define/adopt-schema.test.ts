import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { compileAnswer } from '../../../src/model/compile/compile-answer.ts';
import { compileBody } from '../../../src/model/compile/compile-body.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import type { AnySchema } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';
import { create, modelOf, patch, refusals } from '../subject.ts';

const read = (schema: AnySchema, body: unknown) => compileBody(schema).read(body);

/** The same body, described by each library. */
const libraries: [name: string, schema: AnySchema][] = [
  [
    'Zod',
    z.object({
      name: z.string().min(1).max(5),
      age: z.int().min(0).optional(),
      kind: z.enum(['a', 'b']),
      fixed: z.literal('q'),
      note: z.string().nullable(),
      mail: z.email(),
      site: z.url(),
      tags: z.array(z.string()).max(2),
      sizes: z.record(z.string(), z.number()),
      either: z.union([z.string(), z.number()]),
      place: z.object({ city: z.string(), at: z.iso.datetime() }),
      anything: z.unknown(),
      key: z.uuid(),
    }),
  ],
  [
    'Valibot',
    toStandardJsonSchema(
      v.object({
        name: v.pipe(v.string(), v.minLength(1), v.maxLength(5)),
        age: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
        kind: v.picklist(['a', 'b']),
        fixed: v.literal('q'),
        note: v.nullable(v.string()),
        mail: v.pipe(v.string(), v.email()),
        site: v.pipe(v.string(), v.url()),
        tags: v.pipe(v.array(v.string()), v.maxLength(2)),
        sizes: v.record(v.string(), v.number()),
        either: v.union([v.string(), v.number()]),
        place: v.object({ city: v.string(), at: v.pipe(v.string(), v.isoTimestamp()) }),
        anything: v.unknown(),
        key: v.pipe(v.string(), v.uuid()),
      }),
    ),
  ],
  [
    'ArkType',
    type({
      name: '1 <= string <= 5',
      'age?': 'number.integer >= 0',
      kind: "'a' | 'b'",
      fixed: "'q'",
      note: 'string | null',
      mail: 'string.email',
      site: 'string.url',
      tags: 'string[] <= 2',
      sizes: 'Record<string, number>',
      either: 'string | number',
      place: { city: 'string', at: 'string' },
      anything: 'unknown',
      key: 'string.uuid',
    }),
  ],
];

const good = {
  name: 'Ann',
  age: 5,
  kind: 'a',
  fixed: 'q',
  note: null,
  mail: 'ann@example.org',
  site: 'https://example.org/',
  tags: ['x', 'y'],
  sizes: { s: 1.5 },
  either: 3,
  place: { city: 'Bern', at: '2026-01-31T12:00:00Z' },
  anything: { a: [1] },
  key: '123e4567-e89b-42d3-a456-426614174000',
};

describe.each(libraries)('a schema of %s', (_name, schema) => {
  it('reads the body that its own library would', () => {
    expect(read(schema, good)).toEqual(good);
    const { age: _, ...withoutAge } = good;
    expect(read(schema, withoutAge)).toEqual(withoutAge);
  });

  it.each<[field: string, body: object]>([
    ['name', { name: '' }],
    ['name', { name: 'Johanna' }],
    ['age', { age: -1 }],
    ['age', { age: 1.5 }],
    ['kind', { kind: 'c' }],
    ['fixed', { fixed: 'r' }],
    ['note', { note: 5 }],
    ['mail', { mail: 'ann' }],
    ['site', { site: 'not a url' }],
    ['tags', { tags: ['a', 'b', 'c'] }],
    ['tags.0', { tags: [1] }],
    ['sizes.s', { sizes: { s: '1' } }],
    ['either', { either: true }],
    ['place.city', { place: { at: '2026-01-31T12:00:00Z' } }],
    ['key', { key: 'x' }],
    ['unknown', { unknown: 1 }],
  ])('refuses a wrong `%s`', (field, wrong) => {
    const lines = refusals(() => read(schema, { ...good, ...wrong }));
    expect(lines.map((line) => line.split(' ')[0])).toEqual([field]);
  });

  it('requires what it requires, and takes null for a missing value that may be null', () => {
    const fields = refusals(() => read(schema, {})).map((line) => line.split(' ')[0]);
    expect(fields.sort()).toEqual(
      Object.keys(good)
        .filter((key) => key !== 'age' && key !== 'note')
        .sort(),
    );
  });

  it('describes an answer', () => {
    const answer = compileAnswer(schema);
    if (typeof answer === 'string') throw new Error('not a schema');
    expect(JSON.parse(answer.write(good))).toEqual(good);
    expect(() => answer.write({ ...good, name: '' })).toThrow('`data.name` must have at least 1 character');
  });
});

describe('a default of another library', () => {
  it.each<[string, AnySchema]>([
    ['Zod', z.object({ size: z.int().default(3), place: z.object({ city: z.string().default('Bern') }) })],
    [
      'Valibot',
      toStandardJsonSchema(
        v.object({ size: v.optional(v.pipe(v.number(), v.integer()), 3), place: v.object({ city: v.optional(v.string(), 'Bern') }) }),
      ),
    ],
  ])('of %s is taken for a member that was not sent, and never absent', (_name, schema) => {
    expect(read(schema, { place: {} })).toEqual({ size: 3, place: { city: 'Bern' } });
    const size = compileBody(schema).node.byName.get('size');
    expect([size?.optional, size?.makeDefault?.()]).toEqual([false, 3]);
  });

  it('of ArkType is not in its JSON Schema, and a mistake', () => {
    expect(() => compileBody(type({ place: { city: "string = 'Bern'" } }))).toThrow(
      '`body.place.city` has a default that its JSON Schema does not tell',
    );
  });
});

describe('a rule that JSON Schema does not have is a ConfigurationError that names the rule and its place', () => {
  const a = (schema: z.ZodType) => z.object({ place: z.object({ a: schema }) });
  it.each<[rule: string, schema: z.ZodType]>([
    ['`custom`', z.string().refine((text) => text !== 'x')],
    ['`custom`', z.string().superRefine(() => undefined)],
    ['`overwrite`', z.string().trim()],
    ['`overwrite`', z.string().toLowerCase()],
    ['`string_format` of Zod, with the pattern /^a/i', z.string().regex(/^a/i)],
    ['`transform`', z.string().transform((text) => text.length)],
    ['`preprocess`', z.preprocess((value) => value, z.string())],
    ['`custom`', z.object({ b: z.string() }).refine(() => true)],
    ['`literal`', z.literal(5n)],
    ['`literal`', z.literal(undefined)],
    ['`string_format` of Zod, with the pattern /^a$/i', z.email({ pattern: /^a$/i })],
    ['`protocol`', z.httpUrl()],
    ['`hostname`', z.url({ hostname: /^a$/ })],
    ['`normalize`', z.url({ normalize: true })],
    ['`coerce`', z.coerce.number()],
    ['`catch`', z.string().catch('x')],
    ['`date`', z.date()],
    ['`bigint`', z.bigint()],
    ['`map`', z.map(z.string(), z.string())],
    ['`set`', z.set(z.string())],
  ])('%s of Zod', (rule, schema) => {
    expect(() => compileBody(a(schema))).toThrow(`The schema of \`body.place.a\` has a rule that JSON Schema does not have: ${rule}`);
  });

  it('a codec of Zod, which changes values', () => {
    const codec = z.codec(z.string(), z.number(), { decode: Number, encode: String });
    expect(() => compileBody(a(codec))).toThrow('The schema of `body.place.a` changes values (`type` differs');
  });

  it.each<[rule: string, schema: v.GenericSchema]>([
    ['"transform" action', v.pipe(v.string(), v.transform(Number))],
    ['"trim" action', v.pipe(v.string(), v.trim())],
    [
      '"check" action',
      v.pipe(
        v.string(),
        v.check(() => true),
      ),
    ],
    ['"date" schema', v.date()],
  ])('the %s of Valibot', (rule, schema) => {
    expect(() => compileBody(toStandardJsonSchema(v.object({ a: schema })))).toThrow(
      `The schema of \`body\` has a rule that JSON Schema does not have: The ${rule}`,
    );
  });

  it.each<[rule: string, schema: AnySchema]>([
    ['`date` of ArkType', type({ a: 'Date' }) as AnySchema],
    ['`predicate` of ArkType', type({ a: 'string' }).narrow(() => true)],
  ])('%s', (rule, schema) => {
    expect(() => compileBody(schema)).toThrow(rule);
  });

  it.each<[string, AnySchema]>([
    ['string.trim', type({ a: 'string.trim' })],
    ['a morph', type({ a: ['string', '=>', (text: string) => text.length] })],
    ['string.date.parse', type({ a: 'string.date.parse' })],
  ])('%s of ArkType', (_name, schema) => {
    expect(() => compileBody(schema)).toThrow(/The schema of `body(?:\.a)?` (?:changes values|has a rule that JSON Schema does not have)/);
  });

  it('a default in one of several alternatives', () => {
    const schema = z.object({ a: z.union([z.object({ b: z.string().default('x') }), z.int()]) });
    expect(() => compileBody(schema)).toThrow('`default` of `body.a.b` would have no effect');
  });

  it('unknown members that are kept', () => {
    expect(() => compileBody(z.looseObject({ a: z.string() }))).toThrow('`additionalProperties` of `body` must be false');
  });

  it('a schema that has no JSON Schema', () => {
    expect(() => compileBody(v.object({ a: v.string() }) as never)).toThrow(
      'The schema of `body` (of valibot) cannot tell its JSON Schema',
    );
  });

  it('a schema that stands among fields without `t.from`', () => {
    const fields = { a: z.string() as never, b: type('string') as never };
    expect(() => compileModel(defineModel('A', { collection: 'a', fields }))).toThrow(
      'The schema of `a` is of another library: write `t.from(…)` around it.',
    );
    expect(() => compileBody(t.object('A', { b: type('string') as never }))).toThrow('The schema of `body.b` is of another library');
  });
});

describe('t.from()', () => {
  const model = modelOf({
    mail: t.from(z.email(), { policy: { filter: ['eq'] }, unique: true }),
    place: t.nullable(t.from(z.object({ city: z.string(), zip: z.string().optional() }).meta({ title: 'Place' }))),
    level: t.from(type("'low' | 'high'"), { default: 'low' }),
    tags: t.array(t.from(toStandardJsonSchema(v.pipe(v.string(), v.maxLength(3))))),
    note: t.optional(t.from({ $defs: { text: { type: 'string', maxLength: 3 } }, $ref: '#/$defs/text' })),
    constant: t.from(z.literal('q'), { policy: { sort: true } }),
  });

  it('makes a field, with the options of one', () => {
    const { byName } = model.root;
    expect([byName.get('mail')?.unique, byName.get('mail')?.policy]).toEqual([true, { filter: ['eq'] }]);
    expect(byName.get('place')).toMatchObject({ nullable: true, node: { kind: 'object', name: 'Place' } });
    expect(byName.get('note')?.optional).toBe(true);
    expect([...model.clientFields.keys()]).toEqual(expect.arrayContaining(['mail', 'constant']));
    const { _id, ...stored } = { _id: 0, ...create(model, { mail: 'a@example.org', tags: ['abc'], constant: 'q' }) };
    expect(stored).toEqual({ mail: 'a@example.org', level: 'low', tags: ['abc'], constant: 'q' });
  });

  it('holds a patch to the schema too', () => {
    expect(
      refusals(() => patch(model, { mail: 'x', place: { city: 1 }, level: 'mid', tags: ['long'], note: 'long', constant: 'r' })),
    ).toHaveLength(6);
  });

  it('refuses a schema that may be absent by itself', () => {
    expect(() => t.from(z.string().optional() as never)).toThrow('`t.from(…)` cannot be optional by itself');
  });

  it.each([undefined, null, 'string'])('refuses what is no schema: %s', (schema) => {
    expect(() => t.from(schema as never)).toThrow('The schema of `t.from(…)` must be an object');
  });

  it('takes what Zod says of a field in `meta`', () => {
    const [field] = modelOf({
      a: t.from(z.string().meta({ title: 'A', description: 'An a.', examples: ['x'], deprecated: true })),
    }).root.fields.slice(1);
    expect(field?.annotations).toEqual({ title: 'A', description: 'An a.', examples: ['x'], deprecated: true });
  });

  it('takes the formats that Zod writes beside a pattern', () => {
    const schemas = [z.base64(), z.nanoid(), z.ulid(), z.cuid2(), z.e164(), z.emoji(), z.cidrv4()];
    for (const schema of schemas)
      expect(refusals(() => create(modelOf({ a: t.from(schema) }), { a: '\n' }))[0]).toMatch(/^a must match the pattern/);
    expect(() => modelOf({ a: t.from(z.jwt()) })).toThrow('`format` of `a` is unknown: `jwt`');
  });

  it('ignores that Zod freezes an object', () => {
    expect(create(modelOf({ a: t.from(z.array(z.string()).readonly()) }), { a: ['x'] })).toEqual({ a: ['x'] });
  });
});
