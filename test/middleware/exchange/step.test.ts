import koaCompose from 'koa-compose';
import type { Context, ResourceMiddleware } from '../../../src/middleware/exchange/context.ts';
import { problemsOf } from '../../../src/middleware/exchange/descriptor.ts';
import { composeChain, joinSteps, madeLate, onlyFor, runAlone, step } from '../../../src/middleware/exchange/step.ts';

/** A context that keeps what runs. */
interface Noted {
  readonly noted: string[];
}
const note = (ctx: Context, text: string) => {
  (ctx as unknown as Noted).noted.push(text);
};

const sync = (name: string) =>
  step({}, function sync(ctx) {
    note(ctx, name);
  });
const slow = (name: string) =>
  step({}, async function slow(ctx) {
    note(ctx, `${name} begins`);
    await Promise.resolve();
    note(ctx, `${name} ends`);
  });
const around = (name: string): ResourceMiddleware =>
  async function around(ctx, next) {
    note(ctx, `${name} before`);
    try {
      await next();
      note(ctx, `${name} after`);
    } catch (error) {
      note(ctx, `${name} caught ${(error as Error).message}`);
      throw error;
    }
  };
const last =
  (name: string): ResourceMiddleware =>
  async (ctx) =>
    note(ctx, name);
const throwing = step({}, () => {
  throw new Error('thrown');
});
const rejecting = step({}, async () => {
  throw new Error('rejected');
});
const throwingAround = (() => {
  throw new Error('thrown around');
}) as ResourceMiddleware;
const twice: ResourceMiddleware = async (_ctx, next) => {
  await next();
  await next();
};

async function run(chain: ResourceMiddleware, asked = { querystring: '', req: { headers: {} } }): Promise<string[]> {
  const ctx = { noted: [] as string[], ...asked };
  try {
    await chain(ctx as unknown as Context, async () => {
      ctx.noted.push('next');
    });
  } catch (error) {
    ctx.noted.push(`rejected with ${(error as Error).message}`);
  }
  return ctx.noted;
}

describe('composeChain()', () => {
  it.each<[what: string, chain: readonly ResourceMiddleware[]]>([
    ['nothing', []],
    ['steps', [sync('a'), slow('b'), sync('c'), slow('d')]],
    ['steps around which others stand', [sync('a'), around('b'), slow('c'), sync('d'), around('e'), last('f')]],
    ['what ends a chain', [slow('a'), last('b'), sync('never')]],
    ['a step that throws', [around('a'), slow('b'), throwing, sync('never')]],
    ['a first step that throws', [throwing, last('never')]],
    ['a step that rejects', [around('a'), sync('b'), rejecting, last('never')]],
    ['a middleware that throws and is not async', [sync('a'), throwingAround, last('never')]],
    ['a second call of next()', [sync('a'), twice, sync('b'), last('c')]],
    ['a second call of next() at the end', [sync('a'), twice]],
  ])('runs %s as the same middlewares run in Koa', async (_what, chain) => {
    const ours = await run(composeChain(chain));
    expect(ours).toEqual(await run(koaCompose([...chain]) as ResourceMiddleware));
    expect(ours.length).toBeGreaterThan(0);
    expect(ours).not.toContain('never');
  });

  it('awaits only promises: steps without any end before it returns', async () => {
    const ctx = { noted: [] as string[] };
    const running = composeChain([sync('a'), sync('b'), last('c')])(ctx as unknown as Context, async () => undefined);
    expect(ctx.noted).toEqual(['a', 'b', 'c']);
    await running;
  });

  it('has the names of its middlewares', () => {
    expect(composeChain([sync('a'), around('b'), last('c')]).name).toBe('sync + around + (anonymous)');
  });
});

describe('joinSteps()', () => {
  it('makes one middleware of steps that follow each other, with their names, and leaves the others as they are', () => {
    const outer = around('c');
    const chain = joinSteps([sync('a'), slow('b'), outer, sync('d'), last('e')]);
    expect(chain.map(({ name }) => name)).toEqual(['sync + slow', 'around', 'sync', '']);
    expect(chain[1]).toBe(outer);
  });

  it('makes a chain that Koa itself can compose', async () => {
    const chain = [sync('a'), slow('b'), around('c'), sync('d'), last('e')];
    expect(await run(koaCompose(joinSteps(chain)) as ResourceMiddleware)).toEqual(await run(koaCompose(chain) as ResourceMiddleware));
  });
});

describe('a function around a middleware', () => {
  it('runs itself, also with the properties of the middleware copied to it', async () => {
    const inner = step({ problems: ['not_found'] }, (ctx) => note(ctx, 'inner'));
    const outer = Object.assign(async (ctx: Context, next: () => Promise<void>) => {
      note(ctx, 'outer');
      await inner(ctx, next);
    }, inner);
    expect(await run(composeChain([sync('a'), outer, last('b')]))).toEqual(['a', 'outer', 'inner', 'b']);
  });
});

describe('step()', () => {
  it('makes a middleware with the name and the problems of the step', () => {
    const made = step({ problems: ['not_found'] }, function findSomething() {});
    expect([made.name, problemsOf(made, 'GET')]).toEqual(['findSomething', ['not_found']]);
  });
});

describe('madeLate()', () => {
  it('makes a middleware once, when it is called for the first time', async () => {
    let made = 0;
    const late = madeLate('a', () => {
      made++;
      return last('a');
    });
    expect([made, late.name]).toEqual([0, 'a']);
    expect([await run(late), await run(late), made]).toEqual([['a'], ['a'], 1]);
  });
});

describe('onlyFor()', () => {
  const ofQuery = step(
    { problems: ['not_found'] },
    onlyFor('query', function ofQuery(ctx) {
      note(ctx, 'query');
    }),
  );
  const ofHeaders = onlyFor(['if-match', 'if-none-match'], around('headers'));
  const chain = [ofQuery, ofHeaders, last('end')];

  it.each<[asked: string, querystring: string, headers: object, noted: readonly string[]]>([
    ['neither part', '', {}, ['end']],
    ['another header', '', { 'if-range': '"1"' }, ['end']],
    ['a query', 'a=1', {}, ['query', 'end']],
    ['one of the headers', '', { 'if-none-match': '' }, ['headers before', 'end', 'headers after']],
    ['both parts', 'a', { 'if-match': '*' }, ['query', 'headers before', 'end', 'headers after']],
  ])('runs what a request with %s is about, composed and in Koa', async (_asked, querystring, headers, noted) => {
    const asked = { querystring, req: { headers } };
    expect(await run(composeChain(chain), asked)).toEqual(noted);
    expect(await run(koaCompose(chain) as ResourceMiddleware, asked)).toEqual(noted);
  });

  it('keeps the name and the problems', () => {
    expect([ofQuery.name, ofHeaders.name, problemsOf(ofQuery, 'GET')]).toEqual(['ofQuery', 'around', ['not_found']]);
  });
});

describe('runAlone()', () => {
  it.each([
    ['a step', sync('a')],
    ['a middleware', last('a')],
  ])('runs %s without the rest of its chain', async (_what, middleware) => {
    const ctx = { noted: [] as string[] };
    await runAlone(middleware, ctx as unknown as Context);
    expect(ctx.noted).toEqual(['a']);
  });
});
