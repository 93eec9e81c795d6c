import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { setJson } from '../middleware/exchange/exchange.ts';
import { composeChain, step, whenKnown } from '../middleware/exchange/step.ts';
import { rulesOf } from '../middleware/views/asked-rules.ts';
import type { Dispatch } from './dispatch.ts';
import { compileFetch, type FetchOptions } from './in-process.ts';
import type { OuterMiddlewares } from './outer-middlewares.ts';
import { compileApp, type PlainOptions } from './plain-adapter.ts';

/** Answers 204, or with the names of the rules that hold for the caller. */
function accepted(rules: readonly string[]): ResourceMiddleware {
  return step({}, function accepted(ctx) {
    ctx.status = 204;
    if (rules.length === 0) return undefined;
    return whenKnown(rulesOf(ctx).ask(rules), (held) => {
      ctx.status = 200;
      setJson(ctx, JSON.stringify([...held]));
    });
  });
}

/**
 * Compiles a function that only asks `authenticate` and the rules about a request. Observers do not see it, because no
 * client has sent it.
 */
export function compileIdentify(
  prefix: string,
  { answerProblems, before }: OuterMiddlewares,
  options: PlainOptions,
  rules: readonly string[],
): (request: Request, options?: FetchOptions) => Promise<Response> {
  const run = composeChain([...before, accepted(rules)]);
  const dispatch = { run: (...[ctx, _path, next]: Parameters<Dispatch['run']>) => run(ctx, next) };
  return compileFetch(compileApp(prefix, { probes: new Map(), around: answerProblems, dispatch }, options).callback());
}
