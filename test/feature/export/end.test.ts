import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { type Api, ConfigurationError, defineModel, everything, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { openStream, readToEnd } from '../../support/http/read-stream.ts';

const Blob = defineModel('Blob', { collection: 'blobs', fields: { id: t.int(), text: t.string() } });
const database = useDatabase();
const count = 1_000;

beforeAll(async () => {
  const text = 'x'.repeat(20_000);
  await database.db.collection('blobs').insertMany(Array.from({ length: count }, (_, id) => ({ _id: id as never, text })));
});

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function start(
  options: { answerTimeout?: number } = {},
): Promise<{ api: Api; server: Server; port: number; close: (delay?: number, timeout?: number) => Promise<void> }> {
  const shop = service();
  const api = shop.api({ db: database.db, resources: [shop.resource({ model: Blob, ops: ['list'], export: {} })], ...options });
  const app = new Koa({ env: 'test' }).use(api.routes());
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (delay = 0, timeout = 60_000) => api.close({ server, delay, timeout });
  closings.push(close);
  return { api, server, port: (server.address() as AddressInfo).port, close };
}

const headers = { accept: 'application/x-ndjson' };
const shuttingDown = { end: false, problem: { status: 503, code: 'shutting_down' }, next_cursor: expect.any(String) };

describe('`api.close`', () => {
  it('ends an export with a line that says why', async () => {
    const { port, close } = await start();
    const incoming = await openStream(port, '/blobs', headers);
    await once(incoming, 'readable');
    const closed = close();
    const { lines, isCut } = await readToEnd(incoming);
    expect([isCut, lines.at(-1)]).toMatchObject([true, shuttingDown]);
    expect(lines.at(-1).count).toBe(lines.length - 1);
    await closed;
  });

  it('ends it after `delay`', async () => {
    const { port, close } = await start();
    const incoming = await openStream(port, '/blobs', headers);
    await once(incoming, 'readable');
    const closed = close(300);
    await new Promise((resolve) => setTimeout(resolve, 400)); // longer than the delay, in which its client reads nothing
    expect((await readToEnd(incoming)).lines.at(-1)).toMatchObject(shuttingDown);
    await closed;
  });

  it('lets no export begin, and answers pages to those who still ask', async () => {
    const { api } = await start();
    await api.close();
    const response = await api.fetch(new Request('http://localhost/blobs', { headers }));
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toMatchObject([
      503,
      '1',
      { code: 'shutting_down' },
    ]);
    expect((await api.fetch(new Request('http://localhost/blobs?limit=1'))).status).toBe(200);
  });

  it('ends one that nobody reads after `timeout`', async () => {
    const { port, close } = await start();
    const incoming = await openStream(port, '/blobs', headers);
    await once(incoming, 'readable');
    await close(0, 300);
    expect((await readToEnd(incoming)).isCut).toBe(true);
  });
});

describe('`answerTimeout`', () => {
  it('cuts off a client that reads nothing', async () => {
    const { port, server } = await start({ answerTimeout: 200 });
    const isCutOff = once(server, 'connection').then(([socket]) => once(socket, 'close'));
    const incoming = await openStream(port, '/blobs', headers);
    await once(incoming, 'readable');
    await isCutOff; // the client does not read meanwhile
    const { isCut, text } = await readToEnd(incoming);
    expect([isCut, text.length < count * 20_000]).toEqual([true, true]);
  });

  it('does not cut off one that reads slowly', async () => {
    const { port } = await start({ answerTimeout: 1_500 });
    const incoming = await openStream(port, '/blobs', headers);
    let bytes = 0;
    for await (const chunk of incoming) {
      bytes += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 8)); // longer than `answerTimeout`, all in all
    }
    expect(bytes).toBeGreaterThan(count * 20_000);
  }, 30_000);
});

describe('`answerTimeout` of an export that waits', () => {
  const waiting = async (wait: (call: number) => Promise<unknown>) => {
    let call = 0;
    const shop = service();
    const resource = shop.resource({
      model: Blob,
      ops: ['list'],
      export: {},
      scope: async (): Promise<typeof everything> => {
        await wait(++call);
        return everything;
      },
    });
    const api = shop.api({ db: database.db, resources: [resource], answerTimeout: 300 });
    const response = await api.fetch(new Request('http://localhost/blobs', { headers }));
    return response.text();
  };

  it('does not cut it off for the time of the database', async () => {
    const slow = () =>
      database.db
        .collection('blobs')
        .findOne({ $where: 'sleep(1) || false' } as never, { maxTimeMS: 5 })
        .catch(() => undefined);
    expect((await waiting(slow)).endsWith(`{"end":true,"count":${count}}\n`)).toBe(true);
  });

  it('cuts it off if a function of the application never ends', async () => {
    await expect(waiting((call) => (call < 3 ? Promise.resolve() : new Promise(() => undefined)))).rejects.toThrow();
  });
});

describe('`export`', () => {
  const hook = () => undefined;
  const define = (options: object) => {
    const shop = service();
    return () => shop.api({ db: database.db, resources: [shop.resource({ model: Blob, ops: ['list', 'get'], ...options } as never)] });
  };

  it.each([
    [
      'a hook of `list`',
      { export: {}, after: { list: [hook] } },
      /`blobs` has `export`, and hooks in `after` of `list` .* What they hide would be exported/,
    ],
    ['a hook of `read`', { export: {}, after: { read: [hook] } }, /hooks in `after` of `list` \(or `read`\)/],
    ['no list', { export: {}, ops: ['get'] }, /`ops` has no `list`/],
    ['a number', { export: 5 }, /`export` of resource `blobs` must be an object/],
    ['a wrong bound', { export: { max: 0 } }, /`max` .* whole number of records/],
    ['a misspelt option', { export: { maximum: 1 } }, /`maximum` is not an option/],
    [
      'an operation with its name',
      { export: {}, operations: { export: { summary: 'x', handler: hook } } },
      /custom operation cannot have this name/,
    ],
    ['a guard without an export', { guardsFor: { export: [() => true] } }, /`export` is not an? operation in `guardsFor`/],
    ['a hook of its own', { export: {}, after: { export: [hook] } }, /`export` is not an? operation in `after`/],
  ])('refuses %s', (_what, options, message) => {
    expect(define(options)).toThrow(ConfigurationError);
    expect(define(options)).toThrow(message);
  });

  it('takes hooks of other operations, and a custom operation of this name without it', () => {
    expect(define({ export: {}, after: { get: [hook] } })).not.toThrow();
    expect(define({ operations: { export: { summary: 'x', handler: hook } }, guardsFor: { export: [() => true] } })).not.toThrow();
  });

  it('has places of `maxStreams`', () => {
    const shop = service();
    expect(() => shop.api({ db: database.db, maxStreams: 0, resources: [] })).toThrow(/`maxStreams` must be a whole number of at least 1/);
  });
});
