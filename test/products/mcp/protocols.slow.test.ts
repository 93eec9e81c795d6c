import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { applyIndexes, defineModel, service, t, Unauthorized } from '../../../src/index.ts';
import { mcpRoutes, mcpServer } from '../../../src/products/mcp/mcp.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';
import { useTemporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { useCli } from '../cli/run-cli.ts';
import { createOdd, type Odd } from './odd-api.ts';

const { library, main } = useCli();

const root = join(import.meta.dirname, '../../..');
const database = useDatabase();
const folder = useTemporaryFolder();
const serve = useServer();
let odd: Odd;
let server: TestServer;

beforeAll(async () => {
  odd = createOdd(database.db);
  await applyIndexes(odd.api);
  server = await serve(mcpRoutes(odd.api, { write: true }));
});
beforeEach(async () => {
  odd.seen.length = 0;
  server.errors.length = 0;
  await database.db.collection('things').deleteMany({});
});

const info = { name: 'test', version: '1' };
const urlOf = ({ port }: TestServer) => new URL(`http://127.0.0.1:${port}/mcp`);
const withToken = (authorization: string) => ({ requestInit: { headers: { authorization } } });

/** A client of the SDK that speaks the protocol of 2026-07-28, or an older one as `mode` says. */
async function connect(mode: VersionNegotiationMode, authorization: string, to = server): Promise<Any> {
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(urlOf(to), withToken(authorization)));
  return client;
}

async function connectOlder(authorization: string, to = server): Promise<Any> {
  const client = new OlderClient(info);
  await client.connect(new OlderHttp(urlOf(to), withToken(authorization)) as never);
  return client;
}

const modern = '2026-07-28';
const clients: [what: string, version: string, connect: (authorization: string, to?: TestServer) => Promise<Any>][] = [
  ['of the SDK before 2026', '2025-11-25', connectOlder],
  ['that speaks the protocols before 2026', '2025-11-25', (...given) => connect('legacy', ...given)],
  ['that asks which protocols there are', modern, (...given) => connect('auto', ...given)],
  ['that speaks the protocol of 2026-07-28 only', modern, (...given) => connect({ pin: modern }, ...given)],
];

const textOf = (result: Any): string => result.content[0].text;

describe.each(clients)('a client %s', (_what, version, open) => {
  it('gets the same tools and the same answers from the same path', async () => {
    const client = await open('ann');
    expect(client.getNegotiatedProtocolVersion?.() ?? version).toBe(version);
    expect(client.getServerVersion()).toMatchObject({ name: odd.api.description.info.title });
    const { tools } = await client.listTools();
    const { tools: others } = await (await connectOlder('ann')).listTools();
    expect(tools).toEqual(others);
    const created = await client.callTool({ name: 'things_create', arguments: { body: { id: 'a', big: '9007199254740993' } } });
    expect(textOf(created)).toContain('"big":9007199254740993');
    expect(JSON.parse(textOf(await client.callTool({ name: 'things_list', arguments: {} }))).data).toHaveLength(1);
    expect(await client.callTool({ name: 'things_get', arguments: { id: 'b' } })).toMatchObject({
      isError: true,
      structuredContent: { status: 404, code: 'not_found' },
    });
    await client.close();
    expect([server.errors, odd.errors]).toEqual([[], []]);
  });

  it('is refused with 401 before it sees a tool, if its token is bad', async () => {
    const error: Error = await open('bad').then(
      () => new Error('connected'),
      (refused) => refused,
    );
    expect(`${error.name} ${error.message}`).toMatch(/unauthorized|401|Nobody is called bad/i);
    expect([server.errors, odd.errors, odd.seen]).toEqual([[], [], []]);
  });

  it('is refused as soon as its token is not valid any more', async () => {
    const valid = new Set(['ann']);
    const shop = service({
      authenticate(ctx) {
        if (!valid.has(ctx.get('authorization'))) throw new Unauthorized('The token has expired.', { 'www-authenticate': 'Bearer' });
        return { name: 'ann' };
      },
    });
    const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string() } });
    const own = await serve(mcpRoutes(shop.api({ db: database.db, resources: [shop.resource({ model: Note })] })));
    const client = await open('ann', own);
    expect((await client.listTools()).tools).toHaveLength(2);
    valid.clear();
    await expect(client.listTools({}, { cacheMode: 'reload' })).rejects.toThrow();
    await expect(client.callTool({ name: 'notes_list', arguments: {} })).rejects.toThrow();
    const { status, headers } = await own.request('POST', '/mcp', { body: {}, headers: { authorization: 'ann' } });
    expect([status, headers['www-authenticate'], own.errors]).toEqual([401, 'Bearer', []]);
  });

  it('cancels a call by leaving it', async () => {
    const client = await open('ann');
    const leave = new AbortController();
    const options = { signal: leave.signal };
    const given = { name: 'things_wait', arguments: {} };
    const called = client instanceof OlderClient ? client.callTool(given, undefined, options) : client.callTool(given, options);
    const failed = expect(called).rejects.toThrow();
    await until(() => odd.seen.length === 1);
    leave.abort();
    await failed;
    await client.close();
    await until(() => odd.seen[0]?.aborted() === true || version !== modern); // before 2026, only a connection that ends cancels
    odd.release();
  });
});

describe('`mcpServer` in the handler of the SDK', () => {
  it.each(clients)('serves a client %s', async (_what, _version, open) => {
    const handler = createMcpHandler(() => mcpServer(odd.api, { headers: { authorization: 'ann' } }));
    const own = await serve(async (ctx) => {
      const headers = new Headers(Object.entries(ctx.headers).map(([name, value]) => [name, String(value)]));
      const chunks: Buffer[] = [];
      for await (const chunk of ctx.req) chunks.push(chunk);
      const { method } = ctx;
      const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
      const answer = await handler.fetch(new Request('http://in-process/mcp', { method, headers, ...body }));
      ctx.status = answer.status;
      ctx.set(Object.fromEntries(answer.headers));
      ctx.body = await answer.text();
    });
    const client = await open('', own);
    expect((await client.listTools()).tools.map(({ name }: Any) => name)).toContain('things_list');
    await client.close();
  });
});

describe('the protocol of 2026-07-28 on the wire', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const send = (method: string, params: object = {}, headers: object = {}, body?: string) =>
    server.request('POST', '/mcp', {
      body: body ?? { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
      headers: {
        accept: 'application/json, text/event-stream',
        authorization: 'ann',
        'mcp-protocol-version': modern,
        'mcp-method': method,
        ...headers,
      },
    });

  it('answers 401 as JSON-RPC before it reads the message', async () => {
    const { status, body, headers } = await send('server/discover', {}, { authorization: 'bad' });
    expect([status, body]).toEqual([401, { jsonrpc: '2.0', error: { code: -32_000, message: 'Nobody is called bad.' }, id: null }]);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('says by `server/discover` which protocols there are', async () => {
    const { status, body } = await send('server/discover');
    expect([status, body.result.supportedVersions]).toEqual([200, expect.arrayContaining([modern])]);
  });

  it('keeps integers beyond 2^53 exact', async () => {
    const params = `{"name":"things_create","arguments":{"body":{"id":"a","big":9007199254740993}},"_meta":${JSON.stringify(meta)}}`;
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const { status, body } = await send('tools/call', {}, { 'mcp-name': 'things_create' }, message);
    expect([status, textOf(body.result)]).toEqual([200, expect.stringContaining('"big":9007199254740993')]);
  });

  it('opens no stream: a subscription is refused at once', async () => {
    const { status, body } = await send('subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect([status, body.error.message]).toEqual([200, 'Subscription limit reached']);
  });

  it.each<[string, object, number]>([
    ['a header that names another method', { 'mcp-method': 'tools/call' }, 400],
    ['a header that names an older protocol', { 'mcp-protocol-version': '2025-11-25' }, 400],
    ['no header of the protocol', { 'mcp-protocol-version': undefined }, 400],
    ['a page of a stranger', { origin: 'https://evil.example' }, 403],
    ['a body that is no JSON', { 'content-type': 'text/plain' }, 415],
  ])('refuses %s', async (_what, headers, status) => {
    expect((await send('tools/list', {}, headers)).status).toBe(status);
    expect(server.errors).toEqual([]);
  });
});

describe('over stdio', () => {
  const module = `import { defineModel, service, t, Unauthorized } from '${library}';
const Note = defineModel('Note', { collection: 'notes', fields: { title: t.string() } });
const notebook = service({
  authenticate(ctx) {
    if (ctx.get('authorization') !== 'ann') throw new Unauthorized('The token is not known.');
    return { name: 'ann' };
  },
});
export default (db) => notebook.api({ db, resources: [notebook.resource({ model: Note })] });
`;

  async function commandOf(authorization: string) {
    const path = join(folder.path, 'api.mjs');
    await writeFile(path, module);
    const env = { ...getDefaultEnvironment(), AUTHORIZATION: authorization, MONGODB_URI: process.env.MONGODB_URI ?? '' };
    const args = [main, 'mcp', path, '--db', database.db.databaseName];
    return { command: process.execPath, args, cwd: root, env, stderr: 'pipe' as const };
  }

  const stdios: [string, (authorization: string) => Promise<Any>][] = [
    [
      'of the SDK before 2026',
      async (authorization) => {
        const client = new OlderClient(info);
        await client.connect(new OlderStdio(await commandOf(authorization)) as never);
        return client;
      },
    ],
    [
      'that speaks the protocol of 2026-07-28 only',
      async (authorization) => {
        const client = new Client(info, { versionNegotiation: { mode: { pin: modern } } });
        await client.connect(new StdioClientTransport(await commandOf(authorization)));
        return client;
      },
    ],
  ];

  it.each(stdios)('a client %s is served', async (_what, open) => {
    const client = await open('ann');
    expect((await client.listTools()).tools.map(({ name }: Any) => name)).toEqual(['notes_list', 'notes_get']);
    expect(JSON.parse(textOf(await client.callTool({ name: 'notes_list', arguments: {} }))).data).toEqual([]);
    await client.close();
  });

  it.each(stdios)('a client %s is not connected if the token is bad', async (_what, open) => {
    await expect(open('guess')).rejects.toThrow();
  });
});
