import { ConfigurationError, type Context, checkBody, ifMatch, jsonBody, problems, t } from '../../src/index.ts';
import { useServer } from '../support/http/serve.ts';

const serve = useServer();

describe('jsonBody()', () => {
  it('leaves the JSON object of the request in ctx.request.body, with exact numbers', async () => {
    let body: unknown;
    const { request } = await serve(problems(), jsonBody(), (ctx: Context) => {
      body = ctx.request.body;
      ctx.body = 'read';
    });
    expect((await request('POST', '/', { body: '{"a":9007199254740993,"b":[1.0,"é"]}' })).text).toBe('read');
    expect(body).toEqual({ a: 9007199254740993n, b: [1, 'é'] });
  });

  it.each([undefined, '', 'null', '[]', '"x"', '5'])(
    'is 422 for what is no object, when nothing behind it is to judge: %o',
    async (body) => {
      const { request } = await serve(problems(), jsonBody());
      const answer = await request('POST', '/', { body });
      expect([answer.status, answer.body.errors]).toMatchObject([422, [{ field: '', message: 'the body must be a JSON object' }]]);
    },
  );

  it.each<[string | undefined, unknown]>([
    [undefined, undefined],
    ['[1]', [1]],
    ['null', null],
  ])('leaves %o as it is with requireObject: false', async (body, expected) => {
    let read: unknown = 'nothing';
    const { request } = await serve(problems(), jsonBody({ requireObject: false }), (ctx: Context) => {
      read = ctx.request.body;
      ctx.body = 'read';
    });
    expect((await request('POST', '/', { body })).status).toBe(200);
    expect(read).toEqual(expected);
  });

  it.each<[number, string, object]>([
    [413, 'x'.repeat(101), {}],
    [413, 'x'.repeat(101), { 'content-type': 'text/plain' }],
    [415, '{}', { 'content-type': 'text/plain' }],
    [415, '{}', { 'content-encoding': 'gzip' }],
    [400, '{', {}],
  ])('is %i for %s %j', async (status, body, headers) => {
    const { request } = await serve(problems(), jsonBody({ limit: 100 }));
    expect((await request('POST', '/', { body, headers: headers as Record<string, string> })).status).toBe(status);
  });

  it.each([0, -1, 1.5, Number.NaN, '1mb', null])('refuses a limit that is none, when it is made: %o', (limit) => {
    expect(() => jsonBody({ limit: limit as number })).toThrow(ConfigurationError);
  });
});

describe('checkBody()', () => {
  const schema = t.object('Send', { carrier: t.string(), on: t.optional(t.date()) });

  it('leaves the body as handlers hold documents', async () => {
    let body: unknown;
    const { request } = await serve(problems(), jsonBody({ requireObject: false }), checkBody(schema), (ctx: Context) => {
      body = ctx.request.body;
      ctx.body = 'read';
    });
    expect((await request('POST', '/', { body: { carrier: 'dhl', on: '2026-01-31T00:00:00Z' } })).text).toBe('read');
    expect(body).toEqual({ carrier: 'dhl', on: new Date('2026-01-31T00:00:00Z') });
  });

  it('stands behind ifMatch, which stands behind what reads the body', async () => {
    const { request } = await serve(problems(), jsonBody({ requireObject: false }), ifMatch({ required: true }), checkBody(schema));
    const codes = await Promise.all([
      request('POST', '/', { body: '[' }),
      request('POST', '/', { body: [] }),
      request('POST', '/', { body: [], headers: { 'if-match': '*' } }),
      request('POST', '/', { body: {}, headers: { 'if-match': '*' } }),
    ]);
    expect(codes.map(({ body }) => [body.code, body.errors?.[0].field])).toEqual([
      ['malformed_json', undefined],
      ['precondition_required', undefined],
      ['validation_failed', ''],
      ['validation_failed', 'carrier'],
    ]);
  });

  it('takes any object without a schema', async () => {
    const { request } = await serve(problems(), jsonBody({ requireObject: false }), checkBody(), (ctx: Context) => {
      ctx.body = 'read';
    });
    expect((await request('POST', '/', { body: { a: 1 } })).text).toBe('read');
    expect((await request('POST', '/', { body: '5' })).status).toBe(422);
  });
});
