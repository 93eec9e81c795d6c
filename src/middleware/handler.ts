import { ConfigurationError } from '../errors.ts';
import { asCompiled, type ModelInput } from '../model/model-input.ts';
import { StoredRecord } from '../mongo/stored-record.ts';
import type { Context, ResourceMiddleware } from './context.ts';
import { writeResult } from './write-result.ts';

/** Does what a custom operation is for. What it returns is answered: a record, any JSON, or nothing. */
export type Handler<Ctx = Context> = (ctx: Ctx) => unknown;

/**
 * Runs a handler, and leaves what it returned, and how that is answered, in `ctx.result`. It stands after `records`, before `afterHooks` and
 * `answer`. A record of the model that is not one of `ctx.load()` or `ctx.save()`, a copy for one, is an Error (500): it may hold what is
 * private.
 *
 * @example
 * router.post('/orders/:id/send', records(Order, { db }), handler(sendOrder, Order), answer());
 */
export function handler(run: Handler<never>, model?: ModelInput): ResourceMiddleware {
  if (typeof run !== 'function') throw new ConfigurationError('`handler` must be a function.');
  const root = model && asCompiled(model).root;
  return async function handler(ctx, next) {
    const value = await (run as Handler)(ctx);
    const text = value === undefined ? undefined : writeResult(value, ctx.loaded, root);
    ctx.result = { value, text, entityTag: (value instanceof StoredRecord ? value : ctx.loaded?.get(value))?.entityTag };
    await next();
  };
}
