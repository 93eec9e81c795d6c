import Koa from 'koa';
import { type Api, defineModel, service, t, Unauthorized } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { RawClient } from '../support/http/raw-client.ts';
import { send } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string(), revision: t.revision() } });

const database = useDatabase();
const listen = useListener();
const errors: Error[] = [];
const limit = 2000;
let api: Api;
const ports: { [name: string]: number } = {};

beforeAll(async () => {
  const shop = service({
    authenticate(ctx) {
      if (ctx.get('authorization') === 'bad') throw new Unauthorized();
      return 'ann';
    },
  });
  api = shop.api({
    db: database.db,
    maxBody: limit,
    maxConcurrency: 1,
    onError: (error) => errors.push(error),
    resources: [shop.resource({ model: Doc })],
  });
  ports['callback()'] = await listen(api.callback());
  const app = new Koa().use(api.routes());
  app.on('error', (error) => errors.push(error));
  ports['routes()'] = await listen(app.callback());
});

const clients: RawClient[] = [];
async function open(port: number): Promise<RawClient> {
  const client = await RawClient.connect(port);
  clients.push(client);
  return client;
}
beforeEach(() => {
  errors.length = 0;
});
afterEach(() => {
  for (const client of clients.splice(0)) client.socket.destroy();
});

const json = { 'Content-Type': 'application/json' };
const chunked = { ...json, 'Transfer-Encoding': 'chunked' };
const filler = 'x'.repeat(10_000);

/** Until no request is in flight any more, whatever became of its client. */
async function untilFree(port: number): Promise<number> {
  let status = 503;
  await until(async () => {
    ({ status } = await send(port, 'GET', '/docs'));
    return status !== 503;
  });
  return status;
}

/** The errors of the api, without Koa's own about a connection that broke, of which nobody can be told. */
function bugs(): Error[] {
  return errors.filter((error) => !('headerSent' in error));
}

describe.each(['callback()', 'routes()'])('a connection to %s', (adapter) => {
  it('takes the next request after a body that was too large by its Content-Length', async () => {
    const client = await open(ports[adapter] as number);
    await client.head('POST /docs', { ...json, 'Content-Length': 500_000 });
    expect(await client.answer()).toMatchObject({ status: 413, headers: { 'content-type': 'application/problem+json' } });
    await client.send('x'.repeat(500_000));
    await client.head('GET /docs');
    expect((await client.answer())?.status).toBe(200);
    expect(client.wasReset).toBe(false);
  });

  it('takes the next request after chunks that were too many', async () => {
    const client = await open(ports[adapter] as number);
    await client.head('POST /docs', chunked);
    for (let n = 0; n < 30; n++) await client.chunk(filler);
    expect(JSON.parse((await client.answer())?.text ?? '')).toMatchObject({ status: 413, code: 'body_too_large' });
    for (let n = 0; n < 30; n++) await client.chunk(filler);
    await client.chunk('');
    await client.head('GET /docs');
    expect((await client.answer())?.status).toBe(200);
  });

  it('answers 413 while the client is still sending, and frees its place then', async () => {
    const port = ports[adapter] as number;
    const client = await open(port);
    await client.head('POST /docs', chunked);
    await client.chunk(filler);
    expect((await client.answer())?.status).toBe(413);
    expect(await untilFree(port)).toBe(200);
    await client.chunk(filler);
    await client.chunk('');
    await client.head('POST /docs', { ...json, 'Content-Length': 12 });
    await client.send('{"text":"x"}');
    expect((await client.answer())?.status).toBe(201);
  });

  it('that is to be closed is closed when all was sent, not while the client sends: its answer is not lost', async () => {
    const client = await open(ports[adapter] as number);
    await client.head('POST /docs', { ...json, 'Content-Length': 5_000_000, Connection: 'close' });
    for (let n = 0; n < 500; n++) await client.send(filler);
    expect((await client.answer())?.status).toBe(413);
    await client.ended();
    expect(client.wasReset).toBe(false);
  });

  it('is cut when a client goes on and on, and has had its answer', async () => {
    const client = await open(ports[adapter] as number);
    await client.head('POST /docs', chunked);
    const answered = client.answer();
    const megabyte = 'x'.repeat(1_048_576);
    let sent = 0;
    while (!client.socket.destroyed && sent < 200) {
      await client.chunk(megabyte);
      sent++;
    }
    expect((await answered)?.status).toBe(413);
    expect(client.socket.destroyed).toBe(true);
    expect(await untilFree(ports[adapter] as number)).toBe(200);
  });

  it.each([
    ['401', 'POST /docs', { authorization: 'bad' }],
    ['404', 'POST /nothing', {}],
    ['405', 'PUT /docs', {}],
  ])('takes the next request after a body that was not read at all: %s', async (status, line, headers) => {
    const client = await open(ports[adapter] as number);
    await client.head(line, { ...json, ...headers, 'Content-Length': 300_000 });
    expect((await client.answer())?.status).toBe(Number(status));
    await client.send('x'.repeat(300_000));
    await client.head('GET /docs');
    expect((await client.answer())?.status).toBe(200);
  });

  it('takes requests that come at once, one after the other', async () => {
    const client = await open(ports[adapter] as number);
    const post = (text: string) =>
      `POST /docs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    await client.send(post(`{"text":"${'x'.repeat(3000)}"}`));
    await client.send(post('{'));
    expect((await client.answer())?.status).toBe(413);
    expect((await client.answer())?.status).toBe(400);
    await client.send(post('{"text":"x"}'));
    expect((await client.answer())?.status).toBe(201);
  });

  it('takes a body byte by byte, in chunks of one', async () => {
    const client = await open(ports[adapter] as number);
    await client.head('POST /docs', chunked);
    for (const byte of '{"text":"slow"}') await client.chunk(byte);
    await client.chunk('');
    expect(JSON.parse((await client.answer())?.text ?? '').data.text).toBe('slow');
  });

  it('counts the bytes of chunks, however small they are', async () => {
    const client = await open(ports[adapter] as number);
    await client.head('POST /docs', chunked);
    await client.send('1\r\nx\r\n'.repeat(limit + 1));
    expect((await client.answer())?.status).toBe(413);
  });

  it('whose client ends before its Content-Length was sent frees its place', async () => {
    const port = ports[adapter] as number;
    for (const end of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const client = await open(port);
      await client.head('POST /docs', { ...json, 'Content-Length': 100 });
      await client.send('{"text":');
      client.socket[end]();
      expect(await untilFree(port)).toBe(200);
    }
    expect(bugs()).toEqual([]);
  });

  it('whose client sends more than its Content-Length says is answered for what it said, and then refused', async () => {
    const client = await open(ports[adapter] as number);
    await client.head('POST /docs', { ...json, 'Content-Length': 12 });
    await client.send('{"text":"x"}');
    expect((await client.answer())?.status).toBe(201);
    await client.send(' and more\r\n\r\n');
    expect((await client.answer())?.status).toBe(400);
    await client.ended();
  });

  it('with a transfer coding besides chunked is 415, as with a content coding', async () => {
    const client = await open(ports[adapter] as number);
    await client.head('POST /docs', { ...chunked, 'Transfer-Encoding': 'gzip, chunked' });
    await client.chunk('{"text":"x"}');
    await client.chunk('');
    expect((await client.answer())?.status).toBe(415);
  });

  it('whose client says two lengths is refused', async () => {
    const client = await open(ports[adapter] as number);
    await client.head('POST /docs', { ...chunked, 'Content-Length': 12 });
    expect((await client.answer())?.status).toBe(400);
    await client.ended();
    expect(await untilFree(ports[adapter] as number)).toBe(200);
  });
});

describe('a place in flight', () => {
  it('is taken before the body is read, and freed when the answer has ended', async () => {
    const port = ports['callback()'] as number;
    const client = await open(port);
    await client.head('POST /docs', { ...json, 'Content-Length': 12 });
    await until(async () => (await send(port, 'GET', '/docs')).status === 503);
    await client.send('{"text":"x"}');
    expect((await client.answer())?.status).toBe(201);
    expect(await untilFree(port)).toBe(200);
  });

  it('is kept by a client that does not read its answer, until it does or goes', async () => {
    const port = await listen(unread().callback());
    await database.db.collection('bigs').deleteMany({});
    await database.db.collection('bigs').insertMany(Array.from({ length: 20 }, () => ({ text: 'x'.repeat(1_000_000) })));
    for (const leave of ['read', 'destroy'] as const) {
      const client = await open(port);
      await client.head('GET /bigs');
      await until(async () => (await send(port, 'GET', '/bigs?limit=1')).status === 503);
      if (leave === 'read') client.socket.resume();
      else client.socket.destroy();
      await until(async () => (await send(port, 'GET', '/bigs?limit=1')).status !== 503);
      expect((await send(port, 'GET', '/bigs?limit=1')).status).toBe(200);
    }
  });

  it('is freed by the time limit of the server when a client is too slow', async () => {
    const port = await listen(api.callback(), { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 20 });
    const client = await open(port);
    await client.head('POST /docs', { ...json, 'Content-Length': 100 });
    await client.send('{"text":');
    expect((await client.answer())?.status).toBe(408);
    await client.ended();
    expect(await untilFree(port)).toBe(200);
    expect(bugs()).toEqual([]);
  });
});

function unread(): Api {
  const shop = service();
  const Big = defineModel('Big', { collection: 'bigs', fields: { text: t.string() } });
  return shop.api({ db: database.db, maxConcurrency: 1, resources: [shop.resource({ model: Big })] });
}
