import { ConfigurationError } from '../../../src/errors.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import type { Fields } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';

const name = t.string({ unique: true });
const compile = (fields: Fields, indexes?: unknown) =>
  compileModel(defineModel('Doc', { collection: 'docs', fields, indexes: indexes as never }));
const two = { owner: t.string(), number: t.string() };

const secret = t.string({ policy: { private: true } });
const place = t.object('Place', { city: t.string(), code: secret });
type Mistake = [rule: string, fields: Fields, indexes: unknown, message: RegExp];
const privately = (cases: [rule: string, fields: Fields, indexes?: unknown][]): Mistake[] =>
  cases.map(([rule, fields, indexes]) => [`unique on what is private: ${rule}`, fields, indexes, /private.* 409/]);

describe('what a model declares of its indexes', () => {
  it.each<Mistake>([
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
    ...privately([
      ['a private field', { a: t.string({ unique: true, policy: { private: true } }) }],
      ['a private field that clients write', { a: t.string({ unique: true, policy: { private: true, insert: true } }) }],
      ['a field in a private object', { a: t.object('A', { b: name }, { policy: { private: true } }) }],
      ['a field in an object in a private object', { a: t.object('A', { b: t.object('B', { c: name }) }, { policy: { private: true } }) }],
      ['one of several fields', { ...two, a: secret }, [{ fields: ['owner', '-a'], unique: true }]],
      ['a nested one of several fields', { ...two, a: place }, [{ fields: ['a.code', 'owner'], unique: true }]],
      ['a key in full', { a: secret }, [{ key: { a: 1 }, unique: true }]],
      ['a key in full, in a Map', { a: secret }, [{ key: new Map([['a', 1]]), unique: true }]],
      ['a key in full that is nested', { ...two, a: place }, [{ key: { owner: 1, 'a.code': -1 }, unique: true }]],
      ['a key in full, in a list', { a: t.array(place) }, [{ key: { 'a.code': 1 }, unique: true }]],
      ['a key in full, at a place of a list', { a: t.array(place) }, [{ key: { 'a.0.code': 1 }, unique: true }]],
      ['a key in full, in a map', { a: t.map(place) }, [{ key: { 'a.any.code': 1 }, unique: true }]],
      [
        'a key in full, below a private untyped value',
        { a: t.any({ policy: { private: true } }) },
        [{ key: { 'a.b.c': 1 }, unique: true }],
      ],
      ['a key in full, of an object that holds a private field', { a: place }, [{ key: { a: 1 }, unique: true }]],
      ['a key in full, of a list of them', { a: t.array(place) }, [{ key: { a: 1 }, unique: true }]],
      ['a key in full, of a wildcard', { a: place }, [{ key: { 'a.$**': 1 }, unique: true }]],
      [
        'a filter of the index',
        { ...two, a: secret },
        [{ key: { owner: 1 }, unique: true, partialFilterExpression: { a: { $exists: true } } }],
      ],
      [
        'a filter of the index, deep inside',
        { ...two, a: place },
        [{ key: { owner: 1 }, unique: true, partialFilterExpression: { $and: [{ number: '1' }, { 'a.code': { $gt: '' } }] } }],
      ],
      ['a flag that is true to the database', { a: secret }, [{ key: { a: 1 }, unique: 1 }]],
    ]),
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

  it('may be an index of a private field that is not unique, for the queries of the application', () => {
    expect(compile({ ...two, a: secret }, [{ fields: ['owner', 'a'] }, { key: { a: 1 } }]).indexes).toHaveLength(2);
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
