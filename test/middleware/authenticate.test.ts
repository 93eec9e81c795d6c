import type { Context } from '../../src/index.ts';
import { authenticate, ConfigurationError, guards, problems, Unauthorized } from '../../src/index.ts';
import { useServer } from '../support/http/serve.ts';

const serve = useServer();

describe('authenticate()', () => {
  it.each<[string, unknown]>([
    ['a principal', { name: 'ann' }],
    ['a promise of one', Promise.resolve('ann')],
    ['a number', 7],
    ['an object without members', {}],
  ])('leaves what it found as ctx.principal and in ctx.requirePrincipal(): %s', async (_name, principal) => {
    const { request } = await serve(
      problems(),
      authenticate(() => principal as object),
      (ctx: Context) => {
        ctx.body = { principal: ctx.principal, required: ctx.requirePrincipal() };
      },
    );
    const expected = await principal;
    expect((await request('GET', '/')).body).toEqual({ principal: expected, required: expected });
  });

  it.each([undefined, null, false, 0, -0, 0n, Number.NaN, ''])(
    'leaves the request anonymous for %o: requirePrincipal() then throws 401',
    async (nobody) => {
      const { request } = await serve(
        problems(),
        authenticate(async () => nobody),
        (ctx: Context) => {
          ctx.body = { isAnonymous: ctx.principal === undefined };
          if (ctx.path === '/required') ctx.requirePrincipal();
        },
      );
      expect((await request('GET', '/')).body).toEqual({ isAnonymous: true });
      expect((await request('GET', '/required')).status).toBe(401);
    },
  );

  it('takes a principal that is given as it is, and waits for nothing', async () => {
    const principals: unknown[] = [];
    const { request } = await serve(
      problems(),
      (ctx: Context, next) => {
        ctx.givenPrincipal = { principal: new Promise(() => undefined) };
        return next();
      },
      authenticate(() => 'ben'),
      (ctx: Context) => {
        principals.push(ctx.principal === ctx.givenPrincipal?.principal);
        ctx.body = 'done';
      },
    );
    expect((await request('GET', '/')).text).toBe('done');
    expect(principals).toEqual([true]);
  });

  it('forgets the guards that opened for somebody else, when it stands in a chain again', async () => {
    const calls: unknown[] = [];
    const isAnn = (ctx: Context) => {
      calls.push(ctx.principal);
      return ctx.principal === 'ann';
    };
    const { request } = await serve(
      problems(),
      authenticate(() => 'ann'),
      guards(isAnn),
      authenticate((ctx) => ctx.get('x-user')),
      guards(isAnn),
      (ctx) => {
        ctx.body = 'open';
      },
    );
    expect((await request('GET', '/', { headers: { 'x-user': 'ben' } })).status).toBe(403);
    expect((await request('GET', '/')).status).toBe(403);
    expect((await request('GET', '/', { headers: { 'x-user': 'ann' } })).text).toBe('open');
    expect(calls).toEqual(['ann', 'ben', 'ann', undefined, 'ann', 'ann']);
  });

  it('answers 401 with the headers of Unauthorized', async () => {
    const { request } = await serve(
      problems(),
      authenticate(() => {
        throw new Unauthorized('Expired.', { 'www-authenticate': 'Bearer error="invalid_token"' });
      }),
    );
    const { status, headers, body } = await request('GET', '/');
    expect([status, headers['www-authenticate'], body.detail]).toEqual([401, 'Bearer error="invalid_token"', 'Expired.']);
  });

  it('refuses what is no function, when it is made', () => {
    expect(() => authenticate(undefined as never)).toThrow(ConfigurationError);
  });
});
