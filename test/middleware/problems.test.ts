import { describe, expect, it } from '@jest/globals';
import type Koa from 'koa';
import { Problem, problems, Unauthorized } from '../../src/index.ts';
import { useServer } from '../support/serve.ts';

const serve = useServer();
const throwing =
  (error: unknown): Koa.Middleware =>
  () => {
    throw error;
  };

describe('problems()', () => {
  it('answers a Problem with its document, its headers and nothing of its cause', async () => {
    const cause = new Error('hunter2');
    const { request, errors } = await serve(
      problems(),
      throwing(new Problem('overloaded', 'Later.', { headers: { 'retry-after': '7' }, cause })),
    );
    const { status, headers, body, text } = await request('GET', '/');
    expect([status, headers['retry-after'], headers['content-type']]).toEqual([503, '7', 'application/problem+json']);
    expect(body).toEqual({
      type: 'urn:problem:koa-mongo-resource:overloaded',
      title: 'Too many requests in flight',
      status: 503,
      detail: 'Later.',
      code: 'overloaded',
    });
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    expect(errors).toEqual([expect.objectContaining({ cause })]);
  });

  it('reports neither what the client did wrong nor a 5xx that nothing caused', async () => {
    for (const error of [new Problem('not_found'), new Unauthorized(), new Problem('overloaded')]) {
      const { request, errors } = await serve(problems(), throwing(error));
      expect((await request('GET', '/')).status).toBe(error.status);
      expect(errors).toEqual([]);
    }
  });

  it('has about:blank for a type where the status says all, and neither detail nor errors where there are none', async () => {
    const { request } = await serve(problems(), throwing(new Problem('not_found')));
    expect((await request('GET', '/')).body).toEqual({ type: 'about:blank', title: 'Not Found', status: 404, code: 'not_found' });
  });

  it.each([404, 418, 503])('keeps status, message and headers of ctx.throw(%i, { expose: true })', async (status) => {
    const { request, errors } = await serve(problems(), (ctx) =>
      ctx.throw(status, 'Because.', { expose: true, headers: { 'x-why': 'so' } }),
    );
    const answer = await request('GET', '/');
    expect(answer.body).toEqual({ type: 'about:blank', title: expect.any(String), status, detail: 'Because.' });
    expect(answer.headers['x-why']).toBe('so');
    expect(errors).toHaveLength(status >= 500 ? 1 : 0);
  });

  it.each([new Error('hunter2'), 'hunter2', undefined, null, 0, { message: 'hunter2' }])(
    'answers anything else with a bare 500, and tells app.on(error): %p',
    async (error) => {
      const { request, errors } = await serve(problems(), throwing(error));
      const { headers, body } = await request('GET', '/');
      expect(body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
      expect(headers['content-type']).toBe('application/problem+json');
      expect(errors).toHaveLength(1);
      expect(errors[0]).toBeInstanceOf(Error);
    },
  );

  it('keeps headers that were set before, and drops a body that was begun', async () => {
    const { request } = await serve(problems(), (ctx) => {
      ctx.set('x-before', '1');
      ctx.status = 201;
      ctx.body = { half: true };
      throw new Problem('forbidden');
    });
    const { status, headers, body } = await request('GET', '/');
    expect([status, headers['x-before'], body.code]).toEqual([403, '1', 'forbidden']);
    expect(body).not.toHaveProperty('half');
  });

  it('lets answers pass that are none of its business', async () => {
    const { request } = await serve(problems(), (ctx) => {
      ctx.body = 'fine';
    });
    const { status, text } = await request('GET', '/');
    expect([status, text]).toEqual([200, 'fine']);
    const nothing = await (await serve(problems())).request('GET', '/');
    expect([nothing.status, nothing.text]).toEqual([404, 'Not Found']);
  });

  it('answers HEAD with the headers alone', async () => {
    const { request } = await serve(problems(), throwing(new Problem('forbidden')));
    const { status, headers, text } = await request('HEAD', '/');
    expect([status, headers['content-type'], text]).toEqual([403, 'application/problem+json', '']);
  });

  it.each([
    ['a Problem', new Problem('overloaded', 'Later.', { headers: { 'x-wrong': 'a\nb' } })],
    ['an exposed error', Object.assign(new Error('no'), { status: 409, expose: true, headers: { 'x wrong': 'a' } })],
  ])('makes a bare 500 of %s with a header that cannot be sent, and reports it', async (_what, error) => {
    const { request, errors } = await serve(problems(), throwing(error));
    const { status, headers, body } = await request('GET', '/');
    expect([status, headers['content-type']]).toEqual([500, 'application/problem+json']);
    expect(body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
    expect(errors).toEqual([expect.objectContaining({ cause: error })]);
  });
});
