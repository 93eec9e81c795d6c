import fc from 'fast-check';
import type { Problem } from '../../src/errors.ts';
import { itemsOf, parseQueryString, setQueryParameters } from '../../src/http/query-string.ts';
import { anyCharacter } from '../support/fuzzing/any-character.ts';
import { cases } from '../support/fuzzing/fuzz.ts';

const invalidQuery = (field: string, message: string) =>
  expect.objectContaining({
    code: 'invalid_query',
    status: 400,
    detail: `The query parameter \`${field}\` ${message}.`,
    errors: [{ field, message, rule: expect.stringMatching(/^(percent_encoding|nul_character|parameter_syntax)$/) }],
  });

const text = fc.string({ unit: anyCharacter }).map((value) => value.replaceAll('\0', ''));
const name = fc.string({ unit: anyCharacter, minLength: 1 }).map((value) => value.replace(/[\0[\]]/g, '.'));
const parameter = fc.record({ name, operator: name, isItem: fc.constant(true as const), value: text }, { requiredKeys: ['name', 'value'] });
const formatKey = ({ name, operator, isItem }: { name: string; operator?: string; isItem?: true }) =>
  `${name}${operator === undefined ? '' : `[${operator}]`}${isItem ? '[]' : ''}`;

describe('parseQueryString', () => {
  it.each([
    ['', []],
    ['&&', []],
    ['a=1', [{ name: 'a', value: '1' }]],
    [
      'a=1&&b=2&',
      [
        { name: 'a', value: '1' },
        { name: 'b', value: '2' },
      ],
    ],
    [
      'b=2&a=1&b=3',
      [
        { name: 'b', value: '2' },
        { name: 'a', value: '1' },
        { name: 'b', value: '3' },
      ],
    ],
    ['a', [{ name: 'a', value: '' }]],
    ['a=', [{ name: 'a', value: '' }]],
    ['a==1=2', [{ name: 'a', value: '=1=2' }]],
    ['total[gte]=5', [{ name: 'total', operator: 'gte', value: '5' }]],
    ['total%5Bgte%5d=5', [{ name: 'total', operator: 'gte', value: '5' }]],
    ['total[gte]', [{ name: 'total', operator: 'gte', value: '' }]],
    ['address.city[in]=a,b', [{ name: 'address.city', operator: 'in', value: 'a,b' }]],
    ['sort[]=-a,b', [{ name: 'sort', isItem: true, value: '-a,b' }]],
    ['a%5Bin%5D%5B%5D=x%2Cy', [{ name: 'a', operator: 'in', isItem: true, value: 'x,y' }]],
    ['a[in][]', [{ name: 'a', operator: 'in', isItem: true, value: '' }]],
    ['a=[x]', [{ name: 'a', value: '[x]' }]],
    ['a[$gt]=1', [{ name: 'a', operator: '$gt', value: '1' }]],
    ['$where=1', [{ name: '$where', value: '1' }]],
    ['a=1+2%2B3%20', [{ name: 'a', value: '1 2+3 ' }]],
    ['a+b%3D=1', [{ name: 'a b=', value: '1' }]],
    ['a=%26', [{ name: 'a', value: '&' }]],
    ['a=S%C3%A3o', [{ name: 'a', value: 'São' }]],
    ['a=<">|^`{}\\', [{ name: 'a', value: '<">|^`{}\\' }]],
    [
      '__proto__=1&__proto__[constructor]=2',
      [
        { name: '__proto__', value: '1' },
        { name: '__proto__', operator: 'constructor', value: '2' },
      ],
    ],
  ])('reads %j', (raw, parameters) => {
    expect(parseQueryString(raw)).toStrictEqual(parameters);
  });

  it.each([
    ['a=%', 'a'],
    ['a=%4', 'a'],
    ['a=%zz', 'a'],
    ['a=%E0%A4', 'a'],
    ['a=%ff', 'a'],
    ['a=%C0%80', 'a'],
    ['a=%ED%A0%80', 'a'],
    ['x=1&total[gte]=%', 'total[gte]'],
    ['%zz=1', '%zz'],
    ['a%5B%=1', 'a%5B%'],
  ])('answers 400 to percent-encoding that is malformed or no UTF-8: %s', (raw, field) => {
    expect(() => parseQueryString(raw)).toThrow(invalidQuery(field, 'is not percent-encoded UTF-8'));
  });

  it.each([
    ['a=%00', 'a'],
    ['a=b%00c', 'a'],
    ['a%00=1', 'a\0'],
    ['a[%00]=1', 'a[\0]'],
  ])('answers 400 to a NUL character: %s', (raw, field) => {
    expect(() => parseQueryString(raw)).toThrow(invalidQuery(field, 'has a NUL character'));
  });

  it.each([
    'a[][]',
    'a[][b]',
    '[][]',
    'a[b][][]',
    '[x]',
    '[]',
    'a[b][c]',
    'a[b]c',
    'a[b',
    'a]',
    'a[',
    'a]b[',
    'a[[b]]',
    '[a]b',
    'a[b]]',
    '',
  ])('answers 400 to brackets in any other place: %j', (key) => {
    const problem = invalidQuery(key, 'must have the form `field` or `field[operator]`');
    expect(() => parseQueryString(`${key}=1`)).toThrow(problem);
    expect(() => parseQueryString(`${encodeURIComponent(key)}=1`)).toThrow(problem);
  });

  it('takes 1,000 parameters and answers 400 to more', () => {
    expect(parseQueryString('a=1&'.repeat(1000))).toHaveLength(1000);
    expect(() => parseQueryString('a=1&'.repeat(1001))).toThrow(
      expect.objectContaining({
        code: 'invalid_query',
        detail: 'The query string has too many parameters: 1000 are allowed.',
        errors: [{ field: '', rule: 'too_many_parameters', message: 'must have at most 1000 parameters', params: { limit: 1000 } }],
      }),
    );
  });

  it('reads only the parameters it is asked for, and ignores others whatever they hold', () => {
    const raw = 'utm=%zz&a[b][c]=1&include=customer&x=%00&%zz&inclu%64e=items&include[x]=1&fields=id&include[]=a,b&other[]=c';
    expect(parseQueryString(raw, { only: ['include', 'fields'] })).toEqual([
      { name: 'include', value: 'customer' },
      { name: 'include', value: 'items' },
      { name: 'fields', value: 'id' },
      { name: 'include', isItem: true, value: 'a,b' },
    ]);
    expect(() => parseQueryString('include=%zz', { only: ['include'] })).toThrow(invalidQuery('include', 'is not percent-encoded UTF-8'));
  });

  it('does not count the parameters that it ignores', () => {
    expect(parseQueryString(`${'a=1&'.repeat(2000)}include=x`, { only: ['include'] })).toEqual([{ name: 'include', value: 'x' }]);
    expect(() => parseQueryString('include=x&'.repeat(1001), { only: ['include'] })).toThrow(
      expect.objectContaining({ code: 'invalid_query' }),
    );
  });

  it('reads what was percent-encoded', () => {
    fc.assert(
      fc.property(fc.array(parameter), (parameters) => {
        const raw = parameters.map((p) => `${encodeURIComponent(formatKey(p))}=${encodeURIComponent(p.value)}`).join('&');
        expect(parseQueryString(raw)).toEqual(parameters);
      }),
    );
  });

  it('reads what URLSearchParams writes', () => {
    fc.assert(
      fc.property(fc.array(parameter), (parameters) => {
        const raw = new URLSearchParams(parameters.map((p): [string, string] => [formatKey(p), p.value])).toString();
        expect(parseQueryString(raw)).toEqual(parameters);
      }),
    );
  });

  it('answers every string with parameters or a 400', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab[]=&%+.0f\0é\ud800') }), (raw) => {
        try {
          parseQueryString(raw);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_query', status: 400 });
        }
      }),
      cases(1000),
    );
  });

  it.each([
    ['ampersands', '&'.repeat(1_000_000), 0],
    ['parameters', 'a&'.repeat(500_000), 'invalid_query'],
    ['brackets', '['.repeat(1_000_000), 'invalid_query'],
    ['one name', 'a'.repeat(1_000_000), 1],
    ['escapes', `a=${'%41'.repeat(330_000)}`, 1],
  ])('does not choke on a megabyte of %s', (_, raw, outcome) => {
    const parse = () => {
      try {
        return parseQueryString(raw).length;
      } catch (error) {
        return (error as Problem).code;
      }
    };
    expect(parse()).toBe(outcome);
  });
});

describe('itemsOf', () => {
  it.each([
    ['a=x,y', ['x', 'y']],
    ['a=', ['']],
    ['a[]=x,y', ['x,y']],
    ['a[in]=x,,y', ['x', '', 'y']],
  ])('are separated by commas, or one whole: %s', (raw, items) => {
    expect(parseQueryString(raw).flatMap(itemsOf)).toEqual(items);
  });
});

describe('setQueryParameters', () => {
  it.each([
    ['', 'x', 'after=x'],
    ['sort=-a', 'x', 'sort=-a&after=x'],
    ['after=1&sort=-a', 'x', 'sort=-a&after=x'],
    ['after=1&a=1&after=2', 'x', 'a=1&after=x'],
    ['%61fter=1', 'x', 'after=x'],
    ['after', 'x', 'after=x'],
    ['after[eq]=1&afters=2', 'x', 'after[eq]=1&afters=2&after=x'],
    ['q=%c3%a9+b%2C,%zz&&a[b]', 'x', 'q=%c3%a9+b%2C,%zz&a[b]&after=x'],
    ['', 'a&b=c é+', 'after=a%26b%3Dc%20%C3%A9%2B'],
    ['after=1&a=1', undefined, 'a=1'],
    ['a=1', undefined, 'a=1'],
    ['after=1', undefined, ''],
    ['', undefined, ''],
  ])('in %j, to %j: %j', (raw, value, result) => {
    expect(setQueryParameters(raw, { after: value })).toBe(result);
  });

  it('changes several at once', () => {
    expect(setQueryParameters('%61fter=1&sort=-a&before=2', { after: undefined, before: 'x' })).toBe('sort=-a&before=x');
  });

  it('changes this parameter and no other', () => {
    fc.assert(
      fc.property(fc.array(parameter), name, fc.option(text, { nil: undefined }), (parameters, changed, value) => {
        const raw = parameters.map((p) => `${encodeURIComponent(formatKey(p))}=${encodeURIComponent(p.value)}`).join('&');
        const others = parameters.filter((p) => formatKey(p) !== changed);
        const result = parseQueryString(setQueryParameters(raw, { [changed]: value }));
        expect(result).toEqual(value === undefined ? others : [...others, { name: changed, value }]);
      }),
    );
  });
});
