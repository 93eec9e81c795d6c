import { notFound } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import { type DatabaseOptions, openCollection } from '../../mongo/collection.ts';
import { both, buildFilter, type Condition, readScope } from '../../mongo/query/filter.ts';
import { isWithin } from '../../mongo/query/within-scope.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import type { Context, Replays, ResourceMiddleware, ScopeFunction } from './context.ts';
import { workOf } from './exchange.ts';
import { runAlone, step } from './step.ts';
import { recordOf } from './write-result.ts';

/** Leaves in `ctx.replays` who may see the answer of the operation again, for `idempotency`. */
export function setReplays(replays: Replays): ResourceMiddleware {
  return step(['not_found', 'internal'], function setReplays(ctx) {
    ctx.replays = replays;
  });
}

/** Options of {@link compileReplays}. */
interface ReplaysOptions extends DatabaseOptions {
  /** The row filter of the resource. @default every record */
  readonly scope?: ScopeFunction<never> | undefined;
  /** Middlewares that refuse callers, and that stand below `idempotency`. @default none */
  readonly guards?: readonly ResourceMiddleware[];
}

/**
 * Compiles who may see the answers of an operation again: its guards have to let the caller pass, and each record that the answer shows has to be
 * within the scope by now.
 */
export function compileReplays(model: CompiledModel, { scope, guards = [], ...database }: ReplaysOptions): Replays {
  const collection = openCollection(model, database);
  async function readOwn(ctx: Context): Promise<readonly Condition[]> {
    return scope ? readScope(await (scope as ScopeFunction)(ctx), model.scopeFields) : [];
  }
  return {
    async note(ctx) {
      const records = shownRecords(ctx).filter((record) => record.isOf(model));
      if (records.length === 0) return [{ ids: [], hasLeft: false }];
      const conditions = await readOwn(ctx);
      const hasLeft = records.some(({ stored }) => !conditions.every((condition) => isWithin(condition, stored)));
      return [{ ids: records.map(({ stored }) => stored._id), hasLeft }];
    },

    async admit(ctx, [shown]) {
      for (const guard of guards) await runAlone(guard, ctx);
      if (!shown || shown.hasLeft || shown.ids.length === 0) return;
      const { ids } = shown;
      const filter = both(buildFilter(await readOwn(ctx)), ctx.scope);
      const found = await collection.findIdsBy('_id', ids, filter, ids.length, workOf(ctx));
      if (found.length < new Set(ids.map((id) => model.id.leaf.toJson(id))).size) throw notFound();
    },
  };
}

/** The records in the body of an answer. */
function shownRecords({ record, result, body }: Context): readonly StoredRecord[] {
  if (body === undefined || body === null) return [];
  return result ? [...recordsIn(result.value, new Set())] : [record ?? []].flat();
}

function* recordsIn(value: unknown, seen: Set<unknown>): Iterable<StoredRecord> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  const record = recordOf(value);
  if (record) yield record;
  else if (Array.isArray(value) || value instanceof Map || value instanceof Set)
    for (const item of value.values()) yield* recordsIn(item, seen);
  else if (isStoredObject(value)) for (const member of Object.values(value)) yield* recordsIn(member, seen);
}
