import { asCompiled, type CompiledModel, type ModelInput } from '../model/compile/compile-model.ts';
import { isObject } from '../model/value/plain-object.ts';
import { isSameValue } from '../model/value/same-value.ts';
import { planInsert } from '../mongo/collection/write-plan.ts';
import { seeing } from '../mongo/lifecycle/within.ts';
import { requireRecordWithin } from '../mongo/query/require-within.ts';
import { openReferencing, type WriteOptions, writeOptions } from '../mongo/relations/open-referencing.ts';
import { checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { workOf } from './exchange/exchange.ts';
import { missing } from './exchange/order.ts';
import { ofLedger, ofReferences, ofValues, ofWrite } from './exchange/problem-codes.ts';
import { step } from './exchange/step.ts';
import type { WritePart } from './exchange/write-part.ts';
import { writerOf } from './relations/writer.ts';

/** Options of {@link insert}. */
export interface InsertOptions extends WriteOptions {
  /**
   * Whether requests that come while an insert of this middleware is under way may share a round trip. Each keeps its
   * own deadline, error and answer. @default true
   */
  readonly shareRoundTrips?: boolean;
}

const legal: LegalOptions<InsertOptions> = { ...writeOptions, shareRoundTrips: trueOrFalse };

/**
 * Inserts `ctx.created` and leaves the record in `ctx.record`. 409 names the fields of a unique index whose values are
 * taken. If the client chose an id that is taken and sent `If-None-Match: *`, which `ifMatch` reads, it is 412. Below a
 * `scope` the record must lie within it: 422 names the fields at fault; if the client may write none of them, it is
 * 500. With `references`, so is a reference that leads to no record within the client's reach.
 *
 * @example
 * router.post('/orders', jsonBody(), ifMatch(), checkCreate(Order), insert(Order, { db }), record({ created: true }));
 */
export function insert(model: ModelInput, options: InsertOptions): ResourceMiddleware {
  checkOptions(options, legal, '`insert`');
  const compiled = asCompiled(model);
  const collection = openReferencing(compiled, options);
  const everyRecord = seeing(compiled, 'with', undefined);
  const problems = [...ofWrite, ...ofValues, ...ofReferences(compiled), ...ofLedger(compiled)];
  const writes: WritePart = { findWritten: ({ record }) => [{ after: record }] };
  return step({ problems, needs: ['created'], leaves: ['record'], writes }, async function insert(ctx) {
    const created = ctx.created ?? missing('created', 'insert');
    if (ctx.isIncomplete) throw new Error('`insert` needs `beforeHooks` before it in the chain: the record is incomplete.');
    const writer = writerOf(ctx, compiled);
    if (writer.writeScope) requireRecordWithin(writer, created);
    const precondition = ctx.precondition && isClientsId(created._id, ctx, compiled) ? ctx.precondition : undefined;
    ctx.record = await collection.write(planInsert(created, everyRecord, writer, precondition), workOf(ctx));
  });
}

/** False if the server has replaced the id that the client sent. */
function isClientsId(id: unknown, { request }: Context, model: CompiledModel): boolean {
  return isObject(request.body) && isSameValue(id, model.id.leaf.fromJson(request.body.id));
}
