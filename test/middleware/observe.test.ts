import { describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { ConfigurationError, type Observation, observe, problems, requestId } from '../../src/index.ts';
import { useListener } from '../support/listen.ts';
import { send } from '../support/serve.ts';

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

  it('are checked when they are made', () => {
    expect(() => observe('log' as never)).toThrow(ConfigurationError);
  });
});
