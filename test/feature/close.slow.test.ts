import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { type Api, defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { Gate } from '../support/http/gate.ts';
import { isListening, untilRefused } from '../support/http/is-listening.ts';
import { preShared, RawClient } from '../support/http/raw-client.ts';
import { readAnswer } from '../support/http/serve.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string({ default: '' }) } });
const database = useDatabase();

const servers: Server[] = [];
const clients: RawClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.socket.destroy();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function start(listener: RequestListener, server: Server = createServer(listener)): Promise<{ server: Server; port: number }> {
  server.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

const startTls = (listener: RequestListener) => start(listener, createTlsServer(preShared, listener));

async function open(port: number, connecting = RawClient.connect(port)): Promise<RawClient> {
  const client = await connecting;
  clients.push(client);
  return client;
}

const openTls = (port: number): Promise<RawClient> => open(port, RawClient.connectSecurely(port));

/** An api with an operation that waits behind a gate, in an app with a route of its own that does so too. */
function build(gate = new Gate()): { api: Api; app: Koa; gate: Gate } {
  const shop = service();
  const api = shop.api({
    db: database.db,
    prefix: '/api',
    health: true,
    resources: [
      shop.resource({
        model: Doc,
        operations: {
          wait: {
            method: 'GET',
            path: '/wait',
            async handler() {
              await gate.pass();
              return { waited: true };
            },
          },
        },
      }),
    ],
  });
  const app = new Koa().use(async (ctx, next) => {
    if (ctx.path !== '/own') return next();
    await gate.pass();
    ctx.body = 'own';
  });
  app.use(api.routes());
  return { api, app, gate };
}

describe('api.close()', () => {
  it.each(['/api/docs/wait', '/own'])('lets an answer in flight end, which says `Connection: close`: %s', async (path) => {
    const { api, app, gate } = build();
    const { server, port } = await start(app.callback());
    const client = await open(port);
    await client.head(`GET ${path}`);
    await gate.arrived;
    const closed = api.close({ server });
    await untilRefused(port);
    gate.open();
    expect(await client.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await client.ended();
    expect(client.wasReset).toBe(false);
    await closed;
  });

  it('answers what comes over a connection that is open already, and says `Connection: close`, of the app and in errors too', async () => {
    const { api, app, gate } = build();
    gate.open();
    app.use(() => {
      throw new Error('a bug of the app');
    });
    app.silent = true;
    const { server, port } = await start(app.callback());
    const paths = { '/api/docs': 200, '/own': 200, '/api/nothing': 404, '/bug': 500, '/api/health/ready': 503 };
    const open = await Promise.all(
      Object.keys(paths).map(async (path) => {
        const client = await RawClient.connect(port);
        clients.push(client);
        await client.head('GET /own');
        expect((await client.answer())?.headers.connection).toBe('keep-alive');
        return [path, client] as const;
      }),
    );
    const closed = api.close({ server });
    await untilRefused(port);
    for (const [path, client] of open) {
      await client.head(`GET ${path}`);
      const answer = await client.answer();
      expect([path, answer?.status, answer?.headers.connection]).toEqual([path, paths[path as keyof typeof paths], 'close']);
      await client.ended();
      expect(client.wasReset).toBe(false);
    }
    await closed;
  });

  it('takes requests as ever during `delay`, while ready is 503', async () => {
    const { api, app, gate } = build();
    gate.open();
    const { server, port } = await start(app.callback());
    const closed = api.close({ server, delay: 500 });
    const client = await open(port);
    for (const [path, status] of [
      ['/api/health/ready', 503],
      ['/api/health/live', 200],
      ['/api/docs', 200],
      ['/own', 200],
    ]) {
      await client.head(`GET ${path}`);
      expect(await client.answer()).toMatchObject({ status, headers: { connection: 'keep-alive' } });
    }
    await closed;
    expect(await isListening(port)).toBe(false);
  });

  it('loses no answer of several requests that were sent at once: the last one says `Connection: close`', async () => {
    const { api, app, gate } = build();
    const { server, port } = await start(app.callback());
    const client = await open(port);
    await client.send(
      'GET /api/docs/wait HTTP/1.1\r\nHost: x\r\n\r\nGET /api/docs HTTP/1.1\r\nHost: x\r\n\r\nGET /own HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    await gate.arrived;
    const closed = api.close({ server });
    await untilRefused(port);
    gate.open();
    const answers = [await client.answer(), await client.answer(), await client.answer()];
    expect(answers.map((answer) => [answer?.status, answer?.headers.connection])).toEqual([
      [200, 'keep-alive'],
      [200, 'keep-alive'],
      [200, 'close'],
    ]);
    await client.ended();
    expect(client.wasReset).toBe(false);
    await closed;
  });

  it('ends a connection that is idle, or was never used, without a reset, once it is quiet', async () => {
    const { api, app, gate } = build();
    gate.open();
    const { server, port } = await start(app.callback());
    const used = await open(port);
    await used.head('GET /own');
    await used.answer();
    const unused = await open(port);
    await api.close({ server, timeout: 60_000 });
    for (const client of [used, unused]) {
      await client.ended();
      expect(client.wasReset).toBe(false);
    }
  });

  it('does not end a connection under a request that has come in part', async () => {
    const { api, app, gate } = build();
    gate.open();
    const { server, port } = await start(app.callback());
    const client = await open(port);
    await client.send('GET /own HTTP/1.1\r\n');
    const other = await open(port); // was quiet for as long
    const closed = api.close({ server, timeout: 60_000 });
    await other.ended();
    await client.send('Host: x\r\n\r\n');
    expect(await client.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await closed;
  });

  it('does not reset a connection over which a refused body is still coming, and does not keep it', async () => {
    const { api, app } = build();
    const { server, port } = await start(app.callback());
    const client = await open(port);
    const closed = api.close({ server, timeout: 60_000 });
    await client.head('POST /api/nothing', { 'Content-Length': 100_000, 'Content-Type': 'application/json' });
    expect((await client.answer())?.status).toBe(404);
    await client.send('x'.repeat(100_000));
    await client.ended();
    expect(client.wasReset).toBe(false);
    await closed;
  });

  it('cuts at the deadline what is still open: an answer that does not end, and a client that does not read', async () => {
    const { api, app, gate } = build();
    app.use((ctx) => {
      ctx.body = Buffer.alloc(50_000_000);
    });
    const { server, port } = await start(app.callback());
    const waiting = await open(port);
    await waiting.head('GET /own');
    await gate.arrived;
    const lazy = await open(port);
    await lazy.head('GET /large');
    await api.close({ server, timeout: 200 });
    await waiting.ended();
    expect(await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))).toBe(0);
  });

  it('may be called again, by another api of the server too, and ends once', async () => {
    const [first, second] = [build(), build()];
    const { server } = await start(first.app.callback());
    let ends = 0;
    server.on('close', () => ends++);
    await Promise.all([first.api.close({ server }), first.api.close({ server, delay: 10_000 }), second.api.close({ server })]);
    await first.api.close({ server });
    expect(ends).toBe(1);
    const ready = await second.api.fetch(new Request('http://in-process/api/health/ready'));
    expect(ready.status).toBe(503);
  });
});

describe('api.close() of a server with TLS', () => {
  it('ends what is quiet, without a handshake, without a request or after one, and no answer that takes longer', async () => {
    const { api, app, gate } = build();
    const { server, port } = await startTls(app.callback());
    const [bare, unused, used, busy] = [await open(port), await openTls(port), await openTls(port), await openTls(port)];
    await used.head('GET /api/docs');
    expect((await used.answer())?.status).toBe(200);
    await busy.head('GET /own');
    await gate.arrived;
    const closed = api.close({ server, timeout: 60_000 });
    for (const client of [bare, unused, used]) {
      await client.ended();
      expect(client.wasReset).toBe(false);
    }
    gate.open();
    expect(await busy.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await closed;
  });

  it('cuts at the deadline what is still open: a handshake that has come in part, and an answer that does not end', async () => {
    const { api, app, gate } = build();
    const { server, port } = await startTls(app.callback());
    const [halfway, waiting] = [await open(port), await openTls(port)];
    await halfway.send(Buffer.from([22, 3, 1]));
    await waiting.head('GET /own');
    await gate.arrived;
    await api.close({ server, timeout: 200 });
    for (const client of [halfway, waiting]) await client.ended();
    expect(await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))).toBe(0);
  });
});

it('a client with an agent that keeps connections loses nothing over an end', async () => {
  const { api, app, gate } = build();
  gate.open();
  const { server, port } = await start(app.callback());
  const agent = new Agent({ keepAlive: true });
  const get = async () => {
    const [answer] = (await once(httpRequest({ port, host: '127.0.0.1', path: '/own', agent }).end(), 'response')) as [IncomingMessage];
    return (await readAnswer(answer)).status;
  };
  expect(await get()).toBe(200);
  const closed = api.close({ server });
  await untilRefused(port);
  expect(await get()).toBe(200);
  await closed;
});
