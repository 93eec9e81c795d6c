import type { ModelInput } from '../model/compile/compile-model.ts';
import { type DatabaseOptions, databaseOptions, openCollection } from '../mongo/collection/collection.ts';
import { checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { workOf } from './exchange/exchange.ts';
import { perView } from './exchange/in-view.ts';
import { ofRead } from './exchange/problem-codes.ts';
import { readAddress } from './exchange/read-address.ts';
import { step } from './exchange/step.ts';

/** Options of middlewares that find records. */
export interface FindOptions extends DatabaseOptions {
  /**
   * Fetches whole records, for hooks: with private fields, which are never sent, and with fields that the client did
   * not choose.
   * @default false
   */
  readonly fetchPrivate?: boolean;
}

/** Options of {@link findRecord}. */
export interface FindRecordOptions extends FindOptions {
  /**
   * Whether requests that come while a `find` of this middleware is under way may share a round trip. Each keeps its
   * own scope, deadline and answer. @default true
   */
  readonly shareRoundTrips?: boolean;
}

/** The legal values of {@link FindOptions}. */
export const findOptions: LegalOptions<FindOptions> = { ...databaseOptions, fetchPrivate: trueOrFalse };
const legal: LegalOptions<FindRecordOptions> = { ...findOptions, shareRoundTrips: trueOrFalse };

/**
 * Finds the record of `ctx.params.id` within `ctx.scope` and leaves it in `ctx.record`. The client is sent the fields
 * of `ctx.fields`, if there are any. `ctx.deleted` says whether a deleted record is found. 404 if there is no such
 * record, 412 if it does not fulfil `ctx.precondition`. The read is aborted when the client has gone.
 *
 * @example
 * router.get('/orders/:id', findRecord(Order, { db }), record());
 */
export function findRecord(model: ModelInput, options: FindRecordOptions): ResourceMiddleware {
  checkOptions(options, legal, '`findRecord`');
  const { fetchPrivate = false, ...database } = options;
  return perView(model, [], (compiled) => {
    const collection = openCollection(compiled, database);
    return step({ problems: [...ofRead, 'not_found', 'precondition_failed'], leaves: ['record'] }, async function findRecord(ctx) {
      const { id, within } = readAddress(ctx, compiled);
      const { fields, precondition } = ctx;
      const latest = precondition !== undefined; // a secondary may not have the revision yet that the client has seen
      const how = { fetchPrivate, fields, precondition, latest };
      ctx.record = await collection.findOne(id, within.seeing(ctx.deleted ?? 'live'), how, workOf(ctx));
    });
  });
}
