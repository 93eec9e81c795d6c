import { Binary, Decimal128, Double, Long, ObjectId, UUID } from 'mongodb';
import { isSameValue } from '../../../src/model/value/same-value.ts';

const id = '0123456789abcdef01234567';

/** What BSON cannot write. */
class Endless {
  readonly self = this;
}

describe('isSameValue', () => {
  it.each<[unknown, unknown]>([
    ['a', 'a'],
    [Number.NaN, Number.NaN],
    [5n, 5n],
    [5, 5n],
    [-(2 ** 60), -(2n ** 60n)],
    [{ a: [5] }, { a: [5n] }],
    [new Map([['a', 5n]]), new Map([['a', 5]])],
    [null, null],
    [undefined, undefined],
    [new Date(5), new Date(5)],
    [new ObjectId(id), new ObjectId(id)],
    [Decimal128.fromString('1.50'), Decimal128.fromString('1.50')],
    [new Binary(Buffer.from('x')), new Binary(Buffer.from('x'))],
    [new UUID('6f9619ff-8b86-4d01-b42d-00cf4fc964ff'), new UUID('6f9619ff-8b86-4d01-b42d-00cf4fc964ff')],
    [
      [1, [2]],
      [1, [2]],
    ],
    [
      { a: 1, b: { c: [new Date(0)] } },
      { b: { c: [new Date(0)] }, a: 1 },
    ],
    [{ a: 1, b: undefined }, { a: 1 }],
    [new Map([['a', { _bsontype: 'x' }]]), new Map([['a', { _bsontype: 'x' }]])],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
  ])('is true: %o and %o', (a, b) => {
    expect(isSameValue(a, b)).toBe(true);
  });

  it.each<[unknown, unknown]>([
    ['a', 'b'],
    [0, -0],
    [6, 5n],
    [5.5, 5n],
    [2 ** 53, 2n ** 53n + 1n],
    [Number.NaN, 0n],
    [Number.POSITIVE_INFINITY, 2n ** 63n],
    [-0, 0n],
    [5n, '5'],
    [5, '5'],
    [null, undefined],
    [undefined, 'a'],
    ['a', undefined],
    [undefined, new Date(5)],
    [new Date(5), undefined],
    [new Date(5), new Endless()],
    [new Date(5), null],
    [null, {}],
    [new Map([['a', 1]]), { a: 1 }],
    [new Map([['a', 1]]), [['a', 1]]],
    [[], {}],
    [[1], [1, undefined]],
    [['a'], new Array(1)],
    [new Map([['a', { _bsontype: 'x' }]]), new Map([['a', { _bsontype: 'y' }]])],
    [
      [1, 2],
      [2, 1],
    ],
    [new Date(5), new Date(6)],
    [new Date(5), 5],
    [new ObjectId(id), id],
    [Decimal128.fromString('1.5'), Decimal128.fromString('1.50')],
    [new Double(1), Long.fromNumber(1)],
    [{ a: 1 }, { a: 1, b: null }],
    [new Map([['a', 1]]), { a: 1 }],
    [JSON.parse('{"__proto__":1}'), {}],
    [{ constructor: 1 }, {}],
  ])('is false: %o and %o', (a, b) => {
    expect(isSameValue(a, b)).toBe(false);
    expect(isSameValue(b, a)).toBe(false);
  });
});
