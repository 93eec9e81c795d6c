import type { ApiOptions, Observe } from 'koa-mongo-resource';
import type { Logger } from 'pino';

/** Options of an api that writes a line for every request, and one for every unexpected error. */
export function logTo(log: Logger): { observe: Observe } & Pick<ApiOptions<never>, 'onError'> {
  return {
    observe(observation, ctx) {
      const level = observation.status >= 500 ? 'error' : observation.status >= 400 ? 'warn' : 'info';
      log[level]({ ...observation, method: ctx.method, path: ctx.path }, 'request');
    },
    onError: (error, ctx) => log.error({ err: error, requestId: ctx.requestId }, 'unexpected error'),
  };
}
