import { validationFailed } from '../../errors.ts';
import { serverValuesOf } from '../../middleware/body/server-values.ts';
import type { Called, Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { workOf } from '../../middleware/exchange/exchange.ts';
import { missing } from '../../middleware/exchange/order.ts';
import { ofChange, ofLedger, ofReferences, ofValues } from '../../middleware/exchange/problem-codes.ts';
import { targetOf } from '../../middleware/exchange/read-address.ts';
import { step } from '../../middleware/exchange/step.ts';
import { findCurrent, updatePart } from '../../middleware/exchange/write-part.ts';
import { isOpenTo, writerOf } from '../../middleware/relations/writer.ts';
import { once } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { CompiledField } from '../../model/node.ts';
import { openNames, refusalByPolicy, updateAccess } from '../../model/write/access.ts';
import { compileServerChanges, type WriteRules } from '../../model/write/compile-writes.ts';
import { requireChangesWithin } from '../../mongo/query/require-within.ts';
import { openReferencing, type WriteOptions } from '../../mongo/relations/open-referencing.ts';
import { planStep } from './plan-step.ts';

/** Options of {@link checkStep}. */
interface CheckStepOptions extends Pick<WriteRules, 'explicitWrites'> {
  readonly serverFields?: Called<[ctx: Context], unknown>;
}

/**
 * Refuses a caller who may not step the counter, and leaves in `ctx.changes` what is written together with a step: the
 * values of the server.
 */
export function checkStep(model: CompiledModel, field: CompiledField, { serverFields, ...rules }: CheckStepOptions): ResourceMiddleware {
  const refusal = refusalByPolicy(field, rules);
  const open = new Set([field.name, ...openNames(model.fieldTable, updateAccess(rules))]);
  const readServer = once(() => compileServerChanges(model));
  return step(
    { problems: ['validation_failed', ...(serverFields ? (['internal'] as const) : [])], leaves: ['changes'] },
    async function checkStep(ctx) {
      if (refusal) throw validationFailed([refusal.at(field.name)]);
      const server = serverFields && (await serverValuesOf(serverFields, ctx));
      ctx.mayWrite = isOpenTo(open, server);
      ctx.changes = server ? readServer()(server) : { assignments: [], embedded: [] };
    },
  );
}

/**
 * Adds `add` of the body to a counter of the record of `ctx.params.id`, with `ctx.changes`, in one atomic command with
 * the scope, `ctx.precondition` and the bounds of the counter in its filter. It leaves the record in `ctx.record`.
 */
export function stepCounter(model: CompiledModel, field: CompiledField, options: WriteOptions): ResourceMiddleware {
  const collection = openReferencing(model, options);
  const findBefore = (ctx: Context) => findCurrent(ctx, model, collection);
  const problems = [...ofChange, ...ofValues, ...ofReferences(model), ...ofLedger(model)];
  const writes = updatePart(findBefore);
  return step({ problems, needs: ['changes'], leaves: ['record'], writes }, async function stepCounter(ctx) {
    const writer = writerOf(ctx, model);
    const changes = requireChangesWithin(writer, ctx.changes ?? missing('changes', 'stepCounter'));
    const { add } = ctx.request.body as { readonly add: number };
    const target = targetOf(ctx, model, writer);
    ctx.record = await collection.write(planStep(model, target, { field, add, changes }), workOf(ctx));
  });
}
