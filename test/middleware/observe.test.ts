import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import Koa from 'koa';
import { ConfigurationError, type Observation, observe, problems, requestId } from '../../src/index.ts';
import { useListener } from '../support/http/listen.ts';
import { send } from '../support/http/serve.ts';

const listen = useListener();

describe('observe and requestId, in an app of their own', () => {
  it('tell of every request, with its id and without an operation', async () => {
    const seen: Observation[] = [];
    const app = new Koa();
    app.use(observe((observation) => seen.push(observation)));
    app.use(requestId()).use(problems());
    app.use((ctx) => ctx.throw(409, 'no'));
    const port = await listen(app.callback());
    const { body } = await send(port, 'GET', '/x', { headers: { 'x-request-id': 'id-1' } });
    expect(body).toMatchObject({ status: 409, request_id: 'id-1' });
    await send(port, 'GET', '/x');
    expect(seen[0]).toEqual({
      resource: undefined,
      operation: undefined,
      status: 409,
      duration: expect.any(Number),
      databaseTime: 0,
      commandCount: 0,
      requestId: 'id-1',
      isAborted: false,
    });
  });

  it('tell of what was thrown through them', async () => {
    const seen: number[] = [];
    const app = new Koa();
    app.on('error', () => undefined);
    app.use(observe(({ commandCount }) => seen.push(commandCount))).use(() => Promise.reject(new Error('a bug')));
    const port = await listen(app.callback());
    expect((await send(port, 'GET', '/')).status).toBe(500);
    await send(port, 'GET', '/');
    expect(seen.length).toBeGreaterThan(0);
  });

  it('tell of a client that went away when what runs never ends, and once', async () => {
    const seen: Observation[] = [];
    const events = new EventEmitter();
    const app = new Koa();
    app.use(observe((observation) => events.emit('told', seen.push(observation))));
    app.use(() => {
      events.emit('begun');
      return new Promise(() => undefined);
    });
    const port = await listen(app.callback());
    const [begun, told] = [once(events, 'begun'), once(events, 'told')];
    const request = httpRequest({ port, host: '127.0.0.1', agent: false }).on('error', () => undefined);
    request.end();
    await begun;
    request.destroy();
    await told;
    expect(seen).toEqual([expect.objectContaining({ status: 499, isAborted: true, duration: expect.any(Number) })]);
  });

  it('tell of a client that went away while the app above them was busy', async () => {
    const events = new EventEmitter();
    const app = new Koa();
    app.use(async ({ res }, next) => {
      const closed = once(res, 'close');
      events.emit('begun');
      await closed;
      await next();
    });
    app.use(observe((observation) => events.emit('told', observation)));
    const port = await listen(app.callback());
    const [begun, told] = [once(events, 'begun'), once(events, 'told')];
    const request = httpRequest({ port, host: '127.0.0.1', agent: false }).on('error', () => undefined);
    request.end();
    await begun;
    request.destroy();
    expect(await told).toEqual([expect.objectContaining({ status: 499, isAborted: true })]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('full'))],
    ['rejects with what is no error', () => Promise.reject('full')],
  ])('leave it to the app when the function %s', async (_what, tell) => {
    const app = new Koa();
    const reported = once(app, 'error');
    app.use(observe(tell)).use((ctx) => {
      ctx.body = 'x';
    });
    expect((await send(await listen(app.callback()), 'GET', '/')).status).toBe(200);
    const [error] = await reported;
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain('full');
  });

  it('are checked when they are made', () => {
    expect(() => observe('log' as never)).toThrow(ConfigurationError);
  });
});
