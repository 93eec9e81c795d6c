import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { compileSend, type Outcome } from '../../../src/products/webhooks/send.ts';
import { loadSigner, newSecret } from '../../../src/products/webhooks/sign.ts';
import type { TransportOptions } from '../../../src/products/webhooks/transport.ts';
import { useListener } from '../../support/http/listen.ts';
import { local, textOf } from './receivers.ts';

const listen = useListener();
const [secret, other] = [newSecret(), newSecret()];

async function send(port: number, options: TransportOptions = {}, signal?: AbortSignal): Promise<Outcome> {
  const message = { id: 'event-1', body: '{"ü":1}', url: `http://127.0.0.1:${port}/hook?a=b`, secrets: [secret, other] };
  return compileSend({ ...local, ...options }, await loadSigner())(message, signal);
}

/** A server of bare bytes. */
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});
async function serveBytes(
  bytes: string,
  after: 'end' | 'reset' | 'stay' | 'repeat' = 'end',
  repeated = 'x'.repeat(16_384),
): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    closing.push(() => socket.destroy());
    socket.once('data', () => {
      if (bytes !== '') socket.write(bytes);
      if (after === 'end') socket.end();
      if (after === 'reset') socket.resetAndDestroy();
      const repeat = () => {
        while (after === 'repeat' && !socket.destroyed && socket.write(repeated));
      };
      socket.on('drain', repeat);
      repeat();
    });
  }).listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

it('sends one POST that the package of the receiver verifies, by either secret', async () => {
  const requests: string[] = [];
  const port = await listen(async (request, response) => {
    const body = await textOf(request);
    const headers = request.headers as Record<string, string>;
    requests.push(`${request.method} ${request.url} ${headers['content-type']} ${headers['webhook-id']} ${headers.connection}`);
    for (const one of [secret, other]) expect(new Webhook(one).verify(body, headers)).toEqual({ ü: 1 });
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
    response.writeHead(204).end();
  });
  expect(await send(port)).toEqual({ status: 204, duration: expect.any(Number) });
  expect(requests).toEqual(['POST /hook?a=b application/json event-1 close']);
});

it.each([301, 302, 303, 307, 308])('does not follow a redirect (%i)', async (status) => {
  let followed = 0;
  const target = await listen((_request, response) => {
    followed++;
    response.end();
  });
  const port = await listen((_request, response) => response.writeHead(status, { location: `http://127.0.0.1:${target}/` }).end());
  expect(await send(port)).toEqual({ status, duration: expect.any(Number) });
  expect(followed).toBe(0);
});

it.each([200, 201, 202, 204, 400, 401, 404, 410, 429, 500, 503])('tells the status %i', async (status) => {
  const port = await listen((_request, response) => response.writeHead(status).end('a body that nobody keeps'));
  expect(await send(port)).toEqual({ status, duration: expect.any(Number) });
});

it('gives up a receiver that does not answer in time', async () => {
  expect(await send(await serveBytes('', 'stay'), { timeout: 100 })).toMatchObject({ failure: 'timeout' });
});

it('gives up a receiver whose headers do not end in time', async () => {
  expect(await send(await serveBytes('HTTP/1.1 200 OK\r\na: b\r\n', 'stay'), { timeout: 100 })).toMatchObject({ failure: 'timeout' });
});

it('gives up a look-up that does not end in time', async () => {
  const send = compileSend({ ...local, lookup: () => undefined, timeout: 100 }, await loadSigner());
  const message = { id: '1', body: '{}', url: 'https://never.example/', secrets: [secret] };
  expect(await send(message)).toMatchObject({ failure: 'timeout' });
});

it('goes by the status of an answer whose body does not end in time', async () => {
  const port = await serveBytes('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na', 'stay');
  expect(await send(port, { timeout: 1_000 })).toMatchObject({ status: 200 });
});

it('cuts an endless body, and goes by its status', async () => {
  const port = await serveBytes('HTTP/1.1 500 No\r\n\r\n', 'repeat');
  expect(await send(port, { timeout: 60_000 })).toMatchObject({ status: 500 });
});

it('gives up a receiver that sends informational answers for ever', async () => {
  const port = await serveBytes('', 'repeat', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100));
  expect(await send(port, { timeout: 300 })).toMatchObject({ failure: 'timeout' });
});

it('goes by the status of an answer whose chunks are tiny and do not end', async () => {
  const port = await serveBytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', 'repeat', '1\r\nx\r\n'.repeat(1_000));
  expect(await send(port, { timeout: 60_000 })).toMatchObject({ status: 200 });
});

it('asks for no compressed answer, and does not unpack one', async () => {
  const bomb = gzipSync(Buffer.alloc(8 * 1024 ** 2));
  let asked: unknown;
  const port = await listen((request, response) => {
    asked = request.headers['accept-encoding'];
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  expect(await send(port)).toMatchObject({ status: 200 });
  expect(asked).toBeUndefined();
});

it('cuts endless headers', async () => {
  expect(await send(await serveBytes('HTTP/1.1 200 OK\r\na: ', 'repeat'), { timeout: 60_000 })).toMatchObject({ failure: 'connection' });
});

it.each([
  ['resets the connection', '', 'reset'],
  ['ends the connection', '', 'end'],
  ['speaks no HTTP', '220 mail.example ESMTP\r\n', 'stay'],
  ['changes the protocol', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', 'stay'],
] as const)('fails with a receiver that %s', async (_what, bytes, after) => {
  expect(await send(await serveBytes(bytes, after))).toMatchObject({ failure: 'connection', detail: expect.stringMatching(/./) });
});

it('fails where nobody listens', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  expect(await send(port)).toMatchObject({ failure: 'connection', detail: expect.stringContaining('ECONNREFUSED') });
});

it.each([
  [429, '7', 7_000],
  [503, '0', 0],
  [503, '86400', 3_600_000],
  [429, new Date(Date.now() - 60_000).toUTCString(), 0],
  [429, 'Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000],
  [429, 'soon', undefined],
  [500, '7', undefined],
])('reads Retry-After of a %i within bounds: %s', async (status, text, expected) => {
  const port = await listen((_request, response) => response.writeHead(status, { 'retry-after': text }).end());
  expect((await send(port)).retryAfter).toBe(expected);
});

it('is aborted by its caller', async () => {
  const controller = new AbortController();
  const port = await listen(() => controller.abort(new Error('enough')));
  await expect(send(port, {}, controller.signal)).rejects.toThrow('enough');
});

it('names the package that is missing', async () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(loadSigner(() => Promise.reject(missing))).rejects.toThrow('run `npm install standardwebhooks`');
  await expect(loadSigner(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

it('makes secrets of 32 random bytes', () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newSecret()).not.toBe(newSecret());
});
