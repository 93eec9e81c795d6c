import { describe, expect, it } from '@jest/globals';
import { firstNames, listNames } from '../../src/http/list-names.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

describe('listNames()', () => {
  it.each([
    [0, ''],
    [1, 'n0'],
    [10, 'n0, n1, n2, n3, n4, n5, n6, n7, n8, n9'],
    [11, 'n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, …'],
  ])('lists the first ten names, and says where there are more: of %i', (count, text) => {
    expect(listNames(new Set(names(count)))).toBe(text);
  });
});

describe('firstNames()', () => {
  it('are those that a message lists', () => {
    expect(firstNames(names(3))).toEqual(['n0', 'n1', 'n2']);
    expect(firstNames(names(11))).toEqual(names(10));
  });
});
