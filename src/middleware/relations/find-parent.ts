import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { type FieldEntry, relationSlot, type Slot } from '../../model/node.ts';
import { type DatabaseOptions, openCollection } from '../../mongo/collection/collection.ts';
import { living } from '../../mongo/lifecycle/within.ts';
import { all, type Condition, fulfilling } from '../../mongo/predicate/predicate.ts';
import { readScope } from '../../mongo/predicate/read-scope.ts';
import { asRowScope } from '../../mongo/predicate/row-scope.ts';
import type { ResourceMiddleware, ScopeFunction } from '../exchange/context.ts';
import { workOf } from '../exchange/exchange.ts';
import { ofRead } from '../exchange/problem-codes.ts';
import { parameterOf, readAddress, readReference } from '../exchange/read-address.ts';
import { step } from '../exchange/step.ts';
import { reachOf } from '../reach/reach.ts';

/** The records that an operation below a record is about. */
export interface ParentOptions extends DatabaseOptions {
  /** The row filter of the parents. @default every record */
  readonly scope?: ScopeFunction<never> | undefined;
  /** The model of the records that refer to the parent. */
  readonly child: CompiledModel;
  /** Their field that refers. */
  readonly via: QueryField;
  /** Whether a record is created below it: the primary is asked then. @default false */
  readonly latest?: boolean;
}

/**
 * Finds the record of `ctx.params.id` within its scope, and limits the rest of the chain to the records of another
 * model that refer to it: its id is a part of `ctx.scope` and `ctx.writeScope`. It leaves the id in `ctx.parentId`, as
 * `readReference` returns it for the field that refers. 404 if there is no such record. Only its id is read.
 */
export function findParent(parent: CompiledModel, { scope, child, via, latest = false, ...database }: ParentOptions): ResourceMiddleware {
  const collection = openCollection(parent, database);
  const onlyId = parent.selector.select([]);
  const slot = relationSlot((child.fieldTable.get(via.name) as FieldEntry).field) as Slot;
  return step({ problems: [...ofRead, 'not_found'] }, async function findParent(ctx) {
    ctx.exchange?.throwIfGivenUp();
    const own = scope && fulfilling(readScope(await reachOf(ctx).own(scope), parent.scopeFields));
    const { id } = readAddress(ctx, parent);
    await collection.findOne(id, living(parent, all(own, ctx.scope)), { fields: onlyId, latest }, workOf(ctx));
    const refers: Condition = { field: via, operator: 'eq', value: id };
    ctx.pathField = via.name;
    ctx.parentId = readReference(parameterOf(ctx, 'id'), slot);
    ctx.writeScope = [...(ctx.writeScope ?? []), refers];
    ctx.scope = asRowScope(all(fulfilling([refers]), ctx.scope), child, ctx.writeScope);
  });
}
