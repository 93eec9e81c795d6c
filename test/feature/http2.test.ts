import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';

const Row = defineModel('Row', {
  collection: 'rows',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }) },
});
const database = useDatabase();
const open: { server?: Http2Server; client?: ClientHttp2Session } = {};
afterEach(() => {
  open.client?.destroy();
  open.server?.close();
});

/** Serves rows over HTTP/2, and returns a client and the hosts that the hooks have seen. */
async function serve(options: object = {}) {
  const hosts: string[] = [];
  const shop = service();
  const rows = shop.resource({ model: Row, after: { create: [(ctx) => void hosts.push(ctx.host)] } });
  const api = shop.api({ db: database.db, batch: true, resources: [rows], ...options });
  await database.db.collection('rows').deleteMany({});
  open.server = createServer((request, response) => void api.callback()(request as never, response as never)).listen(0, '127.0.0.1');
  await once(open.server, 'listening');
  const host = `127.0.0.1:${(open.server.address() as AddressInfo).port}`;
  const client = connect(`http://${host}`);
  open.client = client;
  const begin = (path: string, headers: object = {}) =>
    client.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json', ...headers });
  return { host, hosts, begin };
}

/** The status of an answer, when its stream has ended. */
async function ended(stream: ClientHttp2Stream): Promise<unknown> {
  const [[headers]] = await Promise.all([once(stream, 'response'), once(stream.resume(), 'close')]);
  return headers[':status'];
}

describe('a body that is refused over HTTP/2', () => {
  it.each([
    ['that the client has sent', 50_000],
    ['that does not fit into the window of the connection', 500_000],
  ])('has no place in `maxConcurrency` after its answer, and stops no other request: one %s', async (_which, size) => {
    const { begin } = await serve({ maxBody: 1_000, maxConcurrency: 1 });
    for (let times = 0; times < 3; times++) {
      const large = begin('/rows').end(JSON.stringify({ id: 'a', text: 'x'.repeat(size) }));
      expect(await ended(large)).toBe(413);
    }
    expect(await ended(begin('/rows').end('{"id":"b"}'))).toBe(201);
  });
});

describe('a request that its client resets over HTTP/2', () => {
  /** All codes of RFC 9113 §7. */
  const resets = Array.from({ length: 14 }, (_, code) => code);

  it('is no error of the service, whatever the code', async () => {
    const errors: unknown[] = [];
    const { begin } = await serve({ onError: (error: unknown) => void errors.push(error) });
    for (const code of resets) {
      const stream = begin('/rows').on('error', () => undefined);
      stream.write('{"id":');
      await once(open.server as Http2Server, 'request');
      stream.close(code);
      await new Promise((resolve) => stream.once('close', resolve)); // `once` would reject with the error of the reset
    }
    expect(await ended(begin('/rows').end('{"id":"a"}'))).toBe(201);
    expect(errors).toEqual([]);
  });
});

it('the operations of a batch have its host over HTTP/2', async () => {
  const { begin, host, hosts } = await serve();
  const operations = [{ method: 'POST', path: '/rows', body: { id: 'a' } }];
  expect(await ended(begin('/batch').end(JSON.stringify({ operations })))).toBe(200);
  expect(await ended(begin('/rows').end('{"id":"b"}'))).toBe(201);
  expect(hosts).toEqual([host, host]);
});

it('nothing of an answer is for HTTP/1 only: Node would warn of a reason phrase, or of `Connection`', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error) => void (name === 'UnsupportedWarning' && warnings.push(message));
  process.on('warning', onWarning);
  try {
    const { begin } = await serve({ bodyTimeout: 100, idempotency: { principal: () => 'ann' } });
    expect(await ended(begin('/rows', { 'idempotency-key': 'k' }).end('{"id":"a"}'))).toBe(201);
    expect(await ended(begin('/rows'))).toBe(408);
    await new Promise(setImmediate); // warnings are told in the next tick
  } finally {
    process.off('warning', onWarning);
  }
  expect(warnings).toEqual([]);
});
