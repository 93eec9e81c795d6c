import { randomUUID } from 'node:crypto';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { setHeader } from './exchange/exchange.ts';
import { step } from './exchange/step.ts';

/**
 * Gives every request an id: in `ctx.requestId`, in the response header `X-Request-Id`, and as `request_id` in the
 * problem documents of a `problems` below it. The id is the one that the app has already set on the response, else the
 * one that the client sent, if it is safe in a log (at most 128 letters, digits and `.:+/=@~_-`), else a new UUID.
 *
 * @example
 * app.use(requestId()).use(problems());
 */
export function requestId(): ResourceMiddleware {
  return step({}, function requestId(ctx) {
    ctx.requestId = [responseId(ctx), ctx.get('x-request-id')].find((id) => harmless.test(id)) ?? randomUUID();
    setHeader(ctx, 'X-Request-Id', ctx.requestId);
  });
}

const harmless = /^[\w.:+/=@~-]{1,128}$/;

function responseId({ response }: Context): string {
  const id: string | string[] | undefined = response.get('X-Request-Id'); // undefined if it is not set, unlike what Koa's types say
  return String(id ?? '');
}
