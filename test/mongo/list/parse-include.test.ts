import { parseInclude } from '../../../src/mongo/list/parse-include.ts';
import type { FieldError } from '../../../src/rules.ts';

function parse(values: readonly string[], allowed = ['customer', 'author.company']): [string[], FieldError[]] {
  const errors: FieldError[] = [];
  return [parseInclude(values, allowed, errors), errors];
}

describe('parseInclude', () => {
  it.each<[readonly string[], readonly string[]]>([
    [[], []],
    [['customer'], ['customer']],
    [
      ['customer', 'author.company'],
      ['customer', 'author.company'],
    ],
    [
      ['author.company', 'customer'],
      ['author.company', 'customer'],
    ],
    [['customer', 'customer', 'customer'], ['customer']],
  ])('adds up the names of %j, each once', (values, names) => {
    expect(parse(values)).toEqual([names, []]);
  });

  it.each<{ values: readonly string[] }>([
    { values: [''] },
    { values: ['customer', ''] },
    { values: ['customer,author.company'] },
    { values: ['customer', 'x'] },
    { values: ['author'] },
    { values: ['author.company.owner'] },
    { values: ['customer '] },
    { values: ['__proto__', 'y'] },
  ])('refuses $values with one error', ({ values }) => {
    const rule = expect.stringMatching(/^not_(includable|available)$/);
    expect(parse(values)).toEqual([[], [expect.objectContaining({ field: 'include', message: expect.any(String), rule })]]);
  });

  it.each([
    [['x', 'custmer'], 'not_includable', 'cannot include `x`. Allowed: customer, author.company', { name: 'x' }],
    [['custmer', 'x'], 'not_includable', 'cannot include `custmer`; did you mean `customer`?', { name: 'custmer', suggestion: 'customer' }],
    [[''], 'not_includable', 'must name a relation. Allowed: customer, author.company', { name: '' }],
  ])('tells of %j the first that is not allowed, with a near miss or with what is legal', (values, rule, message, params) => {
    expect(parse(values)).toEqual([[], [{ field: 'include', rule, message, params }]]);
  });

  it('tells where there is nothing to include', () => {
    const message = 'is not available: there are no relations to include here';
    expect(parse(['x'], [])).toEqual([[], [{ field: 'include', rule: 'not_available', message }]]);
  });
});
