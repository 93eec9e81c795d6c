import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Transaction } from '../../mongo/driver/transaction.ts';
import { all, amongIds, type Predicate } from '../../mongo/predicate/predicate.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import type { Context } from '../exchange/context.ts';
import { exchangeOf } from '../exchange/exchange.ts';
import type { GuardedSource } from './relation-targets.ts';
import { SourceScopes } from './source-scopes.ts';

/** The ids of what the stores of one caller have made in one attempt of a transaction, by the collections. */
interface Made {
  readonly transaction: Transaction;
  readonly ids: Map<string, unknown[]>;
}

/** Forgotten with the opened guards, if the request is authenticated again. Each operation of a batch has its own. */
const madeBy = new WeakMap<object, Made>();

/** Remembers a record that a store of the request has made, for as long as its transaction lasts. */
export function noteMade(ctx: Context, { model, stored }: StoredRecord): void {
  const { transaction } = exchangeOf(ctx).work;
  if (!transaction) return;
  ctx.openedGuards ??= new Set();
  const known = madeBy.get(ctx.openedGuards);
  const made = known?.transaction === transaction ? known : { transaction, ids: new Map<string, unknown[]>() };
  madeBy.set(ctx.openedGuards, made);
  const ids = made.ids.get(model.collection);
  if (ids) ids.push(stored._id);
  else made.ids.set(model.collection, [stored._id]);
}

/**
 * Which records of a source a handler may refer to because the same transaction has made them: no client can have
 * chosen one of them. They must be within the scope, which is asked anew, because what it answers may depend on what
 * the transaction has written. Guards are about operations. A caller whom the scope refuses, such as one who signs up,
 * has none to be outside of.
 */
export async function madeScope(ctx: Context, source: GuardedSource): Promise<Predicate | undefined> {
  const ids = idsIn(ctx, source.model);
  if (!ids) return undefined;
  return all(amongIds(ids), await new SourceScopes(ctx).of({ ...source, guards: [] }));
}

function idsIn(ctx: Context, { collection }: CompiledModel): readonly unknown[] | undefined {
  const made = ctx.openedGuards && madeBy.get(ctx.openedGuards);
  return made?.transaction === exchangeOf(ctx).work.transaction ? made?.ids.get(collection) : undefined;
}
