import compose from 'koa-compose';
import type { Context, ResourceMiddleware } from './context.ts';
import { type Descriptor, described, descriptorOf, type Step } from './descriptor.ts';
import type { KoaNext } from './koa-context.ts';

/**
 * Makes a Koa middleware of a step. {@link joinSteps} runs the step itself. A middleware that does something after
 * `next()` cannot be a step.
 */
export function step(known: Omit<Descriptor, 'step'>, run: Step): ResourceMiddleware {
  const { name } = run;
  // A function takes the name of its key: to define its `name` afterwards takes longer than all else here, for each of
  // the dozens of steps of a resource.
  const middleware = {
    async [name](ctx: Context, next: KoaNext): Promise<void> {
      await run(ctx);
      await next();
    },
  }[name] as ResourceMiddleware;
  return described({ ...known, step: run }, middleware);
}

/** A part that not every request has: the query string, or one of some headers. */
type RequestPart = 'query' | readonly string[];

/** Runs a step or a middleware only for requests with a part, without which it would do nothing. */
export function onlyFor<Run extends Step | ResourceMiddleware>(part: RequestPart, run: Run): Run {
  const { name } = run;
  return { [name]: (ctx: Context, next?: KoaNext) => (isWithout(part, ctx) ? next?.() : run(ctx, next as KoaNext)) }[name] as Run;
}

function isWithout(part: RequestPart, { req, querystring }: Context): boolean {
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
  const run = descriptorOf(middleware)?.step;
  return run ? run(ctx) : middleware(ctx, ended);
}

async function ended(): Promise<void> {}

/** Makes one middleware of a chain, by koa-compose. Its name has those of the chain. */
export function composeChain(chain: readonly ResourceMiddleware[]): ResourceMiddleware {
  return named(namesOf(chain), compose(joinSteps(chain)) as ResourceMiddleware);
}

/**
 * Makes one middleware of each series of steps in a chain. It runs them in a loop, which awaits only promises: a
 * composed chain has as many promises as it has middlewares around others, and not three for each of its checks.
 */
export function joinSteps(chain: readonly ResourceMiddleware[]): ResourceMiddleware[] {
  const joined: ResourceMiddleware[] = [];
  let series: ResourceMiddleware[] = [];
  function endSeries(): void {
    if (series.length > 0) joined.push(inOne(series));
    series = [];
  }
  for (const middleware of chain) {
    if (descriptorOf(middleware)?.step) {
      series.push(middleware);
    } else {
      endSeries();
      joined.push(middleware);
    }
  }
  endSeries();
  return joined;
}

function inOne(middlewares: readonly ResourceMiddleware[]): ResourceMiddleware {
  const steps = middlewares.map((middleware) => descriptorOf(middleware)?.step as Step);

  async function runFrom(at: number, pending: Promise<void>, ctx: Context, next: KoaNext): Promise<void> {
    await pending;
    for (let index = at; index < steps.length; index++) {
      const further = steps[index]?.(ctx);
      if (further) await further;
    }
    await next();
  }

  // Not async: koa-compose catches what a step throws, and returns the promise of `next()` as it is.
  return named(namesOf(middlewares), (ctx, next) => {
    for (let index = 0; index < steps.length; index++) {
      const pending = steps[index]?.(ctx);
      if (pending) return runFrom(index + 1, pending, ctx, next);
    }
    return next();
  });
}

/** The name of several middlewares as one. */
export function namesOf(chain: readonly ResourceMiddleware[]): string {
  return chain.map(({ name }) => name || '(anonymous)').join(' + ');
}

/** Gives a function the name by which it is known to those who print a chain. */
export function named(name: string, middleware: ResourceMiddleware): ResourceMiddleware {
  return Object.defineProperty(middleware, 'name', { value: name });
}

/** A middleware that is made when it is called for the first time. */
export function madeLate(name: string, make: () => ResourceMiddleware): ResourceMiddleware {
  let made: ResourceMiddleware | undefined;
  return named(name, (ctx, next) => {
    made ??= make();
    return made(ctx, next);
  });
}
