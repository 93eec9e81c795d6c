import type Koa from 'koa';
import { ConfigurationError, crossOrigin, problems } from '../../src/index.ts';
import { useServer } from '../support/http/serve.ts';

const serve = useServer();
const host = 'shop.example';
const trusting = { trustedOrigins: ['https://app.example', 'http://localhost:3000'] };

type Headers = Readonly<Record<string, string | undefined>>;
type Case = readonly [rule: string, method: string, headers: Headers, passes: boolean, trusts?: boolean];
/** The cases of Go's own `net/http/csrf_test.go`, and what attackers try at their edges. */
const cases: readonly Case[] = [
  ['same-origin', 'POST', { 'sec-fetch-site': 'same-origin' }, true],
  ['none: the user typed it, or opened a bookmark', 'POST', { 'sec-fetch-site': 'none' }, true],
  ['cross-site', 'POST', { 'sec-fetch-site': 'cross-site' }, false],
  ['same-site, which is another origin', 'POST', { 'sec-fetch-site': 'same-site' }, false],
  ['a value that nobody knows', 'POST', { 'sec-fetch-site': 'SAME-ORIGIN' }, false],
  ['two values', 'POST', { 'sec-fetch-site': 'same-origin, cross-site' }, false],
  ['same-origin, whatever the Origin says', 'POST', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, true],
  ['cross-site, with an Origin that is the Host', 'POST', { 'sec-fetch-site': 'cross-site', origin: `https://${host}` }, false],
  ['neither header: no browser', 'POST', {}, true],
  ['an empty Sec-Fetch-Site, as if there were none', 'POST', { 'sec-fetch-site': '', origin: 'https://evil.example' }, false],
  ['an empty Origin, as if there were none', 'POST', { origin: '' }, true],
  ['an Origin that is the Host', 'POST', { origin: `https://${host}` }, true],
  ['the same by http, which the Host cannot tell', 'POST', { origin: `http://${host}` }, true],
  ['an Origin that is the Host with its port', 'POST', { host: `${host}:8080`, origin: `https://${host}:8080` }, true],
  ['another port', 'POST', { origin: `https://${host}:8443` }, false],
  ['another Origin', 'POST', { origin: 'https://evil.example' }, false],
  ['a null Origin', 'POST', { origin: 'null' }, false],
  ['an Origin that is no URL', 'POST', { origin: 'not a valid url' }, false],
  ['an Origin that only begins with the Host', 'POST', { origin: `https://${host}.evil.example` }, false],
  ['an Origin that has the Host as a user', 'POST', { origin: `https://${host}@evil.example` }, false],
  ['an Origin that has the Host in its path', 'POST', { origin: `https://evil.example/${host}` }, false],
  ...['GET', 'HEAD', 'OPTIONS'].map((method) => [`${method}, which is safe`, method, { 'sec-fetch-site': 'cross-site' }, true] as const),
  ...['PUT', 'PATCH', 'DELETE'].map((method) => [`${method}, which is not`, method, { 'sec-fetch-site': 'cross-site' }, false] as const),
  ['a trusted origin', 'POST', { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' }, true, true],
  ['a trusted origin of a browser without Sec-Fetch-Site', 'POST', { origin: 'http://localhost:3000' }, true, true],
  ['one that is not trusted', 'POST', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false, true],
  ['a trusted host by another scheme', 'POST', { 'sec-fetch-site': 'cross-site', origin: 'http://app.example' }, false, true],
  ['a trusted host at another port', 'POST', { origin: 'https://app.example:444' }, false, true],
  ['a subdomain of a trusted one', 'POST', { origin: 'https://x.app.example' }, false, true],
  ['cross-site without an Origin', 'POST', { 'sec-fetch-site': 'cross-site' }, false, true],
];

describe('crossOrigin()', () => {
  it.each(cases.map(([rule, method, headers, passes, trusts = false]) => ({ rule, method, headers, passes, trusts })))(
    '$rule: passes $passes',
    async ({ method, headers, passes, trusts }) => {
      let isReached = false;
      const { request, errors } = await serve(problems(), crossOrigin(trusts ? trusting : {}), (ctx) => {
        isReached = true;
        ctx.status = 204;
      });
      const answer = await request(method, '/', { headers: { host, ...headers } });
      expect([answer.status, isReached, errors]).toEqual([passes ? 204 : 403, passes, []]);
      if (!passes) expect(answer.body).toMatchObject({ status: 403, code: 'cross_origin' });
    },
  );

  it.each([
    [true, 204],
    [false, 403],
  ])('believes the host that a proxy forwards where the app trusts its proxy, and only there: proxy %j', async (proxy, status) => {
    const trust: Koa.Middleware = (ctx, next) => {
      ctx.app.proxy = proxy;
      return next();
    };
    const { request } = await serve(trust, problems() as Koa.Middleware, crossOrigin() as Koa.Middleware, (ctx) => {
      ctx.status = 204;
    });
    const headers = { host: 'inside:8080', 'x-forwarded-host': host, origin: `https://${host}` };
    expect((await request('POST', '/', { headers })).status).toBe(status);
  });

  it.each<[string, unknown]>([
    ['a misspelt option', { trustedOrigin: ['https://app.example'] }],
    ['one text', { trustedOrigins: 'https://app.example' }],
    ['an origin that is no text', { trustedOrigins: [5] }],
    ['a host', { trustedOrigins: ['app.example'] }],
    ['a path', { trustedOrigins: ['https://app.example/'] }],
    ['a query', { trustedOrigins: ['https://app.example?a'] }],
    ['a wildcard', { trustedOrigins: ['*'] }],
    ['upper case, which no browser sends', { trustedOrigins: ['https://App.example'] }],
    ['a port that browsers leave out', { trustedOrigins: ['https://app.example:443'] }],
    ['null, which any sandboxed page is', { trustedOrigins: ['null'] }],
  ])('refuses %s when it is made', (_mistake, options) => {
    expect(() => crossOrigin(options as never)).toThrow(ConfigurationError);
    expect(() => crossOrigin(options as never)).toThrow(/trustedOrigin/);
  });
});
