import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { compilePatch } from '../../../src/model/write/compile-writes.ts';
import { buildUpdate, changesNothing, requireMergeable } from '../../../src/mongo/query/update-pipeline.ts';

const Inner = t.object('Inner', { x: t.int(), y: t.nullable(t.int()), z: t.nullable(t.int(), { storeNone: true }) });
const fields = {
  a: t.optional(t.string()),
  map: t.optional(t.map(t.int())),
  any: t.optional(t.any()),
  outer: t.optional(t.object('Outer', { k: t.string(), inner: t.optional(Inner) })),
};
const bare = compileModel(defineModel('Bare', { collection: 'docs', fields }));
const counted = compileModel(defineModel('Counted', { collection: 'docs', fields: { ...fields, rev: t.revision(), at: t.updatedAt() } }));
const now = new Date(0);

const update = (body: object) => buildUpdate(bare, compilePatch(bare)(body), now);
const isObject = (path: string) => ({ $eq: [{ $type: `$${path}` }, 'object'] });

describe('buildUpdate()', () => {
  it.each<[string, object, object[]]>([
    ['a value', { a: 'x' }, [{ $set: { a: 'x' } }]],
    ['text that looks like an expression', { a: '$$ROOT' }, [{ $set: { a: { $literal: '$$ROOT' } } }]],
    ['null, which removes', { a: null }, [{ $set: { a: '$$REMOVE' } }]],
    [
      'a map, whole',
      { map: { $inc: 1, 'a.b': 2 } },
      [
        {
          $set: {
            map: {
              $literal: new Map([
                ['$inc', 1],
                ['a.b', 2],
              ]),
            },
          },
        },
      ],
    ],
    ['a key of an embedded object that cannot be created, alone', { outer: { inner: { y: 1 } } }, [{ $set: { 'outer.inner.y': 1 } }]],
    [
      'null for keys of an embedded object',
      { outer: { inner: { y: null, z: null } } },
      [{ $set: { 'outer.inner.y': '$$REMOVE', 'outer.inner.z': null } }],
    ],
    [
      'an embedded object that may have to be created, level by level',
      { outer: { k: 'k', inner: { x: 1 } } },
      [
        { $set: { outer: { $cond: [isObject('outer'), '$outer', { $literal: { k: 'k', inner: { x: 1, z: null } } }] } } },
        { $set: { 'outer.inner': { $cond: [isObject('outer.inner'), '$outer.inner', { $literal: { x: 1, z: null } }] } } },
        { $set: { 'outer.k': 'k', 'outer.inner.x': 1 } },
      ],
    ],
  ])('writes no more than what was sent: %s', (_name, body, stages) => {
    expect(update(body)).toEqual(stages);
  });

  it('takes one step of the revision, from 0 where it is missing or null, and the time', () => {
    expect(buildUpdate(counted, compilePatch(counted)({ a: 'x' }), now)).toEqual([
      { $set: { a: 'x', at: now, rev: { $add: [{ $ifNull: ['$rev', 0] }, 1] } } },
    ]);
  });

  it('takes that step only where an object was created, when the body names nothing else', () => {
    const loose = t.optional(t.object('Loose', { m: t.optional(t.int()), deep: t.optional(t.object('Deep', { n: t.optional(t.int()) })) }));
    const model = compileModel(defineModel('Loose', { collection: 'docs', fields: { loose, rev: t.revision(), at: t.updatedAt() } }));
    const areThere = { $and: [isObject('loose'), isObject('loose.deep')] };
    expect(buildUpdate(model, compilePatch(model)({ loose: { deep: {} } }), now)).toEqual([
      {
        $set: {
          loose: { $cond: [isObject('loose'), '$loose', { $literal: { deep: {} } }] },
          at: { $cond: [areThere, '$at', now] },
          rev: { $cond: [areThere, '$rev', { $add: [{ $ifNull: ['$rev', 0] }, 1] }] },
        },
      },
      { $set: { 'loose.deep': { $cond: [isObject('loose.deep'), '$loose.deep', { $literal: {} }] } } },
    ]);
  });
});

describe('changesNothing()', () => {
  it.each<[object, boolean]>([
    [{}, true],
    [{ outer: {} }, true],
    [{ outer: { inner: {} } }, true],
    [{ a: 'x' }, false],
    [{ a: null }, false],
    [{ outer: {}, a: 'x' }, false],
    [{ outer: { inner: { y: 1 } } }, false],
    [{ loose: {} }, false],
    [{ loose: {}, outer: {} }, false],
  ])('of %j is %j: nothing gets a value, and no object may have to be created', (body, nothing) => {
    const model = compileModel(
      defineModel('Loose', { collection: 'docs', fields: { ...fields, loose: t.optional(t.object('Loose', { m: t.optional(t.int()) })) } }),
    );
    expect(changesNothing(compilePatch(model)(body))).toBe(nothing);
  });
});

describe('the stages of buildUpdate()', () => {
  const merge = (path: string, whole?: object) => ({ path, whole, refused: [] });
  const pathsOf = (...embedded: ReturnType<typeof merge>[]) =>
    buildUpdate(bare, { assignments: [], embedded }, now).map((stage) => Object.keys(stage.$set));

  it('create objects level by level, the outermost first, whatever must be there already', () => {
    const embedded = [merge('a'), merge('a.b', {}), merge('c', {}), merge('c.long', {}), merge('longer', {})];
    expect(pathsOf(...embedded)).toEqual([
      ['c', 'longer'],
      ['a.b', 'c.long'],
    ]);
  });

  it('are none where there is nothing to write', () => {
    expect(pathsOf()).toEqual([]);
    expect(pathsOf(merge('a'))).toEqual([]);
  });
});

describe('requireMergeable()', () => {
  it.each<[object, object | undefined]>([
    [{ a: 'x' }, undefined],
    [{ outer: { k: 'k' } }, undefined],
    [{ outer: { inner: { y: 1 } } }, { $expr: { $and: [isObject('outer'), isObject('outer.inner')] } }],
    [{ outer: { k: 'k', inner: { y: 1 } } }, { $expr: { $and: [isObject('outer'), isObject('outer.inner')] } }],
  ])('of %j is %j: what the body cannot create must be there', (body, filter) => {
    expect(requireMergeable(compilePatch(bare)(body))).toEqual(filter);
  });
});
