import { randomUUID } from 'node:crypto';
import type { Context, ResourceMiddleware } from './parts/context.ts';

/**
 * Gives every request an id, in `ctx.requestId`, the response header `X-Request-Id`, and the problem documents of `problems` below it
 * (`request_id`). An id that the app has set on the response already counts, then one that the client sent, where it is harmless in a log
 * (at most 128 letters, digits and `.:+/=@~_-`); otherwise one is made.
 *
 * @example
 * app.use(requestId()).use(problems());
 */
export function requestId(): ResourceMiddleware {
  return async function requestId(ctx, next) {
    ctx.requestId = [responseId(ctx), ctx.get('x-request-id')].find((id) => harmless.test(id)) ?? randomUUID();
    ctx.set('X-Request-Id', ctx.requestId);
    await next();
  };
}

const harmless = /^[\w.:+/=@~-]{1,128}$/;

function responseId({ response }: Context): string {
  const id: string | string[] | undefined = response.get('X-Request-Id'); // undefined when it is not set, whatever Koa's types say
  return String(id ?? '');
}
