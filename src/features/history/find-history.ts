import { parseQueryString } from '../../http/query-string.ts';
import type { Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { workOf } from '../../middleware/exchange/exchange.ts';
import { missing } from '../../middleware/exchange/order.ts';
import { ofRead } from '../../middleware/exchange/problem-codes.ts';
import { parameterOf, readAddress } from '../../middleware/exchange/read-address.ts';
import { step } from '../../middleware/exchange/step.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { lifeKey } from '../../model/value/own-keys.ts';
import { type DatabaseOptions, openCollection } from '../../mongo/collection/collection.ts';
import type { HistoryList, HistoryRules } from './mongo/list.ts';

/** How the changes of a record are found. */
export interface FindHistoryOptions extends DatabaseOptions, HistoryRules {
  /** Whether the record is fetched whole, for hooks. */
  readonly fetchPrivate: boolean;
  readonly maxPageBytes: number;
}

/**
 * Finds the changes of the record of `ctx.params.id`, in two steps, between which hooks may refuse: the first one reads
 * the parameters into `ctx.listQuery` and finds the record within `ctx.scope`, the second one leaves the page in
 * `ctx.page`. `model` is one view of the model.
 */
export function findHistory(model: CompiledModel, { fetchPrivate, maxPageBytes, ...options }: FindHistoryOptions) {
  const { db, maxTimeMS, ...rules } = options;
  const database = { db, ...(maxTimeMS !== undefined && { maxTimeMS }) };
  const collection = openCollection(model, database);
  const chosen = model.selector.select([]);
  const fields = fetchPrivate ? undefined : { ...chosen, paths: [...chosen.paths, lifeKey] };
  let opened: Promise<HistoryList> | undefined;
  function open(): Promise<HistoryList> {
    opened ??= import('./mongo/history.ts').then(({ openHistoryList }) => openHistoryList(model, rules, database));
    return opened;
  }

  const finding = step(
    { problems: [...ofRead, 'invalid_query', 'invalid_cursor', 'not_found'], leaves: ['listQuery', 'record'] },
    async function findHistory(ctx) {
      const list = await open();
      const { id, within } = readAddress(ctx, model);
      const asked = { isPartial: true, deleted: ctx.deleted, parent: parameterOf(ctx, 'id') };
      ctx.listQuery = list.parse(parseQueryString(ctx.querystring), asked);
      ctx.record = await collection.findOne(id, within.seeing(ctx.deleted ?? 'live'), { fetchPrivate, fields }, workOf(ctx));
    },
  );

  const paging = step({ problems: ofRead, needs: ['listQuery', 'record'], leaves: ['page'] }, async function findChanges(ctx: Context) {
    const query = ctx.listQuery ?? missing('listQuery', 'findChanges');
    const record = ctx.record ?? missing('record', 'findChanges');
    const list = await open();
    const most = Math.min(ctx.pageBytes ?? maxPageBytes, maxPageBytes);
    ctx.page = await list.findPage(query, record, ctx.scope, most, workOf(ctx));
  });

  return { finding, paging } satisfies Readonly<Record<string, ResourceMiddleware>>;
}
