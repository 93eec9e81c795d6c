import { once } from 'node:events';
import Koa from 'koa';
import { problems } from '../../../src/index.ts';
import { useListener } from '../../support/http/listen.ts';
import { send } from '../../support/http/serve.ts';

const listen = useListener();

/** An app that throws `error` for every request. */
function throwing(error: unknown): Koa {
  const app = new Koa();
  app.use(problems()).use(() => {
    throw error;
  });
  return app;
}

describe('a listener of app.on(error)', () => {
  it('that was added by `once` hears one error, and the others hear all of them in order', async () => {
    const heard: string[] = [];
    const app = throwing(new Error('x'));
    app.once('error', () => heard.push('once'));
    app.on('error', (error: Error, ctx: Koa.Context) => heard.push(`${error.message} ${ctx.path}`));
    const port = await listen(app.callback());
    for (const path of ['/a', '/b']) expect((await send(port, 'GET', path)).status).toBe(500);
    expect(heard).toEqual(['once', 'x /a', 'x /b']);
  });

  it('that fails keeps no other from hearing, and standard error is told once', async () => {
    const app = throwing(new Error('the cause'));
    app.on('error', () => Promise.reject(new Error('logger is down')));
    app.on('error', () => {
      throw new Error('logger is full');
    });
    const heard = once(app, 'error');
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      expect((await send(await listen(app.callback()), 'GET', '/')).status).toBe(500);
      await heard;
      const texts = written.mock.calls.map(([text]) => String(text));
      expect(texts.filter((text) => /failed: Error: logger is down[\s\S]*told of: Error: the cause/.test(text))).toHaveLength(1);
      expect(texts.filter((text) => /failed: Error: logger is full[\s\S]*told of: Error: the cause/.test(text))).toHaveLength(1);
      expect(texts).toHaveLength(2);
    } finally {
      written.mockRestore();
    }
  });
});
