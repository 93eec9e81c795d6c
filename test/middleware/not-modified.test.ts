import { notModified, problems } from '../../src/index.ts';
import { useServer } from '../support/http/serve.ts';

const serve = useServer();

async function ask(header: string | undefined, answer: { etag?: string; status?: number } = { etag: '"v1"' }) {
  const { request } = await serve(problems(), notModified(), (ctx) => {
    ctx.status = answer.status ?? 200;
    if (answer.etag !== undefined) ctx.set('ETag', answer.etag);
    ctx.set('Cache-Control', 'no-cache');
    ctx.body = { report: true };
  });
  return request('GET', '/', { headers: { 'if-none-match': header } });
}

describe('notModified()', () => {
  it.each(['"v1"', 'W/"v1"', '*', '"v0", W/"v1"'])(
    'answers 304 with the headers and without a body when If-None-Match is %s',
    async (header) => {
      const { status, headers, text } = await ask(header);
      expect([status, text, headers.etag, headers['cache-control']]).toEqual([304, '', '"v1"', 'no-cache']);
      expect(headers).not.toHaveProperty('content-type');
      expect(headers).not.toHaveProperty('content-length');
    },
  );

  it.each([undefined, '"v2"', '', 'v1', '"V1"'])('answers 200 when it is %o', async (header) => {
    const { status, body } = await ask(header);
    expect([status, body]).toEqual([200, { report: true }]);
  });

  it('compares weakly with a weak ETag too', async () => {
    expect((await ask('"v1"', { etag: 'W/"v1"' })).status).toBe(304);
  });

  it('compares nothing without an ETag, not even a star', async () => {
    expect((await ask('*', {})).status).toBe(200);
  });

  it('leaves other answers than 200 alone', async () => {
    expect((await ask('"v1"', { etag: '"v1"', status: 201 })).status).toBe(201);
  });
});
