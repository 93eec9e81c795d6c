import fc from 'fast-check';
import { formatEntityTag, matchesStrong, matchesWeak, parseEntityTags, readEntityTags } from '../../src/http/entity-tag.ts';

const strong = (tag: string) => ({ weak: false, tag });
const weak = (tag: string) => ({ weak: true, tag });

const wellFormed: [string, ReturnType<typeof readEntityTags>][] = [
  ['*', '*'],
  [' * \t', '*'],
  ['"3"', [strong('3')]],
  ['W/"3"', [weak('3')]],
  ['"3", W/"4","5"', [strong('3'), weak('4'), strong('5')]],
  ['"a,b" ,\t"c"', [strong('a,b'), strong('c')]],
  ['""', [strong('')]],
  ['"*"', [strong('*')]],
  ['"W/"', [strong('W/')]],
  ['"a\\"', [strong('a\\')]],
  ['"\x21\x23\x7e\x80\xff"', [strong('\x21\x23\x7e\x80\xff')]],
  [', ,"3",, "4" ,', [strong('3'), strong('4')]],
  ['', []],
  [' , ', []],
];

const illFormed = [
  '3',
  "'3'",
  '"3',
  '3"',
  '"',
  '"a"b"',
  '"a" "b"',
  '"a""b"',
  'w/"3"',
  'W/ "3"',
  'W/3',
  'W/',
  'W/*',
  '*, "3"',
  '"3", *',
  '*, *',
  '**',
  '"a b"',
  '"a\tb"',
  '"a\nb"',
  '"\x7f"',
  '"\u0100"',
  '"3"; "4"',
  '\u00a0"3"',
];

describe('parseEntityTags', () => {
  it.each(wellFormed)('reads %j', (header, tags) => {
    expect(parseEntityTags(header)).toEqual(tags);
    expect(readEntityTags(header)).toEqual(tags);
  });

  it.each(illFormed)('answers 400 to %j, naming the header', (header) => {
    expect(() => parseEntityTags(header)).toThrow(
      expect.objectContaining({
        code: 'malformed_header',
        status: 400,
        detail: 'If-Match takes `*` or a list of entity tags in double quotes, such as `"3"`.',
      }),
    );
    expect(() => parseEntityTags(header, 'If-None-Match')).toThrow(/^If-None-Match takes/);
    expect(readEntityTags(header)).toBeUndefined();
  });

  it('reads every list of tags that was formatted, however it is spaced', () => {
    const etagc = fc.constantFrom(...'!#$%&*,/09;AWaz\\~\x80\xff');
    const element = fc.record({ weak: fc.boolean(), tag: fc.string({ unit: etagc }) });
    const separator = fc.constantFrom(',', ', ', ' ,\t', ',,', ', , ');
    fc.assert(
      fc.property(fc.array(element), separator, (tags, between) => {
        const header = tags.map(({ weak, tag }) => (weak ? 'W/' : '') + formatEntityTag(tag)).join(between);
        expect(parseEntityTags(header)).toEqual(tags);
      }),
    );
  });

  it('has an answer for every string', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'*"W/, \ta3') }), (header) => {
        const tags = readEntityTags(header);
        if (tags === undefined) expect(() => parseEntityTags(header)).toThrow(expect.objectContaining({ code: 'malformed_header' }));
        else expect(parseEntityTags(header)).toEqual(tags);
      }),
    );
  });

  it.each([
    ['spaces', `${' '.repeat(1_000_000)}x`],
    ['spaces behind a star', `*${' '.repeat(1_000_000)}x`],
    ['commas', `${' ,'.repeat(500_000)}x`],
    ['a tag that never ends', `"${'a'.repeat(1_000_000)}`],
    ['tags without commas', '"a"'.repeat(300_000)],
    ['tags', `${'W/"a", '.repeat(150_000)}x`],
  ])('does not choke on a megabyte of %s', (_, header) => {
    expect(readEntityTags(header)).toBeUndefined();
  });
});

describe('formatEntityTag', () => {
  it.each<[string | number | bigint, string]>([
    [0, '"0"'],
    [9007199254740993n, '"9007199254740993"'],
    ['abc', '"abc"'],
    ['', '""'],
  ])('puts %o in double quotes', (value, tag) => {
    expect(formatEntityTag(value)).toBe(tag);
  });

  it.each(['a"b', 'a b', 'a\r\nb', '\u0100', '\x7f'])('refuses %j, which no tag may hold', (value) => {
    expect(() => formatEntityTag(value)).toThrow(new TypeError(`Not an entity tag: "${value}"`));
  });
});

describe('comparison', () => {
  it.each<[string, string | undefined, boolean, boolean]>([
    // header, current, strong, weak
    ['"1"', '1', true, true],
    ['W/"1"', '1', false, true],
    ['"1"', '2', false, false],
    ['"1", "2"', '2', true, true],
    ['"1", W/"2"', '2', false, true],
    ['"00"', '0', false, false],
    ['"0"', '0', true, true],
    ['*', '1', true, true],
    ['*', undefined, true, true],
    ['"1"', undefined, false, false],
    ['"undefined"', undefined, false, false],
    ['', '1', false, false],
  ])('of %s with the tag %s: strong %o, weak %o', (header, current, strongly, weakly) => {
    expect(matchesStrong(parseEntityTags(header), current)).toBe(strongly);
    expect(matchesWeak(parseEntityTags(header), current)).toBe(weakly);
  });
});
