import { ConfigurationError } from '../../../src/errors.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import type { Fields } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';
import { caselessPath, foldedPath } from '../../../src/model/fold/fold-paths.ts';

const name = t.string({ unique: true });
const compile = (fields: Fields, indexes?: unknown) =>
  compileModel(defineModel('Doc', { collection: 'docs', fields, indexes: indexes as never }));
const two = { owner: t.string(), number: t.string() };

/** Each way to hide a field from somebody who may write it, or who writes what stands beside it in an index. */
const hidden: readonly [how: string, policy: object, message: RegExp][] = [
  ['private', { private: true }, /compares `a(\.b|\.b\.c|\.code)?`, which is private, and a 409 would say/],
  [
    'private, and written',
    { private: true, insert: true, update: true },
    /compares `a(\.b|\.b\.c|\.code)?`, which is private, and a 409 would say/,
  ],
  [
    'read by some, created by all',
    { read: 'staff', insert: true },
    /callers for whom no rule holds may write it and not read it, and a 409 would/,
  ],
  [
    'read by some, updated by all',
    { read: 'staff', update: true },
    /callers for whom no rule holds may write it and not read it, and a 409 would/,
  ],
  [
    'read by some, written by others',
    { read: 'staff', insert: 'clerk' },
    /callers for whom only clerk holds may write it and not read it, and a 409 would/,
  ],
];
const secret = t.string({ policy: { private: true } });
const place = t.object('Place', { city: t.string(), code: secret });

/** Each spelling of a unique index that compares a hidden field. */
function spellings(policy: object): Record<string, [fields: Fields, indexes?: readonly object[]]> {
  const one = t.optional(t.string({ policy }));
  const within = t.object('Place', { city: t.string(), code: one });
  const caseless = t.string({ caseless: true, policy });
  const ofOwner = (partialFilterExpression: object) => [{ key: { owner: 1 }, unique: true, partialFilterExpression }];
  return {
    'of the field': [{ a: t.string({ unique: true, policy }) }],
    'of the field in an object': [{ a: t.object('A', { b: t.string({ unique: true, policy }) }) }],
    'of a field in such an object': [{ a: t.object('A', { b: name }, { policy }) }],
    'of a field in an object in such an object': [{ a: t.object('A', { b: t.object('B', { c: name }) }, { policy }) }],
    'of a field without case': [{ a: t.string({ caseless: true, unique: true, policy }) }],
    '`fields`': [{ ...two, a: one }, [{ fields: ['owner', '-a'], unique: true }]],
    '`fields`, nested': [{ ...two, a: within }, [{ fields: ['a.code', 'owner'], unique: true }]],
    '`key`': [{ a: one }, [{ key: { a: 1 }, unique: true }]],
    '`key`, in a Map': [{ a: one }, [{ key: new Map([['a', 1]]), unique: true }]],
    '`key`, dotted': [{ ...two, a: within }, [{ key: { owner: 1, 'a.code': -1 }, unique: true }]],
    '`key`, in an array': [{ a: t.array(within) }, [{ key: { 'a.code': 1 }, unique: true }]],
    '`key`, at a place of an array': [{ a: t.array(within) }, [{ key: { 'a.0.code': 1 }, unique: true }]],
    '`key`, in a map': [{ a: t.map(within) }, [{ key: { 'a.any.code': 1 }, unique: true }]],
    '`key`, below an untyped value': [{ a: t.any({ policy }) }, [{ key: { 'a.b.c': 1 }, unique: true }]],
    '`key`, of an object that holds it': [{ a: within }, [{ key: { a: 1 }, unique: true }]],
    '`key`, of an array of them': [{ a: t.array(within) }, [{ key: { a: 1 }, unique: true }]],
    '`key`, of a wildcard': [{ a: within }, [{ key: { 'a.$**': 1 }, unique: true }]],
    '`key`, by the stored name': [{ a: t.string({ stored: 'cust no', policy }) }, [{ key: { 'cust no': 1 }, unique: true }]],
    '`key`, by the folded text': [{ a: caseless }, [{ key: { [foldedPath('a')]: 1 }, unique: true }]],
    '`key`, by the text without case': [{ a: caseless }, [{ key: { [caselessPath('a')]: 1 }, unique: true }]],
    'a filter': [{ ...two, a: one }, ofOwner({ a: { $exists: true } })],
    'a filter, in a Map': [{ ...two, a: one }, ofOwner(new Map([['a', 'x']]))],
    'a filter, deep inside': [{ ...two, a: within }, ofOwner({ $and: [{ number: '1' }, { 'a.code': { $gt: '' } }] })],
    'a filter of an object that holds it': [{ ...two, a: within }, ofOwner({ a: { city: 'Bern', code: 'x' } })],
    'a flag that is true to the database': [{ a: one }, [{ key: { a: 1 }, unique: 1 }]],
  };
}

describe.each(hidden)('a field that is %s', (_how, policy, message) => {
  it.each(Object.entries(spellings(policy)))('cannot be unique in any spelling: %s', (_spelling, [fields, indexes]) => {
    expect(() => compile(fields, indexes)).toThrow(ConfigurationError);
    expect(() => compile(fields, indexes)).toThrow(message);
  });

  it.each(Object.entries(spellings(policy)).filter(([, [, indexes]]) => indexes))(
    'may be indexed otherwise: %s',
    (_spelling, [fields, indexes]) => {
      expect(
        compile(
          fields,
          indexes?.map((index) => ({ ...index, unique: false })),
        ).rules,
      ).toBeDefined();
    },
  );
});

describe('what a model declares of its indexes', () => {
  it.each<[rule: string, fields: Fields, indexes: unknown, message: RegExp]>([
    ['a flag', { a: { type: 'string', unique: 'yes' } }, undefined, /`unique` of `a` must be true or false/],
    ['a flag of planning', { a: { type: 'string', index: 1 } }, undefined, /`index` of `a` must be true or false/],
    ['unique in a list', { a: t.array(t.string(), { unique: true }) }, undefined, /`a` is in an array/],
    ['unique in an object of a list', { a: t.array(t.object('A', { name })) }, undefined, /`a.name` is in an array/],
    ['unique in a map', { a: t.map(t.object('A', { name })) }, undefined, /`unique` of `a.\*.name`: the keys of a map are data/],
    [
      'unique in a map in a list',
      { a: t.array(t.map(t.array(t.object('A', { b: t.map(t.object('B', { name })) })))) },
      undefined,
      /keys of a map/,
    ],
    ['unique on an item', { a: t.array(name) }, undefined, /`a.\*` cannot have `unique`/],
    ['unique on an object', { a: t.object('A', {}, { unique: true }) }, undefined, /must be a single value/],
    ['unique on an untyped value', { a: t.any({ unique: true }) }, undefined, /must be a single value/],
    ['indexes that are no list', two, { fields: ['owner'] }, /must be an array of indexes/],
    ['an index that is no object', two, ['owner'], /must be objects with either `fields`/],
    ['an index with both forms', two, [{ fields: ['owner'], key: { owner: 1 } }], /must be objects with either `fields`/],
    ['an unknown option', two, [{ fields: ['owner'], sparse: true }], /`sparse` in .* is not an option of an index with `fields`/],
    ['unique that is no flag', two, [{ fields: ['owner'], unique: 1 }], /`unique` in .* must be true or false/],
    ['no fields', two, [{ fields: [] }], /must be an array of field names/],
    ['an unknown field', two, [{ fields: ['owner', '-nubmer'] }], /names `nubmer`, which is not a field; did you mean `number`\?/],
    ['a field twice', two, [{ fields: ['owner', '-owner'] }], /names `owner` twice in one index/],
    ['an index twice', { owner: name }, [{ fields: ['owner'], unique: true }], /declares an index of owner twice/],
    ['two lists', { a: t.array(t.string()), b: t.array(t.string()) }, [{ fields: ['a', 'b'] }], /`a` and `b` are two arrays/],
    ['a unique list', { a: t.array(t.string()) }, [{ fields: ['a'], unique: true }], /`a` is in an array/],
    ['a key without paths', two, [{ key: {} }], /must be an object of paths/],
  ])('is refused: %s', (_rule, fields, indexes, message) => {
    expect(() => compile(fields, indexes)).toThrow(ConfigurationError);
    expect(() => compile(fields, indexes)).toThrow(message);
  });

  it('may be unique of what everybody reads who may write it', () => {
    const code = t.string({ unique: true, policy: { read: 'staff', insert: 'staff' } });
    expect(compile({ code, place: t.object('Place', { code }) }, [{ key: { place: 1 }, unique: true }]).indexes).toHaveLength(3);
  });

  it('may be unique of an object whose hidden fields are only computed', () => {
    const code = t.computed(t.string({ policy: { read: 'staff' } }), { from: ['city'], get: () => '' });
    expect(compile({ place: t.object('Place', { city: t.string(), code }) }, [{ key: { place: 1 }, unique: true }]).indexes).toHaveLength(
      1,
    );
  });

  it('may be unique beside private fields, and in full by paths of which the model knows nothing', () => {
    const indexes = [
      { key: { 'a.city': 1 }, unique: true },
      { key: { other: 1, 'number.x': 1 }, unique: true, partialFilterExpression: { other: { $exists: true } } },
    ];
    expect(compile({ ...two, a: place }, indexes).indexes).toHaveLength(2);
  });

  it('takes the options of a wrapper, and of a schema written by hand', () => {
    const fields = { a: t.nullable(t.string(), { unique: true }), b: { type: 'integer', unique: true }, c: t.optional(name) };
    expect(compile(fields).indexes.map(({ key }) => key)).toEqual([[['a', 1]], [['b', 1]], [['c', 1]]]);
  });

  it('takes two fields of one list, or of a list in it', () => {
    const items = t.array(t.object('Item', { sku: t.string(), sizes: t.array(t.int()) }));
    expect(compile({ items }, [{ fields: ['items.sku', 'items.sizes'] }]).indexes[0]?.key).toEqual([
      ['items.sku', 1],
      ['items.sizes', 1],
    ]);
  });

  it('stores the id as `_id`, and needs no unique index of it', () => {
    expect(compile({ id: name }, [{ fields: ['-id'] }]).indexes).toMatchObject([{ key: [['_id', -1]], unique: false }]);
  });

  it('passes an index in full on to the database', () => {
    expect(compile(two, [{ key: new Map([['owner', 'text']]), weights: { owner: 2 } }]).indexes).toEqual([
      { key: [['owner', 'text']], unique: false, partialOn: [], options: { weights: { owner: 2 } } },
    ]);
  });

  it('is published nowhere', () => {
    expect(JSON.stringify(compile({ a: name }).root.fields.map((field) => field.annotations))).not.toMatch(/unique/);
  });
});
