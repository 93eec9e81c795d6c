import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request as sendRequest } from 'node:http';
import { connect, constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { jsonBody, problems } from '../../../src/index.ts';
import { type DiscardLimits, discardIgnoredBody, discardUnreadBody } from '../../../src/middleware/body/unread-body.ts';
import { useListener } from '../../support/http/listen.ts';
import { RawClient } from '../../support/http/raw-client.ts';
import { until } from '../../support/until.ts';

const listen = useListener();
const clients: RawClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.socket.destroy();
});

function refuse(limits: DiscardLimits, isRead = false): Koa.Middleware {
  return async (ctx) => {
    if (isRead) await once(ctx.req, 'data');
    ctx.status = 413;
    ctx.body = 'no';
    discardUnreadBody(ctx as never, limits);
  };
}

/** A client of a server that refuses every request. */
async function refused(limits: DiscardLimits): Promise<RawClient> {
  const app = new Koa().use(refuse(limits));
  const client = await RawClient.connect(await listen(app.callback()));
  clients.push(client);
  return client;
}

const ample: DiscardLimits = { maxBytes: 1_000_000, maxMS: 60_000 };

describe('discardUnreadBody', () => {
  it('takes the rest of the body off the wire, so that the next request is read', async () => {
    const client = await refused(ample);
    for (let n = 0; n < 3; n++) {
      await client.head('POST /', { 'Content-Length': 500_000 });
      expect((await client.answer())?.text).toBe('no');
      await client.send('x'.repeat(500_000));
    }
  });

  it('cuts a client that sends more than the limit', async () => {
    const client = await refused({ ...ample, maxBytes: 1000 });
    await client.head('POST /', { 'Content-Length': 100_000 });
    expect((await client.answer())?.status).toBe(413);
    await client.send('x'.repeat(2000));
    await client.ended();
    expect(await client.answer()).toBeUndefined();
  });

  it('cuts a client that takes too long', async () => {
    const client = await refused({ ...ample, maxMS: 20 });
    await client.head('POST /', { 'Content-Length': 100 });
    expect((await client.answer())?.status).toBe(413);
    await client.ended();
  });

  it.each(['GET', 'POST'])('leaves a connection alone whose request has no body: %s', async (method) => {
    const client = await refused({ maxBytes: 0, maxMS: 1 });
    await client.head(`${method} /`, method === 'POST' ? { 'Content-Length': 0 } : {});
    expect((await client.answer())?.status).toBe(413);
    await client.head('GET /', { Connection: 'close' });
    expect((await client.answer())?.headers.connection).toBe('close');
    await client.ended();
  });
});

describe('a client that does not read its answer', () => {
  it.each(['HTTP/1.1', 'HTTP/2'])('is read from up to the limit, and no further: over %s', async (version) => {
    let received = 0;
    let request: IncomingMessage | undefined;
    const app = new Koa().use(async (ctx) => {
      request = ctx.req;
      await once(ctx.req, 'data');
      ctx.req.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      ctx.respond = false; // as an answer that waits for its client
      discardUnreadBody(ctx as never, { ...ample, maxBytes: 100_000 });
    });
    const server = version === 'HTTP/2' ? createServer(app.callback() as never) : createHttpServer(app.callback());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const session = version === 'HTTP/2' ? connect(origin) : undefined;
    const body = session?.request({ ':method': 'POST' }) ?? sendRequest(origin, { method: 'POST' });
    body.on('error', () => undefined); // the end of the test
    try {
      body.write(Buffer.alloc(5_000_000));
      await until(() => request?.isPaused() === true);
      expect(received).toBeLessThan(300_000);
    } finally {
      session?.destroy();
      body.destroy();
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections(); // it does not see the end of what it does not read
    }
  });
});

describe('discardUnreadBody over HTTP/2', () => {
  it.each([
    ['sends more than the limit', { ...ample, maxBytes: 10 }],
    ['takes too long', { ...ample, maxMS: 100 }],
  ])('closes the stream of a client that %s, and no other', async (_what, limits) => {
    const server = createServer(new Koa().use(refuse(limits, true)).callback() as never).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      for (const _time of [1, 2]) {
        const stream = session.request({ ':method': 'POST' }).resume();
        stream.write('x');
        stream.once('response', () => stream.write('x'.repeat(1000)));
        const [[headers]] = await Promise.all([once(stream, 'response'), once(stream, 'close')]);
        expect([headers[':status'], stream.rstCode]).toEqual([413, constants.NGHTTP2_NO_ERROR]);
      }
    } finally {
      session.destroy();
      server.close();
    }
  });
});

describe('discardIgnoredBody', () => {
  /** A client of a server that answers before anything of a body has come. */
  async function answered(middleware: Koa.Middleware): Promise<RawClient> {
    const app = new Koa().use(async (ctx, next) => {
      await middleware(ctx, next);
      discardIgnoredBody(ctx, { ...ample, maxBytes: 1000 });
    });
    const client = await RawClient.connect(await listen(app.callback()));
    clients.push(client);
    await client.head('POST /', { 'Content-Length': 100_000 });
    return client;
  }

  it('cuts a client whose body nobody reads when it sends more than the limit', async () => {
    const client = await answered((ctx) => {
      ctx.body = 'yes';
    });
    expect((await client.answer())?.text).toBe('yes');
    await client.send('x'.repeat(2000));
    await client.ended();
  });

  it.each<[string, Koa.Middleware]>([
    [
      'is answered with',
      (ctx) => {
        ctx.body = ctx.req;
        ctx.length = 100_000;
      },
    ],
    [
      'is read beside the chain',
      (ctx) => {
        ctx.respond = false;
        ctx.res.setHeader('Content-Length', 100_000);
        ctx.req.pipe(ctx.res);
      },
    ],
    [
      'is read by somebody',
      async (ctx) => {
        const chunks: unknown[] = [];
        for await (const chunk of ctx.req) chunks.push(chunk);
        ctx.body = Buffer.concat(chunks as Buffer[]);
      },
    ],
  ])('leaves a body alone that %s', async (_what, middleware) => {
    const client = await answered(middleware);
    await client.send('x'.repeat(100_000));
    expect((await client.answer())?.text).toHaveLength(100_000);
  });
});

describe('problems', () => {
  it('does so for any body that was refused', async () => {
    const app = new Koa().use(problems()).use(jsonBody({ limit: 10 }));
    const client = await RawClient.connect(await listen(app.callback()));
    clients.push(client);
    for (let n = 0; n < 3; n++) {
      await client.head('POST /', { 'Transfer-Encoding': 'chunked' });
      for (let chunk = 0; chunk < 20; chunk++) await client.chunk('x'.repeat(10_000));
      expect((await client.answer())?.status).toBe(413);
      await client.chunk('');
    }
  });

  it('does so for a body that nobody has asked for', async () => {
    const app = new Koa().use(problems()).use((ctx) => {
      ctx.body = 'yes';
    });
    const client = await RawClient.connect(await listen(app.callback()));
    clients.push(client);
    await client.head('POST /', { 'Transfer-Encoding': 'chunked' });
    expect((await client.answer())?.text).toBe('yes');
    for (let sent = 0; sent < 40 && !client.socket.destroyed; sent++) await client.chunk('x'.repeat(1_000_000));
    await client.ended();
  });
});
