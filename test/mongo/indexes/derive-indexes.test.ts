import { Binary, ObjectId } from 'mongodb';
import { defineModel, type Fields, type ModelIndex, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { deriveIndexes } from '../../../src/mongo/indexes/derive-indexes.ts';
import { formatKey } from '../../../src/mongo/indexes/index-plan.ts';
import type { IndexSource } from '../../../src/mongo/indexes/wanted.ts';

const filtered = { policy: { filter: ['eq'] } } as const;
const ranged = { policy: { filter: ['gte', 'lt'] } } as const;
const sorted = { policy: { sort: true } } as const;

const modelOf = (fields: Fields, indexes: readonly ModelIndex[] = [], name = 'Doc') =>
  compileModel(defineModel(name, { collection: 'docs', fields, indexes: indexes as never }));
const listed = (fields: Fields, indexes: readonly ModelIndex[] = [], scopeFields: readonly string[] = []): IndexSource => ({
  model: modelOf(fields, indexes),
  list: { resource: 'docs', scopeFields },
});
const derived = (...sources: IndexSource[]) =>
  deriveIndexes(sources).map(({ key, options, reasons }) => `${formatKey(key)}${options.unique ? ' unique' : ''} <- ${reasons.join('; ')}`);

const tags = t.array(t.string(), filtered);

describe('deriveIndexes()', () => {
  it.each<[rule: string, source: IndexSource, expected: string[]]>([
    ['plans nothing for a model that nobody filters or sorts', listed({ text: t.string() }), []],
    ['plans an index for each field that is filtered', listed({ a: t.string(filtered) }), ['{ a: 1, _id: 1 } <- docs: filter by a']],
    ['plans an index for each field that is sorted', listed({ a: t.string(sorted) }), ['{ a: 1, _id: 1 } <- docs: sort by a']],
    [
      'plans one index for a field that is both',
      listed({ a: t.string({ policy: { filter: true, sort: true } }) }),
      ['{ a: 1, _id: 1 } <- docs: filter and sort by a'],
    ],
    [
      'plans one for each field, not for each combination',
      listed({ a: t.string(filtered), b: t.int(ranged), c: t.date(sorted) }),
      ['{ a: 1, _id: 1 } <- docs: filter by a', '{ b: 1, _id: 1 } <- docs: filter by b', '{ c: 1, _id: 1 } <- docs: sort by c'],
    ],
    [
      'plans nested fields and lists by their stored paths',
      listed({
        place: t.object('Place', { city: t.string(filtered) }),
        tags,
        stops: t.array(t.object('Stop', { name: t.string(filtered) })),
      }),
      [
        "{ 'place.city': 1, _id: 1 } <- docs: filter by place.city",
        '{ tags: 1, _id: 1 } <- docs: filter by tags',
        "{ 'stops.name': 1, _id: 1 } <- docs: filter by stops.name",
      ],
    ],
    ['plans nothing for the id, which has an index', listed({ id: t.string({ policy: { filter: true, sort: true } }) }), []],
    [
      'plans nothing for operators that an index does not help',
      listed({ a: t.string({ policy: { filter: ['ne', 'nin', 'exists'] } }), b: t.map(t.string(), { policy: { filter: ['exists'] } }) }),
      [],
    ],
    ['plans nothing where the field says so', listed({ a: t.string({ ...filtered, index: false }) }), []],
    ['plans nothing for a resource without a list', { model: modelOf({ a: t.string(filtered) }) }, []],
    [
      'puts the fields of the scope in front, and plans for the scope alone',
      listed({ owner: t.string(), a: t.string(filtered), c: t.date(sorted) }, [], ['owner']),
      [
        '{ owner: 1, _id: 1 } <- docs: its scope',
        '{ owner: 1, a: 1, _id: 1 } <- docs: filter by a',
        '{ owner: 1, c: 1, _id: 1 } <- docs: sort by c',
      ],
    ],
    [
      'does not repeat a field of the scope',
      listed({ owner: t.string({ policy: { filter: true, sort: true } }) }, [], ['owner']),
      ['{ owner: 1, _id: 1 } <- docs: its scope'],
    ],
    ['plans nothing where the scope is the id', listed({ id: t.string(), a: t.string(filtered) }, [], ['id']), []],
    [
      'leaves a list of the scope out where another list stands: the database could not write a record with both',
      listed({ members: t.array(t.string()), tenant: t.string(), tags }, [], ['members', 'tenant']),
      ['{ members: 1, tenant: 1, _id: 1 } <- docs: its scope', '{ tenant: 1, tags: 1, _id: 1 } <- docs: filter by tags'],
    ],
    [
      'plans a unique index, which serves a filter of single values as well',
      listed({ a: t.string({ ...filtered, unique: true }) }),
      ['{ a: 1 } unique <- Doc: unique a; docs: filter by a'],
    ],
    [
      'plans both where the field is sorted too: the list ends with the id',
      listed({ a: t.string({ ...sorted, unique: true }) }),
      ['{ a: 1 } unique <- Doc: unique a', '{ a: 1, _id: 1 } <- docs: sort by a'],
    ],
    [
      'plans both where null is asked for, of which a partial index knows nothing',
      listed({ a: t.nullable(t.int({ ...filtered, unique: true })) }),
      ['{ a: 1 } unique <- Doc: unique a', '{ a: 1, _id: 1 } <- docs: filter by a'],
    ],
    [
      'takes a unique index of scope and filter together',
      listed({ owner: t.string(), number: t.string(filtered) }, [{ fields: ['owner', 'number'], unique: true }], ['owner']),
      ['{ owner: 1, number: 1 } unique <- Doc: unique owner, number; docs: filter by number', '{ owner: 1, _id: 1 } <- docs: its scope'],
    ],
    [
      'plans both where the unique index has a field that nothing is equal to',
      listed({ owner: t.string(), number: t.string(filtered) }, [{ fields: ['number', 'owner'], unique: true }]),
      ['{ number: 1, owner: 1 } unique <- Doc: unique number, owner', '{ number: 1, _id: 1 } <- docs: filter by number'],
    ],
    [
      'drops what is the beginning of another index',
      listed({ a: t.string(sorted) }, [{ fields: ['a'] }]),
      ['{ a: 1, _id: 1 } <- docs: sort by a; Doc: declared'],
    ],
    [
      'knows an index from its other end',
      listed({ a: t.string(sorted) }, [{ fields: ['-a', '-id'] }]),
      ['{ a: -1, _id: -1 } <- Doc: declared; docs: sort by a'],
    ],
    [
      'keeps a unique index that is the beginning of another',
      listed({ a: t.string({ unique: true }), b: t.string() }, [{ fields: ['a', 'b'] }]),
      ['{ a: 1 } unique <- Doc: unique a', '{ a: 1, b: 1 } <- Doc: declared'],
    ],
    [
      'keeps an index beside a partial one with its keys',
      listed({ a: t.string(sorted) }, [{ key: { a: 1, _id: 1 }, partialFilterExpression: { a: { $exists: true } } }]),
      ['{ a: 1, _id: 1 } <- Doc: declared', '{ a: 1, _id: 1 } <- docs: sort by a'],
    ],
  ])('%s', (_rule, source, expected) => {
    expect(derived(source)).toEqual(expected);
  });

  it('merges models and resources of one collection', () => {
    const a = t.string(filtered);
    const other = { model: modelOf({ a, b: t.string(sorted) }, [], 'Other'), list: { resource: 'others', scopeFields: [] } };
    expect(derived(listed({ a }), other, { model: modelOf({ a }) })).toEqual([
      '{ a: 1, _id: 1 } <- docs: filter by a; others: filter by a',
      '{ b: 1, _id: 1 } <- others: sort by b',
    ]);
  });

  it.each<[string, Fields, unknown]>([
    ['no restriction, where every record has a value', { a: t.string({ unique: true }) }, undefined],
    ['texts', { a: t.optional(t.string({ unique: true })) }, { $gte: '' }],
    ['members of an enum', { a: t.nullable(t.enum(['x'], { unique: true })) }, { $gte: '' }],
    ['numbers', { a: t.nullable(t.decimal({ unique: true }), { storeNone: true }) }, { $gte: Number.NEGATIVE_INFINITY }],
    ['booleans', { a: t.optional(t.boolean(), { unique: true }) }, { $gte: false }],
    ['dates', { a: t.optional(t.date({ unique: true })) }, { $gte: new Date(-8.64e15) }],
    ['ids', { a: t.nullable(t.ref('Other', { unique: true })) }, { $gte: ObjectId.createFromHexString('0'.repeat(24)) }],
    ['bytes', { a: t.optional(t.uuid({ unique: true })) }, { $gte: new Binary(Buffer.alloc(0)) }],
  ])('restricts a unique index to records with a value: %s', (_what, fields, bound) => {
    const options = bound === undefined ? {} : { partialFilterExpression: { a: bound } };
    expect(deriveIndexes([{ model: modelOf(fields) }])).toEqual([
      { key: [['a', 1]], options: { unique: true, ...options }, reasons: ['Doc: unique a'] },
    ]);
  });

  it('restricts a unique index by an embedded object that may be missing', () => {
    const place = t.nullable(t.object('Place', { code: t.string({ unique: true }) }));
    expect(deriveIndexes([{ model: modelOf({ place }) }])).toMatchObject([
      { key: [['place.code', 1]], options: { unique: true, partialFilterExpression: { 'place.code': { $gte: '' } } } },
    ]);
  });
});
