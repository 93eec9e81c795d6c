import { ObjectId } from 'mongodb';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { filterOf } from '../../../src/mongo/predicate/filter-of.ts';
import { fulfilling } from '../../../src/mongo/predicate/predicate.ts';
import { everything, readAnyScope, readFilter, readScope } from '../../../src/mongo/predicate/read-scope.ts';
import { asRowScope } from '../../../src/mongo/predicate/row-scope.ts';

const { scopeFields } = compileModel(
  defineModel('Doc', {
    collection: 'docs',
    fields: {
      owner: t.string({ policy: { private: true } }),
      count: t.int(),
      team: t.nullable(t.objectId()),
      kind: t.enum(['one', 'two']),
      tags: t.array(t.string()),
      place: t.object('Place', { city: t.string() }),
      any: t.any(),
    },
  }),
);
const read = (scope: unknown) => readScope(scope, scopeFields).map(({ field, operator, value }) => [field.name, operator, value]);
const team = new ObjectId();

describe('what a scope returns', () => {
  it.each<[unknown, readonly unknown[]]>([
    [everything, []],
    [{ owner: 'ann' }, [['owner', 'eq', 'ann']]],
    [{ owner: '' }, [['owner', 'eq', '']]],
    [Object.assign(Object.create(null), { owner: 'ann' }), [['owner', 'eq', 'ann']]],
    [
      { owner: 'ann', team },
      [
        ['owner', 'eq', 'ann'],
        ['team', 'eq', team],
      ],
    ],
    [{ team: null }, [['team', 'eq', null]]],
    [{ team: { in: [team, null] } }, [['team', 'in', [team, null]]]],
    [{ owner: { in: [] } }, [['owner', 'in', []]]], // which no record matches
    [
      { count: { gte: 1, lt: 5 } },
      [
        ['count', 'gte', 1],
        ['count', 'lt', 5],
      ],
    ],
    [{ owner: { prefix: 'a' } }, [['owner', 'prefix', 'a']]],
    [{ kind: { prefix: 'o' } }, [['kind', 'prefix', 'o']]],
    [{ owner: { exists: true } }, [['owner', 'exists', true]]],
    [{ place: { exists: false } }, [['place', 'exists', false]]],
    [{ 'place.city': { nin: ['Ulm'] } }, [['place.city', 'nin', ['Ulm']]]],
    [{ tags: 'red' }, [['tags', 'eq', 'red']]],
  ])('is read into conditions: %#', (scope, conditions) => {
    expect(read(scope)).toEqual(conditions);
  });

  const orEverything = 'A scope must return a filter or `everything`, not';

  it.each<[unknown, string]>([
    [undefined, `${orEverything} undefined.`],
    [null, `${orEverything} null.`],
    [true, `${orEverything} boolean.`],
    ['ann', `${orEverything} string.`],
    [[], `${orEverything} an array.`],
    [new Map([['owner', 'ann']]), `${orEverything} an object of a class.`],
    [Object.create({ owner: 'ann' }), `${orEverything} an object of a class.`],
    [{}, 'A scope returned an empty filter, which matches every record: return `everything` instead.'],
    [{ ownr: 'ann' }, 'The scope names `ownr`, which is not a field of the model.'],
    [{ $where: '1' }, 'The scope names `$where`, which is not a field of the model.'],
    [{ owner: undefined }, "The scope's value of `owner` must be a string."],
    [{ owner: null }, "The scope's value of `owner` must be a string."],
    [{ owner: {} }, 'The scope has no condition on `owner`.'],
    [{ owner: { $ne: 'ann' } }, 'The scope uses `$ne` on `owner`. Allowed: eq, ne, in, nin, gt, gte, lt, lte, exists, prefix, contains.'],
    [
      { owner: { toString: 'ann' } },
      'The scope uses `toString` on `owner`. Allowed: eq, ne, in, nin, gt, gte, lt, lte, exists, prefix, contains.',
    ],
    [{ owner: { exists: 1 } }, '`exists` on `owner` in a scope must be true or false.'],
    [{ owner: { prefix: 5 } }, '`prefix` on `owner` in a scope needs a string, and a field of strings.'],
    [{ count: { prefix: '5' } }, '`prefix` on `count` in a scope needs a string, and a field of strings.'],
    [
      { owner: { prefix: 'a'.repeat(16_384) } },
      '`prefix` on `owner` in a scope must be a pattern of at most 16384 bytes for MongoDB, and is one of 16385.',
    ],
    [{ owner: { in: 'ann' } }, '`in` on `owner` in a scope must be an array.'],
    [{ owner: { nin: undefined } }, '`nin` on `owner` in a scope must be an array.'],
    [{ owner: { in: new Array(1) } }, "The scope's value of `owner` must be a string."],
    [{ owner: { nin: [undefined] } }, "The scope's value of `owner` must be a string."],
    [{ place: null }, 'The scope compares `place`, which is not a single value.'],
    [{ any: 'x' }, 'The scope compares `any`, which is not a single value.'],
    [{ kind: 'three' }, "The scope's value of `kind` must be one of one, two."],
    [{ owner: { nin: [] } }, "The scope's `nin` on `owner` is empty, which matches every record: leave it out, or return `everything`."],
    [
      { count: 5, owner: { prefix: '' } },
      "The scope's `prefix` on `owner` is empty, which matches every record: leave it out, or return `everything`.",
    ],
  ])('is a bug where it would leave the door open: %#', (scope, message) => {
    expect(() => read(scope)).toThrow(new Error(message));
  });
});

describe('a scope in any form', () => {
  const model = { name: 'Doc', scopeFields };
  const bounds = readScope({ owner: 'ann' }, scopeFields);
  const rowScope = asRowScope(fulfilling(bounds), model, bounds);

  it('is `ctx.scope` itself, with the bounds of writes', () => {
    expect(readAnyScope(rowScope, model)).toEqual({ filter: rowScope, bounds });
    expect(readAnyScope(rowScope, model).filter).toBe(rowScope);
  });

  it.each<[unknown, readonly string[]]>([
    [{ owner: 'ann' }, ['owner']],
    [everything, []],
  ])('is what a function has returned, of which each condition is a bound: %#', (returned, names) => {
    const { filter, bounds } = readAnyScope(returned, model);
    expect(bounds.map(({ field }) => field.name)).toEqual(names);
    expect(filterOf(filter)).toEqual(filterOf(fulfilling(bounds)));
  });

  it.each<[unknown, string]>([
    [undefined, 'A scope must return a filter or `everything`, not undefined.'],
    [{}, 'A scope returned an empty filter, which matches every record: return `everything` instead.'],
  ])('is a bug if it is none: %#', (returned, message) => {
    expect(() => readAnyScope(returned, model)).toThrow(new Error(message));
  });

  it('is a bug if it is the `ctx.scope` of another model', () => {
    const other = { name: 'Other', scopeFields };
    expect(() => readAnyScope(rowScope, other)).toThrow(
      new Error('The scope is one of Doc: write a scope for Other as a filter of its own.'),
    );
  });

  it('that restricts nothing is called by the same symbol in all copies of the library', () => {
    expect(everything).toBe(Symbol.for('koa-mongo-resource.everything'));
  });
});

describe('a filter of the application', () => {
  it('has the form of a scope, and may be empty', () => {
    expect(readFilter({ owner: 'ann', count: 5 }, scopeFields).map(({ field }) => field.name)).toEqual(['owner', 'count']);
    expect(readFilter({}, scopeFields)).toEqual([]);
  });

  it.each<[unknown, string]>([
    [undefined, 'A filter must be an object, not undefined.'],
    [[], 'A filter must be an object, not an array.'],
    [{ nobody: 1 }, 'The filter names `nobody`, which is not a field of the model.'],
    [{ owner: undefined }, "The filter's value of `owner` must be a string."],
  ])('is a bug if it does not fit the model: %#', (filter, message) => {
    expect(() => readFilter(filter, scopeFields)).toThrow(new Error(message));
  });
});
