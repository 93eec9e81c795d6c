import { Binary, Decimal128, Double, Int32, Long, ObjectId, UUID } from 'mongodb';
import type { QueryField } from '../../../src/model/compile/query-fields.ts';
import { type Operator, operatorDef, operators } from '../../../src/model/operators/operators.ts';
import { isWithin } from '../../../src/mongo/predicate/is-within.ts';

// What the database says of all this is in `within-scope-in-database.test.ts`.
const fieldAt = (path: string) => ({ name: path, path }) as QueryField;
const within = (operator: Operator, operand: unknown, stored: unknown, path = 'a') =>
  isWithin({ field: fieldAt(path), operator, value: operand }, stored);
const decimal = (text: string) => Decimal128.fromString(text);

/** The operators that find a value which stands so to their operand. */
const found = {
  less: ['ne', 'nin', 'lt', 'lte'],
  equal: ['eq', 'in', 'gte', 'lte'],
  more: ['ne', 'nin', 'gt', 'gte'],
  apart: ['ne', 'nin'],
} as const;

describe('a value', () => {
  it.each<[unknown, keyof typeof found, unknown]>([
    ['a', 'less', 'b'],
    ['b', 'equal', 'b'],
    ['b', 'more', 'B'],
    ['', 'less', 'a'],
    ['\uffff', 'less', '\u{1f600}'], // by their bytes in UTF-8, not by UTF-16
    [1, 'less', 2],
    [5, 'equal', 5n],
    [new Int32(5), 'equal', new Double(5)],
    [Long.fromNumber(5), 'equal', 5],
    [2 ** 53, 'less', 2n ** 53n + 1n],
    [2n ** 53n + 1n, 'more', 2 ** 53],
    [-(2n ** 63n), 'less', 0],
    [decimal('5.00'), 'equal', 5n],
    [decimal('0.1'), 'less', 0.1], // a double a little above a tenth
    [0.5, 'equal', decimal('0.5')],
    [decimal('9007199254740993'), 'more', 2 ** 53],
    [decimal('1E+300'), 'less', 1e301],
    [-0, 'equal', 0],
    [Number.POSITIVE_INFINITY, 'equal', decimal('Infinity')],
    [Number.POSITIVE_INFINITY, 'more', decimal('9E+6000')],
    [decimal('-Infinity'), 'less', Number.MIN_SAFE_INTEGER],
    [5, 'more', decimal('-Infinity')],
    [5, 'less', Number.POSITIVE_INFINITY],
    [5, 'less', decimal('Infinity')],
    [decimal('5'), 'more', Number.NEGATIVE_INFINITY],
    [5n, 'more', decimal('-Infinity')],
    [decimal('-0.1'), 'more', new Double(-0.1)],
    [Number.NaN, 'equal', decimal('NaN')],
    [Number.NaN, 'apart', 5],
    [5, 'apart', new Double(Number.NaN)],
    [false, 'less', true],
    [true, 'equal', true],
    [new Date(5), 'less', new Date(6)],
    [new Date(5), 'equal', new Date(5)],
    [new ObjectId('0'.repeat(24)), 'less', new ObjectId(`${'0'.repeat(23)}1`)],
    [new ObjectId('0'.repeat(24)), 'equal', new ObjectId('0'.repeat(24))],
    [new Binary(Buffer.from([9])), 'less', new Binary(Buffer.from([0, 0]))], // the shorter one
    [new Binary(Buffer.from([9]), 0), 'less', new Binary(Buffer.from([0]), 128)],
    [new Binary(Buffer.from([0])), 'less', new Binary(Buffer.from([9]))],
    [new Binary(Buffer.from([9])), 'equal', new Binary(Buffer.from([9]))],
    [new UUID('6f9619ff-8b86-4d01-b42d-00cf4fc964ff'), 'equal', new UUID('6f9619ff-8b86-4d01-b42d-00cf4fc964ff')],
    [null, 'equal', null],
    [undefined, 'equal', null],
    [null, 'apart', 0],
    ['5', 'apart', 5],
    [true, 'apart', 1],
    [new Date(5), 'apart', 5],
    [{ b: 1 }, 'apart', null],
    [{ b: 1 }, 'apart', 5],
    [{ b: 1 }, 'apart', { b: 1 }], // which no scope compares with
    [/a/, 'apart', 'a'],
  ])('%o is %s to %o', (stored, relation, operand) => {
    const single = operators.filter((one) => operatorDef(one).takes === 'value' || operatorDef(one).takes === 'values');
    const matching = single.filter((one) => within(one, one === 'in' || one === 'nin' ? [operand] : operand, { a: stored }));
    expect(matching).toEqual(single.filter((one) => (found[relation] as readonly string[]).includes(one)));
  });

  it('is found among several, and among none never', () => {
    expect([within('in', ['x', 'y'], { a: 'y' }), within('nin', ['x', 'y'], { a: 'y' })]).toEqual([true, false]);
    expect([within('in', [], { a: 'y' }), within('nin', [], { a: 'y' })]).toEqual([false, true]);
  });

  it.each([
    ['abc', 'ab', true],
    ['abc', '', true],
    ['abc', 'bc', false],
    ['abc', 'AB', false],
    [['x', 'abc'], 'ab', true],
    [5, '5', false],
    [null, '', true],
    [null, 'n', false],
  ])('%j begins with %j: %o', (stored, prefix, expected) => {
    expect(within('prefix', prefix, { a: stored })).toBe(expected);
  });
});

describe('a path', () => {
  it.each<[string, unknown, string, boolean, boolean]>([
    // path, stored, equal to, found, there
    ['a', {}, 'x', false, false],
    ['a', { a: null }, 'x', false, true],
    ['a.b', { a: { b: 'x' } }, 'x', true, true],
    ['a.b', { a: {} }, 'x', false, false],
    ['a.b', { a: 'x' }, 'x', false, false],
    ['a.b', { a: null }, 'x', false, false],
    ['a.b', { a: [{ b: 'y' }, { b: 'x' }] }, 'x', true, true],
    ['a.b', { a: [{ b: ['y', 'x'] }] }, 'x', true, true],
    ['a.b', { a: ['x', null, 5] }, 'x', false, false],
    ['a.b', { a: [[{ b: 'x' }]] }, 'x', false, false], // the database does not look two lists deep
    ['a', { a: ['y', 'x'] }, 'x', true, true],
    ['a', { a: [['x']] }, 'x', false, true],
    ['a', { a: [] }, 'x', false, true],
    ['toString', {}, 'x', false, false],
    ['a.length', { a: 'x' }, 'x', false, false],
    ['a.b.c', { a: [{ b: [{ c: 'x' }] }] }, 'x', true, true],
  ])('%s in %j leads to %s: %o, and is there: %o', (path, stored, operand, isFound, isThere) => {
    expect(within('eq', operand, stored, path)).toBe(isFound);
    expect(within('ne', operand, stored, path)).toBe(!isFound);
    expect(within('exists', true, stored, path)).toBe(isThere);
    expect(within('exists', false, stored, path)).toBe(!isThere);
  });

  it.each<[string, unknown, boolean]>([
    ['a', {}, true],
    ['a', { a: [] }, false],
    ['a', { a: ['x', null] }, true],
    ['a.b', { a: {} }, true],
    ['a.b', { a: [] }, false],
    ['a.b', { a: [{ b: 'x' }, {}] }, true],
    ['a.b', { a: ['x'] }, false],
  ])('%s in %j is null, or missing: %o', (path, stored, isNull) => {
    expect(within('eq', null, stored, path)).toBe(isNull);
    expect(within('gte', null, stored, path)).toBe(isNull);
    expect(within('ne', null, stored, path)).toBe(!isNull);
  });
});
