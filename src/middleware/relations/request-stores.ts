import type { Model } from '../../model/define/define-model.ts';
import type { StoreUser } from '../../store/open-store.ts';
import type { RunTransaction, StoreOf, TransactionContext } from '../../store/store.ts';
import type { Stores } from '../../store/stores.ts';
import type { Context, FindResources, Slots } from '../exchange/context.ts';
import { exchangeOf } from '../exchange/exchange.ts';
import { noteRead } from '../exchange/referred-records.ts';
import { takeBackIfLost } from '../exchange/remember-state.ts';
import { holdModel } from '../exchange/write-result.ts';
import { reachOf } from '../reach/reach.ts';
import { storeReachOf } from './store-reach.ts';

/** What a request needs for the stores of its api. */
export type RequestStores = Required<Pick<Slots, 'store' | 'transaction'>> & Pick<Slots, 'findResources'>;

/**
 * The slots of a request for the stores of an api, which are made when all of its options have been checked, with the
 * scopes of its resources.
 */
export function requestStores(all: () => Stores, findResources?: FindResources): RequestStores {
  // Functions without a closure: a request that does not use them pays nothing for them.
  function store(this: Context, model: Model, given?: object): unknown {
    return all().open(model, given, userOf(this));
  }
  function transaction(this: Context, run: Parameters<RunTransaction>[0]): Promise<unknown> {
    return all().transaction(run, userOf(this));
  }
  return { store: store as StoreOf, transaction: transaction as RunTransaction, findResources };
}

/**
 * Runs a function in a transaction that surrounds a part of a request, with the stores of its api: what these do is the
 * same wherever they are reached. Middlewares without an api have only those of their own. What a lost attempt has set
 * is taken back. After `ctx.transaction`, it is not: what runs beside its function may have set it, and does not run
 * again.
 */
export function surround<T>(ctx: Context, own: Stores, run: (tx: TransactionContext) => Promise<T>): Promise<T> {
  return (ctx.storesOfApi?.() ?? own).surround((tx) => {
    takeBackIfLost(ctx);
    return run(tx);
  }, userOf(ctx));
}

/** Who uses a store in a request. */
function userOf(ctx: Context | undefined): StoreUser {
  if (!ctx?.res) throw new Error('Call it as a method: `ctx.store(…)`, `ctx.transaction(…)`.');
  const exchange = exchangeOf(ctx);
  function requireOpen(): void {
    exchange.throwIfGivenUp();
    exchange.throwIfOver();
  }
  return {
    requireOpen,
    work() {
      requireOpen();
      return exchange.work;
    },
    workOfPage(isFirst) {
      requireOpen();
      if (exchange.ownStream) {
        if (!isFirst) exchange.throwIfShutDown();
        exchange.renewWork();
      }
      return exchange.work;
    },
    changes() {
      ctx.hasChanged = true;
    },
    reach: storeReachOf(ctx),
    makes(record) {
      reachOf(ctx).noteMade(record);
    },
    hold(_document, record) {
      holdModel(ctx, record.model);
      noteRead(ctx, record);
    },
  };
}
