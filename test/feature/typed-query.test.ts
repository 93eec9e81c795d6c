import { type } from 'arktype';
import { type Context, cursorPaging, defineModel, jsonBody, listQuery, service, t, typedQuery } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: { id: t.string({ policy: { insert: true } }), title: t.string(), revision: t.revision() },
});

const Tag = t.string({ maxLength: 5 });
const query = {
  q: t.string({ minLength: 2, maxLength: 8, pattern: '^[^!]*$' }),
  limit: t.int({ minimum: 1, maximum: 50, default: 20 }),
  big: t.optional(t.int64({ maximum: 9007199254740993n })),
  ratio: t.optional(t.float({ exclusiveMinimum: 0 })),
  least: t.optional(t.decimal({ minimum: '0.5' })),
  dry: t.boolean({ default: false }),
  since: t.optional(t.date()),
  author: t.optional(t.objectId()),
  trace: t.optional(t.uuid()),
  status: t.optional(t.enum(['open', 'sent'])),
  bytes: t.optional(t.binary()),
  mail: t.optional(t.from({ type: 'string', format: 'email' })),
  tags: t.optional(t.array(Tag)),
  few: t.optional(t.array(t.int(), { minItems: 1, maxItems: 2, uniqueItems: true })),
  constructor: t.optional(t.string()),
  toString: t.optional(t.string()),
  hasOwnProperty: t.optional(t.array(t.string())),
};
const calls: unknown[] = [];
const database = useDatabase();
const api = useApi<{ readonly name: string }>(
  database,
  (shop) => [
    shop.resource({
      model: Order,
      guardsFor: { guarded: [(ctx) => ctx.principal !== undefined] },
      operations: {
        search: {
          method: 'GET',
          path: '/search',
          query,
          handler(ctx) {
            calls.push(ctx.typedQuery);
            const { bytes, ...values } = ctx.typedQuery;
            return { ...values, bytes: bytes?.length() };
          },
        },
        guarded: { method: 'GET', path: '/guarded', query: { q: t.string() }, handler: () => 'yes' },
        bare: { method: 'GET', path: '/bare', query: {}, handler: (ctx) => Object.keys(ctx.typedQuery) },
        free: { method: 'GET', path: '/free', handler: (ctx) => ctx.querystring },
        flag: { path: '/flag', query: { dry: t.boolean({ default: false }) }, use: [jsonBody()], handler: (ctx) => ctx.typedQuery },
        note: {
          query: { dry: t.boolean() },
          use: [jsonBody({ schema: t.object('NoteOrder', { text: t.string() }) })],
          handler: (ctx) => [ctx.typedQuery.dry, ctx.request.body.text],
        },
      },
    }),
  ],
  { maxFilterValues: 3, batch: true, authenticate: (ctx) => (ctx.get('authorization') ? { name: 'ann' } : undefined) },
);
const search = (querystring: string) => api.request('GET', `/api/orders/search?${querystring}`);

beforeEach(() => {
  calls.length = 0;
  api.errors.length = 0;
});

describe('the query of an operation', () => {
  it('is there in document form, with defaults, and without what was left out', async () => {
    expect((await search('q=ab')).body).toEqual({ data: { q: 'ab', limit: 20, dry: false } });
    expect(Object.keys(calls[0] as object).sort()).toEqual(['dry', 'limit', 'q']);
  });

  it('casts each type as the filters of a list do', async () => {
    const author = '0123456789abcdef01234567';
    const trace = '123e4567-e89b-42d3-a456-426614174000';
    const { body } = await search(
      `q=a+b%2Bc&limit=9.0&big=9007199254740993&ratio=1e-3&least=0.50&dry=TRUE&since=2026-01-31T12:00:00Z&author=${author}&trace=${trace}&status=sent&bytes=AAA=&mail=a@b.ch&constructor=c&toString=s`,
    );
    expect(body.data).toEqual({
      q: 'a b+c',
      limit: 9,
      big: 2 ** 53, // rounded by the test's own parser
      ratio: 0.001,
      least: '0.50',
      dry: true,
      since: '2026-01-31T12:00:00.000Z',
      author,
      trace,
      status: 'sent',
      bytes: 2,
      mail: 'a@b.ch',
      constructor: 'c',
      toString: 's',
    });
    expect(calls[0]).toMatchObject({ big: 9007199254740993n, since: new Date('2026-01-31T12:00:00Z'), limit: 9, ratio: 0.001 });
  });

  it.each([
    ['tags=a,b', ['a', 'b']],
    ['tags=a&tags=b', ['a', 'b']],
    ['tags[]=a,b&tags[]=', ['a,b', '']],
    ['tags%5B%5D=a&tags=b', ['a', 'b']],
    ['tags=', []],
    ['tags', []],
    ['tags=,', ['', '']],
    ['hasOwnProperty=x', undefined],
  ])('reads arrays: %s', async (text, tags) => {
    expect((await search(`q=ab&${text}`)).body.data.tags).toEqual(tags);
  });

  it.each([
    ['', [['q', 'required']]],
    ['q', [['q', 'minLength']]],
    ['q=a', [['q', 'minLength']]],
    ['q=abcdefghi', [['q', 'maxLength']]],
    ['q=ab!', [['q', 'pattern']]],
    ['q=ab&q=ab', [['q', 'repeated_parameter']]],
    [
      'q[]=ab',
      [
        ['q[]', 'parameter_syntax'],
        ['q', 'required'],
      ],
    ],
    [
      'q[eq]=ab',
      [
        ['q[eq]', 'parameter_syntax'],
        ['q', 'required'],
      ],
    ],
    [
      'q[gte][]=ab',
      [
        ['q[gte][]', 'parameter_syntax'],
        ['q', 'required'],
      ],
    ],
    ['q[[]=ab', [['q[[]', 'parameter_syntax']]],
    ['q=%ff', [['q', 'percent_encoding']]],
    ['q=%00a', [['q', 'nul_character']]],
    ['q=ab&limit=0', [['limit', 'minimum']]],
    ['q=ab&limit=51', [['limit', 'maximum']]],
    ['q=ab&limit=', [['limit', 'type']]],
    ['q=ab&limit=1.5', [['limit', 'type']]],
    ['q=ab&limit=9007199254740993', [['limit', 'out_of_range']]],
    ['q=ab&limit=-9007199254740993', [['limit', 'out_of_range']]],
    ['q=ab&limit=1e400', [['limit', 'type']]],
    ['q=ab&big=9007199254740994', [['big', 'maximum']]],
    ['q=ab&big=9223372036854775808', [['big', 'out_of_range']]],
    [`q=ab&big=${'9'.repeat(5000)}`, [['big', 'out_of_range']]],
    ['q=ab&ratio=0', [['ratio', 'exclusiveMinimum']]],
    ['q=ab&ratio=NaN', [['ratio', 'type']]],
    ['q=ab&least=0.49', [['least', 'minimum']]],
    ['q=ab&dry=yes', [['dry', 'type']]],
    ['q=ab&dry=null', [['dry', 'type']]],
    ['q=ab&since=2026-02-30T00:00:00Z', [['since', 'type']]],
    ['q=ab&author=zz', [['author', 'type']]],
    ['q=ab&trace=zz', [['trace', 'type']]],
    ['q=ab&status=snet', [['status', 'enum']]],
    ['q=ab&bytes=A', [['bytes', 'type']]],
    ['q=ab&mail=a', [['mail', 'format']]],
    ['q=ab&tags=abcdef', [['tags', 'maxLength']]],
    ['q=ab&tags=a,b,c,d', [['tags', 'maxItems']]],
    ['q=ab&tags=a,b&tags=c&tags=d', [['tags', 'maxItems']]],
    ['q=ab&few=', [['few', 'minItems']]],
    ['q=ab&few=1,2,3', [['few', 'maxItems']]],
    ['q=ab&few=1,1', [['few', 'uniqueItems']]],
    ['q=ab&few=1,x', [['few', 'type']]],
    ['q=ab&lmit=5', [['lmit', 'unknown_parameter']]],
    ['q=ab&__proto__=5', [['__proto__', 'unknown_parameter']]],
    ['q=ab&__proto__[x]=5', [['__proto__[x]', 'unknown_parameter']]],
    ['q=ab&valueOf=5', [['valueOf', 'unknown_parameter']]],
    ['q=ab&$where=5', [['$where', 'unknown_parameter']]],
    [
      'limit=0&dry=2&tags=abcdef&x',
      [
        ['x', 'unknown_parameter'],
        ['q', 'required'],
        ['limit', 'minimum'],
        ['dry', 'type'],
        ['tags', 'maxLength'],
      ],
    ],
  ])('refuses all that does not fit at once: %s', async (text, errors) => {
    const { status, body } = await search(text);
    expect([status, body.code]).toEqual([400, 'invalid_query']);
    expect(body.errors.map(({ field, rule }: { field: string; rule: string }) => [field, rule])).toEqual(errors);
    expect([calls, api.errors]).toEqual([[], []]);
  });

  it('suggests the parameter that was meant', async () => {
    const { body } = await search('q=ab&limt=5');
    expect(body.errors).toEqual([
      {
        field: 'limt',
        message: 'is not a parameter of this operation; did you mean `limit`?',
        rule: 'unknown_parameter',
        params: { suggestion: 'limit' },
      },
    ]);
    expect((await api.request('GET', '/api/orders/bare?x=1')).body.errors[0].message).toBe(
      'is not a parameter of this operation, which takes none',
    );
    expect((await api.request('GET', '/api/orders/bare')).body).toEqual({ data: [] });
  });

  it('may be of any size without an error of the server', async () => {
    const service = await search(`q=ab&tags=${'a,'.repeat(3000)}`);
    expect(service.body.errors[0].rule).toBe('maxItems');
    expect((await search(`q=ab&${'x&'.repeat(2000)}`)).body.errors[0].rule).toBe('too_many_parameters');
    expect((await search(`q=ab&${'tags=a&'.repeat(900)}`)).body.errors[0].rule).toBe('maxItems');
    expect(api.errors).toEqual([]);
  });

  it('is read after the guards, and before the body', async () => {
    expect((await api.request('GET', '/api/orders/guarded?x=1')).status).toBe(403);
    expect((await api.request('GET', '/api/orders/guarded?x=1', { headers: { authorization: 'ann' } })).status).toBe(400);
    expect((await api.request('POST', '/api/orders/a/note?x=1', { body: '{' })).body.code).toBe('invalid_query');
    expect((await api.request('POST', '/api/orders/a/note?dry=1', { body: '{' })).body.code).toBe('malformed_json');
    expect((await api.request('POST', '/api/orders/a/note?dry=1', { body: { text: 'x' } })).body).toEqual({ data: [true, 'x'] });
  });

  it('is the same for HEAD', async () => {
    expect((await api.request('HEAD', '/api/orders/search?q=ab')).status).toBe(200);
    expect((await api.request('HEAD', '/api/orders/search?q=a')).status).toBe(400);
  });

  it('is empty in a batch, whose operations have none', async () => {
    const batch = (path: string, method = 'POST') =>
      api.request('POST', '/api/batch?x=1', { body: { operations: [{ method, path, body: { text: 'x' } }] } });
    const { status, body } = await batch('/orders/a/note');
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ rule: 'required' })]]);
    expect((await batch('/orders/flag')).body.data[0].body).toEqual({ data: { dry: false } });
  });

  it('is not read by an operation that declares none', async () => {
    expect((await api.request('GET', '/api/orders/free?x=1&x=2&%ff')).body).toEqual({ data: 'x=1&x=2&%ff' });
  });
});

describe('a query string in the process, where nothing else bounds it', () => {
  const shop = service();
  const serve = () =>
    shop.api({
      db: database.db,
      resources: [
        shop.resource({
          model: Order,
          operations: { search: { method: 'GET', path: '/search', query, handler: ({ typedQuery: { tags } }) => tags?.length } },
        }),
      ],
    });
  const mebibyte = 2 ** 20;

  it.each([
    ['one value', `q=${'a'.repeat(mebibyte)}`, 400],
    ['one name', `${'a'.repeat(mebibyte)}=1`, 400],
    ['items', `q=ab&tags=${'a,'.repeat(mebibyte / 2)}`, 400],
    ['parameters', `q=ab&${'tags=a&'.repeat(mebibyte / 7)}`, 400],
    ['digits', `q=ab&big=${'9'.repeat(mebibyte)}`, 400],
    ['brackets', `q=ab&${'['.repeat(mebibyte)}`, 400],
    ['percent-encoding', `q=ab&tags=${'%61'.repeat(mebibyte / 3)}`, 400],
    ['as many items as are allowed', `q=ab&tags=${Array(500).fill('a').join(',')}`, 200],
    ['one item more', `q=ab&tags=${Array(501).fill('a').join(',')}`, 400],
  ])('is %3$i: 1 MiB of %s', async (_what, text, status) => {
    const response = await serve().fetch(new Request(`http://x/orders/search?${text}`));
    expect(response.status).toBe(status);
    expect((await response.text()).length).toBeLessThan(3_000_000);
  });
});

describe('the definition of a query', () => {
  const shop = service();
  const define = (operation: object) => () =>
    shop.api({
      db: database.db,
      resources: [shop.resource({ model: Order, operations: { search: { handler: () => 1, ...operation } } })],
    });

  it.each([
    ['no object', 'q', /`query` of `operations.search` of .* must be an object with a field for each parameter/],
    ['no field', { q: 'string' }, /The schema of `query.q` must be an object/],
    ['null', { q: t.nullable(t.string()) }, /`query.q` cannot be null/],
    ['null in an array', { q: t.array(t.nullable(t.string())) }, /`query.q` cannot be null/],
    ['an object', { q: t.object('Q', {}) }, /`query.q` must be a single value with a type, or an array of such values/],
    ['a map', { q: t.map(t.string()) }, /`query.q` must be a single value/],
    ['anything', { q: t.any() }, /`query.q` must be a single value/],
    ['an array of arrays', { q: t.array(t.array(t.string())) }, /`query.q` must be a single value/],
    ['a policy', { q: t.string({ policy: { filter: true } }) }, /`policy` of `query.q` would have no effect/],
    ['a reference', { q: t.ref('Order') }, /`ref` of `query.q` would have no effect/],
    ['a reference in an array', { q: t.array(t.ref('Order')) }, /`ref` of `query.q` would have no effect/],
    ['caseless', { q: t.string({ caseless: true }) }, /`caseless` of `query.q` would have no effect/],
    ['caseless in an array', { q: t.array(t.string({ caseless: true })) }, /`caseless` of `query.q` would have no effect/],
    ['a field called read of another library', { read: type('string') }, /`query.read` is of another library: write `t.from\(…\)`/],
    ['unique', { q: t.string({ unique: true }) }, /`unique` of `query.q` would have no effect/],
    ['a revision', { q: t.revision() }, /`maintained` of `query.q` would have no effect/],
    ['a default that does not fit', { q: t.int({ maximum: 5, default: 6 }) }, /The `default` of `query.q` does not fit/],
    ['an illegal name', { 'q[]': t.string() }, /`query.q\[\]` is not a valid field name/],
    ['two mistakes', { q: t.any(), r: t.any() }, /2 mistakes/],
  ])('is refused: %s', (_what, given, message) => {
    expect(define({ query: given })).toThrow(message);
  });

  it('stands alone: another reader of the query string would refuse its parameters', () => {
    expect(define({ query: { q: t.string() }, use: [listQuery(Order, cursorPaging())] })).toThrow(
      /has a `query`, and `listQuery` in `use`/,
    );
    expect(define({ use: [typedQuery({ q: t.string() })] })).toThrow(/has `typedQuery`: give its fields to `query`/);
    expect(define({ use: [typedQuery] })).toThrow(/call it, `typedQuery\(\)`/);
  });
});

it('reads an empty value as one empty text where an array of texts must have an item', async () => {
  const context = { querystring: 'names=&few=' } as unknown as Context;
  const read = typedQuery({ names: t.array(t.string(), { minItems: 1 }), few: t.array(t.string()) });
  await read(context, async () => undefined);
  expect((context as Any).typedQuery).toEqual({ names: [''], few: [] });
});
