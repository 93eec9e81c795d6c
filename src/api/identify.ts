import { compose, step } from '../middleware/exchange/step.ts';
import type { Dispatch } from './dispatch.ts';
import { compileFetch } from './in-process.ts';
import type { OuterMiddlewares } from './outer-middlewares.ts';
import { compileApp, type PlainOptions } from './plain-adapter.ts';

const accepted = step([], function accepted(ctx) {
  ctx.status = 204;
});

/**
 * Compiles a function that only asks `authenticate` about a request. Observers do not see it, because it is no request
 * of a client.
 */
export function compileIdentify(
  prefix: string,
  { answerProblems, before }: OuterMiddlewares,
  options: PlainOptions,
): (request: Request) => Promise<Response> {
  const run = compose([...before, accepted]);
  const dispatch = (...[ctx, _path, next]: Parameters<Dispatch>) => run(ctx, next);
  return compileFetch(compileApp(prefix, { probes: new Map(), around: answerProblems, dispatch }, options).callback());
}
