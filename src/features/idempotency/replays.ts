import { notFound } from '../../errors.ts';
import type { Context, Replays, ServedModel } from '../../middleware/exchange/context.ts';
import { workOf } from '../../middleware/exchange/exchange.ts';
import { copiedIn, referredIn } from '../../middleware/exchange/referred-records.ts';
import type { ReplaysOptions } from '../../middleware/exchange/replays.ts';
import { findSeen, type Sought } from '../../middleware/exchange/require-seen.ts';
import { runAlone } from '../../middleware/exchange/step.ts';
import { isRefusal, reachOf } from '../../middleware/reach/reach.ts';
import { findScoped, readConditions } from '../../middleware/relations/store-reach.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { keyOfId } from '../../model/value/digest-of-id.ts';
import { openCollection } from '../../mongo/collection/collection.ts';
import { living } from '../../mongo/lifecycle/within.ts';
import { isWithin } from '../../mongo/predicate/is-within.ts';
import { all, type Condition, fulfilling } from '../../mongo/predicate/predicate.ts';
import { readScope } from '../../mongo/predicate/read-scope.ts';
import { type ShownRecord, textOf } from '../../mongo/shown-record.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import { noteAddress } from './note-address.ts';

/**
 * Compiles who may see the answers of an operation again: its guards have to let the caller pass, and each record that
 * the answer shows has to be within the scope by now. Records of other models have the scope of their own resources.
 */
export function compileReplays(
  model: CompiledModel,
  { scope, guards, isDelete, hasAddress, isRecord, ...database }: ReplaysOptions,
): Replays {
  const collection = openCollection(model, database);
  const isOwn = (one: ShownRecord) => one.collection === model.collection;
  async function readOwn(ctx: Context): Promise<readonly Condition[]> {
    return scope ? readScope(await reachOf(ctx).own(scope), model.scopeFields) : [];
  }
  /** Undefined if the caller may see no such record, or if no resource says which. */
  async function conditionsFor(ctx: Context, one: ShownRecord): Promise<readonly Condition[] | undefined> {
    try {
      if (isOwn(one)) return await readOwn(ctx);
      const found = findOther(ctx, one);
      return found && (await readConditions(ctx, found));
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }
  const filterOwn = async (ctx: Context) => all(fulfilling(await readOwn(ctx)), ctx.scope);
  /** Undefined if the caller may see no such record. */
  async function seek(ctx: Context, group: readonly [ShownRecord, ...ShownRecord[]]): Promise<Sought | undefined> {
    const [first] = group;
    const ids = group.map(({ id }) => id);
    if (isOwn(first)) return { model, collection, filter: await filterOwn(ctx), ids, refuse: notFound };
    const [found, conditions] = [findOther(ctx, first), await conditionsFor(ctx, first)];
    if (!found || !conditions) return undefined;
    const other = openCollection(found.model, database);
    return { model: found.model, collection: other, filter: fulfilling(conditions), ids, refuse: notFound };
  }
  /** Finds what is out of the scope as the operation has left it. */
  async function findOutside(ctx: Context, shown: readonly StoredRecord[]): Promise<ShownRecord[]> {
    const left: ShownRecord[] = [];
    for (const group of groupByModel(shown, (record) => record.model)) {
      const conditions = await conditionsFor(ctx, reference(group[0]));
      const outside = conditions ? group.filter(({ stored }) => !conditions.every((one) => isWithin(one, stored))) : group;
      for (const record of outside) left.push(reference(record)); // there may be more than a call takes arguments
    }
    return left;
  }
  /**
   * Asks the database what is gone or out of the scope: the answer may show a record as it was before the request
   * changed it by a store.
   */
  async function findGone(ctx: Context, records: readonly ShownRecord[]): Promise<ShownRecord[]> {
    const gone: ShownRecord[] = [];
    for (const group of groupByModel(records, (one) => one)) {
      const sought = await seek(ctx, group);
      const seen = sought && (await findSeen(sought, workOf(ctx)));
      for (const one of group) if (!seen?.has(keyOfId(one.id))) gone.push(one);
    }
    return gone;
  }
  return {
    async note(ctx) {
      if (isDelete) return [{ records: [], refers: [], hasLeft: false, left: ctx.record ? [reference(ctx.record)] : [] }];
      const shown = shownRecords(ctx);
      const records = unique(shown.map(reference));
      const left = ctx.hasChanged ? await findGone(ctx, records) : await findOutside(ctx, shown);
      const addressed =
        hasAddress && hasBody(ctx) ? await noteAddress(ctx, records, { model, collection, filterOf: filterOwn }) : undefined;
      if (addressed?.hasLeft) left.push(addressed.record);
      const all = addressed ? [...records, addressed.record] : records;
      return [{ records: all, refers: [...shown.flatMap(referredIn), ...copiedIn(ctx)], hasLeft: left.length > 0, left }];
    },

    async read(ctx, [shown]) {
      const [record, another] = shown?.records ?? [];
      if (!isRecord || !record || another || isPurged(record) || !isOwn(record)) return undefined;
      return collection.findOne(record.id, living(model, await filterOwn(ctx)), { latest: true }, workOf(ctx));
    },

    async admit(ctx, [shown]) {
      for (const guard of guards) await runAlone(guard, ctx);
      if (!shown || shown.hasLeft) return [];
      if (shown.records.some(isPurged)) throw notFound();
      const sought: Sought[] = [];
      for (const group of groupByModel(shown.records, (one) => one)) {
        const one = await seek(ctx, group);
        if (!one) throw notFound();
        sought.push(one);
      }
      return sought;
    },
  };
}

/** The resource of another model. Undefined if there is none, or if it is ambiguous. */
function findOther(ctx: Context, one: ShownRecord): ServedModel | undefined {
  try {
    return findScoped(ctx, one);
  } catch {
    return undefined;
  }
}

/** The records that an answer may show. What a handler has loaded counts: its answer may be a part of it, or a copy. */
function shownRecords(ctx: Context): readonly StoredRecord[] {
  const { record, result, noted = new Set() } = ctx;
  if (!hasBody(ctx)) return [];
  return result ? [...noted] : [record ?? []].flat();
}

function hasBody({ body }: Context): boolean {
  return body !== undefined && body !== null;
}

function reference({ model: { name, collection }, stored }: StoredRecord): ShownRecord {
  return { name, collection, id: stored._id };
}

function isPurged({ id }: ShownRecord): boolean {
  return id === undefined;
}

function unique(records: readonly ShownRecord[]): readonly ShownRecord[] {
  return [...new Map(records.map((one) => [textOf(one), one])).values()];
}

function groupByModel<One>(
  all: readonly One[],
  modelOf: (one: One) => Pick<CompiledModel, 'name' | 'collection'>,
): Iterable<[One, ...One[]]> {
  const groups = new Map<string, [One, ...One[]]>();
  for (const one of all) {
    const { name, collection } = modelOf(one);
    const group = groups.get(`${name} ${collection}`);
    if (group) group.push(one);
    else groups.set(`${name} ${collection}`, [one]);
  }
  return groups.values();
}
