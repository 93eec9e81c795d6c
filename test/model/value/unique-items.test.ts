import { Double, ObjectId } from 'mongodb';
import { hasEqualItems } from '../../../src/model/value/unique-items.ts';

describe('hasEqualItems', () => {
  it.each<[string, unknown[]]>([
    ['equal texts', ['a', 'a']],
    ['equal numbers of two types', [5, 5n]],
    ['a double and an integer', [new Double(5), 5]],
    ['equal ids', [new ObjectId('65f1a0b2c3d4e5f60718293a'), new ObjectId('65f1a0b2c3d4e5f60718293a')]],
    [
      'objects whose keys stand in another order',
      [
        { a: 1, b: { c: [1], d: 2 } },
        { b: { d: 2, c: [1] }, a: 1 },
      ],
    ],
    ['a Map and an object', [new Map([['a', 1]]), { a: 1 }]],
    ['nulls', [null, 1, null]],
  ])('finds %s', (_name, items) => {
    expect(hasEqualItems(items)).toBe(true);
  });

  it.each<[string, unknown[]]>([
    ['nothing', []],
    ['a number and its text', [5, '5']],
    ['an empty list and an empty object', [[], {}]],
    [
      'lists in another order',
      [
        [1, 2],
        [2, 1],
      ],
    ],
    ['null and the text', [null, 'null']],
    ['keys that hold a separator', [{ 'a":1,"b': 1 }, { a: 1, b: 1 }]],
  ])('does not take %s for equal', (_name, items) => {
    expect(hasEqualItems(items)).toBe(false);
  });

  it('looks at each item once', () => {
    expect(hasEqualItems(Array.from({ length: 200_000 }, (_, index) => index))).toBe(false);
  });
});
