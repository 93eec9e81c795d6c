import { notFound, validationFailed } from '../../errors.ts';
import { serverValuesOf } from '../../middleware/body/server-values.ts';
import type { Called, Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { workOf } from '../../middleware/exchange/exchange.ts';
import { missing } from '../../middleware/exchange/order.ts';
import { ofChange, ofLedger, ofRead, ofReferences, ofValues } from '../../middleware/exchange/problem-codes.ts';
import { parameterOf, readId, readReference, targetOf } from '../../middleware/exchange/read-address.ts';
import { step } from '../../middleware/exchange/step.ts';
import { findCurrent, updatePart } from '../../middleware/exchange/write-part.ts';
import { reachOf } from '../../middleware/reach/reach.ts';
import { isOpenTo, writerOf } from '../../middleware/relations/writer.ts';
import { once } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { openNames, updateAccess } from '../../model/write/access.ts';
import { compileServerChanges, type WriteRules } from '../../model/write/compile-writes.ts';
import { living } from '../../mongo/lifecycle/within.ts';
import { requireChangesWithin } from '../../mongo/query/require-within.ts';
import { openReferencing, type WriteOptions } from '../../mongo/relations/open-referencing.ts';
import { Invalid } from '../../rules.ts';
import type { LinkedArray } from './facet.ts';
import { planElement } from './plan-element.ts';

/**
 * Refuses an id in `ctx.params.other` that is none of the array. With `mustExist`, the other record must be there
 * within the guards and the scope of its resource. Otherwise it is 404, as for a malformed id.
 */
export function findOther({ slot, source, field, refusal }: LinkedArray, mustExist: boolean): ResourceMiddleware {
  const onlyId = source.model.selector.select([]);
  return step({ problems: [...ofRead, 'not_found', 'validation_failed'] }, async function findOther(ctx) {
    if (refusal) throw validationFailed([refusal.at(field.name)]);
    const text = parameterOf(ctx, 'other');
    const id = readId(text, source.model);
    if (mustExist) {
      const scope = await reachOf(ctx).related(source);
      if (!scope) throw notFound();
      await source.collection.findOne(id, living(source.model, scope), { fields: onlyId, latest: true }, workOf(ctx));
    }
    const element = readReference(text, slot);
    if (element instanceof Invalid) throw mustExist ? validationFailed([element.at(field.name)]) : notFound();
    ctx.pathField = field.name;
  });
}

/** Options of {@link checkLink}. */
interface CheckLinkOptions extends Pick<WriteRules, 'explicitWrites'> {
  readonly serverFields?: Called<[ctx: Context], unknown>;
}

/** Leaves in `ctx.changes` what is written together with an element: the values of the server. */
export function checkLink(
  model: CompiledModel,
  { field }: LinkedArray,
  { serverFields, explicitWrites = false }: CheckLinkOptions,
): ResourceMiddleware {
  const open = new Set(openNames(model.fieldTable, updateAccess({ explicitWrites })));
  const readServer = once(() => compileServerChanges(model));
  return step({ problems: serverFields ? ['internal'] : [], leaves: ['changes'] }, async function checkLink(ctx) {
    ctx.request.body ??= {}; // functions that look at what was sent find nothing
    const server = serverFields && (await serverValuesOf(serverFields, ctx));
    if (server && Object.hasOwn(server, field.name))
      throw new Error(`\`serverFields\` set \`${field.name}\`, of which clients may write single elements by \`links\`.`);
    ctx.mayWrite = isOpenTo(open, server);
    ctx.changes = server ? readServer()(server) : { assignments: [], embedded: [] };
  });
}

/**
 * Adds the id in `ctx.params.other` to an array of the record of `ctx.params.id`, or removes it, with `ctx.changes`, in
 * one atomic command with the scope and `ctx.precondition` in its filter. It leaves the record in `ctx.record`. If
 * there is nothing to add or to remove, nothing is written.
 */
export function changeLink(
  model: CompiledModel,
  { slot, field, query, show }: LinkedArray,
  kind: 'add' | 'remove',
  options: WriteOptions,
): ResourceMiddleware {
  const collection = openReferencing(model, options);
  const findBefore = (ctx: Context) => findCurrent(ctx, model, collection);
  const problems = [...ofChange, ...ofValues, ...ofReferences(model), ...ofLedger(model)];
  const writes = updatePart(findBefore);
  return step({ problems, needs: ['changes'], leaves: ['record'], writes }, async function changeLink(ctx) {
    const writer = writerOf(ctx, model);
    const changes = requireChangesWithin(writer, ctx.changes ?? missing('changes', 'changeLink'));
    const target = targetOf(ctx, model, writer);
    const element = readReference(parameterOf(ctx, 'other'), slot); // `findOther` has refused what is none
    const change = { field, query, show, kind, element, changes };
    ctx.record = await collection.write(planElement(model, target, change), workOf(ctx));
  });
}
