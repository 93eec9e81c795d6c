import { EventEmitter, once } from 'node:events';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { defineModel, service, t, Unauthorized } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { readAnswer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.optional(t.string()) } });

const database = useDatabase();
const seen = new EventEmitter();
const api = useApi(database, (shop) => [shop.resource({ model: Doc }), shop.resource({ model: Doc, path: 'second' })], {
  maxConcurrency: 2,
  authenticate: (ctx) => void seen.emit(ctx.get('x-name')),
});
const fair = useApi<string>(database, (shop) => [shop.resource({ model: Doc })], {
  maxConcurrency: { total: 3, each: 2, by: (ctx) => ctx.principal },
  batch: true,
  authenticate(ctx) {
    if (ctx.get('x-caller') === 'bad') throw new Unauthorized();
    seen.emit(ctx.get('x-name'));
    return ctx.get('x-caller');
  },
});
const unlimited = useApi(database, (shop) => [shop.resource({ model: Doc })]);

const begin = (name: string) => beginAt(api.port, { 'x-name': name });
const beginAs = (caller: string, name: string) => beginAt(fair.port, { 'x-name': name, 'x-caller': caller });

/** A request that is in flight as long as its body is not ended. */
async function beginAt(port: number, names: { readonly 'x-name': string; readonly 'x-caller'?: string }): Promise<ClientRequest> {
  const headers = { 'content-type': 'application/json', ...names };
  const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/api/docs', headers, agent: false });
  request.on('error', () => undefined); // those that the test ends itself
  const arrived = once(seen, names['x-name']);
  request.write('{');
  await arrived;
  return request;
}

async function end(request: ClientRequest): Promise<number> {
  const response = once(request, 'response');
  request.end('}');
  return (await readAnswer((await response)[0])).status;
}

/** Until the server has seen that a client is gone. */
async function untilFree(): Promise<void> {
  await until(async () => (await api.request('GET', '/api/docs')).status === 200);
}

describe('maxConcurrency', () => {
  it('answers 503 with Retry-After to a request beyond it, while the bodies of the others are still being read', async () => {
    const first = await begin('first');
    const second = await begin('second');
    for (const path of ['/api/docs', '/api/second', '/api/docs/none']) {
      const { status, headers, body } = await api.request('GET', path);
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(body).toEqual({
        type: 'urn:problem:koa-mongo-resource:overloaded',
        title: 'Too many requests in flight',
        status: 503,
        detail: expect.any(String),
        code: 'overloaded',
      });
    }
    expect(await end(first)).toBe(201);
    expect((await api.request('GET', '/api/second')).status).toBe(200);
    expect(await end(second)).toBe(201);
    expect(api.errors).toEqual([]);
  });

  it('does not count requests that address nothing, nor refuse them', async () => {
    const requests = [await begin('a'), await begin('b')];
    expect((await api.request('GET', '/api/nothing')).status).toBe(404);
    expect((await api.request('PUT', '/api/docs')).status).toBe(405);
    for (const request of requests) await end(request);
  });

  it('has room again after requests that failed', async () => {
    for (let n = 0; n < 5; n++) {
      expect((await api.request('POST', '/api/docs', { body: '{' })).status).toBe(400);
      expect((await api.request('GET', '/api/docs/0123456789abcdef01234567')).status).toBe(404);
    }
    expect((await api.request('GET', '/api/docs')).status).toBe(200);
  });

  it('has room again after clients that went away while they sent', async () => {
    for (let n = 0; n < 3; n++) {
      const requests = [await begin('gone'), await begin('also gone')];
      for (const request of requests) request.destroy();
      await untilFree();
    }
    expect((await api.request('GET', '/api/docs')).status).toBe(200);
  });

  it('leaves the places of others free with `each` and `by`, which know the caller, and counts a batch as one request', async () => {
    const requests = [await beginAs('ann', 'one'), await beginAs('ann', 'two')];
    const asAnn = { headers: { 'x-caller': 'ann' } };
    const operations = [{ method: 'POST', path: '/docs', body: {} }];
    for (const [method, path, body] of [
      ['GET', '/api/docs', undefined],
      ['POST', '/api/docs', {}],
      ['POST', '/api/batch', { operations }],
    ] as const) {
      const answer = await fair.request(method, path, { ...asAnn, body });
      expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([429, 'too_many_requests', '1']);
      expect((await fair.request(method, path, { headers: { 'x-caller': 'bob' }, body })).status).toBeLessThan(300);
    }
    expect((await fair.request('GET', '/api/docs', { headers: { 'x-caller': 'bad' } })).status).toBe(401); // before it counts for anybody
    for (const request of requests) expect(await end(request)).toBe(201);
    expect((await fair.request('GET', '/api/docs', asAnn)).status).toBe(200);
    expect(fair.errors).toEqual([]);
  });

  it.each<[unknown, RegExp]>([
    [{}, /`each` of `maxConcurrency` must be a whole number of at least 1/],
    [{ each: 1 }, /`by` of `maxConcurrency` must be a function/],
    [{ each: 0, by: () => 'a' }, /`each` of `maxConcurrency` must be a whole number of at least 1/],
    [{ total: 0, each: 1, by: () => 'a' }, /`total` of `maxConcurrency` must be a whole number of at least 1/],
    [{ total: 5, each: 5, by: () => 'a' }, /`each` of `maxConcurrency` must be less than `total`, or it would limit nothing/],
    [{ totl: 5, each: 1, by: () => 'a' }, /did you mean `total`/],
    [null, /options of `maxConcurrency` must be an object/],
    ['5', /`maxConcurrency` must be a whole number of at least 1/],
    [[], /options of `maxConcurrency` must be an object/],
  ])('refuses settings that are none: %o', (maxConcurrency, message) => {
    const shop = service();
    const options = { db: database.db, resources: [shop.resource({ model: Doc })], maxConcurrency: maxConcurrency as number };
    expect(() => shop.api(options)).toThrow(message);
  });

  it('is without limit unless it is given', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => unlimited.request('GET', '/api/docs')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
