import { inspect } from 'node:util';
import { ObjectId } from 'mongodb';
import type { IndexKey } from '../../../src/model/compile/model-index.ts';
import { compareIndexes, type ExistingIndex, formatKey, IndexPlan } from '../../../src/mongo/indexes/index-plan.ts';
import type { IndexOptions, PlannedIndex } from '../../../src/mongo/indexes/wanted.ts';

const planned = (key: IndexKey, options: IndexOptions = {}): PlannedIndex => ({ key, options, reasons: ['docs: sort by a'] });
const found = (name: string, key: IndexKey, options: IndexOptions = {}): ExistingIndex => ({ name, key, options });
const id = found('_id_', [['_id', 1]]);
const a: IndexKey = [['a', 1]];
const byA: IndexKey = [
  ['a', 1],
  ['_id', 1],
];
const present = { a: { $gte: '' } };

/** The state of one planned index, and the names of what is unused. */
function stateOf(index: PlannedIndex, ...there: ExistingIndex[]): [state: string | undefined, unused: string[]] {
  const plan = compareIndexes([index], [id, ...there]);
  const state = (['existing', 'missing', 'conflicting'] as const).find((one) => plan[one].length > 0);
  return [state, plan.unused.map(({ name }) => name)];
}

describe('compareIndexes()', () => {
  it.each<[rule: string, index: PlannedIndex, there: ExistingIndex[], state: string, unused: string[]]>([
    ['an index that is not there is missing', planned(byA), [], 'missing', []],
    ['an index of the same keys exists', planned(byA), [found('x', byA)], 'existing', []],
    [
      'an index from its other end exists',
      planned(byA),
      [
        found(
          'x',
          byA.map(([path]) => [path, -1]),
        ),
      ],
      'existing',
      [],
    ],
    [
      'an index half of whose keys are turned does not',
      planned(byA),
      [
        found('x', [
          ['a', 1],
          ['_id', -1],
        ]),
      ],
      'missing',
      ['x'],
    ],
    ['the beginning of a longer index exists', planned(byA), [found('x', [...byA, ['b', 1]])], 'existing', []],
    ['of two that serve the equal one is used', planned(byA), [found('x', [...byA, ['b', 1]]), found('y', byA)], 'existing', ['x']],
    ['an index that lacks the last key does not serve', planned(byA), [found('x', a)], 'missing', ['x']],
    ['a unique index serves a plain one', planned(byA), [found('x', byA, { unique: true })], 'existing', []],
    ['one that expires records serves', planned(byA), [found('x', byA, { expireAfterSeconds: 5 })], 'existing', []],
    [
      'a partial index does not, and is in the way',
      planned(byA),
      [found('x', byA, { partialFilterExpression: present })],
      'conflicting',
      [],
    ],
    ['a sparse index is in the way', planned(byA), [found('x', byA, { sparse: true })], 'conflicting', []],
    ['a hidden index is in the way', planned(byA), [found('x', byA, { hidden: true })], 'conflicting', []],
    ['an index with a collation is in the way', planned(byA), [found('x', byA, { collation: { locale: 'de' } })], 'conflicting', []],
    ['a unique index exists', planned(a, { unique: true }), [found('x', a, { unique: true })], 'existing', []],
    ['a unique index is not the beginning of another', planned(a, { unique: true }), [found('x', byA, { unique: true })], 'missing', ['x']],
    ['one that is not unique is in the way', planned(a, { unique: true }), [found('x', a)], 'conflicting', []],
    [
      'a unique index with the same restriction exists',
      planned(a, { unique: true, partialFilterExpression: present }),
      [found('x', a, { partialFilterExpression: present, unique: true })],
      'existing',
      [],
    ],
    [
      'one that compares missing values is in the way',
      planned(a, { unique: true, partialFilterExpression: present }),
      [found('x', a, { unique: true })],
      'conflicting',
      [],
    ],
    [
      'one with another restriction is in the way',
      planned(a, { unique: true, partialFilterExpression: { a: { $gte: ObjectId.createFromHexString('0'.repeat(24)) } } }),
      [found('x', a, { unique: true, partialFilterExpression: present })],
      'conflicting',
      [],
    ],
    ['an index given in full exists', planned(a, { expireAfterSeconds: 5 }), [found('a_1', a, { expireAfterSeconds: 5 })], 'existing', []],
    ['one whose option differs is in the way', planned(a, { expireAfterSeconds: 5 }), [found('a_1', a)], 'conflicting', []],
    ['one with a name of its own exists', planned(a, { name: 'mine' }), [found('mine', a)], 'existing', []],
    ['one with another name is in the way', planned(a, { name: 'mine' }), [found('a_1', a)], 'conflicting', []],
    ['one with its name is in the way', planned(a, { name: 'mine' }), [found('mine', byA)], 'conflicting', []],
    [
      'an index of a text is known by its name',
      planned([['a', 'text']], { background: true }),
      [
        found(
          'a_text',
          [
            ['_fts', 'text'],
            ['_ftsx', 1],
          ],
          { weights: { a: 1 } },
        ),
      ],
      'existing',
      [],
    ],
    ['what nothing needs is unused', planned(byA), [found('x', byA), found('y', [['b', 1]])], 'existing', ['y']],
  ])('%s', (_rule, index, there, state, unused) => {
    expect(stateOf(index, ...there)).toEqual([state, unused]);
  });
});

describe('IndexPlan', () => {
  const plan = new IndexPlan([
    {
      collection: 'docs',
      existing: [{ ...planned(byA), existing: found('x', byA) }],
      missing: [planned([['a.b', 1]], { unique: true })],
      conflicting: [{ ...planned(a, { unique: true }), existing: found('a_1', a, { sparse: true }) }],
      unused: [found('y', [['b', 'text']])],
      notes: ['no scope'],
    },
    { collection: 'none', existing: [], missing: [], conflicting: [], unused: [], notes: [] },
  ]);
  const text = [
    'docs',
    '  exists    { a: 1, _id: 1 }     docs: sort by a',
    "  missing   { 'a.b': 1 } unique  docs: sort by a",
    '  conflict  { a: 1 } unique      docs: sort by a; there is `a_1` { a: 1 } { sparse: true }',
    "  unused    { b: 'text' }        y",
    '  note      no scope',
    '',
    'none',
  ].join('\n');

  it('is a table as a string', () => {
    expect(String(plan)).toBe(text);
  });

  it('is the same table in the console', () => {
    expect(inspect(plan)).toBe(text);
  });

  it('spells keys as `createIndex` takes them', () => {
    expect(
      formatKey([
        ['a', 1],
        ['b-c', -1],
        ["it's", 'text'],
        ['1', 1],
      ]),
    ).toBe(`{ a: 1, 'b-c': -1, 'it\\'s': 'text', '1': 1 }`);
  });
});
