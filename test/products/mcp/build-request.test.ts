import fc from 'fast-check';
import { buildRequest } from '../../../src/products/mcp/build-request.ts';
import { type Tool, ToolError } from '../../../src/products/mcp/tool.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

const input = (where: 'path' | 'query' | 'header' | 'body', name: string, schema = {}) =>
  ({ in: where, name, required: false, schema }) as const;

/** A tool for the orders below a customer. */
const tool = {
  method: 'POST',
  path: '/api/customers/{id}/orders/{line}',
  isOwnPath: (path: string) => !path.endsWith('/last'),
  inputs: new Map([
    ['id', input('path', 'id')],
    ['line_2', input('path', 'line')],
    ['total_gte', input('query', 'total[gte]')],
    ['status_in', input('query', 'status[in]', { type: 'array' })],
    ['sort', input('query', 'sort', { type: 'array' })],
    ['if_match', input('header', 'If-Match')],
    ['body', input('body', 'body', { type: 'object' })],
  ]),
} as unknown as Tool;
const build = (given: object) =>
  buildRequest(tool, { id: 'a', line_2: 1, ...given }, { authorization: 'x', accept: 'text/csv' }, new AbortController().signal);

describe('buildRequest', () => {
  it('leads no id to the operation of a literal segment', () => {
    expect(() => build({ line_2: 'last' })).toThrow('The path of the record cannot be made of these arguments.');
  });

  it('puts each argument in its place', async () => {
    const request = build({ total_gte: 5, status_in: ['a,b', 'c'], sort: ['-a', 'b'], if_match: 3, body: { n: 1 } });
    const { pathname, searchParams } = new URL(request.url);
    expect([request.method, pathname, [...searchParams]]).toEqual([
      'POST',
      '/api/customers/a/orders/1',
      [
        ['total[gte]', '5'],
        ['status[in][]', 'a,b'],
        ['status[in][]', 'c'],
        ['sort', '-a,b'],
      ],
    ]);
    expect(Object.fromEntries(request.headers)).toEqual({ authorization: 'x', 'content-type': 'application/json', 'if-match': '"3"' });
    expect(await request.text()).toBe('{"n":1}');
  });

  it('leads no id out of its segment, and no value into another parameter', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[./\\%2eE?#&=;:@\s]{1,8}$/));
    fc.assert(
      fc.property(text, text, (id, value) => {
        let url: URL;
        try {
          url = new URL(build({ id, total_gte: value }).url);
        } catch (error) {
          expect(error).toBeInstanceOf(ToolError);
          return;
        }
        const [empty, api, customers, segment, orders, line, ...rest] = url.pathname.split('/');
        expect([empty, api, customers, orders, line, rest]).toEqual(['', 'api', 'customers', 'orders', '1', []]);
        expect(decodeURIComponent(segment ?? '')).toBe(id);
        expect([...url.searchParams]).toEqual([['total[gte]', value.toWellFormed()]]);
        expect(url.hash).toBe('');
      }),
      cases(1_000),
    );
  });

  it('sends no header that an argument did not name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        try {
          expect(build({ if_match: value }).headers.get('if-match')).toMatch(/^(?:\*|"\d+")$/);
        } catch (error) {
          expect(error).toBeInstanceOf(ToolError);
        }
      }),
    );
  });
});
