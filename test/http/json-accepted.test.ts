import { decodeUtf8, JsonNumber, type JsonValue, parseJson } from '../../src/http/json.ts';

/*
 * What a parser of JSON must accept, and what it may decide; `json-refused.test.ts` has what it must refuse. The idea
 * of the three kinds is that of Nicolas Seriot's "Parsing JSON is a Minefield" and its JSONTestSuite; the cases are
 * written from the grammar of RFC 8259 (§2 to §8), and the decisions are the library's own.
 */

/** Text, or bytes where no text has them. */
type Sent = string | readonly number[];

const bytesOf = (sent: Sent) => (typeof sent === 'string' ? Buffer.from(sent) : Uint8Array.from(sent));
const read = (sent: Sent) => parseJson(decodeUtf8(bytesOf(sent)));

/** Doubles of exact numbers, for a comparison with `JSON.parse`. */
function rounded(value: JsonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(rounded);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, rounded(v)])) : value;
}

const accepted: readonly string[] = [
  // structure (§2)
  '[]',
  '{}',
  ' [] ',
  '\t\n\r []\r\n\t',
  '[1 , 2]',
  '[ 1,\n2\t,\r3 ]',
  '{ "a" : 1 }',
  '{"a":1,"b":2}',
  '[[]   ]',
  '[[],[[]],{}]',
  '[null, 1, "1", {}]',
  '[1,null,null,null,2]',
  // any value alone (§2)
  'null',
  'true',
  'false',
  '0',
  '-0',
  '42',
  '-0.1',
  '""',
  '"asd"',
  ' "x" ',
  // objects (§4)
  '{"":0}',
  '{"a":[]}',
  '{"a":{"b":{"c":null}}}',
  '{"a":"b","a":"c"}',
  '{"a":"b","a":"b"}',
  '{"foo\\u0000bar": 42}',
  '{"\\u0061":1,"a":2}',
  '{"min": -1.0e+28, "max": 1.0e+28 }',
  '{"__proto__":null,"constructor":{"prototype":1},"toString":2}',
  '{"title":"\\u041f\\u043e\\u043b" }',
  // numbers (§6)
  '[123]',
  '[0e+1]',
  '[0e1]',
  '[ 4]',
  '[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]',
  '[20e1]',
  '[-0]',
  '[-123]',
  '[-1]',
  '[1E22]',
  '[1E-2]',
  '[1E+2]',
  '[123e45]',
  '[123.456e78]',
  '[1e-2]',
  '[1e+2]',
  '[123.456789]',
  '[0.1]',
  '[0.0]',
  '[-0.0e-0]',
  '[9007199254740993]',
  '[-9223372036854775808]',
  '[123456789012345678901234567890]',
  // strings (§7)
  '["\\"\\\\\\/\\b\\f\\n\\r\\t"]',
  '["\\u0060\\u012a\\u12AB"]',
  '["\\uD801\\udc37"]',
  '["\\ud83d\\ude39\\ud83d\\udc8d"]',
  '["a/*b*/c/*d//e"]',
  '["\\\\a"]',
  '["\\\\n"]',
  '["\\u0012"]',
  '["\\uFFFF\\uFDD0\\uDBFF\\uDFFE"]',
  '["\\u0000"]',
  '["\\u002c\\u0022\\u005C"]',
  '["\u{7f}"]',
  '["\u2028\u2029"]',
  '["€𝄞"]',
  '["\u{10ffff}"]',
  '["\ufeff"]',
  '["new\\u00A0line"]',
  '["\\u200B\\u2064"]',
  '["π\u200d👩‍👩‍👧"]',
  '["{}[],:"]',
];

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** What RFC 8259 leaves open, and what is decided. */
const decided: readonly [what: string, sent: Sent, value: unknown][] = [
  ['a leading byte order mark is dropped (§8.1)', [0xef, 0xbb, 0xbf, 0x7b, 0x7d], {}],
  ['the last of duplicate keys counts (§4)', '{"a":1,"a":2}', { a: 2 }],
  ['duplicate keys are those that are equal when escapes are read', '{"\\u0061":1,"a":2}', { a: 2 }],
  ['a lone high surrogate is let through, for its field to be named', '["\\uD800"]', ['\ud800']],
  ['a lone low surrogate', '["\\uDC00"]', ['\udc00']],
  ['surrogates the wrong way round', '["\\uDd1e\\uD834"]', ['\udd1e\ud834']],
  ['a high surrogate before another character', '["\\uD800\\n"]', ['\ud800\n']],
  ['two high surrogates', '["\\uD888\\uD888"]', ['\ud888\ud888']],
  ['a number beyond doubles keeps its text (§6)', '[1e400]', [new JsonNumber('1e400')]],
  ['so does a negative one', '[-1e+9999]', [new JsonNumber('-1e+9999')]],
  ['so does one that a double would hold as zero', '[1e-400]', [new JsonNumber('1e-400')]],
  ['so does a fraction with more digits than a double', '[0.12345678901234567890]', [new JsonNumber('0.12345678901234567890')]],
  ['an integer beyond the safe range is exact', '[9007199254740993]', [9007199254740993n]],
  ['so is one of 30 digits', '[-123123123123123123123123123123]', [-123123123123123123123123123123n]],
  ['an integer with an exponent is the integer', '[1e3,1.5e1]', [1000, 15]],
  ['64 levels are allowed (§9)', nested(64), JSON.parse(nested(64))],
];

describe('a text that is JSON (RFC 8259)', () => {
  it.each(accepted)('is accepted: %j', (text) => {
    expect(rounded(read(text))).toEqual(JSON.parse(text));
  });

  it.each(accepted)('is accepted beside a number that only the exact parser reads: %j', (text) => {
    expect(rounded(read(`[1e0,${text}]`))).toEqual([1, JSON.parse(text)]);
  });
});

describe('what the RFC leaves open', () => {
  it.each(decided)('is decided: %s', (_what, sent, value) => {
    expect(read(sent)).toEqual(value);
  });
});
