import { checkBlindMerges } from '../model/compile/check-blind-merges.ts';
import type { ModelInput } from '../model/compile/compile-model.ts';
import { openNames, updateAccess } from '../model/write/access.ts';
import { compilePut, type ReadChanges, type WriteRules } from '../model/write/compile-writes.ts';
import { pause } from '../mongo/driver/turn.ts';
import { aFunction, checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import { serverValuesOf } from './body/server-values.ts';
import type { Called, Context, ResourceMiddleware } from './exchange/context.ts';
import { perView } from './exchange/in-view.ts';
import { step } from './exchange/step.ts';
import { isOpenTo } from './relations/writer.ts';

/** Options of {@link checkPut}. */
export interface CheckPutOptions extends Pick<WriteRules, 'explicitWrites'> {
  /**
   * Returns the values that the server sets on put. They replace what the client sends, and are written only if it
   * changes anything.
   */
  readonly serverFields?: Called<[ctx: Context], unknown>;
}

const legal: LegalOptions<CheckPutOptions> = { serverFields: aFunction, explicitWrites: trueOrFalse };

/**
 * Validates `ctx.request.body` as a replacement of everything that the client may write, and leaves the changes in
 * `ctx.changes`. 422 lists all errors at once.
 *
 * @example
 * router.put('/orders/:id', jsonBody(), ifMatch(), checkPut(Order), update(Order, { db }), record());
 */
export function checkPut(model: ModelInput, options: CheckPutOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`checkPut`');
  const { serverFields, ...rules } = options;
  return perView(model, [], (compiled) => {
    checkBlindMerges(compiled, rules);
    let reader: ReadChanges | undefined; // has no mistakes of its own, and many operations are never called
    const open = new Set(openNames(compiled.fieldTable, updateAccess(rules)));
    const mayWrite = (name: string) => open.has(name);
    const ofServer = serverFields ? (['internal'] as const) : [];
    return step({ problems: ['validation_failed', ...ofServer], leaves: ['changes'] }, async function checkPut(ctx) {
      const server = serverFields && (await serverValuesOf(serverFields, ctx));
      reader ??= compilePut(compiled, rules);
      ctx.changes = reader(ctx.request.body, server);
      ctx.mayWrite = server ? isOpenTo(open, server) : mayWrite;
      if (ctx.isLargeBody) await pause();
    });
  });
}
