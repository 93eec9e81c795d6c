import { parseFilter } from '../../src/filter/parse-filter.ts';
import { FilterSyntaxError } from '../../src/filter/syntax.ts';

const calls = new Map([
  ['exists', { takesText: false }],
  ['prefix', { takesText: true }],
]);
const bounds = { maxBytes: 4096, maxComparisons: 32, maxDepth: 8, maxBranches: 10 };

/** Writes a tree as text, without places: `(and a=1 (not (exists b)))`. */
function show(text: string): string {
  const write = (one: ReturnType<typeof parseFilter>): string => {
    switch (one.kind) {
      case 'and':
      case 'or':
        return `(${one.kind} ${one.of.map(write).join(' ')})`;
      case 'not':
        return `(not ${write(one.of)})`;
      case 'compare':
        return `${one.field.name}${one.operator}${JSON.stringify(one.value.text)}`;
      case 'in':
        return `${one.field.name} in [${one.values.map((value) => JSON.stringify(value.text)).join(' ')}]`;
      case 'call':
        return `(${one.name} ${one.field.name}${one.value ? ` ${JSON.stringify(one.value.text)}` : ''})`;
      default:
        return `(${one.kind} ${one.field.name}${one.of ? ` ${write(one.of)}` : ''})`;
    }
  };
  return write(parseFilter(text, calls, bounds));
}

function refusal(text: string, given = bounds): FilterSyntaxError {
  try {
    parseFilter(text, calls, given);
  } catch (error) {
    if (error instanceof FilterSyntaxError) return error;
    throw error;
  }
  throw new Error(`${text} is legal`);
}

describe('the language of filters', () => {
  it.each([
    ['a = 1', 'a="1"'],
    ['a!=1', 'a!="1"'],
    ['a<-1.50e+2', 'a<"-1.50e+2"'],
    ['a >= "x \\"y\\" \\u00e9\\n"', 'a>="x \\"y\\" é\\n"'],
    ['a = true', 'a="true"'],
    ['a = null', 'a=null'],
    ['a = "null"', 'a="null"'],
    ['a IN ()', 'a in []'],
    ['a IN (1, "b",null)', 'a in ["1" "b" null]'],
    ['prefix(a.b, "x")', '(prefix a.b "x")'],
    ['exists(a)', '(exists a)'],
    ['any(lines, sku = "A" AND n > 2)', '(any lines (and sku="A" n>"2"))'],
    ['none(comments)', '(none comments)'],
    ['a = 1 AND b = 2 AND c = 3', '(and a="1" b="2" c="3")'],
    ['(a = 1 OR b = 2) AND c = 3', '(and (or a="1" b="2") c="3")'],
    ['NOT a = 1 AND b = 2', '(and (not a="1") b="2")'],
    ['NOT (a = 1 AND b = 2)', '(not (and a="1" b="2"))'],
    ['NOT exists(a)', '(not (exists a))'],
    ['((((a = 1))))', 'a="1"'],
    ['\t\r\n a\n=\n1 ', 'a="1"'],
    ['exists = 1', 'exists="1"'],
    ['any.none = 1', 'any.none="1"'],
    ['straße = 1', 'straße="1"'],
    ['`order no`.x = 1', 'ERROR'],
    ['`order no.x` = 1', 'order no.x="1"'],
    ['`NOT` = 1', 'NOT="1"'],
    ['ANDY = 1', 'ANDY="1"'],
    ['and = 1', 'and="1"'],
  ])('%s is %s', (text, tree) => {
    if (tree === 'ERROR') expect(refusal(text).rule).toBe('syntax');
    else expect(show(text)).toBe(tree);
  });

  it.each([
    ['', 1, 'a field, a call, NOT or ('],
    ['a', 2, '=, !=, <, <=, >, >= or IN'],
    ['a =', 4, 'a string in double quotes, a number, true, false or null'],
    ['a = open', 5, 'a string in double quotes, a number, true, false or null'],
    ["a = 'x'", 5, 'a JSON string'],
    ['a = "x', 5, 'a JSON string'],
    ['a = "\\x"', 5, 'a JSON string'],
    ['a = "\\u0000"', 5, 'a string without NUL'],
    ['a = "\\ud800"', 5, 'a string without NUL'],
    ['a = 1e', 5, 'a number'],
    ['a = 1.2.3', 5, 'a number'],
    ['a = .', 5, 'a number'],
    ['a = +', 5, 'a number'],
    ['a == 1', 4, 'a string in double quotes, a number, true, false or null'],
    ['a = 1 b = 2', 7, 'AND, OR or the end'],
    ['a = 1 and b = 2', 7, 'AND, OR or the end'],
    ['(a = 1', 7, 'AND, OR or )'],
    ['a = 1)', 6, 'AND, OR or the end'],
    ['NOT NOT a = 1', 5, 'a field, a call or ( behind NOT'],
    ['a IN 1', 6, '( behind IN'],
    ['a IN (1,)', 9, 'a string in double quotes, a number, true, false or null'],
    ['a IN (1 2)', 9, ', or )'],
    ['prefix(a, 1)', 11, 'a string'],
    ['prefix(a)', 9, ', and a string'],
    ['exists(a, b)', 9, ')'],
    ['exists("a")', 8, 'the name of a field'],
    ['like(a, "x")', 1, 'exists, prefix, any, none, count'],
    ['a = 1 AND', 10, 'a field, a call, NOT or ('],
    ['AND', 1, 'a field, a call, NOT or ('],
    ['a = 1; drop', 6, 'a field, a value or an operator'],
    ['$where = 1', 1, 'a field, a value or an operator'],
    ['a = \u{1f600}', 5, 'a field, a value or an operator'],
    ['"\u{1f600}" = 1', 1, 'a field, a call, NOT or ('],
    ['a = "\u{1f600}" b', 9, 'AND, OR or the end'],
  ])('%j is refused at character %i, where %s was expected', (text, position, expected) => {
    const { rule, params } = refusal(text);
    expect([rule, params]).toEqual(['syntax', { position, expected }]);
  });

  it.each([
    ['a = 1 AND b = 2 OR c = 3', 17],
    ['a = 1 OR b = 2 AND c = 3', 16],
    ['(a = 1 AND b = 2 OR c = 3)', 18],
    ['any(a, b = 1 OR c = 2 AND d = 3)', 23],
  ])('AND beside OR without parentheses is ambiguous: %s', (text, position) => {
    const { rule, params } = refusal(text);
    expect([rule, params]).toEqual(['ambiguous', { position }]);
  });

  it.each([
    ['bytes', `a = "${'x'.repeat(4091)}"`, 4096],
    ['comparisons', Array(33).fill('a = 1').join(' AND '), 32],
    ['depth of parentheses', `${'('.repeat(9)}a = 1${')'.repeat(9)}`, 8],
    ['depth of calls', `${'any(a, '.repeat(9)}a = 1${')'.repeat(9)}`, 8],
    ['branches', Array(11).fill('a = 1').join(' OR '), 10],
  ])('a filter beyond the bound of its %s is too complex', (_what, text, limit) => {
    const { rule, params } = refusal(text);
    expect([rule, params]).toEqual(['too_complex', { limit }]);
  });

  it.each([
    ['', 'is not a filter: at character 1 it ends, and a field, a call, NOT or ( was expected'],
    [
      'a = open',
      'is not a filter: at character 5 "open" stands, and a string in double quotes, a number, true, false or null was expected',
    ],
    ["a = 'x'", 'is not a filter: a string in single quotes; strings are written as in JSON: "…" at character 5'],
    ['a = "x', 'is not a filter: a string that does not end, or has an escape that JSON does not know at character 5'],
    ['a = "\\u0000"', 'is not a filter: the string at character 5 has NUL or half of a surrogate pair'],
    ['`a', 'is not a filter: a name in backquotes that does not end at character 1'],
    ['a = 1e', 'is not a filter: a number that is not written as `12`, `12.5` or `1.2e3` at character 5'],
    ['a : 1', 'is not a filter: the unexpected ":" at character 3'],
    ['like(a, "x")', 'is not a filter: "like" at character 1 is no function'],
    ['a = 1 AND b = 2 OR c = 3', 'is ambiguous: OR at character 17 stands beside AND; put one of them in parentheses'],
    ['a = 1 OR b = 2 AND c = 3', 'is ambiguous: AND at character 16 stands beside OR; put one of them in parentheses'],
    [`a = "${'x'.repeat(4091)}"`, 'has more than 4096 bytes'],
    [Array(33).fill('a = 1').join(' AND '), 'has more than 32 comparisons'],
    ['('.repeat(9), 'is nested more than 8 deep'],
    [Array(11).fill('a = 1').join(' OR '), 'has an OR of more than 10 branches'],
  ])('says what is wrong with %.40s', (text, message) => expect(refusal(text).message).toBe(message));

  it('knows where each part begins', () => {
    expect(parseFilter('a.b = 1 OR any(c, `d e` IN (2, null))', calls, bounds)).toEqual({
      kind: 'or',
      of: [
        { kind: 'compare', field: { name: 'a.b', position: 1 }, operator: '=', value: { text: '1', position: 7 } },
        {
          kind: 'any',
          field: { name: 'c', position: 16 },
          of: {
            kind: 'in',
            field: { name: 'd e', position: 19 },
            values: [
              { text: '2', position: 29 },
              { text: null, position: 32 },
            ],
          },
        },
      ],
    });
  });

  it('takes a filter of exactly as much as is legal', () => {
    expect(show(Array(32).fill('a = 1').join(' AND '))).toContain('and');
    expect(show(`${'('.repeat(8)}a = 1${')'.repeat(8)}`)).toBe('a="1"');
    expect(show(Array(10).fill('a = 1').join(' OR '))).toContain('or');
    expect(show(`a = "${'x'.repeat(4090)}"`)).toHaveLength(4094);
  });

  it.each([
    ['parentheses', '('.repeat(10_000)],
    ['ORs', Array(5_000).fill('a = 1').join(' OR ')],
    ['quotes', '"\\'.repeat(20_000)],
    ['a string that does not end', `a = "${'\\\\'.repeat(30_000)}`],
    ['names', 'a.'.repeat(30_000)],
  ])('reads no more of %s than the bounds allow', (_what, text) => {
    expect(['syntax', 'too_complex']).toContain(refusal(text, { ...bounds, maxBytes: 100_000 }).rule);
  });
});
