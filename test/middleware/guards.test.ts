import { ConfigurationError, guards, problems } from '../../src/index.ts';
import { useServer } from '../support/http/serve.ts';

const serve = useServer();

describe('guards()', () => {
  it('lets a request pass when every guard returns true, in order, promises awaited', async () => {
    const calls: string[] = [];
    const first = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return calls.push('first') > 0;
    };
    const second = () => calls.push('second') > 0;
    const { request } = await serve(problems(), guards(first, second), (ctx) => {
      ctx.body = 'open';
    });
    expect((await request('GET', '/')).text).toBe('open');
    expect(calls).toEqual(['first', 'second']);
  });

  it('is 403 for anything else than true, and asks no further', async () => {
    let asked = false;
    const next = () => {
      asked = true;
      return true;
    };
    for (const answer of [false, undefined, null, 1, 'yes', {}]) {
      const { request, errors } = await serve(
        problems(),
        guards(() => answer as boolean, next),
      );
      const { status, body } = await request('GET', '/');
      expect([status, body.code, errors]).toEqual([403, 'forbidden', []]);
    }
    expect(asked).toBe(false);
  });

  it('asks one function once per request, in however many places it stands', async () => {
    let calls = 0;
    const guard = () => ++calls > 0;
    const { request } = await serve(problems(), guards(guard, guard), guards(guard), (ctx) => {
      ctx.body = 'open';
    });
    await request('GET', '/');
    expect(calls).toBe(1);
    await request('GET', '/');
    expect(calls).toBe(2);
  });

  it('is open without guards, and refuses what is no function when it is made', async () => {
    const { request } = await serve(problems(), guards(), (ctx) => {
      ctx.body = 'open';
    });
    expect((await request('GET', '/')).text).toBe('open');
    for (const guard of [undefined, null, 'admin', true]) expect(() => guards(guard as never)).toThrow(ConfigurationError);
  });
});
