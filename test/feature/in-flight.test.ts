import { EventEmitter, once } from 'node:events';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { defineModel, t } from '../../src/index.ts';
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
const unlimited = useApi(database, (shop) => [shop.resource({ model: Doc })]);

/** A request that is in flight as long as its body is not ended. */
async function begin(name: string): Promise<ClientRequest> {
  const headers = { 'content-type': 'application/json', 'x-name': name };
  const request = httpRequest({ port: api.port, host: '127.0.0.1', method: 'POST', path: '/api/docs', headers, agent: false });
  request.on('error', () => undefined); // those that the test ends itself
  const arrived = once(seen, name);
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

  it('is without limit unless it is given', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => unlimited.request('GET', '/api/docs')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
