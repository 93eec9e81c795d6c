import { EventEmitter, once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { type Api, defineModel, type Observation, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { sendUnread } from '../support/http/raw-client.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string() } });

const database = useDatabase();
const told = new EventEmitter();
const observe = (observation: Observation) => void told.emit('told', observation);

function* zeros() {
  for (;;) yield Buffer.alloc(65_536);
}

/** An api with answers that are large or take their time. */
function define() {
  const shop = service();
  const large = shop.resource({
    model: Doc,
    path: 'large',
    operations: {
      text: { method: 'GET', path: '/text', handler: (ctx) => void Object.assign(ctx, { body: 'x'.repeat(20_000_000) }) },
      stream: {
        method: 'GET',
        path: '/stream',
        handler(ctx) {
          const stream = new PassThrough();
          ctx.body = stream;
          const write = (left: number): void => void (left === 0 ? stream.end() : stream.write('x') && setTimeout(write, 60, left - 1));
          write(5);
        },
      },
      endless: { method: 'GET', path: '/endless', handler: (ctx) => void Object.assign(ctx, { body: Readable.from(zeros()) }) },
    },
  });
  return shop.api({
    db: database.db,
    prefix: '/api',
    maxConcurrency: 1,
    answerTimeout: 150,
    observe,

    resources: [large],
  });
}

const serve = useServer();
let api: Api;
/** In an app with a large answer of its own. */
let slow: TestServer;
beforeAll(async () => {
  api = define();
  slow = await serve(api.routes(), (ctx) => void Object.assign(ctx, { body: 'x'.repeat(20_000_000) }));
});

const fetchPath = (path: string) => api.fetch(new Request(`http://in-process/api/large${path}`));

describe('answerTimeout', () => {
  it('cuts off a client that does not read, and frees its place', async () => {
    const heard = once(told, 'told');
    const socket = await sendUnread(slow.port, 'GET /api/large/text HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await heard).toEqual([expect.objectContaining({ operation: 'text', status: 499, isAborted: true })]);
    expect((await slow.request('GET', '/api/large')).status).toBe(200);
    socket.destroy();
  });

  it('cuts off one that does not read what the app has answered before on its connection', async () => {
    const heard = once(told, 'told');
    const socket = await sendUnread(slow.port, 'GET /large HTTP/1.1\r\nHost: x\r\n\r\nGET /api/large HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await heard).toEqual([expect.objectContaining({ operation: 'list', status: 499, isAborted: true })]);
    expect((await slow.request('GET', '/api/large')).status).toBe(200);
    socket.destroy();
  });

  it('lets a stream take its time, as long as something is sent', async () => {
    expect((await slow.request('GET', '/api/large/stream')).text).toBe('xxxxx');
    expect(await (await fetchPath('/stream')).text()).toBe('xxxxx');
  });

  it('frees the place of an answer in process that is not read', async () => {
    const heard = once(told, 'told');
    const response = await fetchPath('/endless');
    expect(await heard).toEqual([expect.objectContaining({ operation: 'endless', status: 499 })]);
    expect((await fetchPath('')).status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });
});
