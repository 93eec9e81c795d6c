import { request as httpRequest } from 'node:http';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type Koa from 'koa';
import mount from 'koa-mount';
import { createShop } from '../../../examples/orders/api.ts';
import { applyIndexes, ConfigurationError, Problem, Unauthorized } from '../../../src/index.ts';
import { mcpRoutes } from '../../../src/products/mcp/mcp.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';
import { until } from '../../support/until.ts';
import { type Agent, connectClient } from './connect.ts';
import { createOdd, type Odd } from './odd-api.ts';

const database = useDatabase();
const serve = useServer();
let odd: Odd;
let server: TestServer;

beforeAll(async () => {
  odd = createOdd(database.db);
  await applyIndexes(odd.api);
  server = await serve(mcpRoutes(odd.api, { write: true, trustedOrigins: ['https://app.example'], maxBody: 50_000 }), odd.api.routes());
});

beforeEach(async () => {
  odd.seen.length = 0;
  server.errors.length = 0;
  await database.db.collection('things').deleteMany({});
});

const open = (port: number, authorization?: string, path = '/mcp'): Promise<Agent> =>
  connectClient(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}${path}`), {
      requestInit: { headers: authorization === undefined ? {} : { authorization } },
    }) as never,
  );

const accept = 'application/json, text/event-stream';
const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const callOf = (name: string, given: object = {}) => message('tools/call', { name, arguments: given });
const post = (body: unknown, headers: object = {}, to = server) =>
  to.request('POST', '/mcp', { body, headers: { accept, authorization: 'ann', ...headers } });

describe('mcpRoutes', () => {
  it('serves tools to the client of the SDK, for whom its `Authorization` names', async () => {
    const [ann, bob, nobody] = await Promise.all([open(server.port, 'ann'), open(server.port, 'bob'), open(server.port)]);
    expect(await ann.names()).toContain('things_create');
    expect((await ann.call('things_create', { body: { id: 'a' } })).json.data).toMatchObject({ id: 'a', owner: 'ann' });
    expect((await bob.call('things_get', { id: 'a' })).structured).toMatchObject({ status: 404 });
    expect((await nobody.call('things_get', { id: 'a' })).structured).toMatchObject({ status: 401 });
    const answers = await Promise.all([ann, bob, ann, bob, ann, bob].map((agent) => agent.call('things_list')));
    expect(answers.map(({ json }) => json.data.length)).toEqual([1, 0, 1, 0, 1, 0]);
  });

  it('works with the orders, under a mount of the app', async () => {
    const shop = createShop(database.db);
    const { port } = await serve(mount('/shop', mcpRoutes(shop, { path: '/' })) as Koa.Middleware);
    const agent = await open(port, 'Bearer ann-token', '/shop');
    expect(await agent.names()).toContain('orders_list');
    expect((await agent.call('orders_list')).json.data).toEqual([]);
  });

  it('takes the principal that the app has authenticated, and answers 401 where it throws', async () => {
    const challenge = { 'www-authenticate': 'Bearer resource_metadata="https://shop.example/.well-known/oauth-protected-resource"' };
    const own = await serve(
      (ctx, next) => {
        ctx.state.user = ctx.get('cookie') === 'session=bob' ? { name: 'bob' } : undefined;
        return next();
      },
      mcpRoutes(odd.api, {
        principal(ctx) {
          if (!ctx.state.user) throw new Unauthorized('Sign in first.', challenge);
          return ctx.state.user;
        },
      }),
    );
    const refused = await post(callOf('things_list'), {}, own);
    expect([refused.status, refused.headers['www-authenticate'], refused.body]).toEqual([
      401,
      challenge['www-authenticate'],
      { jsonrpc: '2.0', error: { code: -32_000, message: 'Sign in first.' }, id: null },
    ]);
    const { body } = await post(callOf('things_list'), { cookie: 'session=bob', authorization: 'bad' }, own);
    expect(JSON.parse(body.result.content[0].text).data).toEqual([]);
  });

  it('passes on no header but `Authorization`, unless `headers` says so', async () => {
    const own = await serve(mcpRoutes(odd.api, { headers: (ctx) => ({ authorization: ctx.get('x-user') }) }));
    const { body } = await post(callOf('things_list'), { 'x-user': '', authorization: 'ann' }, own);
    expect(body.result.structuredContent.status).toBe(401);
    expect((await post(callOf('things_list'), { 'x-user': 'ann' }, own)).body.result.isError).toBeUndefined();
  });

  it.each([
    ['a page of another site', 'https://evil.example', 403],
    ['a page whose name leads to this machine (DNS rebinding)', 'http://127.0.0.1', 403],
    ['a page without an origin', 'null', 403],
    ['a page of a trusted origin', 'https://app.example', 200],
  ])('answers %s: %s', async (_what, origin, status) => {
    const answer = await post(callOf('things_list'), { origin });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.error.message).toBe('A page of this origin may not call: it is not one of `trustedOrigins`.');
  });

  it.each([['GET'], ['DELETE'], ['PUT'], ['HEAD']])('answers 405 to %s: it has no sessions and no stream', async (method) => {
    const { status, headers } = await server.request(method, '/mcp', { headers: { accept } });
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });

  it('leaves OPTIONS and all other paths to the app', async () => {
    expect((await server.request('OPTIONS', '/mcp')).status).toBe(404);
    expect((await server.request('GET', '/mcp/more')).status).toBe(404);
    expect((await server.request('GET', '/api/things', { headers: { authorization: 'ann' } })).status).toBe(200);
  });

  it.each<[string, unknown, object, number]>([
    ['a form, which needs no preflight', JSON.stringify(callOf('things_list')), { 'content-type': 'text/plain' }, 415],
    ['a body that is too large', callOf('things_list', { label: 'x'.repeat(50_000) }), {}, 413],
    ['what is no JSON', '{', {}, 400],
    ['what is no UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400],
    ['JSON that is nested too deeply', `${'['.repeat(100)}${']'.repeat(100)}`, {}, 400],
    ['a batch', [callOf('things_list'), callOf('things_list')], {}, 400],
    ['an empty body', '', {}, 400],
    ['what is no message', { hello: 1 }, {}, 400],
    ['an unknown version of the protocol', callOf('things_list'), { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['a client that takes no stream', callOf('things_list'), { accept: 'application/json' }, 406],
  ])('answers %s', async (_what, body, headers, status) => {
    const answer = await post(body, headers);
    expect([answer.status, answer.body.jsonrpc, answer.body.id]).toEqual([status, '2.0', null]);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(server.errors).toEqual([]);
  });

  it('takes a body of as many levels as the api does, and of no more', async () => {
    const create = (levels: number) => {
      const data = JSON.parse(`${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`);
      return post(callOf('things_create', { body: { id: `${levels}`, data } }));
    };
    expect((await create(64)).body.result.isError).toBeUndefined();
    expect(await create(65)).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('nested too deeply') } } });
  });

  it.each(['9007199254740993', '-9007199254740993', '1e400', '1.5', 'null', '{}'])('says which ids it takes, for the id %s', async (id) => {
    const { status, body } = await post(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"things_list"}}`);
    const error = { code: -32_600, message: 'The `id` must be a string, or an integer up to 9007199254740991.' };
    expect([status, body]).toEqual([400, { jsonrpc: '2.0', error, id: null }]);
    expect(server.errors).toEqual([]);
  });

  it('says that it takes one message', async () => {
    const error = { code: -32_600, message: 'The body must be one JSON-RPC message.' };
    for (const body of [[callOf('things_list')], 'null', '"x"']) expect((await post(body)).body.error).toEqual(error);
  });

  it.each(['a', 0, -9007199254740991, 9007199254740991])('answers with the id of the call: %s', async (id) => {
    expect((await post({ ...callOf('things_list'), id })).body.id).toBe(id);
  });

  it('answers 202 to a notification, and an error of JSON-RPC to an unknown method', async () => {
    const { status, text, headers } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text, headers['content-type']]).toEqual([202, '', undefined]);
    expect((await post(message('resources/list'))).body.error).toEqual({ code: -32_601, message: 'Method not found' });
  });

  it('keeps integers beyond 2^53 exact', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"things_create","arguments":{"body":{"id":"a","big":9007199254740993}}}}`;
    expect((await post(body)).body.result.content[0].text).toContain('"big":9007199254740993');
  });

  it('passes a body of `__proto__` on as data', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"things_create","arguments":{"__proto__":{"x":1},"body":{"__proto__":{"owner":"bob"}}}}}`;
    expect((await post(body)).body.result.structuredContent.errors).toContainEqual(expect.objectContaining({ argument: 'body.__proto__' }));
  });

  it('cancels the call of a client whose connection is reset, and serves the next one', async () => {
    const outgoing = httpRequest({ port: server.port, host: '127.0.0.1', method: 'POST', path: '/mcp', agent: false });
    outgoing.on('error', () => undefined);
    outgoing.setHeader('accept', accept);
    outgoing.setHeader('authorization', 'ann');
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(JSON.stringify(callOf('things_wait')));
    await until(() => odd.seen.length === 1);
    outgoing.destroy();
    await until(() => odd.seen[0]?.aborted() === true);
    expect((await post(callOf('things_list'))).status).toBe(200);
    expect([server.errors, odd.errors]).toEqual([[], []]);
  });

  it('is not stopped by a connection that is reset while the body arrives', async () => {
    const outgoing = httpRequest({ port: server.port, host: '127.0.0.1', method: 'POST', path: '/mcp', agent: false });
    outgoing.on('error', () => undefined);
    outgoing.setHeader('content-type', 'application/json');
    outgoing.write('{"jsonrpc":');
    await new Promise((resolve) => setImmediate(resolve));
    outgoing.destroy();
    expect((await post(callOf('things_list'))).status).toBe(200);
  });

  it('reports an error of its functions to the app, and tells the client nothing of it', async () => {
    const own = await serve(mcpRoutes(odd.api, { headers: () => Promise.reject(new Error('a secret')) }));
    const { status, text } = await post(callOf('things_list'), {}, own);
    expect([status, text]).toEqual([500, 'Internal Server Error']);
    expect(own.errors.map(String)).toEqual(['Error: a secret']);
  });

  it('tells the app of a problem of 500, and the client only that there is one', async () => {
    const fail = () => Promise.reject(new Problem({ status: 500, detail: 'a secret' }));
    const own = await serve(mcpRoutes(odd.api, { principal: fail }));
    const { status, body } = await post(callOf('things_list'), {}, own);
    expect([status, body.error.message, own.errors.length]).toEqual([500, 'Internal Server Error', 1]);
  });

  it('takes an answer to nothing, with numbers that JSON.stringify refuses', async () => {
    const { status } = await post('{"jsonrpc":"2.0","id":1,"result":{"a":9007199254740993,"b":1e400}}');
    expect(status).toBeLessThan(500);
    expect((await post(callOf('things_list'))).status).toBe(200);
  });

  it.each<[object, string]>([
    [{ trustedOrigins: ['app.example'] }, '`trustedOrigins` of `mcpRoutes` must be origins as browsers send them'],
    [{ path: 'mcp' }, '`path` of `mcpRoutes` must be a path such as `/mcp`'],
    [{ origins: [] }, '`origins` is not an option of `mcpRoutes`'],
  ])('refuses %j', (options, text) => {
    expect(() => mcpRoutes(odd.api, options)).toThrow(ConfigurationError);
    expect(() => mcpRoutes(odd.api, options)).toThrow(text);
  });
});
