import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/index.ts';
import { authenticate, ConfigurationError, problems, Unauthorized } from '../../src/index.ts';
import { useServer } from '../support/serve.ts';

const serve = useServer();

describe('authenticate()', () => {
  it.each<[string, unknown]>([
    ['a principal', { name: 'ann' }],
    ['a promise of one', Promise.resolve('ann')],
    ['a falsy one that is somebody', 0],
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

  it.each([undefined, null])('leaves the request anonymous for %p: requirePrincipal() then throws 401', async (nobody) => {
    const { request } = await serve(
      problems(),
      authenticate(() => nobody),
      (ctx: Context) => {
        ctx.body = { isAnonymous: ctx.principal === undefined };
        if (ctx.path === '/required') ctx.requirePrincipal();
      },
    );
    expect((await request('GET', '/')).body).toEqual({ isAnonymous: true });
    expect((await request('GET', '/required')).status).toBe(401);
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
