import type Koa from 'koa';
import { canAnswer } from './can-answer.ts';
import type { AnswersProblems, Context, ResourceMiddleware } from './context.ts';

/** Does something before the rest of a chain runs. */
export type Step = (ctx: Context) => void | Promise<void>;

/** Not a property: a wrapper that copies the properties of a middleware would be taken for its step. */
const steps = new WeakMap<ResourceMiddleware, Step>();

/**
 * Makes a Koa middleware of a step, with the codes of the problems that it can answer. {@link compose} runs the step
 * itself. A middleware that does something after `next()` cannot be a step.
 */
export function step(problems: NonNullable<AnswersProblems['problems']>, run: Step): ResourceMiddleware {
  const { name } = run;
  // A function takes the name of its key: to define its `name` afterwards takes longer than all else here, for each of
  // the dozens of steps of a resource.
  const middleware = {
    async [name](ctx: Context, next: Koa.Next): Promise<void> {
      await run(ctx);
      await next();
    },
  }[name] as ResourceMiddleware;
  steps.set(middleware, run);
  return canAnswer(problems, middleware);
}

/** A part that not every request has: the query string, or one of some headers. */
type Part = 'query' | readonly string[];

/** Runs a step or a middleware only for requests with a part, without which it would do nothing. */
export function onlyFor<Run extends Step | ResourceMiddleware>(part: Part, run: Run): Run {
  const { name } = run;
  return { [name]: (ctx: Context, next?: Koa.Next) => (isWithout(part, ctx) ? next?.() : run(ctx, next as Koa.Next)) }[name] as Run;
}

function isWithout(part: Part, { req, querystring }: Context): boolean {
  return part === 'query' ? querystring === '' : part.every((header) => req.headers[header] === undefined);
}

/** Calls `use` with a value: at once, unless the value is a promise. */
export function whenKnown<Value>(value: Value | PromiseLike<Value>, use: (known: Value) => void | Promise<void>): void | Promise<void> {
  return isThenable(value) ? Promise.resolve(value).then(use) : use(value);
}

function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as { readonly then?: unknown } | undefined | null)?.then === 'function';
}

/** Runs a middleware without the rest of its chain. */
export function runAlone(middleware: ResourceMiddleware, ctx: Context): void | Promise<void> {
  const run = steps.get(middleware);
  return run ? run(ctx) : middleware(ctx, ended);
}

/**
 * Makes one middleware of a chain. Consecutive steps run in one loop, which awaits only promises: a chain has as many
 * promises as it has middlewares around others, and not two for each of its checks.
 */
export function compose(chain: readonly ResourceMiddleware[]): ResourceMiddleware {
  const index = chain.findIndex((middleware) => !steps.has(middleware));
  const first = (index === -1 ? chain : chain.slice(0, index)).map((middleware) => steps.get(middleware) as Step);
  const end = index === -1 ? endOf : composeAround(chain[index] as ResourceMiddleware, chain.slice(index + 1));

  async function runFrom(at: number, pending: Promise<void>, ctx: Context, next: Koa.Next): Promise<void> {
    await pending;
    for (let index = at; index < first.length; index++) {
      const further = first[index]?.(ctx);
      if (further) await further;
    }
    await end(ctx, next);
  }

  return function run(ctx, next) {
    try {
      for (let index = 0; index < first.length; index++) {
        const pending = first[index]?.(ctx);
        if (pending) return runFrom(index + 1, pending, ctx, next);
      }
      return end(ctx, next);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/** A middleware that is made when it is called for the first time. */
export function madeLate(make: () => ResourceMiddleware): ResourceMiddleware {
  let made: ResourceMiddleware | undefined;
  return (ctx, next) => {
    made ??= make();
    return made(ctx, next);
  };
}

function composeAround(middleware: ResourceMiddleware, below: readonly ResourceMiddleware[]): ResourceMiddleware {
  const rest = below.length > 0 ? compose(below) : endOf;
  return (ctx, next) =>
    middleware(
      ctx,
      once(() => rest(ctx, next)),
    );
}

function endOf(_ctx: Context, next: Koa.Next): Promise<void> {
  return next();
}

async function ended(): Promise<void> {}

/** Refuses the second call of `next()`: the rest of the chain would write twice. */
function once(next: Koa.Next): Koa.Next {
  let isCalled = false;
  return () => {
    if (isCalled) return Promise.reject(new Error('next() called multiple times'));
    isCalled = true;
    return next();
  };
}
