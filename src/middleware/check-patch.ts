import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { openNames, updateAccess } from '../model/write/access.ts';
import { compilePatch, type WriteRules } from '../model/write/compile-writes.ts';
import { checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import { canAnswer } from './parts/can-answer.ts';
import type { ResourceMiddleware } from './parts/context.ts';

const legal: LegalOptions<WriteRules> = { explicitWrites: trueOrFalse, mergePatch: trueOrFalse };

/**
 * Validates `ctx.request.body` as a patch (for embedded objects RFC 7396) and leaves the changes in `ctx.changes`. 422 lists all errors at
 * once.
 *
 * @example
 * router.patch('/orders/:id', jsonBody(), ifMatch(), checkPatch(Order), update(Order, { db }), record());
 */
export function checkPatch(model: ModelInput, rules: WriteRules = {}): ResourceMiddleware {
  checkOptions(rules, legal, '`checkPatch`');
  const compiled = asCompiled(model);
  const readPatch = compilePatch(compiled, rules);
  const open = new Set(openNames(compiled.fieldTable, updateAccess(rules)));
  const mayWrite = (name: string) => open.has(name);
  return canAnswer(['validation_failed'], async function checkPatch(ctx, next) {
    ctx.changes = readPatch(ctx.request.body);
    ctx.mayWrite = mayWrite;
    await next();
  });
}
