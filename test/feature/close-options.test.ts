import { once } from 'node:events';
import { createServer, Server } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { Server as NetServer } from 'node:net';
import Koa from 'koa';
import { ConfigurationError, defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { Gate } from '../support/http/gate.ts';

const database = useDatabase();

describe('api.close()', () => {
  it.each<[string, object, string]>([
    ['an app for a server', { server: new Koa() }, '`server` of `close` must be what `listen()` or `http.createServer()` returned'],
    [
      'a server of HTTP/2',
      { server: createHttp2Server() },
      '`server` of `close` must be what `listen()` or `http.createServer()` returned',
    ],
    [
      'a negative delay',
      { server: createServer(), delay: -1 },
      '`delay` of `close` must be a whole number of milliseconds from 0 to 2147483647',
    ],
    ['a timeout that is none', { server: createServer(), timeout: '1s' }, '`timeout` of `close` must be a whole number of milliseconds'],
    ['an unknown option', { server: createServer(), dealy: 1 }, 'did you mean `delay`'],
  ])('refuses %s, and goes on', async (_what, options, message) => {
    const api = service().api({ db: database.db, prefix: '/api', health: true, resources: [] });
    const failure = await api.close(options as never).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect((failure as Error).message).toContain(message);
    expect((await api.fetch(new Request('http://in-process/api/health/ready'))).status).toBe(200);
  });
});

describe('api.close() without a server', () => {
  it('says so to the balancer, and ends when the answers of the api have ended', async () => {
    const gate = new Gate();
    const shop = service();
    const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string() } });
    const wait = {
      method: 'GET',
      path: '/wait',
      async handler() {
        await gate.pass();
        return { waited: true };
      },
    } as const;
    const api = shop.api({ db: database.db, health: true, resources: [shop.resource({ model: Doc, operations: { wait } })] });
    const waiting = api.fetch(new Request('http://in-process/docs/wait'));
    await gate.arrived;
    const state = { isClosed: false };
    const closing = api.close().then(() => {
      state.isClosed = true;
    });
    expect((await api.fetch(new Request('http://in-process/health/ready'))).status).toBe(503);
    expect(state.isClosed).toBe(false);
    gate.open();
    const answer = await waiting;
    expect([answer.status, await answer.json()]).toEqual([200, { data: { waited: true } }]);
    await closing;
    await api.close();
  });

  it('does not wait for longer than `timeout`', async () => {
    const gate = new Gate();
    const shop = service();
    const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string() } });
    const handler = () => gate.pass();
    const api = shop.api({
      db: database.db,
      resources: [shop.resource({ model: Doc, operations: { wait: { method: 'GET', path: '/wait', handler } } })],
    });
    const waiting = api.fetch(new Request('http://in-process/docs/wait'));
    await gate.arrived;
    await api.close({ timeout: 10 });
    gate.open();
    expect((await waiting).status).toBe(204);
  });
});

describe('api.close() of a server that is none of node:net, as the one of Bun', () => {
  it('closes it by its own `close`', async () => {
    const api = service().api({ db: database.db, resources: [] });
    const server = createServer(api.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const isInstance = Function.prototype[Symbol.hasInstance];
    Object.defineProperty(NetServer, Symbol.hasInstance, {
      configurable: true,
      value(this: unknown, value: unknown) {
        return this !== NetServer && isInstance.call(this as typeof Server, value); // the servers of HTTP inherit it
      },
    });
    Object.defineProperty(server, '_emitCloseIfDrained', { value: undefined, writable: true, configurable: true });
    Object.assign(server, {
      close(this: Server) {
        delete (this as { _emitCloseIfDrained?: unknown })._emitCloseIfDrained; // only the `close` of `node:net` needs it there
        return Server.prototype.close.call(this);
      },
    });
    try {
      await api.close({ server });
    } finally {
      Reflect.deleteProperty(NetServer, Symbol.hasInstance);
    }
    expect(server.listening).toBe(false);
  });
});
