import type { ModelInput } from '../model/compile/compile-model.ts';
import type { Changes } from '../model/write/plan-changes.ts';
import { compileDrafts, type Drafts } from '../model/write/plan-draft.ts';
import { aFunction, anArrayOf, checkValue } from '../options.ts';
import { containBody } from './exchange/contain-errors.ts';
import type { AnswersProblems, Called, Context, ResourceMiddleware } from './exchange/context.ts';
import { problemsOf } from './exchange/descriptor.ts';
import { exchangeOf } from './exchange/exchange.ts';
import { perView } from './exchange/in-view.ts';
import { checkProblems } from './exchange/problem-codes.ts';
import { step } from './exchange/step.ts';

/**
 * A function that runs before a write. It receives the context and a draft in document form, which it may change: of a
 * create the new record, of a patch or put the changes, of a delete nothing. What it returns is ignored, apart from a
 * promise, which is awaited. If it throws, nothing is written.
 */
export type BeforeHook<Ctx = Context, Draft = unknown> = ((ctx: Ctx, draft: Draft) => unknown) & AnswersProblems;

/**
 * Runs hooks in order and awaits each of them, after the validation and before the command of the write. It does not
 * know yet whether the record exists, and whether it fulfils `If-Match`: hooks also run for a request that turns out to
 * be 404 or 412.
 *
 * Hooks change their draft in place:
 *
 * - Below `checkCreate`, the draft is the new record, with its defaults and server fields.
 * - Below `checkPatch` and `checkPut`, it is the changes: a partial, nested document with null where a key is removed.
 *   A put also has what returns to its default. A key that a hook deletes from it is not written.
 * - Without one of them above, as for a delete, it is undefined.
 *
 * The model validates what hooks have changed or added. The client's policy does not apply: a hook may write private,
 * immutable and closed fields. A value that does not fit is 422, and names the fields that the client sees. If it sees
 * none of them, it is an Error (500), and so is a key that is not a field, the id, the revision and the timestamps. A
 * scope above also applies to what hooks leave.
 *
 * A `Problem` that a hook throws is answered as it is; any other error is 500. `problems` of a hook names the codes
 * that it throws, for the OpenAPI description.
 *
 * @example
 * const countTotal = async (ctx: Context, draft: { total: number }) => {
 *   draft.total += await feeOf(ctx);
 * };
 * router.post(
 *   '/orders',
 *   jsonBody(),
 *   checkCreate(Order),
 *   beforeHooks(Order, [countTotal]),
 *   insert(Order, { db }),
 *   record({ created: true }),
 * );
 */
export function beforeHooks(model: ModelInput, hooks: readonly Called<[ctx: Context, draft: unknown], unknown>[] = []): ResourceMiddleware {
  checkValue('The second argument of `beforeHooks`', hooks, anArrayOf('functions', aFunction[0]));
  for (const hook of hooks) checkProblems(hook as BeforeHook, 'a hook of `beforeHooks`');
  return perView(model, [], (compiled) => {
    const drafts = compileDrafts(compiled);
    const problems = (method: string) => [
      ...(hooks.length > 0 ? (['internal'] as const) : []),
      ...(hooks.length > 0 && method !== 'DELETE' ? (['validation_failed'] as const) : []),
      ...hooks.flatMap((hook: BeforeHook) => problemsOf(hook, method)),
    ];
    return step({ problems }, async function beforeHooks(ctx) {
      if (ctx.created) await changeRecord(drafts, hooks, ctx, ctx.created);
      else if (ctx.changes) await changeChanges(drafts, hooks, ctx, ctx.changes);
      else await run(hooks, ctx, undefined);
    });
  });
}

/** Runs the hooks of a custom operation. The library knows no draft of its write. */
export function hooksAlone(hooks: readonly BeforeHook<never, never>[]): ResourceMiddleware {
  const problems = (method: string) => ['internal' as const, ...hooks.flatMap((hook) => problemsOf(hook, method))];
  return step({ problems }, async function beforeHooks(ctx) {
    await run(hooks as readonly BeforeHook[], ctx, undefined);
  });
}

async function changeRecord(drafts: Drafts, hooks: readonly BeforeHook[], ctx: Context, stored: Record<string, unknown>): Promise<void> {
  const draft = drafts.showRecord(stored);
  await run(hooks, ctx, draft);
  ctx.created = drafts.readRecord(draft, stored, ctx.isIncomplete === true);
  ctx.isIncomplete = false;
}

async function changeChanges(drafts: Drafts, hooks: readonly BeforeHook[], ctx: Context, changes: Changes): Promise<void> {
  const draft = drafts.showChanges(changes);
  await run(hooks, ctx, draft);
  ctx.changes = drafts.readChanges(draft, changes);
}

/** Also after the last hook: the draft is not read if the request was given up meanwhile. */
async function run(hooks: readonly BeforeHook[], ctx: Context, draft: unknown): Promise<void> {
  const exchange = exchangeOf(ctx);
  containBody(ctx);
  for (const hook of hooks) {
    exchange.throwIfGivenUp();
    await hook(ctx, draft);
  }
  exchange.throwIfGivenUp();
}
