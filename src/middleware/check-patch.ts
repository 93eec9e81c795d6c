import { compilePatch, type WriteRules } from '../model/compile-writes.ts';
import { asCompiled, type ModelInput } from '../model/model-input.ts';
import type { ResourceMiddleware } from './context.ts';

/**
 * Validates `ctx.request.body` as a patch (spec, "Patch rules"; RFC 7396 for embedded objects) and leaves what it changes in
 * `ctx.changes`. 422 with every error at once.
 *
 * @example
 * router.patch('/orders/:id', jsonBody(), ifMatch(), checkPatch(Order), update(Order, { db }), record());
 */
export function checkPatch(model: ModelInput, rules: WriteRules = {}): ResourceMiddleware {
  const readPatch = compilePatch(asCompiled(model), rules);
  return async function checkPatch(ctx, next) {
    ctx.changes = readPatch(ctx.request.body);
    await next();
  };
}
