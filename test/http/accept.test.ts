import { chooseMediaType } from '../../src/http/accept.ts';

const [json, lines, csv] = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
const choose = (accept: string | undefined) => chooseMediaType(accept, json, [lines, csv]);

describe('chooseMediaType', () => {
  it.each([
    [undefined],
    [''],
    [','],
    ['*/*'],
    ['text/*'],
    ['application/*'],
    ['application/json'],
    ['text/plain'],
    ['text/csvx'],
    ['xtext/csv'],
  ])('chooses the default if no other type is named: %s', (accept) => {
    expect(choose(accept)).toBeUndefined();
  });

  it.each([
    [csv, csv],
    [lines, lines],
    ['TEXT/CSV', csv],
    [' text/csv ', csv],
    ['\ttext/csv\t', csv],
    [',, text/csv ,\t,', csv],
    ['text/html, text/csv', csv],
    ['text/csv, text/csv;q=0', csv],
    ['text/csv;q=0, text/csv', undefined],
  ])('chooses a type that is named: %s', (accept, type) => {
    expect(choose(accept)).toBe(type);
  });

  it.each([
    ['text/csv;q=0.2, application/x-ndjson;q=0.3', lines],
    ['text/csv;q=0.3, application/x-ndjson;q=0.2', csv],
    ['text/csv, application/x-ndjson;q=0.999', csv],
    ['text/csv;q=1.000, application/x-ndjson', csv],
    ['application/x-ndjson, text/csv', lines],
    ['text/csv, application/x-ndjson', csv],
    ['text/csv;q=0', undefined],
    ['text/csv;q=0.000', undefined],
    ['text/csv;q=0.', undefined],
    ['text/csv;q=0.001', csv],
    ['text/csv;q=1.', csv],
    ['text/csv;q=1', csv],
    ['text/csv;Q=0', undefined],
    ['text/csv;q=0, application/x-ndjson;q=0.1', lines],
  ])('chooses by weight, and then by order: %s', (accept, type) => {
    expect(choose(accept)).toBe(type);
  });

  it.each([
    ['application/json, text/csv', undefined],
    ['text/csv, application/json', csv],
    ['application/json;q=0.5, text/csv;q=0.4', undefined],
    ['application/json;q=0.4, text/csv;q=0.5', csv],
    ['text/csv;q=0.5, application/json;q=0.5', csv],
    ['application/json;q=0, text/csv;q=0.1, */*', csv],
    ['application/*;q=0.6, text/csv;q=0.5', undefined],
    ['application/*;q=0.4, */*;q=0.9, text/csv;q=0.5', csv],
    ['application/*;q=0.5, text/csv;q=0.5', csv],
    ['*/*, text/csv', csv],
    ['*/*, text/csv;q=0.9', undefined],
    ['*/*;q=0.8, text/csv;q=0.9', csv],
    ['text/*, text/csv;q=0.1', csv],
  ])('weighs it against the default, of which the closest range counts: %s', (accept, type) => {
    expect(choose(accept)).toBe(type);
  });

  it.each([
    ['text/csv;charset=utf-8', csv],
    ['text/csv ; charset = utf-8', undefined],
    ['text/csv;charset="a, b;q=0"', csv],
    ['text/csv;charset="a\\"b";q=0', undefined],
    ['text/csv;a="\\', undefined],
    ['text/csv;charset="a";header=present;q=0.1, application/x-ndjson;q=0.2', lines],
    ['text/csv;', csv],
    ['text/csv;;', csv],
    ['text/csv; ;\t;q=0', undefined],
    ['text/csv;xq=0', csv],
    ['text/csv;qx=0', csv],
  ])('reads parameters: %s', (accept, type) => {
    expect(choose(accept)).toBe(type);
  });

  it.each([
    'text/csv, (',
    '(, text/csv',
    'text, text/csv',
    'text/csv text/csv',
    'text/csv;q',
    'text/csv;q=',
    'text/csv;q=2',
    'text/csv;q=1.001',
    'text/csv;q=0.0001',
    'text/csv;q=00',
    'text/csv;q=.5',
    'text/csv;q=-1',
    'text/csv;q=x1',
    'text/csv;q="1"',
    'text/csv;q=2;q=1, text/csv(',
    'text/csv\n',
    '/csv, text/csv',
    'text/, text/csv',
  ])('chooses the default for a header that does not follow the grammar: %j', (accept) => {
    expect(choose(accept)).toBeUndefined();
  });

  it('reads 4,096 characters, and no more', () => {
    expect(choose(`text/csv;a=${'x'.repeat(4_085)}`)).toBe(csv);
    expect(choose(`text/csv;a=${'x'.repeat(4_086)}`)).toBeUndefined();
  });

  it('ends for each long header that almost follows the grammar', () => {
    for (const part of ['; ', ';\t;', ';a="\\\\', ' ,', 'a/b;', ';a=b', '"']) {
      expect(choose(`text/csv${part.repeat(1_300)}(`)).toBeUndefined();
    }
  });
});
