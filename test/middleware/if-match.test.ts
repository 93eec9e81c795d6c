import { type Context, type IfMatchOptions, ifMatch, problems } from '../../src/index.ts';
import { useServer } from '../support/http/serve.ts';

const serve = useServer();

async function ask(options: IfMatchOptions | undefined, header: string | undefined, noneMatch?: string, method = 'PUT') {
  let precondition: unknown;
  const { request } = await serve(problems(), ifMatch(options), (ctx: Context) => {
    precondition = ctx.precondition;
    ctx.body = 'passed';
  });
  const { status, body, text } = await request(method, '/', { headers: { 'if-match': header, 'if-none-match': noneMatch } });
  return text === 'passed' ? precondition : `${status} ${body.code}`;
}

describe('ifMatch()', () => {
  it.each<[string | undefined, unknown]>([
    [undefined, undefined],
    ['*', { ifMatch: '*' }],
    ['"3"', { ifMatch: [{ weak: false, tag: '3' }] }],
    [
      '"3", W/"4"',
      {
        ifMatch: [
          { weak: false, tag: '3' },
          { weak: true, tag: '4' },
        ],
      },
    ],
    ['', { ifMatch: [] }],
    ['3', '400 malformed_header'],
  ])('reads %o into ctx.precondition: %o', async (header, precondition) => {
    expect(await ask(undefined, header)).toEqual(precondition);
  });

  it('is 428 without the header where it is required, and not otherwise', async () => {
    expect(await ask({ required: true }, undefined)).toBe('428 precondition_required');
    expect(await ask({ required: true }, '*')).toEqual({ ifMatch: '*' });
    expect(await ask({ required: true }, undefined, '"3"')).toBe('428 precondition_required');
    expect(await ask({ required: false }, undefined)).toBeUndefined();
  });

  it('reads If-None-Match of a write beside it, and leaves that of a read to `notModified`', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      expect(await ask(undefined, undefined, 'W/"3"', method)).toEqual({ ifNoneMatch: [{ weak: true, tag: '3' }] });
      expect(await ask(undefined, '*', '*', method)).toEqual({ ifMatch: '*', ifNoneMatch: '*' });
      expect(await ask(undefined, undefined, '3', method)).toBe('400 malformed_header');
    }
    expect(await ask(undefined, undefined, '3', 'GET')).toBeUndefined();
    expect(await ask(undefined, '*', '"3"', 'GET')).toEqual({ ifMatch: '*' });
  });

  it.each<[noneMatch: string, current: string | undefined, passes: boolean]>([
    ['"3"', '3', false],
    ['W/"3"', '3', false],
    ['"2"', '3', true],
    ['"3"', undefined, true],
    ['*', undefined, false],
    ['', '3', true],
  ])('compares If-None-Match with `current` too: %o and %o', async (noneMatch, current, passes) => {
    expect((await ask({ current: () => current }, undefined, noneMatch)) === '412 precondition_failed').toBe(!passes);
  });

  it.each<[header: string, current: string | undefined, passes: boolean]>([
    ['"3"', '3', true],
    ['"2", "3"', '3', true],
    ['*', '3', true],
    ['*', undefined, true],
    ['"2"', '3', false],
    ['W/"3"', '3', false],
    ['"03"', '3', false],
    ['"3"', undefined, false],
    ['', '3', false],
  ])('compares by itself with `current`, for routes without a store: %o and %o', async (header, current, passes) => {
    for (const given of [() => current, async () => current]) {
      const answer = await ask({ current: given }, header);
      expect(answer === '412 precondition_failed').toBe(!passes);
    }
  });

  it.each<[header: string, current: string | undefined, detail: RegExp]>([
    ['"a"', 'b', /^The record has changed since/],
    ['W/"b"', 'b', /^If-Match has a tag that this service does not send/],
    ['"b-gzip"', 'b', /^If-Match has a tag that this service does not send/],
    ['"b-zstd"', 'b', /^If-Match has a tag that this service does not send/],
    ['', 'b', /^If-Match names no entity tag/],
    ['"b"', undefined, /^The record has no revision/],
  ])('says why %s does not match %s: %s', async (header, current, detail) => {
    const { request } = await serve(problems(), ifMatch({ current: () => current }));
    const { status, body } = await request('PUT', '/', { headers: { 'if-match': header } });
    expect([status, body.detail]).toEqual([412, expect.stringMatching(detail)]);
  });

  it('does not ask for `current` without the header', async () => {
    const never = () => {
      throw new Error('asked');
    };
    expect(await ask({ current: never }, undefined)).toBeUndefined();
  });
});
