import { compileModel } from '../model/compile/compile-model.ts';
import type { Model } from '../model/define/define-model.ts';
import type { HasFields } from '../model/define/infer.ts';
import { asDb, type Database } from '../mongo/driver/database.ts';
import { runTransaction } from '../mongo/driver/run-transaction.ts';
import { checkTimeLimit } from '../mongo/driver/time-limit.ts';
import { compileStore, type OpenStore, type StoreUser } from './open-store.ts';
import type { Store, StoreOf, TransactionContext } from './store.ts';

/** The stores of all models in a database, and its transactions. A model is compiled when its store is opened for the first time. */
export class Stores {
  readonly #db: Database;
  readonly #maxTimeMS: number;
  readonly #byModel = new WeakMap<Model, OpenStore>();

  constructor(db: Database, maxTimeMS = 10_000) {
    checkTimeLimit(maxTimeMS);
    this.#db = asDb(db);
    this.#maxTimeMS = maxTimeMS;
  }

  /** Opens the store of a model. */
  open(model: Model, options: { readonly scope?: unknown } = {}, user: StoreUser): Store<HasFields> {
    const open = this.#byModel.get(model) ?? compileStore(compileModel(model), { db: this.#db, maxTimeMS: this.#maxTimeMS });
    this.#byModel.set(model, open);
    return open(options, user);
  }

  /** Runs a function in a transaction: see {@link runTransaction}. */
  async transaction<T>(run: (tx: TransactionContext) => Promise<T>, user: StoreUser): Promise<T> {
    const work = user.work();
    return runTransaction(asDb(this.#db), work, this.#maxTimeMS, (transaction) => {
      const member: StoreUser = {
        ...user,
        work() {
          transaction.requireOpen();
          return work;
        },
      };
      const store = (model: Model, options?: { readonly scope?: unknown }) => this.open(model, options, member);
      return run({ store: store as unknown as StoreOf });
    });
  }
}
