import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { openNames, updateAccess } from '../model/write/access.ts';
import { compilePut, type WriteRules } from '../model/write/compile-writes.ts';
import { checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import { canAnswer } from './parts/can-answer.ts';
import type { ResourceMiddleware } from './parts/context.ts';

type PutRules = Pick<WriteRules, 'explicitWrites'>;
const legal: LegalOptions<PutRules> = { explicitWrites: trueOrFalse };

/**
 * Validates `ctx.request.body` as a replacement of everything that the client may write, and leaves the changes in `ctx.changes`. 422 lists
 * all errors at once.
 *
 * @example
 * router.put('/orders/:id', jsonBody(), ifMatch(), checkPut(Order), update(Order, { db }), record());
 */
export function checkPut(model: ModelInput, rules: PutRules = {}): ResourceMiddleware {
  checkOptions(rules, legal, '`checkPut`');
  const compiled = asCompiled(model);
  const readPut = compilePut(compiled, rules);
  const open = new Set(openNames(compiled.fieldTable, updateAccess(rules)));
  const mayWrite = (name: string) => open.has(name);
  return canAnswer(['validation_failed'], async function checkPut(ctx, next) {
    ctx.changes = readPut(ctx.request.body);
    ctx.mayWrite = mayWrite;
    await next();
  });
}
