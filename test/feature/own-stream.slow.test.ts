import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import Koa from 'koa';
import { type Api, defineModel, type Problem, type RequestContext, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { sendUnread } from '../support/http/raw-client.ts';
import { openStream, type ReadStream, readToEnd } from '../support/http/read-stream.ts';
import { until } from '../support/until.ts';

const Row = defineModel('Row', { collection: 'rows', fields: { id: t.int(), text: t.string({ default: '' }) } });
const Slow = defineModel('Slow', { collection: 'slow', fields: { id: t.int() } });

const count = 2_000;
/** What the database needs for each 500 records of the slow collection. Four of them take longer than `maxTimeMS`. */
const batchMS = 600;
const maxTimeMS = 2_000;

const database = useDatabase();
beforeAll(async () => {
  await database.db.collection<{ _id: number }>('rows').insertMany(Array.from({ length: count }, (_, id) => ({ _id: id })));
  const body = `function (id) { if (id % 500 === 0) sleep(${batchMS}); return true; }`;
  const pipeline = [{ $match: { $expr: { $function: { body, args: ['$_id'], lang: 'js' } } } }];
  await database.db.createCollection('slow', { viewOn: 'rows', pipeline });
});

const told = new EventEmitter();
const signals: AbortSignal[] = [];
const errors: Error[] = [];
const closings: (() => Promise<void>)[] = [];
const opened: IncomingMessage[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) one.destroy();
  for (const close of closings.splice(0)) await close();
  for (const list of [signals, errors]) list.length = 0;
});

type Ctx = RequestContext<unknown>;

async function* lines(rows: AsyncIterable<{ readonly id: number }>, pad = '') {
  for await (const { id } of rows) yield `${id}${pad}\n`;
}

const handlers = {
  rows: (ctx: Ctx) => Readable.from(lines(ctx.store(Row).each({}))),
  large: (ctx: Ctx) => Readable.from(lines(ctx.store(Row).each({}), 'x'.repeat(20_000))),
  slow: (ctx: Ctx) => Readable.from(lines(ctx.store(Slow).each({}))),
  few: (ctx: Ctx) => Readable.from(lines(ctx.store(Slow).each({}, { limit: 10 }))),
  /** Its first batches give nothing to send. */
  last(ctx: Ctx) {
    async function* last() {
      for await (const { id } of ctx.store(Slow).each({})) if (id === count - 1) yield `${id}\n`;
    }
    return Readable.from(last());
  },
  /** Finds with a pause in between, as who asks for news does. */
  polling(ctx: Ctx) {
    async function* polled() {
      for (let turn = 0; turn < 5; turn++) yield `${(await ctx.store(Slow).find({}, { limit: 1 })).length}\n`;
    }
    return Readable.from(polled());
  },
  /** Two walks at the same time. */
  both(ctx: Ctx) {
    const read = async (): Promise<number> => {
      let seen = 0;
      for await (const _ of ctx.store(Slow).each({})) seen++;
      return seen;
    };
    async function* counts() {
      yield `${await Promise.all([read(), read()])}\n`;
    }
    return Readable.from(counts());
  },
  within(ctx: Ctx) {
    async function* seen() {
      for await (const _ of ctx.store(Row).each({}, { limit: 1 })) yield 'begin\n';
      yield* await ctx.transaction(async (tx) => {
        const ids: string[] = [];
        for await (const { id } of tx.store(Slow).each({})) ids.push(`${id}\n`);
        return ids;
      });
    }
    return Readable.from(seen());
  },
  idle(ctx: Ctx) {
    const stream = new PassThrough();
    stream.write('begin\n');
    ctx.signal.addEventListener('abort', () => stream.end('bye\n'), { once: true });
    told.once('end', () => stream.end('end\n'));
    return stream;
  },
  silent: () => new PassThrough(),
  endless: () => Readable.from(zeros()),
  destroyed(ctx: Ctx) {
    const stream = new PassThrough();
    ctx.res.once('pipe', () => setTimeout(() => stream.destroy(), 20));
    return stream;
  },
};

function* zeros() {
  for (;;) yield Buffer.alloc(65_536);
}

interface Started {
  readonly api: Api<unknown>;
  readonly port: number;
  readonly read: (path: string) => Promise<ReadStream>;
  readonly open: (path: string) => Promise<IncomingMessage>;
  readonly status: () => Promise<number>;
  readonly close: (delay?: number) => Promise<void>;
}

async function start(options: object = {}): Promise<Started> {
  const shop = service();
  const operations = Object.fromEntries(
    Object.entries(handlers).map(([name, make]) => {
      const handler = (ctx: Ctx) => {
        signals.push(ctx.signal);
        ctx.body = make(ctx);
      };
      return [name, { method: 'GET', path: `/${name}`, handler } as const];
    }),
  );
  const counted = {
    method: 'GET',
    path: '/counted',
    async handler(ctx: Ctx) {
      let seen = 0;
      for await (const _ of ctx.store(Slow).each({})) seen++;
      return { seen };
    },
  } as const;
  const resources = [
    shop.resource({ model: Row, ops: ['list'], operations: { ...operations, counted } as never }),
    shop.resource({ model: Slow, ops: ['list'] }),
  ];
  const api = shop.api({ db: database.db, maxTimeMS, resources, ...options });
  const app = new Koa({ env: 'test' }).use(api.routes());
  app.on('error', (error: Error) => errors.push(error));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (delay = 0) => api.close({ server, delay, timeout: 8_000 });
  closings.push(close);
  async function open(path: string): Promise<IncomingMessage> {
    const incoming = await openStream(port, path, {});
    opened.push(incoming);
    return incoming;
  }
  const read = async (path: string) => readToEnd(await open(path));
  return { api: api as Api<unknown>, port, read, open, close, status: async () => (await read('/rows?limit=1')).status };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `${from + index}\n`).join('');

describe('`each` in the stream of a handler', () => {
  it.each([
    ['slow', numbers(0, count)],
    ['last', `${count - 1}\n`],
    ['polling', '1\n'.repeat(5)],
    ['both', `${count},${count}\n`],
  ])('has `maxTimeMS` for each batch, also of %s', async (path, text) => {
    const { read } = await start();
    expect([await read(`/rows/${path}`), errors]).toMatchObject([{ status: 200, isCut: false, text }, []]);
  });

  it('has no more than that for one batch', async () => {
    const { read } = await start({ maxTimeMS: 200 });
    await expect(read('/rows/slow')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(new Set(errors.map((error) => (error as Problem).code))).toEqual(new Set(['database_timeout']));
  });

  it('shares the time of the request before the answer has begun', async () => {
    const { read } = await start();
    expect(JSON.parse((await read('/rows/counted')).text)).toMatchObject({ status: 504 });
  });

  it('shares the time that is left within a transaction', async () => {
    const { read } = await start();
    expect(await read('/rows/within')).toMatchObject({ isCut: true, text: 'begin\n' });
  });

  it('works in process', async () => {
    const { api } = await start();
    expect(await (await api.fetch(new Request('http://localhost/rows/slow'))).text()).toBe(numbers(0, count));
  });
});

describe('the place of a request whose handler answers with a stream', () => {
  it('is free when the stream begins to be sent', async () => {
    const { open, status } = await start({ maxConcurrency: 1 });
    const incoming = await open('/rows/idle');
    expect(await status()).toBe(200);
    await open('/rows/idle');
    told.emit('end');
    expect((await readToEnd(incoming)).text).toBe('begin\nend\n');
    expect(await status()).toBe(200);
  });

  it('of a client is free, too', async () => {
    const { open, status } = await start({ maxConcurrency: { total: 5, each: 1, by: () => 'ann' } });
    await open('/rows/idle');
    expect(await status()).toBe(200);
  });

  it('is not free while it waits behind another answer of its connection', async () => {
    const { port, status } = await start({ maxConcurrency: 2 });
    const line = (path: string) => `GET /rows/${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const socket = await sendUnread(port, line('idle'));
    await until(async () => signals.length === 1 && (await status()) === 200);
    socket.write(line('idle') + line('idle'));
    await until(() => signals.length === 3);
    expect(await status()).toBe(503);
    socket.destroy();
    await until(async () => (await status()) === 200);
  });

  it('is free after a HEAD', async () => {
    const { port, status } = await start({ maxConcurrency: 1 });
    for (let turn = 0; turn < 2; turn++) {
      const response = await fetch(`http://127.0.0.1:${port}/rows/idle`, { method: 'HEAD' });
      expect([response.status, await status()]).toEqual([200, 200]);
    }
  });

  it('is given back once only', async () => {
    const { read, open, status } = await start({ maxConcurrency: 1 });
    for (let turn = 0; turn < 3; turn++) await read('/rows/few');
    const held = open('/rows/counted');
    await pause(50);
    expect(await status()).toBe(503);
    await held;
  });
});

describe('`answerTimeout` of a stream of a handler', () => {
  const answerTimeout = 150;

  it.each(['idle', 'silent'])('does not cut one that waits for its source: %s', async (path) => {
    const { port } = await start({ answerTimeout });
    const socket = await sendUnread(port, `GET /rows/${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => signals.length === 1);
    await pause(1_000);
    expect(signals[0]?.aborted).toBe(false);
    socket.destroy();
    await until(() => signals[0]?.aborted === true);
  });

  it.each(['large', 'endless'])('cuts one whose client does not read: %s', async (path) => {
    const { port } = await start({ answerTimeout });
    const socket = await sendUnread(port, `GET /rows/${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => signals[0]?.aborted === true);
    expect(signals[0]?.reason).toMatchObject({ name: 'ClientGone' });
    socket.destroy();
  });

  it('cuts one that is not read in process', async () => {
    const { api } = await start({ answerTimeout });
    const response = await api.fetch(new Request('http://localhost/rows/endless'));
    await until(() => signals[0]?.aborted === true);
    await expect(response.text()).rejects.toThrow();
  });

  it('does the same over HTTP/2', async () => {
    const { api } = await start({ answerTimeout, onError: () => undefined });
    const server = createServer(api.callback() as never).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [idle, large] = ['/rows/idle', '/rows/large'].map((path) => client.request({ ':path': path }));
    large?.on('error', () => undefined);
    await until(() => signals.length === 2 && signals[1]?.aborted === true);
    await pause(500);
    expect(signals[0]?.aborted).toBe(false);
    idle?.resume();
    told.emit('end');
    await once(idle as Readable, 'end');
    client.destroy();
    server.close();
  });

  it('cuts what waits behind an idle one', async () => {
    const { port } = await start({ answerTimeout });
    const line = 'GET /rows/idle HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = await sendUnread(port, line + line);
    await until(() => signals.length === 2 && signals.every(({ aborted }) => aborted));
    expect(signals[1]?.reason).toMatchObject({ name: 'ClientGone' });
    socket.destroy();
  });

  it('cuts one whose source was destroyed', async () => {
    const { read } = await start({ answerTimeout });
    await expect(read('/rows/destroyed')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});

describe('a client that leaves', () => {
  it('aborts `ctx.signal`, and ends the walk', async () => {
    const { open } = await start();
    const incoming = await open('/rows/large');
    await once(incoming, 'readable');
    incoming.destroy();
    await until(() => signals[0]?.aborted === true);
    expect(signals[0]?.reason).toMatchObject({ name: 'ClientGone' });
  });
});

describe('`api.close`', () => {
  it('aborts `ctx.signal` of streams, so that they end by themselves', async () => {
    const { open, close } = await start();
    const incoming = await open('/rows/idle');
    const closed = close();
    expect(await readToEnd(incoming)).toMatchObject({ isCut: false, text: 'begin\nbye\n' });
    await closed;
    expect(signals[0]?.reason).toMatchObject({ code: 'shutting_down', status: 503 });
  });

  it('does so after `delay`', async () => {
    const { open, close } = await start();
    const incoming = await open('/rows/idle');
    const closed = close(300);
    await pause(150);
    expect(signals[0]?.aborted).toBe(false);
    expect((await readToEnd(incoming)).text).toBe('begin\nbye\n');
    await closed;
  });

  it('ends `each` before its next batch, cuts the answer, and tells nobody of an error', async () => {
    const { open, close } = await start();
    const incoming = await open('/rows/slow');
    await once(incoming, 'readable');
    const closed = close();
    const { text, isCut } = await readToEnd(incoming);
    expect([isCut, text.split('\n').length - 1, errors]).toEqual([true, expect.any(Number), []]);
    expect(text.split('\n').length - 1).toBeLessThan(count);
    await closed;
  });

  it('lets a request go on whose handler still reads for its answer', async () => {
    const { read, close } = await start({ maxTimeMS: 10_000 });
    const answer = read('/rows/counted');
    await pause(100);
    const closed = close();
    expect(JSON.parse((await answer).text)).toEqual({ data: { seen: count } });
    await closed;
  });

  it('aborts the signal of a stream that begins later, which has its first batch', async () => {
    const { api } = await start();
    await api.close();
    const idle = await api.fetch(new Request('http://localhost/rows/idle'));
    expect(await idle.text()).toBe('begin\nbye\n');
    expect(await (await api.fetch(new Request('http://localhost/rows/few'))).text()).toBe(numbers(0, 10));
  });
});
