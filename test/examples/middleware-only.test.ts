import { createApp } from '../../examples/middleware-only/app.ts';
import { useListener } from '../support/http/listen.ts';
import { type Sent, send } from '../support/http/serve.ts';
import { useExamples } from './start-example.ts';

const listen = useListener();
const start = useExamples();
let port: number;
const request = (method: string, sent: Sent = {}) => send(port, method, '/settings', sent);
const root = { authorization: 'Bearer root' };

beforeEach(async () => {
  port = await listen(createApp().callback());
});

describe('the settings of an ordinary Koa app', () => {
  it('are read by everybody, with an ETag', async () => {
    const { status, headers, body } = await request('GET');
    expect([status, headers.etag, body]).toEqual([200, '"0"', { theme: 'light', perPage: 20 }]);
    expect((await request('GET', { headers: { 'if-none-match': '"0"' } })).status).toBe(304);
  });

  it('are written by who has seen them', async () => {
    const headers = { ...root, 'if-match': '"0"' };
    const written = await request('PUT', { headers, body: { theme: 'dark' } });
    expect([written.status, written.headers.etag, written.body]).toEqual([200, '"1"', { theme: 'dark', perPage: 20 }]);
    expect((await request('PUT', { headers, body: {} })).body).toMatchObject({ status: 412, code: 'precondition_failed' });
  });

  it.each<[string, number, Sent]>([
    ['another scheme', 401, { headers: { authorization: 'Basic eA==' }, body: {} }],
    ['no credentials', 401, { body: {} }],
    ['no admin', 403, { headers: { authorization: 'Bearer ann' }, body: {} }],
    ['a body that is too large', 413, { headers: root, body: { theme: 'x'.repeat(1000) } }],
    ['a body of another type', 415, { headers: { ...root, 'content-type': 'text/plain' }, body: '{}' }],
    ['no JSON', 400, { headers: root, body: '{' }],
    ['wrong values', 422, { headers: root, body: { theme: 'blue', perPage: 0, colour: 1 } }],
    ['no If-Match', 428, { headers: root, body: {} }],
  ])('are not written with %s: %i', async (_what, status, sent) => {
    const answer = await request('PUT', sent);
    expect([answer.status, answer.body.status, answer.headers['content-type']]).toEqual([status, status, 'application/problem+json']);
    expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer realm="orders"' : undefined);
    expect((await request('GET')).headers.etag).toBe('"0"');
  });

  it('start as a program', async () => {
    const url = await start('middleware-only/server.ts', { PORT: '0' }).says(/http\S+/);
    expect(await (await fetch(url)).json()).toEqual({ theme: 'light', perPage: 20 });
  });
});
