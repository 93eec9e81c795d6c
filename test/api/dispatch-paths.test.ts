import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePaths, segmentsOf } from '../../src/api/dispatch.ts';

const find = (patterns: readonly string[], path: string) =>
  compilePaths(new Map(patterns.map((pattern) => [pattern, pattern])))(segmentsOf(path));

/** Every pattern that fits, and of those the one that a literal puts first, from left to right. */
function oracle(patterns: readonly string[], path: string) {
  const segments = segmentsOf(path);
  const fits = patterns.filter((pattern) => {
    const own = segmentsOf(pattern);
    return own.length === segments.length && own.every((one, at) => (one.startsWith(':') ? segments[at] !== '' : one === segments[at]));
  });
  const rank = (pattern: string) => segmentsOf(pattern).map((one) => (one.startsWith(':') ? '1' : '0'));
  return fits.map((pattern) => ({ pattern, rank: rank(pattern).join('') })).sort((a, b) => (a.rank < b.rank ? -1 : 1))[0]?.pattern;
}

describe('compilePaths()', () => {
  it.each([
    [['/reports/:year', '/overdue', '/reports/latest'], '/reports/latest', '/reports/latest'],
    [['/reports/:year', '/overdue', '/reports/latest'], '/reports/2020', '/reports/:year'],
    [['/:id/lines/:line', '/:id/send', '/:id/close', '/:id/lines/last'], '/a/lines/last', '/:id/lines/last'],
    [['/:id/:part/last', '/:id/lines/last'], '/a/lines/last', '/:id/lines/last'],
    [['/lines/:line/x', '/:id/last/y'], '/lines/last/y', '/:id/last/y'],
    [['/', '/:id'], '/', '/'],
  ])('of %j finds for %s the pattern %s', (patterns, path, pattern) => {
    expect(find(patterns, path)?.target).toBe(pattern);
    expect(find([...patterns].reverse(), path)?.target).toBe(pattern);
  });

  it.each([
    ['/%6Fverdue', '/overdue', {}],
    ['/a%2Fb%20c/send', '/:id/send', { id: 'a/b c' }],
    ['/a/send/5', '/:id/send/:__proto__', JSON.parse('{"id":"a","__proto__":"5"}')],
  ])('compares decoded segments, and decodes parameters: %s', (path, target, params) => {
    expect(find(['/:id/send', '/overdue', '/:id', '/:id/send/:__proto__'], path)).toEqual({ target, params });
  });

  it.each(['/%zz', '/%', '/%FF/b', '/x/%ED%A0%80', '/a/', '//', '/a//b', '/a/b/c', '/constructor/b'])('finds nothing at %s', (path) => {
    expect(find(['/', '/a', '/:id', '/a/:x', '/x/b'], path)).toBeUndefined();
  });

  it('puts a literal before a parameter, from left to right, in whatever order the patterns come', () => {
    const literal = fc.constantFrom('a', 'b', 'c');
    const segments = fc.array(fc.oneof(literal, fc.constant(':')), { maxLength: 4 });
    const pattern = segments.map((some) => `/${some.map((one, at) => (one === ':' ? `:p${at}` : one)).join('/')}`);
    const path = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 4 }).map((some) => `/${some.join('/')}`);
    fc.assert(
      fc.property(fc.uniqueArray(pattern, { maxLength: 12 }), path, (patterns, wanted) => {
        expect(find(patterns, wanted)?.target).toBe(oracle(patterns, wanted));
      }),
      { numRuns: 2000 },
    );
  });
});
