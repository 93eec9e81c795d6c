import { Decimal128 } from 'mongodb';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { js, messageOf } from '../misuse.ts';
import { create, modelOf, modelWith, refusals } from '../subject.ts';

describe('what a definition may use', () => {
  it('names that every object inherits are names like any other', () => {
    const model = modelOf({ constructor: t.string(), toString: t.optional(t.string()), hasOwnProperty: t.int({ default: 1 }) });
    expect(create(model, { constructor: 'a' })).toEqual({ constructor: 'a', hasOwnProperty: 1 });
    expect(JSON.parse(model.writeJson({ constructor: 'a' }))).toEqual({ constructor: 'a', hasOwnProperty: 1 });
    expect(model.hydrate({ constructor: 'a' })).toEqual({ constructor: 'a', hasOwnProperty: 1 });
  });

  it('an id of another type comes first, and is stored as `_id`', () => {
    const model = modelOf({ name: t.string(), id: t.string({ policy: { insert: true } }) });
    expect(model.root.fields.map(({ name, key }) => [name, key])).toEqual([
      ['id', '_id'],
      ['name', 'name'],
    ]);
  });

  it('options that are undefined are options that are not there', () => {
    expect(() => modelWith(js.string({ minLength: undefined, default: undefined, policy: undefined }))).not.toThrow();
  });

  it("the caller's objects stay as they are", () => {
    const options = Object.freeze({ policy: Object.freeze({ private: true }) });
    const inner = t.string(options);
    const before = JSON.stringify(inner);
    modelOf({ a: t.nullable(inner, { policy: { insert: true } }), b: t.optional(inner, { policy: { update: true } }) });
    expect(JSON.stringify(inner)).toBe(before);
  });

  it('one schema may stand in many places', () => {
    const raw = { $id: 'once', type: 'object', patternProperties: { '^a': { type: 'string' } } };
    expect(() => modelOf({ a: raw, b: raw, c: t.array(raw) })).not.toThrow();
  });

  it('bounds of a decimal are taken as text, number, bigint and Decimal128', () => {
    const model = modelOf({
      a: t.decimal({ minimum: '0.1' }),
      b: t.decimal({ maximum: 5 }),
      c: t.decimal({ minimum: 5n }),
      d: t.decimal({ minimum: Decimal128.fromString('1') }),
    });
    expect(refusals(() => create(model, { a: 0.09, b: '5.01', c: '4.99', d: 0 }))).toEqual([
      'a must be at least 0.1',
      'b must be at most 5',
      'c must be at least 5',
      'd must be at least 1',
    ]);
  });
});

describe('defineModel', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a misspelt option',
      () => defineModel('A', { colection: 'a', fields: {} } as never),
      '`colection` is not an option of model `A`; did you mean `collection`? Allowed: collection, fields, check, maxTimeMS, indexes, search, history, outbox.',
    ],
    [
      'a policy on fields that a model does not have',
      () => defineModel('A', { collection: 'a', fields: {}, policy: { nobody: { private: true } } } as never),
      '`policy` is not an option of model `A`. Allowed: collection, fields, check, maxTimeMS, indexes, search, history, outbox.',
    ],
    [
      'no collection',
      () => defineModel('A', { fields: {} } as never),
      '`collection` of model `A` must be the name of a MongoDB collection, without $ or NUL.',
    ],
    [
      'a collection of the database itself',
      () => defineModel('A', { collection: 'system.users', fields: {} }),
      '`collection` of model `A` must be the name of a MongoDB collection, without $ or NUL.',
    ],
    [
      'no fields',
      () => defineModel('A', { collection: 'a' } as never),
      '`fields` of model `A` must be an object: { title: t.string(), … }.',
    ],
    [
      'a time limit of 0, which would be none',
      () => defineModel('A', { collection: 'a', fields: {}, maxTimeMS: 0 }),
      '`maxTimeMS` of model `A` must be a whole number of milliseconds from 1 to 2147482647, or be left out.',
    ],
    [
      'a time limit that is longer than a timer can wait',
      () => defineModel('A', { collection: 'a', fields: {}, maxTimeMS: 2 ** 31 - 1_000 }),
      '`maxTimeMS` of model `A` must be a whole number of milliseconds from 1 to 2147482647, or be left out.',
    ],
    [
      'a name that is none',
      () => defineModel('A B', { collection: 'a', fields: {} }),
      expect.stringContaining('The name of a model must be made of letters') as never,
    ],
    [
      'nothing',
      () => defineModel('A', undefined as never),
      'The options of model `A` must be an object of collection, fields, check, maxTimeMS, indexes, search, history, outbox.',
    ],
    [
      'several mistakes at once',
      () => defineModel('A', { colour: 'red', collection: '$', fields: [], maxTimeMS: 0 } as never),
      [
        '4 mistakes:',
        '- `colour` is not an option of model `A`. Allowed: collection, fields, check, maxTimeMS, indexes, search, history, outbox.',
        '- `collection` of model `A` must be the name of a MongoDB collection, without $ or NUL.',
        '- `fields` of model `A` must be an object: { title: t.string(), … }.',
        '- `maxTimeMS` of model `A` must be a whole number of milliseconds from 1 to 2147482647, or be left out.',
      ].join('\n'),
    ],
  ])('refuses %s', (_name, build, message) => {
    expect(messageOf(build)).toEqual(message);
  });
});

describe('a field that the service sets', () => {
  it.each(['revision', 'createdAt', 'updatedAt'] as const)('takes no default, which it would never use: t.%s', (name) => {
    expect(messageOf(() => t[name]({ default: 'x' } as never))).toBe(
      `\`t.${name}\` takes no \`default\`, because the service sets the field.`,
    );
  });
});
