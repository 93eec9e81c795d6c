import type { RawSchema } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';
import { messageOf } from '../misuse.ts';
import { create, modelOf, modelWith, refusals } from '../subject.ts';

describe('a raw JSON Schema is checked as strictly as what the builders make', () => {
  it.each<[string, RawSchema, string]>([
    [
      'an unknown keyword',
      { type: 'string', minLenght: 2 },
      '`minLenght` of `value` is not a keyword of a field of type string; did you mean `minLength`?',
    ],
    [
      'a misspelt policy',
      { type: 'string', policy: { privte: true } as never },
      '`policy.privte` of field `value` is not a policy option; did you mean `private`?',
    ],
    [
      'an unknown keyword below',
      { type: 'object', properties: { a: { type: 'array', items: { type: 'string', maxlength: 2 } } } },
      '`maxlength` of `value.a.*` is not a keyword of a field of type string; did you mean `maxLength`?',
    ],
    [
      '`required` that names nothing',
      { type: 'object', properties: { name: { type: 'string' } }, required: ['nmae'] },
      '`required` of `value` names `nmae`, which is not one of its `properties`.',
    ],
    [
      'open additional properties',
      { type: 'object', properties: {}, additionalProperties: true },
      '`additionalProperties` of `value` must be false: an object has fields, a map (without `properties`) has keys.',
    ],
    [
      'a keyword of objects that would not be enforced',
      { type: 'object', properties: {}, minProperties: 1 },
      expect.stringMatching(/^`minProperties` of `value` is not a keyword of an object/) as never,
    ],
    [
      'items that are no schema',
      { type: 'array', items: false },
      'The schema of `value.*` must be an object: a builder of `t`, or a JSON Schema.',
    ],
    [
      'a policy inside a schema that is none of the types',
      { oneOf: [{ type: 'object', properties: { a: { type: 'string', policy: { private: true } } } }, { type: 'string' }] },
      'The schema of `value` is not valid: strict mode: unknown keyword: "policy"',
    ],
    [
      'an unknown keyword beside `oneOf`',
      { oneOf: [{ type: 'string' }], polcy: {} },
      '`polcy` of `value` is neither a keyword of JSON Schema nor one of this library.',
    ],
    [
      'properties without a type',
      { properties: { a: { type: 'string' } } },
      expect.stringMatching(/^The schema of `value` is not valid: .*strict/) as never,
    ],
    ['a type that does not exist', { type: 'strin' }, expect.stringMatching(/^The schema of `value` is not valid: /) as never],
    [
      'a reference',
      { $ref: '#/constructor' },
      '`$ref` of `value` is not followed here: write `t.from(…)` around the schema that it belongs to.',
    ],
    [
      'a reference inside a schema that is none of the types',
      { anyOf: [{ type: 'string' }, { type: 'array', items: { $dynamicRef: '#/constructor' } }] },
      'The schema of `value` is not valid: strict mode: unknown keyword: "$dynamicRef"',
    ],
    ['uniqueItems that is no flag', { type: 'array', uniqueItems: 'yes' }, '`uniqueItems` of `value` must be true or false.'],
  ])('%s', (_name, schema, message) => {
    expect(messageOf(() => modelWith(schema))).toEqual(message);
  });

  it('a policy inside `anyOf: [schema, null]` counts', () => {
    const model = modelWith({ anyOf: [{ type: 'string', policy: { private: true } }, { type: 'null' }] });
    expect(model.privatePaths).toEqual(['value']);
  });

  it('annotations and markers beside it are laid over those inside, and a constraint in both must be the same', () => {
    const inner = { type: 'string', maxLength: 3, title: 'Inner', policy: { insert: true } };
    const model = modelWith({ title: 'Outer', policy: { private: true }, maxLength: 3, anyOf: [inner, { type: 'null' }] });
    expect(model.root.byName.get('value')).toMatchObject({ policy: { insert: true, private: true } });
    const erased = modelWith({ policy: undefined, maxLength: undefined, anyOf: [inner, { type: 'null' }] } as never);
    expect(refusals(() => create(erased, { value: 'long' }))).toHaveLength(1);
    expect(messageOf(() => modelWith({ maxLength: 5, anyOf: [inner, { type: 'null' }] }))).toBe(
      '`maxLength` of `value` is also a keyword of its alternative beside null: give it to one of them.',
    );
  });

  it.each<[string, RawSchema, string]>([
    [
      'a type',
      { type: 'string', anyOf: [{ type: 'string' }, { type: 'null' }] },
      '`anyOf` of `value` allows null, but `type` beside it does not',
    ],
    ['an enum', { type: ['string', 'null'], enum: ['a'] }, '`type` of `value` allows null, but `enum` beside it does not'],
    [
      'a constant',
      { oneOf: [{ type: 'null' }, { type: 'string' }], const: 'a' },
      '`oneOf` of `value` allows null, but `const` beside it does not',
    ],
    ['a type beside an enum', { enum: ['a', null], type: 'string' }, '`enum` of `value` allows null, but `type` beside it does not'],
  ])('%s beside null must allow null, too', (_name, schema, message) => {
    expect(messageOf(() => modelWith(schema))).toContain(message);
  });

  it.each<[string, RawSchema]>([
    ['a list of types', { type: ['string', 'null'] }],
    ['a longer list of types', { type: ['string', 'number', 'null'] }],
    ['anyOf', { anyOf: [{ type: 'null' }, { type: 'string' }] }],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] }],
    ['an enum', { enum: ['a', null] }],
    ['an enum beside a list of types', { type: ['string', 'null'], enum: ['a', null] }],
    ['alternatives beside a list of types', { type: ['string', 'null'], anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['nullable twice', { anyOf: [{ type: ['string', 'null'] }, { type: 'null' }] }],
  ])('null is taken out of %s', (_name, schema) => {
    const model = modelWith(schema);
    expect(create(model, { value: 'a' })).toEqual({ value: 'a' });
    expect(create(model, { value: null })).toEqual({});
    expect(create(model, {})).toEqual({});
    expect(refusals(() => create(model, { value: true }))).toHaveLength(1);
  });

  it('nested `required` is enforced, and what it does not name is optional', () => {
    const model = modelWith({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } }, required: ['a'] });
    expect(create(model, { value: { a: 'x' } })).toEqual({ value: { a: 'x' } });
    expect(refusals(() => create(model, { value: { b: 1 } }))).toEqual(['value.a is required']);
  });
});

describe("a wrapper's options are laid over those of what it wraps", () => {
  const model = modelOf({
    a: t.optional(t.string({ policy: { private: true } }), { policy: { insert: true } }),
    b: t.nullable(t.string({ default: 'x', immutable: true }), { storeNone: true }),
    c: t.nullable(t.optional(t.int())),
    d: t.nullable(t.nullable(t.int({ minimum: 1 }))),
    e: t.ref('Other', { id: t.uuid({ policy: { sort: true } }), policy: { filter: ['eq'] } }),
  });
  const field = (name: string) => model.root.byName.get(name);

  it('policy option by policy option', () => {
    expect(field('a')).toMatchObject({ optional: true, policy: { private: true, insert: true } });
    expect(field('e')).toMatchObject({ policy: { sort: true, filter: ['eq'] }, ref: { model: 'Other' } });
  });

  it('and markers, defaults and constraints of the inside hold', () => {
    expect(field('b')).toMatchObject({ nullable: true, storeNone: true, immutable: true });
    expect(field('b')?.makeDefault?.()).toBe('x');
    expect(field('c')).toMatchObject({ optional: true, nullable: true });
    expect(field('d')?.constraint?.(0)?.message).toBe('must be at least 1');
  });
});
