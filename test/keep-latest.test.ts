import { keepLatest } from '../src/keep-latest.ts';

describe('keepLatest()', () => {
  const made: string[] = [];
  const ask = (keys: string, most: number) => {
    made.length = 0;
    const get = keepLatest((key) => {
      made.push(key);
      return { key };
    }, most);
    return [...keys].map((key) => get(key));
  };

  it('makes a value once, however often keys alternate', () => {
    const values = ask('abababbaab', 2);
    expect(made).toEqual(['a', 'b']);
    expect(values[0]).toBe(values[2]);
    expect(values[0]).toEqual({ key: 'a' });
  });

  it('keeps so many keys, those that were asked for last', () => {
    ask('abcab', 2);
    expect(made).toEqual(['a', 'b', 'c', 'a', 'b']);
    ask('abacab', 2);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });
});
