import fc from 'fast-check';
import { didYouMean, firstNames, listNames, nearest, showName } from '../src/hints.ts';
import { cases } from './support/fuzzing/fuzz.ts';

/** The textbook algorithm (optimal string alignment), to compare with. */
function distance(a: string, b: string): number {
  const table = new Map<string, number>();
  const at = (i: number, j: number) => table.get(`${i},${j}`) as number;
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j <= b.length; j++) {
      const ways = [i === 0 ? j : Infinity, j === 0 ? i : Infinity];
      if (i > 0 && j > 0) ways.push(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) ways.push(at(i - 2, j - 2) + 1);
      table.set(`${i},${j}`, Math.min(...ways));
    }
  }
  return at(a.length, b.length);
}

describe('nearest', () => {
  const fields = ['number', 'status', 'total', 'createdAt', 'address.city', 'id', 'identity'];

  it.each([
    ['stauts', 'status'],
    ['statuss', 'status'],
    ['sttus', 'status'],
    ['xtatuz', 'status'],
    ['STATUS', 'status'],
    ['createdat', 'createdAt'],
    ['created', 'createdAt'],
    ['adress.city', 'address.city'],
    ['num', 'number'],
    ['ID', 'id'],
    ['di', 'id'],
    ['ide', 'identity'],
  ])('takes %s for %s', (name, meant) => {
    expect(nearest(name, fields)).toBe(meant);
  });

  it.each(['', 'nu', 'colour', 'xtatvz', 'abcdef', '__proto__', 'a'.repeat(65)])('has no idea what %s means', (name) => {
    expect(nearest(name, fields)).toBeUndefined();
  });

  it.each<[string, string[], string]>([
    ['Name', ['named', 'nam', 'name'], 'name'],
    ['name', ['nane', 'nameOfOwner'], 'nameOfOwner'],
    ['naem', ['nae', 'noem', 'name'], 'nae'],
    ['names', ['nabe', 'name'], 'name'],
  ])('prefers equality but for case, then a beginning, then the smaller distance, then the first: %s of %o', (name, candidates, best) => {
    expect(nearest(name, candidates)).toBe(best);
  });

  it('suggests nothing for names of more than 64 characters', () => {
    const name = 'a'.repeat(64);
    expect(nearest(name, [`${name}b`])).toBe(`${name}b`);
    expect(nearest(`${name}a`, [`${name}b`])).toBeUndefined();
  });

  it('agrees with the Damerau-Levenshtein distance', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abc'), maxLength: 7 });
    fc.assert(
      fc.property(word, word, (name, candidate) => {
        const near = distance(name, candidate) <= (name.length <= 3 ? 1 : 2);
        const begins = name.length >= 3 && candidate.startsWith(name);
        expect(nearest(name, [candidate])).toBe(near || begins ? candidate : undefined);
      }),
      cases(5000),
    );
  });

  it('takes any iterable, of many and long candidates', () => {
    const candidates = new Set(Array.from({ length: 10_000 }, (_, i) => 'ab'.repeat(31) + i.toString(36)));
    expect(nearest('cd'.repeat(32), candidates)).toBeUndefined();
    expect(nearest('ab'.repeat(32), ['a'.repeat(1_000_000)])).toBeUndefined();
  });
});

describe('didYouMean()', () => {
  it('names what was meant, or says otherwise', () => {
    expect(didYouMean('stauts', ['number', 'status'], '.')).toBe('; did you mean `status`?');
    expect(didYouMean('x', ['number', 'status'], '.')).toBe('.');
    expect(didYouMean('x', ['number', 'status'])).toBe('');
  });
});

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

describe('showName()', () => {
  it.each<[what: string, given: unknown, shown: string]>([
    ['a name', 'get', 'get'],
    ['undefined', undefined, 'undefined'],
    ['a symbol', Symbol('get'), 'Symbol(get)'],
    ['an object without a prototype', Object.create(null), '[Object: null prototype] {}'],
    ['an array of many, on one line', Array.from({ length: 20 }, (_, n) => `n${n}`), expect.not.stringContaining('\n') as never],
  ])('shows %s', (_what, given, shown) => {
    expect(showName(given)).toEqual(shown);
  });
});

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
