import { describe, expect, it } from 'vitest';
import { compileDispatch, type Route } from '../../src/api/dispatch.ts';
import { Problem } from '../../src/errors.ts';
import type { Context, ResourceMiddleware } from '../../src/middleware/exchange/context.ts';

const route = (method: string, path: string): Route => ({
  method,
  path,
  name: path,
  run: (async (ctx: Context) => {
    ctx.body = `${method} ${path} ${JSON.stringify(ctx.params)}`;
  }) as ResourceMiddleware,
});

const dispatch = compileDispatch(
  new Map([
    ['orders', [route('GET', '/:id'), route('POST', '/:id/send'), route('GET', '/report'), route('GET', '/'), route('POST', '/')]],
    ['reports', [route('GET', '/by/:year'), route('GET', '/overdue'), route('GET', '/by/latest')]],
    ['constructor', [route('GET', '/')]],
  ]),
);

async function ask(method: string, path: string, params?: object): Promise<string> {
  const ctx = { method, params } as unknown as Context;
  try {
    await dispatch(ctx, path, async () => undefined);
    return String(ctx.body);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return `${error.status} ${error.headers.allow ?? ''}`.trim();
  }
}

describe('compileDispatch()', () => {
  it.each([
    ['GET', '/orders', 'GET / {}'],
    ['HEAD', '/orders', 'GET / {}'],
    ['POST', '/orders', 'POST / {}'],
    ['GET', '/orders/5', 'GET /:id {"id":"5"}'],
    ['GET', '/orders/a%2Fb%20c', 'GET /:id {"id":"a/b c"}'],
    ['GET', '/orders/a+b', 'GET /:id {"id":"a+b"}'],
    ['GET', '/orders/report', 'GET /report {}'],
    ['GET', '/orders/Report', 'GET /:id {"id":"Report"}'],
    ['POST', '/orders/5/send', 'POST /:id/send {"id":"5"}'],
    ['GET', '/reports/by/latest', 'GET /by/latest {}'],
    ['GET', '/reports/by/2020', 'GET /by/:year {"year":"2020"}'],
    ['GET', '/reports/%6Fverdue', 'GET /overdue {}'],
    ['GET', '/constructor', 'GET / {}'],
    ['PUT', '/orders', '405 GET, HEAD, POST'],
    ['DELETE', '/orders/5', '405 GET, HEAD'],
    ['GET', '/orders/5/send', '405 POST'],
    ['HEAD', '/orders/5/send', '405 POST'],
    ['GET', '/orders/', '404'],
    ['GET', '/orders/5/', '404'],
    ['GET', '/orders/5/x', '404'],
    ['GET', '/orders/5/send/', '404'],
    ['GET', '/ORDERS', '404'],
    ['GET', '/toString', '404'],
    ['GET', '/__proto__', '404'],
    ['GET', '/', '404'],
    ['GET', '', '404'],
  ])('%s %s: %s', async (method, path, answer) => {
    expect(await ask(method, path)).toBe(answer);
  });

  it('keeps the parameters of a mount, but for one that would pass for the id of a record', async () => {
    expect(await ask('GET', '/orders', { id: 'a', shop: 's' })).toBe('GET / {"shop":"s"}');
    expect(await ask('GET', '/orders/5', { id: 'a', shop: 's' })).toBe('GET /:id {"shop":"s","id":"5"}');
  });
});
