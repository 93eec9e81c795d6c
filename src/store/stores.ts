import type { Db } from 'mongodb';
import { compileModel } from '../model/compile/compile-model.ts';
import type { Model } from '../model/define/define-model.ts';
import type { HasFields } from '../model/define/infer.ts';
import { asDb, type Database } from '../mongo/driver/database.ts';
import { runTransaction } from '../mongo/driver/run-transaction.ts';
import { timeLimit } from '../mongo/driver/time-limit.ts';
import type { Work } from '../mongo/driver/work.ts';
import type { Keeps } from '../mongo/keeps/keep.ts';
import type { IsSeen } from '../mongo/relations/cascade/plan-cascade.ts';
import type { References } from '../mongo/relations/references.ts';
import type { Removals } from '../mongo/removals/begin.ts';
import { pickOptions } from '../options.ts';
import { compileStore, type OpenStore, readId, type StoreSettings, type StoreUser } from './open-store.ts';
import { type DeletePlan, nothingElse, planDelete } from './plan-delete.ts';
import type { Store, StoreOf, TransactionContext } from './store.ts';

/** What the stores of an api know of it. */
interface StoresOfApi {
  /** The checked references of its models. @default none */
  references?(): References | undefined;
  /** What is kept of its records beside them. @default what is kept of the records of a model itself */
  keeps?: (() => Promise<Keeps>) | undefined;
  /** What begins deletes in the background. @default none */
  removals?(): (() => Promise<Removals>) | undefined;
}

/**
 * The stores of all models in a database, and its transactions. A model is compiled when its store is opened for the
 * first time.
 */
export class Stores {
  readonly #db: Db;
  readonly #maxTimeMS: number;
  readonly #rest: StoresOfApi;
  readonly #byModel = new WeakMap<Model, OpenStore>();
  /** The work of the requests that have begun a transaction and not ended it. */
  readonly #inTransaction = new WeakSet<Work>();

  /** What an api has is asked for when the first store is opened: it links its models late. */
  constructor(db: Database, given?: number, rest: StoresOfApi = {}) {
    this.#db = asDb(db);
    this.#maxTimeMS = pickOptions({ maxTimeMS: given }, timeLimit).maxTimeMS;
    this.#rest = rest;
  }

  /** Opens the store of a model. */
  open(model: Model, options: { readonly scope?: unknown } = {}, user: StoreUser): Store<HasFields> {
    const open = this.#byModel.get(model) ?? compileStore(compileModel(model), this.#options());
    this.#byModel.set(model, open);
    return open(options, user);
  }

  /** Tells what a delete of a record would do. */
  async planDelete(model: Model, id: unknown, user: StoreUser, isSeen: IsSeen): Promise<DeletePlan> {
    const compiled = compileModel(model);
    const references = this.#rest.references?.();
    const given = readId(compiled, id);
    if (references) return planDelete(compiled, given, references, user.work(), isSeen);
    await this.open(model, {}, user).get(given);
    return nothingElse;
  }

  #options(): StoreSettings {
    const { references, keeps, removals } = this.#rest;
    return { db: this.#db, maxTimeMS: this.#maxTimeMS, references: references?.(), keeps, removals: removals?.() };
  }

  /** Runs a function in a transaction: see {@link runTransaction}. */
  async transaction<T>(run: (tx: TransactionContext) => Promise<T>, user: StoreUser): Promise<T> {
    const work = user.work();
    // It would join the first one, and not be run again with it: what it has answered could be lost.
    if (this.#inTransaction.has(work))
      throw new Error(
        'This request has a transaction that has not ended: await it before the next one, or use `tx.transaction` within it.',
      );
    this.#inTransaction.add(work);
    try {
      return await this.surround(run, user);
    } finally {
      this.#inTransaction.delete(work);
    }
  }

  /** Runs a function in a transaction that those which it begins itself belong to. */
  surround<T>(run: (tx: TransactionContext) => Promise<T>, user: StoreUser): Promise<T> {
    const work = user.work();
    return runTransaction(this.#db, work, this.#maxTimeMS, (transaction) => {
      const workInside = (): Work => {
        transaction.requireOpen();
        user.requireOpen?.();
        return work;
      };
      const member: StoreUser = { ...user, work: workInside, workOfPage: workInside };
      const store = (model: Model, options?: { readonly scope?: unknown }) => this.open(model, options, member);
      const tx: TransactionContext = {
        store: store as unknown as StoreOf,
        transaction: (part) => transaction.join(() => part(tx)),
      };
      return run(tx);
    });
  }
}
