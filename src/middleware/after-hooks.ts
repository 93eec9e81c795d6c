import { aFunction, anArrayOf, checkValue } from '../options.ts';
import { containBody } from './exchange/contain-errors.ts';
import type { Called, Context, ResourceMiddleware } from './exchange/context.ts';
import { exchangeOf } from './exchange/exchange.ts';
import { step } from './exchange/step.ts';

/**
 * A function that runs after an operation. It receives the context and the result: the record (for a delete, the
 * deleted one), the array of the page's records for a list, or the array of the ids for a write to many records. For a
 * custom operation the result is what the handler returned, or the record that it saved if it returned nothing.
 */
export type AfterHook<Ctx = Context, Result = unknown> = (ctx: Ctx, result: Result) => unknown;

/**
 * Runs hooks in order and awaits each of them, after the write is durable and before the answer is sent. If a hook
 * throws, the answer is 500 and the write stays.
 *
 * Hooks receive `ctx.record` as a document, the documents of `ctx.page`, or the ids of `ctx.affected`. The answer
 * replaces a `ctx.body` that a hook sets, except in a custom operation whose handler returned nothing.
 *
 * @example
 * router.post(
 *   '/orders',
 *   jsonBody(),
 *   checkCreate(Order),
 *   insert(Order, { db }),
 *   afterHooks([notifyWarehouse]),
 *   record({ created: true }),
 * );
 */
export function afterHooks(hooks: readonly Called<[ctx: Context, result: unknown], unknown>[] = []): ResourceMiddleware {
  checkValue('The argument of `afterHooks`', hooks, anArrayOf('functions', aFunction[0]));
  return step({ problems: hooks.length === 0 ? [] : ['internal'] }, function afterHooks(ctx) {
    if (hooks.length === 0) return;
    containBody(ctx);
    return run(hooks, ctx, resultOf(ctx));
  });
}

function resultOf({ result, page, record, affected }: Context): unknown {
  if (result?.value !== undefined) return result.value;
  if (affected) return affected.ids;
  return page ? page.records.map(({ document }) => document) : record?.document;
}

/**
 * A hook's error becomes one that tells the client nothing: the write stays, and the answer must not suggest otherwise.
 */
async function run(hooks: readonly AfterHook[], ctx: Context, result: unknown): Promise<void> {
  const exchange = exchangeOf(ctx);
  exchange.isInHooks = true;
  try {
    for (const hook of hooks) {
      exchange.throwIfGivenUp();
      await hook(ctx, result);
    }
  } catch (error) {
    const speaks = error instanceof Error && 'expose' in error;
    throw speaks ? new Error(`A hook in \`after\` threw: ${error.message}`, { cause: error }) : error;
  } finally {
    exchange.isInHooks = false;
  }
}
