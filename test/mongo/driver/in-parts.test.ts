import { inParts } from '../../../src/mongo/driver/in-parts.ts';

const bySize = { most: 10, of: (item: number) => item };

describe('inParts()', () => {
  it('divides by number, and leaves nothing out', () => {
    expect([...inParts([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
    expect([...inParts([], 2)]).toEqual([]);
  });

  it.each([
    [
      [4, 6, 1],
      [[4, 6], [1]],
    ],
    [
      [4, 7, 3],
      [[4], [7, 3]],
    ],
    [
      [11, 1, 12],
      [[11], [1], [12]],
    ],
    [
      [1, 1, 1, 1],
      [[1, 1, 1], [1]],
    ],
  ])('divides by size and by number, and an item that is too large is a part alone: %j', (items, parts) => {
    expect([...inParts(items, 3, bySize)]).toEqual(parts);
  });

  it('asks for the size of an item once, and of one that did not fit again', () => {
    let asked = 0;
    const items = Array.from({ length: 1_000 }, () => 1);
    const counting = {
      most: 10,
      of(item: number) {
        asked++;
        return item;
      },
    };
    expect([...inParts(items, 100, counting)]).toHaveLength(100);
    expect(asked).toBeLessThanOrEqual(1_100);
  });
});
