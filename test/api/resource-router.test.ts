import fc from 'fast-check';
import { ResourceRouter } from '../../src/api/resource-router.ts';
import type { Route } from '../../src/api/route.ts';
import { Problem } from '../../src/errors.ts';
import type { Context } from '../../src/middleware/exchange/context.ts';
import { cases } from '../support/fuzzing/fuzz.ts';

interface Shared {
  readonly mayBeRecord?: boolean;
}

function route(spelt: string, { mayBeRecord = false }: Shared = {}): Route {
  const [method = '', path = ''] = spelt.split(' ');
  return {
    name: spelt,
    method,
    path,
    mayBeRecord,
    run: async (ctx, next) => {
      ctx.body = { ran: spelt, params: ctx.params };
      await next();
    },
  };
}

const gets = (patterns: readonly string[]) =>
  new ResourceRouter(
    'x',
    '/x',
    patterns.map((pattern) => route(`GET ${pattern}`)),
  );
const find = (patterns: readonly string[], path: string) => gets(patterns).find('GET', `/x${path === '/' ? '' : path}`)?.path;

interface Asked {
  readonly body?: unknown;
  readonly problem?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a context has after a request. Its mount is as `router.use('/mount', …)` leaves it. */
async function ask(routes: readonly Route[], method: string, path: string): Promise<Asked> {
  const headers: Record<string, string> = {};
  const ctx = {
    method,
    path: '/mount',
    request: {},
    set: (name: string, value: string) => Object.assign(headers, { [name]: value }),
  } as unknown as Context;
  try {
    await new ResourceRouter('x', '/x', routes).dispatch(ctx, `/x${path}`, async () => undefined, 'run');
    return ctx.body === undefined ? { headers } : { body: ctx.body };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { problem: `${error.status} ${error.headers.allow ?? ''}`.trim() };
  }
}

const segmentsOf = (path: string) => (path === '/' ? [] : path.slice(1).split('/'));

/** Every pattern that fits, and of those the one that a literal puts first, from left to right. */
function oracle(patterns: readonly string[], path: string) {
  const segments = segmentsOf(path);
  const fits = patterns.filter((pattern) => {
    const own = segmentsOf(pattern);
    return own.length === segments.length && own.every((one, at) => (one.startsWith(':') ? segments[at] !== '' : one === segments[at]));
  });
  const rank = (pattern: string) => segmentsOf(pattern).map((one) => (one.startsWith(':') ? '1' : '0'));
  return fits.map((pattern) => ({ pattern, rank: rank(pattern).join('') })).sort((a, b) => (a.rank < b.rank ? -1 : 1))[0]?.pattern;
}

describe('the pattern of a path', () => {
  it.each([
    [['/reports/:year', '/overdue', '/reports/latest'], '/reports/latest', '/reports/latest'],
    [['/reports/:year', '/overdue', '/reports/latest'], '/reports/2020', '/reports/:year'],
    [['/:id/lines/:line', '/:id/send', '/:id/close', '/:id/lines/last'], '/a/lines/last', '/:id/lines/last'],
    [['/:id/:part/last', '/:id/lines/last'], '/a/lines/last', '/:id/lines/last'],
    [['/lines/:line/x', '/:id/last/y'], '/lines/last/y', '/:id/last/y'],
    [['/', '/:id'], '/', '/'],
  ])('of %j is for %s %s, whatever their order', (patterns, path, pattern) => {
    expect(find(patterns, path)).toBe(pattern);
    expect(find([...patterns].reverse(), path)).toBe(pattern);
  });

  it.each(['/%zz', '/%', '/%FF/b', '/x/%ED%A0%80', '/a/', '//', '/a//b', '/a/b/c', '/constructor/b', '/A/b/', '/x/B'])(
    'is none for %s',
    (path) => {
      expect(find(['/', '/a', '/:id', '/a/:x', '/x/b'], path)).toBeUndefined();
    },
  );

  it('has a literal before a parameter, from left to right, in whatever order the routes come', () => {
    const literal = fc.constantFrom('a', 'b', 'c');
    const segments = fc.array(fc.oneof(literal, fc.constant(':')), { maxLength: 4 });
    const pattern = segments.map((some) => `/${some.map((one, at) => (one === ':' ? `:p${at}` : one)).join('/')}`);
    const path = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 4 }).map((some) => `/${some.join('/')}`);
    fc.assert(
      fc.property(fc.uniqueArray(pattern, { maxLength: 12 }), path, (patterns, wanted) => {
        expect(find(patterns, wanted)).toBe(oracle(patterns, wanted));
      }),
      cases(1000),
    );
  });
});

describe('a request', () => {
  const send = ['GET /:id/send', 'GET /overdue', 'GET /:id', 'GET /:id/send/:line', 'GET /a.b/~c'].map((one) => route(one));

  it.each([
    ['/%6Fverdue', 'GET /overdue', {}],
    ['/a%2Eb/%7ec', 'GET /a.b/~c', {}],
    ['/a%2Fb%20c/send', 'GET /:id/send', { id: 'a/b c' }],
    ['/%2566/send', 'GET /:id/send', { id: '%66' }],
    ['/a+b:;=@/s%65nd/%C3%BC!', 'GET /:id/send/:line', { id: 'a+b:;=@', line: 'ü!' }],
    ['/%21%27%28%29%2A', 'GET /:id', { id: "!'()*" }],
    ['/%2F', 'GET /:id', { id: '/' }],
  ])('to %s runs %s: segments are compared decoded, and parameters are decoded once', async (path, ran, params) => {
    expect(await ask(send, 'GET', path)).toEqual({ body: { ran, params } });
  });

  const orders = [
    route('POST /query', { mayBeRecord: true }),
    route('GET /aggregate', { mayBeRecord: true }),
    route('GET /overdue'),
    route('GET /'),
    route('POST /'),
    route('GET /:id'),
    route('PUT /:id'),
    route('DELETE /:id'),
    route('POST /:id/lines/query', { mayBeRecord: true }),
    route('GET /:id/lines'),
  ];

  it.each([
    ['GET', '/overdue', 'GET /overdue'],
    ['GET', '/query', 'GET /:id'],
    ['HEAD', '/query', 'GET /:id'],
    ['POST', '/query', 'POST /query'],
    ['PUT', '/query', 'PUT /:id'],
    ['HEAD', '/aggregate', 'GET /aggregate'],
    ['DELETE', '/aggregate', 'DELETE /:id'],
  ])('%s %s runs %s, and nothing else at the path', async (method, path, ran) => {
    for (const routes of [orders, orders.toReversed()]) {
      expect(await ask(routes, method, path)).toEqual({ body: expect.objectContaining({ ran }) });
    }
  });

  it.each([
    ['PUT', '/overdue', '405 GET, HEAD'],
    ['PATCH', '/query', '405 POST, GET, HEAD, PUT, DELETE'],
    ['POST', '/aggregate', '405 GET, HEAD, PUT, DELETE'],
    ['GET', '/1/lines/query', '405 POST'],
    ['PATCH', '/1', '405 GET, HEAD, PUT, DELETE'],
    ['PATCH', '/', '404'],
    ['OPTIONS', '/', '404'],
    ['OPTIONS', '/1/lines/', '404'],
    ['OPTIONS', '/%FF', '404'],
  ])('%s %s is %s', async (method, path, problem) => {
    expect(await ask(orders, method, path)).toEqual({ problem });
  });

  it.each([
    ['/query', 'POST, GET, HEAD, PUT, DELETE, OPTIONS'],
    ['/%71uery', 'POST, GET, HEAD, PUT, DELETE, OPTIONS'],
    ['/aggregate', 'GET, HEAD, PUT, DELETE, OPTIONS'],
    ['/overdue', 'GET, HEAD, OPTIONS'],
    ['', 'GET, HEAD, POST, OPTIONS'],
  ])('for the options of %s allows %s, as a 405 there does', async (path, allow) => {
    expect(await ask(orders, 'OPTIONS', path)).toEqual({ headers: { Allow: allow } });
    expect(await ask(orders, 'TRACE', path)).toEqual({ problem: `405 ${allow.replace(', OPTIONS', '')}` });
  });

  it('that one route has answered goes on to what follows the api, and not to another route', async () => {
    const seen: unknown[] = [];
    const ctx = { method: 'GET', path: '/mount', request: {} } as unknown as Context;
    await new ResourceRouter('x', '/x', orders).dispatch(ctx, '/x/aggregate', async () => void seen.push(ctx.body), 'run');
    expect(seen).toEqual([{ ran: 'GET /aggregate', params: {} }]);
    expect(ctx.body).toBe(seen[0]);
  });
});
