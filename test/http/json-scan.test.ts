import fc from 'fast-check';
import { readNumber } from '../../src/http/json-number.ts';
import { scanJson } from '../../src/http/json-scan.ts';

describe('scanJson', () => {
  it.each([
    '0',
    '-123456789012345',
    '1234567890.12345',
    '[123456789012345,123456789012345]',
    '{"a":1.5,"b":[true,false,null]}',
    '"12345678901234567890"',
    '{"1e5":"1e5"}',
    '"\\"12345678901234567890"',
    '"\\\\\\"1e5"',
  ])('lets JSON.parse read numbers of up to 15 digits, and strings of any: %s', (text) => {
    expect(scanJson(text, 64)).toBe('double');
  });

  it.each([
    '1234567890123456',
    '-1234567890.123456',
    '[0.14285714285714285,-1.7976931348623157e+308]',
    '1e5',
    '{"a":1E5}',
    '1.5e-7',
    '[1.50000000000000000,5.0e-324]',
  ])('lets JSON.parse read longer numbers that a double holds: %s', (text) => {
    expect(scanJson(text, 64)).toBe('double');
  });

  it.each([
    '9007199254740992',
    '-12345678901.1234567',
    '[1,[12345678901234567890]]',
    '[0.14285714285714285,0.142857142857142851]',
    '1e400',
    '{"a":1E400}',
    '1.5e-400',
    `0.${'0'.repeat(330)}1`,
    '["\\\\",1e400]',
    '["\\\\\\"",1e400]',
    '{"a":"","b":1e400}',
  ])('asks for exactness for numbers that a double does not hold: %.40s', (text) => {
    expect(scanJson(text, 64)).toBe('exact');
  });

  it.each([
    ['[[[1]]]', 2],
    ['[[],[[1e5]]]', 2],
    ['["]]]",[[1]]]', 2],
    ['{"a":{}}', 1],
  ])('reports more levels than are allowed: %s, %i', (text, maxDepth) => {
    expect(scanJson(text, maxDepth)).toBe('too-deep');
    expect(scanJson(text, maxDepth + 1)).not.toBe('too-deep');
  });

  it.each(['[{},{},{}]', '[[],[],[]]', '{"a":[],"b":{"c":1}}'])('counts the levels that are open, and not those before: %s', (text) => {
    expect(scanJson(text, 2)).toBe('double');
  });

  it.each(['"', '"[[[', '["a', '"\\"'])('ends with a string that never does: %s', (text) => {
    expect(scanJson(text, 1)).toBe('double');
  });

  it('has an answer for every string', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:019.eE-\\ a\ud800') }), (text) => {
        expect(['double', 'exact', 'too-deep']).toContain(scanJson(text, 2));
      }),
    );
  });

  it('lets JSON.parse read no number that it would change', () => {
    const number = fc.stringMatching(/^-?(0|[1-9]\d{0,18})(\.0{0,16}\d{1,18})?([eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(number, (text) => {
        fc.pre(scanJson(text, 64) === 'double');
        expect(readNumber(text)).toBe(JSON.parse(text));
      }),
    );
  });
});
