import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Koa from 'koa';
import { defineModel, jsonBody, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { useListener } from '../support/http/listen.ts';
import { sendUnread } from '../support/http/raw-client.ts';
import { send } from '../support/http/serve.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});

const database = useDatabase();
const listen = useListener();
const told = new EventEmitter();

describe('a client that hangs up', () => {
  const held = useApi(
    database,
    (shop) => [
      shop.resource({
        model: Doc,
        path: 'held',
        operations: {
          work: {
            method: 'GET',
            path: '/work',
            async handler(ctx) {
              if (!ctx.signal.aborted) await once(ctx.signal, 'abort');
              told.emit('gone');
              await once(told, 'finish');
            },
          },
        },
      }),
    ],
    { maxConcurrency: 1 },
  );

  it('does not free its place while what runs for it goes on', async () => {
    const gone = once(told, 'gone');
    const socket = await sendUnread(held.port, 'GET /api/held/work HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.destroy();
    await gone;
    expect((await held.request('GET', '/api/held')).status).toBe(503);
    told.emit('finish');
    expect((await held.request('GET', '/api/held')).status).toBe(200);
  });
});

/** How a client ends, after it has sent a part of a request, or read a part of its answer. */
const breaks: readonly [what: string, text: string, end: (socket: Socket) => unknown][] = [
  ['resets while its answer is sent', 'GET /docs/large HTTP/1.1\r\nHost: x\r\n\r\n', (socket) => socket.resetAndDestroy()],
  ['closes while its answer is sent', 'GET /docs/large HTTP/1.1\r\nHost: x\r\n\r\n', (socket) => socket.destroy()],
  ['resets while it sends', partOf('content-length: 9'), (socket) => socket.resetAndDestroy()],
  ['closes while it sends', partOf('content-length: 9'), (socket) => socket.destroy()],
  ['sends no more than a part', partOf('content-length: 9'), (socket) => socket.end()],
  ['sends no more than a part of a chunk', partOf('transfer-encoding: chunked', '9\r\n{'), (socket) => socket.end()],
  ['sends what is no chunk', partOf('transfer-encoding: chunked', '1\r\n{\r\nno chunk\r\n'), () => undefined],
];

function partOf(header: string, body = '{'): string {
  return `POST /docs/read HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n${body}`;
}

describe('a stream in `ctx.body` that fails as a connection would', () => {
  it('is told to `onError` of `callback()`, though its answer has begun', async () => {
    const shop = service();
    const failed = Object.assign(new Error('of the stream'), { code: 'ECONNRESET' });
    async function* produce() {
      yield 'begun';
      await new Promise(setImmediate);
      throw failed;
    }
    const operations = {
      stream: {
        method: 'GET',
        path: '/stream',
        handler: (ctx: Koa.Context) => void Object.assign(ctx, { body: Readable.from(produce()) }),
      },
    } as const;
    const heard: Error[] = [];
    const resources = [shop.resource({ model: Doc, operations })];
    const port = await listen(shop.api({ db: database.db, resources, onError: (error) => heard.push(error) }).callback());
    await expect(send(port, 'GET', '/docs/stream')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect([...new Set(heard)]).toEqual([failed]); // Koa tells of it twice
  });
});

describe.each(breaks)('a client that %s', (_what, text, end) => {
  const large = new EventEmitter();
  const build = (options: object) => {
    const shop = service({ authenticate: () => void large.emit('arrived') });
    const resource = shop.resource({
      model: Doc,
      operations: {
        large: { method: 'GET', path: '/large', handler: (ctx) => void Object.assign(ctx, { body: 'x'.repeat(20_000_000) }) },
        read: { path: '/read', use: [jsonBody()], handler: () => ({}) },
        bug: { method: 'GET', path: '/bug', handler: () => Promise.reject(Object.assign(new Error('a bug'), { code: 'ECONNRESET' })) },
      },
    });
    return shop.api({ db: database.db, resources: [resource], observe: () => void large.emit('over'), ...options });
  };

  async function breakOff(port: number): Promise<void> {
    const over = once(large, 'over');
    const arrived = once(large, 'arrived');
    const socket = await sendUnread(port, text);
    await arrived;
    if (text.startsWith('GET')) await once(socket.resume(), 'data');
    end(socket);
    await over;
    await new Promise(setImmediate);
    socket.destroy();
  }

  it('is not told to `onError` of `callback()`, and a bug of the same code is', async () => {
    const heard: Error[] = [];
    const port = await listen(build({ onError: (error: Error) => heard.push(error) }).callback());
    await breakOff(port);
    expect((await send(port, 'GET', '/docs/bug')).status).toBe(500);
    expect(heard.map(({ message }) => message)).toEqual(['a bug']);
  });

  it('is left out by the recipe of docs/reference/serving.md in an app, and a bug of the same code is not', async () => {
    const docs = readFileSync(join(import.meta.dirname, '../../docs/reference/serving.md'), 'utf8');
    const recipe = /^## Clients that break off$.*?^```ts\n(.*?)^```$/ms.exec(docs)?.[1] ?? '';
    const app = new Koa().use(build({}).routes());
    const heard: Error[] = [];
    new Function('app', 'log', recipe)(app, { error: (error: Error) => heard.push(error) });
    const port = await listen(app.callback());
    await breakOff(port);
    expect((await send(port, 'GET', '/docs/bug')).status).toBe(500);
    expect(heard.map(({ message }) => message)).toEqual(['a bug']);
  });
});

describe.each(breaks.filter(([, text]) => text.startsWith('POST')))('an app whose client %s', (_what, text, end) => {
  /** The errors that `app.on('error')` is told until the connection is gone, without their stacks. */
  async function toldTo(middleware: Koa.Middleware): Promise<string[]> {
    const moments = new EventEmitter();
    const heard: Error[] = [];
    const app = new Koa().use(async (ctx, next) => {
      moments.emit('arrived');
      await Promise.all([next(), once(ctx.res, 'close')]).finally(() => moments.emit('over'));
    });
    app.use(middleware).on('error', (error) => heard.push(error));
    const port = await listen(app.callback());
    const [arrived, over] = [once(moments, 'arrived'), once(moments, 'over')];
    const socket = await sendUnread(port, text);
    await arrived;
    end(socket);
    await over;
    await new Promise(setImmediate);
    socket.destroy();
    return heard.map((error) => `${Reflect.get(error, 'code')}: ${error.message}`);
  }

  it('is told what Koa alone tells of it without a reader of bodies, and nothing of the library', async () => {
    const shop = service();
    const operations = { read: { path: '/read' as const, use: [jsonBody()], handler: () => ({}) } };
    const api = shop.api({ db: database.db, resources: [shop.resource({ model: Doc, operations })] });
    const told = await toldTo(api.routes());
    expect(told).toEqual(await toldTo(() => undefined));
    expect(told).toEqual([expect.stringMatching(/^(?:ECONNRESET|HPE_\w+): /)]);
  });
});
