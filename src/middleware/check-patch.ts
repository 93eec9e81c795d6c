import { checkBlindMerges } from '../model/compile/check-blind-merges.ts';
import type { ModelInput } from '../model/compile/compile-model.ts';
import { openNames, updateAccess } from '../model/write/access.ts';
import { compilePatch, type ReadChanges, type WriteRules } from '../model/write/compile-writes.ts';
import { pause } from '../mongo/driver/turn.ts';
import { aFunction, checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import { type ServerValues, serverValuesOf } from './body/server-values.ts';
import type { Called, Context, ResourceMiddleware } from './exchange/context.ts';
import { perView } from './exchange/in-view.ts';
import { step } from './exchange/step.ts';
import { isOpenTo } from './relations/writer.ts';

/** Options of {@link checkPatch}. */
export interface CheckPatchOptions extends WriteRules {
  /**
   * Returns the values that the server sets on patch. They replace what the client sends, and are written only if it
   * changes anything.
   */
  readonly serverFields?: Called<[ctx: Context], unknown>;
}

const legal: LegalOptions<CheckPatchOptions> = { serverFields: aFunction, explicitWrites: trueOrFalse, mergePatch: trueOrFalse };

/**
 * Validates `ctx.request.body` as a patch and leaves the changes in `ctx.changes`. Embedded objects are merged into
 * (RFC 7396), maps and arrays are replaced whole. 422 lists all errors at once.
 *
 * @example
 * router.patch('/orders/:id', jsonBody(), ifMatch(), checkPatch(Order), update(Order, { db }), record());
 */
export function checkPatch(model: ModelInput, options: CheckPatchOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`checkPatch`');
  const { serverFields, ...rules } = options;
  return perView(model, [], (compiled) => {
    checkBlindMerges(compiled, rules);
    let reader: ReadChanges | undefined; // has no mistakes of its own, and many operations are never called
    const open = new Set(openNames(compiled.fieldTable, updateAccess(rules)));
    const mayWrite = (name: string) => open.has(name);
    const ofServer = serverFields ? (['internal'] as const) : [];
    function read(ctx: Context, server?: ServerValues): void | Promise<void> {
      reader ??= compilePatch(compiled, rules);
      ctx.changes = reader(ctx.request.body, server);
      ctx.mayWrite = server ? isOpenTo(open, server) : mayWrite;
      if (ctx.isLargeBody) return pause();
    }
    return step({ problems: ['validation_failed', ...ofServer], leaves: ['changes'] }, function checkPatch(ctx) {
      return serverFields ? serverValuesOf(serverFields, ctx).then((server) => read(ctx, server)) : read(ctx);
    });
  });
}
