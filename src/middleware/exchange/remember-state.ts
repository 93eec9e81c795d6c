import type { Context } from './context.ts';
import { exchangeOf } from './exchange.ts';

/**
 * Remembers the slots and the answer of a request, and returns a function that takes back what was set since: what an
 * attempt of a transaction has left must not be seen by the next one, or in the answer. Objects that were changed in
 * place, such as `ctx.state`, keep their changes.
 */
export function rememberState(ctx: Context): () => void {
  const exchange = exchangeOf(ctx); // created here if it was not before: it holds the transaction, and must not be taken back
  const { res, response } = ctx;
  const slots = Object.getOwnPropertyDescriptors(ctx);
  const answer = Object.getOwnPropertyDescriptors(response);
  const headers = { ...res.getHeaders() };
  const status = { statusCode: res.statusCode, ...(ctx.req.httpVersionMajor < 2 && { statusMessage: res.statusMessage }) };
  return function takeBack() {
    if (exchange.isGivenUp) return; // it has its answer
    restore(ctx, slots);
    restore(response, answer);
    if (res.headersSent) return;
    for (const name of res.getHeaderNames()) if (!Object.hasOwn(headers, name)) res.removeHeader(name);
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) res.setHeader(name, value);
    Object.assign(res, status);
  };
}

function restore(object: object, remembered: PropertyDescriptorMap): void {
  for (const key of Reflect.ownKeys(object)) if (!Object.hasOwn(remembered, key)) Reflect.deleteProperty(object, key);
  Object.defineProperties(object, remembered);
}
