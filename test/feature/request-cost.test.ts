import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { defineModel, jsonBody, service, t } from '../../src/index.ts';
import { type Alarm, coarseTimer } from '../../src/mongo/driver/coarse-timer.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { RawClient } from '../support/http/raw-client.ts';
import { send } from '../support/http/serve.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string({ default: '' }) } });
const database = useDatabase();
const listen = useListener();
const told = new EventEmitter();
told.setMaxListeners(0);

/** An api whose options say nothing of timeouts. */
function build() {
  const shop = service();
  const resource = shop.resource({
    model: Doc,
    operations: {
      hold: {
        method: 'GET',
        path: '/hold',
        async handler(ctx) {
          told.emit('held', ctx.req.socket);
          await once(told, 'release');
          return {};
        },
      },
      never: { method: 'GET', path: '/never', handler: () => new Promise<never>(() => undefined) },
      large: { method: 'GET', path: '/large', handler: (ctx) => void Object.assign(ctx, { body: 'x'.repeat(20_000_000) }) },
      read: { path: '/read', use: [jsonBody()], handler: () => ({}) },
    },
  });
  return shop.api({ db: database.db, resources: [resource], observe: (observation) => void told.emit('told', observation) });
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('an api that says nothing of timeouts', () => {
  /** Lets the alarms of one time ring at once. */
  function hasten(due: number): void {
    const after = coarseTimer.after.bind(coarseTimer);
    jest.spyOn(coarseTimer, 'after').mockImplementation((ms: number, ring: () => void): Alarm => after(ms === due ? 1 : ms, ring));
  }

  it('gives a request up after 60 s', async () => {
    hasten(60_000);
    const { status, body } = await send(await listen(build().callback()), 'GET', '/docs/never');
    expect([status, body.code]).toEqual([503, 'request_given_up']);
  });

  it('lets a body arrive for 30 s', async () => {
    hasten(30_000);
    const client = await RawClient.connect(await listen(build().callback()));
    await client.head('POST /docs/read', { 'Content-Type': 'application/json', 'Content-Length': 9 });
    expect((await client.answer())?.status).toBe(408);
    client.socket.destroy();
  });

  it('waits 120 s for a client that does not read', async () => {
    hasten(120_000);
    const heard = once(told, 'told');
    const client = await RawClient.connect(await listen(build().callback()));
    await client.head('GET /docs/large');
    expect(await heard).toEqual([expect.objectContaining({ operation: 'large', status: 499, isAborted: true })]);
    client.socket.destroy();
  });
});

describe('requests in flight', () => {
  const request = 'GET /docs/hold HTTP/1.1\r\nHost: x\r\n\r\n';
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

  /** Sends so many at once over one connection; gives the service's end of it when all are held. */
  async function hold(port: number, count: number): Promise<{ client: Socket; sockets: Set<Socket> }> {
    const sockets = new Set<Socket>();
    let held = 0;
    const all = new Promise<void>((resolve) => {
      told.on('held', (socket: Socket) => {
        sockets.add(socket);
        if (++held === count) resolve();
      });
    });
    const client = connect(port, '127.0.0.1').resume();
    client.write(request.repeat(count));
    await all;
    told.removeAllListeners('held');
    return { client, sockets };
  }

  it('share one timer, however many they are', async () => {
    const port = await listen(build().callback());
    const intervals = jest.spyOn(globalThis, 'setInterval');
    const first = await hold(port, 1);
    const before = timers();
    const others = [await hold(port, 100), await hold(port, 100)];
    expect(timers()).toBeLessThanOrEqual(before);
    expect(intervals.mock.calls.length).toBeLessThanOrEqual(1);
    told.emit('release');
    for (const { client } of [first, ...others]) client.destroy();
  });

  it('have one listener for the end of their connection, pipelined or one after the other', async () => {
    const port = await listen(build().callback());
    const one = await hold(port, 1);
    const [alone] = [...one.sockets].map((socket) => socket.listenerCount('close'));
    const many = await hold(port, 50);
    expect([...many.sockets].map((socket) => socket.listenerCount('close'))).toEqual([alone]);
    told.emit('release');
    for (const { client } of [one, many]) client.destroy();

    const client = await RawClient.connect(port);
    const counts: number[] = [];
    for (let round = 0; round < 20; round++) {
      const held = once(told, 'held');
      await client.head('GET /docs/hold');
      const [socket] = (await held) as [Socket];
      counts.push(socket.listenerCount('close'));
      told.emit('release');
      await client.answer();
    }
    expect(new Set(counts)).toEqual(new Set([alone]));
    client.socket.destroy();
  });
});
