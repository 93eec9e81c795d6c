import { compileDispatch } from '../../src/api/dispatch.ts';
import type { Route } from '../../src/api/route.ts';
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
  const ctx = { method, params, request: {} } as unknown as Context;
  return (await outcome(async () => dispatch.run(ctx, path, async () => undefined))) ?? String(ctx.body);
}

/** The status of a problem and its `Allow`; undefined without one. */
async function outcome(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return `${error.status} ${error.headers.allow ?? ''}`.trim();
  }
}

async function refuse(): Promise<void> {
  throw new Error('This is no request of its own.');
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

  it('keeps the parameters of a mount', async () => {
    expect(await ask('GET', '/orders/5', { shop: 's' })).toBe('GET /:id {"shop":"s","id":"5"}');
    expect(await ask('GET', '/orders', { id: 'a', shop: 's' })).toBe('GET / {"id":"a","shop":"s"}');
  });

  it('refuses one that has the name of a parameter of the path, before anything else', async () => {
    const message =
      'The api is mounted at a path with the parameter `:id`, which `/orders/:id`, the path of `/:id`, has too: give that of the mount another name.';
    await expect(ask('GET', '/orders/5', { id: 'a', shop: 's' })).rejects.toThrow(message);
    expect(await ask('PUT', '/orders/5', { id: 'a' })).toBe('405 GET, HEAD');
  });

  it('runs for a batch only what a batch can have, at the paths that requests have', async () => {
    const inBatch = (method: string, path: string): Route => {
      const one = route(method, path);
      return { ...one, run: refuse, runInBatch: one.run };
    };
    const routes = [inBatch('PUT', '/:id'), inBatch('DELETE', '/:id'), route('GET', '/:id'), route('GET', '/overdue'), route('PATCH', '/')];
    const { run } = compileDispatch(new Map([['orders', routes]]));
    const seen: unknown[] = [];
    for (const [method, path] of [
      ['PUT', '/orders/5'],
      ['PATCH', '/orders/5'],
      ['PUT', '/orders/overdue'],
      ['PATCH', '/orders'],
    ]) {
      const ctx = { method, request: {} } as unknown as Context;
      const problem = await outcome(() => run(ctx, path as string, async () => undefined, 'runInBatch'));
      seen.push(problem ?? ctx.body);
    }
    expect(seen).toEqual(['PUT /:id {"id":"5"}', '405 PUT, DELETE', '404', '404']);
  });
});
