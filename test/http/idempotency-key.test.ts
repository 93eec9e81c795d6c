import { parseIdempotencyKey } from '../../src/features/idempotency/idempotency-key.ts';

describe('the key in Idempotency-Key', () => {
  it.each([
    ['"8e03978e-40d5"', '8e03978e-40d5'],
    ['8e03978e-40d5', '8e03978e-40d5'],
    ['a=b;c,d', 'a=b;c,d'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ['x', 'x'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ])('is read from %j', (header, key) => expect(parseIdempotencyKey(header)).toBe(key));

  it.each([
    '',
    '""',
    '"',
    '"a',
    'a"',
    'a b',
    '"a b"',
    ' a',
    '"a", "b"',
    '"a";x=1',
    String.raw`"a\b"`,
    String.raw`a\b`,
    'a\tb',
    'a\u0000b',
    '"a\u007fb"',
    'ä',
    '"\u20ac"',
    'x'.repeat(256),
    `"${'x'.repeat(512)}"`,
  ])('is 400 for %j', (header) => {
    expect(() => parseIdempotencyKey(header)).toThrow(expect.objectContaining({ code: 'malformed_header', status: 400 }));
  });
});
