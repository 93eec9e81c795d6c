import Koa from 'koa';
import { caching } from '../../src/index.ts';
import { useListener } from '../support/http/listen.ts';
import { send } from '../support/http/serve.ts';

const listen = useListener();

describe('Vary, as caching() writes it', () => {
  it.each<[string, readonly string[], string | undefined, string | undefined]>([
    ['names what it was given', ['A', 'B'], undefined, 'A, B'],
    ['is not there for no names', [], undefined, undefined],
    ['names nothing twice, in whatever case', ['Accept', 'accept'], undefined, 'Accept'],
    ['is * alone', ['*', 'Cookie'], undefined, '*'],
    ['adds to what is there', ['A', 'Origin'], 'Origin', 'Origin, A'],
  ])('%s', async (_name, vary, present, expected) => {
    const app = new Koa();
    app.use(async (ctx, next) => {
      if (present) ctx.set('Vary', present);
      await next();
    });
    app.use(caching({ vary }));
    app.use((ctx) => {
      ctx.body = 'ok';
    });
    const { headers } = await send(await listen(app.callback()), 'GET', '/');
    expect(headers.vary).toBe(expected);
  });
});
