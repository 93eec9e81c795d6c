import { decodeUtf8, parseJson } from '../../src/http/json.ts';

// What a parser of JSON must refuse; `json-accepted.test.ts` says where the cases come from.

const malformed = expect.objectContaining({ code: 'malformed_json', status: 400 });

/** Text, or bytes where no text has them. */
type Sent = string | readonly number[];

const bytesOf = (sent: Sent) => (typeof sent === 'string' ? Buffer.from(sent) : Uint8Array.from(sent));
const read = (sent: Sent) => parseJson(decodeUtf8(bytesOf(sent)));

const refused: readonly Sent[] = [
  // nothing, and not enough
  '',
  ' ',
  '[',
  '{',
  '["a',
  '["a"',
  '["",',
  '[1,',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"',
  '"',
  '"\\',
  '["\\u00A',
  'nul',
  'tru',
  '-',
  '[1e',
  '{"asd":"asd"',
  '[{}',
  '[false, tru]',
  // too much
  ']',
  '}',
  '[]]',
  '{}}',
  '[]{}',
  '[][]',
  '1 2',
  '[1]x',
  '{}#',
  '{"a":1}//x',
  '2@',
  '""""',
  'truefalse',
  // separators
  '[,]',
  '[,1]',
  '[1,]',
  '[1,,2]',
  '[1 2]',
  '[1:2]',
  '["a":1]',
  '[1;2]',
  '[a',
  '["x"]]',
  '{,}',
  '{"a":1,}',
  '{"a":1,,"b":2}',
  '{"a" 1}',
  '{"a"::1}',
  '{"a":1:2}',
  '{"a",1}',
  '{"a":1 "b":2}',
  '{:1}',
  '{"a"}',
  '{"a":}',
  // keys
  '{a:1}',
  "{'a':1}",
  '{1:1}',
  '{null:1}',
  '{[1]:1}',
  '{"a":"b"}/**/',
  '{/**/"a":1}',
  // other notations
  'undefined',
  'NULL',
  'True',
  'nan',
  'NaN',
  'Infinity',
  '-Infinity',
  '[+Infinity]',
  "['a']",
  '`a`',
  '[/*x*/1]',
  '[1]//x',
  '#x\n1',
  '(1)',
  '<null>',
  '*',
  '[\u2060]',
  '{"a":/1/}',
  '{"a": function(){}}',
  '[new Date()]',
  '{"a":1n}',
  // numbers
  '+1',
  '[+1]',
  '[++1]',
  '[--1]',
  '[- 1]',
  '[-]',
  '[-a]',
  '[01]',
  '[-01]',
  '[00]',
  '[-00]',
  '[012]',
  '[1.]',
  '[-1.]',
  '[.1]',
  '[-.1]',
  '[.]',
  '[1.e1]',
  '[0.e1]',
  '[.e1]',
  '[1e]',
  '[1e+]',
  '[1E-]',
  '[0e]',
  '[0E+]',
  '[1eE2]',
  '[1e1.5]',
  '[1.2.3]',
  '[1 000.0]',
  '[1_000]',
  '[1,000,]',
  '[0x1]',
  '[0x]',
  '[0b1]',
  '[0o7]',
  '[1a]',
  '[1.2a]',
  '[1-]',
  '[1+2]',
  '[0-1]',
  '[１]',
  '[−1]',
  '[1e1e1]',
  '[9.a]',
  '[-Infinity]',
  '[123456789012345678901234567890.]',
  '[-2.]',
  // strings
  '["\n"]',
  '["\r"]',
  '["\t"]',
  '["\u0000"]',
  '["\u001f"]',
  '["\\x00"]',
  '["\\a"]',
  '["\\\'"]',
  '["\\0"]',
  '["\\1"]',
  '["\\ "]',
  '["\\\\\\"]',
  '["\\u"]',
  '["\\u1"]',
  '["\\u12"]',
  '["\\u123"]',
  '["\\uqqqq"]',
  '["\\U0041"]',
  '["\\u{41}"]',
  '["\\u00A"]',
  '["\\uD800\\"]',
  '["\\uD834\\uDd"]',
  '["\\ud800\\u1x"]',
  '[\\u0020"a"]',
  '["\\🌀"]',
  '[“a”]',
  // white space that is none
  '[\u00a0]',
  '[\u000b]',
  '[\u000c]',
  '[\u2028]',
  '[\u3000]',
  '\u0085[]',
  '[]\u0000',
  '\u0000[]',
  // no UTF-8 (§8.1)
  [0x5b, 0xff, 0x5d],
  [0x22, 0x80, 0x22],
  [0x22, 0xc0, 0xaf, 0x22],
  [0x22, 0xe0, 0xff, 0x22],
  [0x22, 0xe2, 0x82, 0x22],
  [0x22, 0xed, 0xa0, 0x80, 0x22],
  [0x22, 0xed, 0xbf, 0xbf, 0x22],
  [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
  [0x22, 0xf8, 0x87, 0xbf, 0xbf, 0xbf, 0x22],
  [0x22, 0xfc, 0x83, 0xbf, 0xbf, 0xbf, 0xbf, 0x22],
  [0x22, 0xe9, 0x22],
  [0xff, 0xfe, 0x5b, 0x00, 0x5d, 0x00], // UTF-16 LE
  [0xfe, 0xff, 0x00, 0x5b, 0x00, 0x5d], // UTF-16 BE
  [0x5b, 0x00, 0x5d, 0x00], // UTF-16 LE without a mark
  [0x00, 0x5b, 0x00, 0x5d], // UTF-16 BE without a mark
  [0xef, 0xbb], // a mark that is cut
  [0xef, 0xbb, 0xbf], // a mark and nothing else
  [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x7b, 0x7d], // two marks
];

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a text that is no JSON', () => {
  it.each(refused)('is refused: %j', (...sent) => {
    const text = (typeof sent[0] === 'number' ? sent : sent[0]) as Sent; // a row that is a list is spread
    expect(() => read(text)).toThrow(malformed);
  });

  it.each(refused.filter((one): one is string => typeof one === 'string'))('is refused by the parser of exact numbers too: %j', (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError); // the table itself is right
    expect(() => read(`[1e0,${text}]`)).toThrow(malformed);
  });

  it.each([
    ['65 levels', nested(65)],
    ['100,000 brackets', '['.repeat(100_000)],
    ['50,000 objects', '{"":'.repeat(50_000)],
    ['brackets that are closed by others', `${'['.repeat(60)}}`],
  ])('is refused before anything recurses: %s', (_what, text) => {
    expect(() => read(text)).toThrow(malformed);
  });
});
