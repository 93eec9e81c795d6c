import fc from 'fast-check';
import { decodeUtf8, JsonNumber, parseJson, stringifyJson } from '../../src/http/json.ts';
import { anyCharacter } from '../support/fuzzing/any-character.ts';
import { cases } from '../support/fuzzing/fuzz.ts';

const malformed = (detail: unknown = expect.any(String)) => expect.objectContaining({ code: 'malformed_json', status: 400, detail });

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** JSON values whose numbers have few digits, with the keys that a careless parser trips over. */
const plainJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.string({ unit: anyCharacter }),
    fc.integer(),
    fc.integer().map((n) => n / 1000),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', '')), tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('parseJson', () => {
  it('agrees with JSON.parse where numbers are small', () => {
    fc.assert(
      fc.property(plainJson, fc.constantFrom(undefined, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('agrees with JSON.parse on them when another number in the text needs exactness', () => {
    fc.assert(
      fc.property(plainJson, (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify((parseJson(`[1e0, ${text}]`) as unknown[])[1])).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('accepts what JSON.parse accepts, and answers 400 to all else', () => {
    const almostJson = fc.string({ unit: fc.constantFrom(...'{}[]",:0123456789.eE-+truefalsnu\\ \n\u0000\ud800'), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(almostJson, fc.string({ unit: anyCharacter })), fc.boolean(), (inner, exact) => {
        const text = exact ? `[1e0,${inner}]` : inner;
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (valid) parseJson(text);
        else expect(() => parseJson(text)).toThrow(malformed());
      }),
      cases(1000),
    );
  });

  it.each([
    ['{"a":}', 'The text is not valid JSON: see line 1, column 6.'],
    ['{"a":1,}', 'The text is not valid JSON: see line 1, column 8.'],
    ['{\n  "a": 1,\n  "b": NaN\n}', 'The text is not valid JSON: see line 3, column 8.'],
    ['[Infinity]', 'The text is not valid JSON: see line 1, column 2.'],
    ['[-Infinity]', 'The text is not valid JSON: see line 1, column 3.'],
    ["{'a':1}", 'The text is not valid JSON: see line 1, column 2.'],
    ['{"a":"\t"}', 'The text is not valid JSON: see line 1, column 7.'],
    ['[1] 2', 'The text is not valid JSON: see line 1, column 5.'],
    ['[01]', 'The text is not valid JSON: see line 1, column 3.'],
    ['[12345678901234567890.]', 'The text is not valid JSON: see line 1, column 23.'],
    ['\ufeff{}', 'The text is not valid JSON: see line 1, column 1.'],
    ['{"a":"b', 'The JSON text ends too early.'],
    ['[1e', 'The JSON text ends too early.'],
    ['  ', 'The JSON text ends too early.'],
    ['', 'The JSON text ends too early.'],
  ])('says where %j is no JSON, without quoting it', (text, detail) => {
    expect(() => parseJson(text)).toThrow(malformed(detail));
  });

  it.each([
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"a":1e0,"a":2}', { a: 2 }],
    ['{"a":{"b":1e0},"a":{"c":1}}', { a: { c: 1 } }],
    ['{"a":12345678901234567890,"a":12345678901234567891}', { a: 12345678901234567891n }],
    ['{"a":1e400,"a":1e401}', { a: new JsonNumber('1e401') }],
  ])('takes the last of duplicate keys: %s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each(['{"__proto__":{"admin":true}}', '{"__proto__":{"admin":true},"n":1e0}', '{"__proto__":1,"__proto__":{"admin":true},"n":1e0}'])(
    'keeps __proto__ an own key: %s',
    (text) => {
      const value = parseJson(text) as Record<string, unknown>;
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.entries(value)[0]).toEqual(['__proto__', { admin: true }]);
      expect(value.admin).toBeUndefined();
    },
  );

  it('lets lone surrogates through, for the validator to name their field', () => {
    expect(parseJson('["\\ud800"]')).toEqual(['\ud800']);
    expect(parseJson('["\\ud800",1e0]')).toEqual(['\ud800', 1]);
  });

  describe('depth', () => {
    it.each([
      [nested(64)],
      [`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`],
      [`${'{"a":['.repeat(32)}1e0${']}'.repeat(32)}`],
      [`[${`${nested(63)},`.repeat(100)}1]`],
      [JSON.stringify('['.repeat(1000))],
      [JSON.stringify({ '{"[': '\\"[{'.repeat(100) })],
    ])('accepts 64 levels, and brackets in strings are none: %.40s', (text) => {
      expect(() => parseJson(text)).not.toThrow();
    });

    it.each([
      [nested(65)],
      [`{"a":${nested(64)}}`],
      [`[1e0,${nested(64)}]`],
      [`["\\\\",${nested(64)}]`],
      ['['.repeat(500_000)],
      ['{"a":'.repeat(500_000)],
      [nested(500_000)],
    ])('refuses 65 and more: %.40s', (text) => {
      expect(() => parseJson(text)).toThrow(malformed('The JSON text is nested too deeply: 64 levels are allowed.'));
    });

    it('counts `{}` and `[]` as level 1, a scalar as none', () => {
      expect(parseJson('5', { maxDepth: 0 })).toBe(5);
      expect(parseJson('{}', { maxDepth: 1 })).toEqual({});
      expect(() => parseJson('{}', { maxDepth: 0 })).toThrow(malformed());
      expect(() => parseJson('[{}]', { maxDepth: 1 })).toThrow(malformed());
    });

    it('is not fooled by closing brackets that nothing opened', () => {
      expect(() => parseJson(`${']'.repeat(500_000)}${'['.repeat(500_000)}`)).toThrow(malformed());
      expect(() => parseJson(`[]${']'.repeat(500_000)}${'['.repeat(500_000)}1e5`)).toThrow(malformed());
    });
  });

  it.each([
    ['a megabyte of digits', '7'.repeat(1_000_000)],
    ['a megabyte of zeros before a digit', `0.${'0'.repeat(1_000_000)}1`],
    ['a megabyte of exponent', `1e${'9'.repeat(1_000_000)}`],
    ['a megabyte of backslashes', JSON.stringify(['\\'.repeat(500_000), 12345678901234567890n.toString()])],
    ['a megabyte of quotes', JSON.stringify('"'.repeat(500_000))],
    ['a megabyte of numbers that need exactness', `[${'1e0,'.repeat(250_000)}1]`],
    ['a megabyte of one key', `{${'"a":[1e0,[]],'.repeat(75_000)}"a":1}`],
  ])('does not choke on %s', (_, text) => {
    expect(parseJson(text)).toBeDefined();
  });

  it.each([
    ['a string that never ends', `"${'\\"'.repeat(500_000)}`],
    ['line breaks', '\n'.repeat(1_000_000)],
    ['digits and a mistake', `[${'7'.repeat(1_000_000)}`],
  ])('refuses a megabyte of %s', (_, text) => {
    expect(() => parseJson(text)).toThrow(malformed());
  });
});

describe('decodeUtf8', () => {
  it.each([
    ['', []],
    ['é😀', [0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80]],
    ['{}', [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ['\ufeff', [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf]],
  ])('decodes UTF-8 and drops one leading byte order mark: %j', (text, bytes) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBe(text);
  });

  it.each([
    ['a stray continuation byte', [0x80]],
    ['a truncated sequence', [0x22, 0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ])('answers 400 to %s', (_, bytes) => {
    expect(() => decodeUtf8(Uint8Array.from(bytes))).toThrow(malformed('The JSON text is not valid UTF-8.'));
  });
});

describe('stringifyJson', () => {
  it('writes what JSON.stringify writes', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void expect(stringifyJson(value)).toBe(JSON.stringify(value))));
  });

  it.each<[unknown, string]>([
    [9007199254740993n, '9007199254740993'],
    [[-(2n ** 63n)], '[-9223372036854775808]'],
    [{ n: new JsonNumber('1.50e400') }, '{"n":1.50e400}'],
    [{ a: undefined, b: 1, c: () => 1, d: Symbol('d') }, '{"b":1}'],
    [[undefined, () => 1], '[null,null]'],
    [new Array(2), '[null,null]'],
    [{ a: Number.NaN, b: [Number.POSITIVE_INFINITY] }, '{"a":null,"b":[null]}'],
    [-0, '0'],
    [undefined, 'null'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [{ at: new Date(Number.NaN) }, '{"at":null}'],
    [{ toJSON: 1 }, '{"toJSON":1}'],
    [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['\ud800"\u2028', '"\\ud800\\"\u2028"'],
  ])('writes %o', (value, text) => {
    expect(stringifyJson(value)).toBe(text);
  });

  it('writes 200 levels', () => {
    expect(stringifyJson(JSON.parse(nested(200)))).toBe(nested(200));
  });

  it('gives back every 64-bit integer that parseJson read', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => {
        expect(stringifyJson(parseJson(`{"n":${n}}`))).toBe(`{"n":${n}}`);
      }),
    );
  });
});
