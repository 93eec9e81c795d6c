import { type Collection, type Db, ObjectId } from 'mongodb';
import { isProblem, Problem } from '../../../../errors.ts';
import { compileModel } from '../../../../model/compile/compile-model.ts';
import { bsonOptions } from '../../../driver/bson-options.ts';
import { planCommands } from '../../../driver/commands.ts';
import { inParts } from '../../../driver/in-parts.ts';
import { runTransaction } from '../../../driver/run-transaction.ts';
import { isServerError, serverCodes } from '../../../driver/server-error.ts';
import type { Transaction } from '../../../driver/transaction.ts';
import { Work } from '../../../driver/work.ts';
import type { Keep } from '../../../keeps/keep.ts';
import { FreeLatches, type TakenLatch } from './free-latches.ts';
import {
  type Latched,
  latchCollection,
  latchesOf,
  latchModel,
  make,
  mostLatches,
  open,
  remove,
  type Statement,
  shut,
  take,
  unmake,
} from './latch.ts';

/** A record that a write refers to. */
export interface Parent extends Latched {
  /** The collection and the text of the id. */
  readonly key: string;
  /** Writes into the record, and returns whether it is there. */
  touch(work: Work): Promise<boolean>;
}

/** How transactions take latches. */
export type Holding = Pick<Latches, 'hold' | 'discard'>;

/** The answer of an `update` or `delete` command. */
interface Reply {
  readonly n: number;
  readonly nModified?: number;
  readonly upserted?: readonly { readonly index: number }[];
  readonly writeErrors?: readonly { readonly code: number }[];
}

/** The latches that a delete has shut, to try again. */
interface Shut {
  readonly by: ObjectId;
  readonly records: readonly Latched[];
}

/** The most statements of one command. */
const statementsPerCommand = 1_000;

/** The latches that are free in this process, by client and database. */
const freeLatches = new WeakMap<Db['client'], Map<string, FreeLatches>>();

/**
 * The latches of the records of a database. By them, a writer of references and a delete of the records that they lead
 * to exclude each other. README.md says why that is right.
 */
export class Latches {
  readonly #db: Db;
  readonly #maxTimeMS: number;
  readonly #maxLatches: number;
  readonly #collection: Collection<{ readonly _id: { readonly n: number } }>;
  readonly #write: ReturnType<typeof planCommands>['write'];
  readonly #readLatest: ReturnType<typeof planCommands>['readLatest'];
  readonly #free: FreeLatches;
  /** The latches that a transaction has, by the keys of their records. */
  readonly #held = new WeakMap<Transaction, Map<string, TakenLatch>>();
  /** The latches that the deletes of a request have shut before their transaction is tried again. */
  readonly #shut = new WeakMap<Work, Shut>();

  /** `maxLatches` is how many a record gets at which two writers of this process meet. */
  constructor(db: Db, maxTimeMS: number, maxLatches: number) {
    this.#db = db;
    this.#maxTimeMS = maxTimeMS;
    this.#maxLatches = maxLatches;
    this.#collection = db.collection(latchCollection, bsonOptions);
    const { write, readLatest } = planCommands(compileModel(latchModel), db, this.#collection, maxTimeMS);
    this.#write = write;
    this.#readLatest = readLatest;
    this.#free = freeLatchesOf(db);
  }

  /**
   * Takes a latch of each of these records for the transaction of the work: no delete of them is committed while it
   * goes on. It must be called before the records are read. Returns the keys of the records whose first latch the
   * transaction has made: it has to write these records, or to `discard` them.
   */
  hold(parents: readonly Parent[], work: Work, patienceMS = this.#maxTimeMS): Promise<ReadonlySet<string>> {
    const transaction = work.transaction as Transaction;
    const held = this.#heldIn(transaction);
    // In one order for all writers, so that two of them never wait for each other.
    const wanted = parents.filter(({ key }) => !held.has(key)).sort((a, b) => compare(a.key, b.key));
    return transaction.join(async () => {
      const made = new Set<string>();
      for (const some of inParts(wanted, statementsPerCommand))
        for (const { key } of await this.#takeAll(some, transaction, work, patienceMS)) made.add(key);
      return made;
    });
  }

  /** Removes latches that the transaction of the work has made of records that it does not refer to after all. */
  async discard(parents: readonly Parent[], work: Work): Promise<void> {
    const held = this.#heldIn(work.transaction as Transaction);
    for (const { key } of parents) held.get(key)?.release();
    for (const { key } of parents) held.delete(key);
    await this.#sendAll('delete', parents, unmake, work);
  }

  #heldIn(transaction: Transaction): Map<string, TakenLatch> {
    const held = this.#held.get(transaction) ?? new Map<string, TakenLatch>();
    this.#held.set(transaction, held);
    return held;
  }

  /** Takes latches by one command. Returns the records whose first latch was made by it. */
  async #takeAll(parents: readonly Parent[], transaction: Transaction, work: Work, patienceMS: number): Promise<Parent[]> {
    const taken: TakenLatch[] = [];
    for (const parent of parents) {
      const latch = await this.#free.take(parent.key, this.#maxLatches, () => this.#grow(parent), patienceMS);
      transaction.onEnd(latch.release);
      taken.push(latch);
    }
    const { n, nModified = 0, upserted = [] } = await this.#take(parents, taken, work);
    if (n < parents.length) {
      for (const latch of taken) if (latch.n > 0) latch.isLost();
      throw tryAgain('The records that it refers to are changing at the moment; try again.');
    }
    if (nModified + upserted.length < n) throw tryAgain('A record that it refers to is being deleted at the moment; try again.');
    for (const [index, { key }] of parents.entries()) this.#heldIn(transaction).set(key, taken[index] as TakenLatch);
    return upserted.map(({ index }) => parents[index] as Parent);
  }

  async #take(parents: readonly Parent[], taken: readonly TakenLatch[], work: Work): Promise<Reply> {
    try {
      const statements = parents.map((parent, index) => take(parent, (taken[index] as TakenLatch).n));
      return await this.#send('update', statements, work);
    } catch (error) {
      if (isConflict(error)) for (const latch of taken) latch.isContended();
      throw error;
    }
  }

  /**
   * Makes the latches that a record does not have, in a transaction that writes the record, too. Returns how many there
   * are; 0 if there is no such record.
   */
  async #grow(parent: Parent): Promise<number> {
    const work = new Work();
    const filter = latchesOf(parent);
    const found = await this.#readLatest(work, (command) =>
      command.count(() =>
        this.#collection
          .find(command.handOver(filter), { ...command.options, batchSize: mostLatches + 1, readPreference: 'primary' })
          .toArray(),
      ),
    );
    const there = new Set(found.map(({ _id }) => _id.n));
    const missing = Array.from({ length: this.#maxLatches - 1 }, (_, index) => index + 1).filter((n) => !there.has(n));
    if (missing.length === 0) return this.#maxLatches;
    return runTransaction(this.#db, work, this.#maxTimeMS, async () => {
      if (!(await parent.touch(work))) return 0;
      await this.#send(
        'update',
        missing.map((n) => make(parent, n)),
        work,
      );
      return this.#maxLatches;
    });
  }

  /**
   * Removes the latches of records that the transaction of the work deletes. So it conflicts with every other one that
   * has one of them. After a conflict, all of them are shut, until the transaction has been tried again: no new writer
   * takes one, and those that have one are waited for.
   */
  async claim(records: readonly Latched[], work: Work): Promise<void> {
    const before = this.#shut.get(work);
    if (before) work.transaction?.onRollback(() => void this.#open(before).catch(() => undefined)); // they open by themselves at last
    try {
      await this.#sendAll('delete', records, remove, work);
    } catch (error) {
      if (isConflict(error)) this.#shut.set(work, await this.#shutAll(records));
      throw error;
    }
  }

  /**
   * The transaction that has met the conflict has ended in the database: this does not wait for it. The latches open by
   * themselves after half of the time of a request: the process may be killed before the next attempt, and a writer
   * that waits for them has the other half.
   */
  async #shutAll(records: readonly Latched[]): Promise<Shut> {
    const by = new ObjectId();
    await this.#sendAll('update', records, (record) => shut(record, by, this.#maxTimeMS / 2), new Work());
    return { by, records };
  }

  /** What is kept of latches. A purge removes those of its records, as every delete does. */
  keep(isLatched: (collection: string) => boolean): Keep {
    return {
      collection: latchCollection,
      namesActors: false,
      concerns: ({ models }) => models.some(({ collection }) => isLatched(collection)),
      erase: ({ models: [model], ids }, work) =>
        this.#sendAll('delete', model ? ids.map((id) => ({ collection: model.collection, id })) : [], remove, work),
    };
  }

  #open({ by, records }: Shut): Promise<void> {
    return this.#sendAll('update', records, (record) => open(record, by), new Work());
  }

  async #sendAll(
    kind: 'update' | 'delete',
    records: readonly Latched[],
    toStatement: (record: Latched) => Statement,
    work: Work,
  ): Promise<void> {
    for (const some of inParts(records, statementsPerCommand)) await this.#send(kind, some.map(toStatement), work);
  }

  async #send(kind: 'update' | 'delete', [first = {}, ...others]: readonly Statement[], work: Work): Promise<Reply> {
    const statements = kind === 'update' ? 'updates' : 'deletes';
    const reply = await this.#write(work, async (command) => {
      const { maxTimeMS, ...options } = command.options;
      const body = { [kind]: latchCollection, [statements]: [command.handOver(first), ...others], ordered: true, maxTimeMS };
      return (await this.#db.command(body, { ...bsonOptions, ...options })) as Reply;
    });
    // Another transaction has made the same latch.
    if (reply.writeErrors?.length) throw tryAgain('The record that it refers to is changing at the moment; try again.');
    return reply;
  }
}

function freeLatchesOf({ client, databaseName }: Db): FreeLatches {
  const ofClient = freeLatches.get(client) ?? new Map<string, FreeLatches>();
  freeLatches.set(client, ofClient);
  const free = ofClient.get(databaseName) ?? new FreeLatches();
  ofClient.set(databaseName, free);
  return free;
}

function isConflict(error: unknown): boolean {
  return isProblem(error) && isServerError(error.cause, serverCodes.writeConflict);
}

/** An error after which the transaction is tried again. */
class Passing extends Error {
  hasErrorLabel(label: string): boolean {
    return label === 'TransientTransactionError';
  }
}

function tryAgain(detail: string): Problem {
  return new Problem({ code: 'write_conflict', detail, cause: new Passing(detail) });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
