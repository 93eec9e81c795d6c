import { Readable } from 'node:stream';
import type Koa from 'koa';
import { type Context, Problem, type ProblemDocument, problems, Unauthorized, type WriteProblem } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useServer } from '../support/http/serve.ts';

const serve = useServer();
const throwing =
  (error: unknown): Koa.Middleware =>
  () => {
    throw error;
  };

const circular: Record<string, unknown> = {};
circular.self = circular;
const hostile = {
  get limit() {
    throw undefined;
  },
};

describe('problems()', () => {
  it('answers a Problem with its document, its headers and nothing of its cause', async () => {
    const cause = new Error('hunter2');
    const { request, errors } = await serve(
      problems(),
      throwing(new Problem({ code: 'overloaded', detail: 'Later.', headers: { 'retry-after': '7' }, cause })),
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
    for (const error of [new Problem({ code: 'not_found' }), new Unauthorized(), new Problem({ code: 'overloaded' })]) {
      const { request, errors } = await serve(problems(), throwing(error));
      expect((await request('GET', '/')).status).toBe(error.status);
      expect(errors).toEqual([]);
    }
  });

  it('has about:blank for a type where the status says all, and neither detail nor errors where there are none', async () => {
    const { request } = await serve(problems(), throwing(new Problem({ code: 'not_found' })));
    expect((await request('GET', '/')).body).toEqual({ type: 'about:blank', title: 'Not Found', status: 404, code: 'not_found' });
  });

  const phrases: Readonly<Record<number, readonly string[]>> = {
    404: ['Not Found', 'not_found'],
    409: ['Conflict', 'conflict'],
    413: ['Content Too Large', 'content_too_large'],
    418: ["I'm a Teapot", 'im_a_teapot'],
    422: ['Unprocessable Content', 'unprocessable_content'],
    460: ['Client Error', 'client_error'],
    503: ['Service Unavailable', 'service_unavailable'],
  };

  it.each([409, 413, 422, 460])('makes of ctx.throw(%i) a problem with the status’s own code', async (status) => {
    const { request, errors } = await serve(problems(), (ctx) => ctx.throw(status));
    const [title, code] = phrases[status] ?? [];
    const { body } = await request('GET', '/');
    const detail = status === 460 ? { detail: expect.any(String) } : {}; // http-errors has no phrase for it
    expect(body).toEqual({ type: 'about:blank', title, status, code, ...detail });
    expect(errors).toEqual([]);
  });

  it('keeps the status of ctx.throw(503), and not the message, which it does not expose', async () => {
    const { request, errors } = await serve(problems(), (ctx) => ctx.throw(503, 'hunter2', { headers: { 'retry-after': 9 } }));
    const { headers, body } = await request('GET', '/');
    expect(body).toEqual({ type: 'about:blank', title: 'Service Unavailable', status: 503, code: 'service_unavailable' });
    expect([headers['retry-after'], errors.length]).toEqual(['9', 1]);
  });

  it.each([404, 418, 503])('keeps status, message and headers of ctx.throw(%i, { expose: true })', async (status) => {
    const { request, errors } = await serve(problems(), (ctx) =>
      ctx.throw(status, 'Because.', { expose: true, headers: { 'x-why': 'so' } }),
    );
    const answer = await request('GET', '/');
    const [title, code] = phrases[status] ?? [];
    expect(answer.body).toEqual({ type: 'about:blank', title, status, detail: 'Because.', code });
    expect(answer.headers['x-why']).toBe('so');
    expect(errors).toHaveLength(status >= 500 ? 1 : 0);
  });

  it.each([new Error('hunter2'), 'hunter2', undefined, null, 0, { message: 'hunter2' }])(
    'answers anything else with a bare 500, and tells app.on(error): %o',
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
      throw new Problem({ code: 'forbidden' });
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

  describe('with a function that writes them', () => {
    const taken = new Problem({ status: 409, code: 'taken', detail: 'Taken.', errors: [{ field: 'a', message: 'is b' }] });
    const standard = { type: 'urn:problem:app:taken', title: 'Conflict', status: 409, detail: 'Taken.', code: 'taken' };

    it('sends the object that it makes of the document, as a problem document', async () => {
      const problem: WriteProblem = (document, { path }) => ({ ...document, instance: path });
      const { request, errors } = await serve(problems({ problem }), throwing(taken));
      const { status, headers, body, text } = await request('GET', '/a');
      expect([status, headers['content-type'], headers['content-length']]).toEqual([409, 'application/problem+json', String(text.length)]);
      expect(body).toEqual({ ...standard, errors: [{ field: 'a', message: 'is b', rule: 'check' }], instance: '/a' });
      expect(errors).toEqual([]);
    });

    it('has the content type that it sets, and the status and headers of the problem whatever it sets', async () => {
      const problem: WriteProblem = ({ code }, ctx) => {
        ctx.status = 200;
        ctx.body = 'else';
        ctx.type = 'text/plain';
        return `problem: ${code}`;
      };
      const { request } = await serve(problems({ problem }), throwing(new Unauthorized('Who?', { 'www-authenticate': 'Bearer' })));
      const { status, headers, text } = await request('GET', '/');
      expect([status, headers['www-authenticate'], text]).toEqual([401, 'Bearer', 'problem: unauthorized']);
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    });

    it('is given all that is answered, bugs included, and no more than the document', async () => {
      const given: ProblemDocument[] = [];
      const problem: WriteProblem = (document) => {
        given.push(document);
        return {};
      };
      const { request, errors } = await serve(problems({ problem }), throwing(new Error('hunter2')));
      expect(await request('GET', '/')).toMatchObject({ status: 500, text: '{}' });
      expect(given).toEqual([{ type: 'about:blank', title: 'Internal Server Error', status: 500 }]);
      expect(errors).toEqual([expect.objectContaining({ message: 'hunter2' })]);
    });

    const bad: readonly (readonly [what: string, problem: Any])[] = [
      ['throws', throwing(new Error('bug'))],
      ['throws what is no error', throwing(undefined)],
      ['returns nothing', () => undefined],
      ['returns null', () => null],
      ['returns an empty text', () => ''],
      ['returns a number', () => 5],
      ['returns a list', () => []],
      ['returns a promise', async () => ({})],
      ['returns a promise that rejects', () => Promise.reject(new Error('bug'))],
      ['returns a stream', () => Readable.from(['a'])],
      ['returns bytes', () => Buffer.from('a')],
      ['returns a circle', () => circular],
      ['returns what cannot be read', () => hostile],
      [
        'has set a type and a header that cannot be sent',
        (_document: unknown, ctx: Context) => {
          ctx.type = 'text/plain';
          ctx.set('x-wrong', 'a\nb');
        },
      ],
      [
        'changes the document and throws',
        (document: Any) => {
          document.status = 200;
          document.errors.push('x');
          throw new Error('bug');
        },
      ],
    ];

    it.each(bad)('sends the document itself where it %s, and reports why', async (_what, problem) => {
      const { request, errors } = await serve(problems({ problem }), throwing(taken));
      const { status, headers, body } = await request('GET', '/');
      expect([status, headers['content-type']]).toEqual([409, 'application/problem+json']);
      expect(body).toEqual({ ...standard, errors: [{ field: 'a', message: 'is b', rule: 'check' }] });
      expect(errors).toEqual([expect.objectContaining({ message: expect.any(String), stack: expect.any(String) })]);
    });

    it('must be a function', () => {
      expect(() => problems({ problem: {} as never })).toThrow('`problem` of `problems` must be a function, or be left out.');
    });
  });

  it('leaves a document that a middleware above can read and write anew', async () => {
    const above: Koa.Middleware = async (ctx, next) => {
      await next();
      if (ctx.type !== 'application/problem+json') return;
      const { code } = JSON.parse(ctx.body as string) as { code: string };
      ctx.body = { error: code };
      ctx.type = 'json';
    };
    const { request } = await serve(above, problems(), throwing(new Problem({ status: 409 })));
    const { status, headers, body } = await request('GET', '/');
    expect([status, headers['content-type'], body]).toEqual([409, 'application/json; charset=utf-8', { error: 'conflict' }]);
  });

  it('answers HEAD with the headers alone', async () => {
    const { request } = await serve(problems(), throwing(new Problem({ code: 'forbidden' })));
    const { status, headers, text } = await request('HEAD', '/');
    expect([status, headers['content-type'], text]).toEqual([403, 'application/problem+json', '']);
  });

  it.each([
    ['a Problem', Object.assign(new Problem({ code: 'overloaded' }), { headers: { 'x-wrong': 'a\nb' } })],
    ['a Problem with params that are no JSON', new Problem({ status: 409, errors: [{ field: 'a', message: 'b', params: circular }] })],
    ['a Problem with params that throw', new Problem({ status: 409, errors: [{ field: 'a', message: 'b', params: hostile }] })],
    ['an exposed error', Object.assign(new Error('no'), { status: 409, expose: true, headers: { 'x wrong': 'a' } })],
  ])('makes a bare 500 of what cannot be sent, and reports it: %s', async (_what, error) => {
    const { request, errors } = await serve(problems(), throwing(error));
    const { status, headers, body } = await request('GET', '/');
    expect([status, headers['content-type']]).toEqual([500, 'application/problem+json']);
    expect(body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
    expect(errors).toEqual([expect.objectContaining({ cause: error })]);
  });
});
