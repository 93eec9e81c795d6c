import { type Abortable, type Collection, type Db, type InsertOneOptions, MongoServerError } from 'mongodb';
import { compileInsertMany, type InsertMany, type WriteError } from './insert-command.ts';
import { roughSizes, Sharing, type Waiting } from './sharing.ts';
import { runFor } from './trace/request-trace.ts';
import type { Command } from './work.ts';

type Stored = Record<string, unknown>;

type Member = Waiting<Stored, void>;

/**
 * Sends creates that arrive while others are under way as one unordered insert, instead of one round trip each. A
 * create that arrives alone is sent at once, and the others wait as {@link Sharing} says.
 *
 * Every create keeps its own deadline, and its own error of the database. A create that ends before the command is
 * written for a connection is left out of it; the others are sent. Once it is written, the outcome of all of them is
 * unknown until the database answers. The command is aborted when no request waits for it any more.
 */
export class SharedInserts {
  readonly #collection: Collection<Stored>;
  readonly #insertMany: InsertMany | undefined;
  readonly #sharing = new Sharing<Stored, void>((members) => this.#send(members), roughSizes);

  constructor(db: Db, collection: Collection<Stored>, isShared: boolean) {
    this.#collection = collection;
    // A client that encrypts fields needs to know the collection of every command, and limits their sizes.
    const canShare = isShared && db.client?.options?.autoEncryption === undefined;
    this.#insertMany = canShare ? compileInsertMany(db, collection) : undefined;
  }

  insert(document: Stored, command: Command): Promise<void> {
    if (!this.#insertMany || !this.#sharing.isBusy || command.session) return this.#alone(document, command);
    return this.#sharing.join(document, command, command.maxTimeMS); // those that have the same time
  }

  #alone(document: Stored, command: Command): Promise<void> {
    const options: InsertOneOptions & Abortable = { ...command.options, maxTimeMS: command.timeLeft };
    return this.#sharing.count(() => this.#collection.insertOne(command.handOver(document), options)) as Promise<unknown> as Promise<void>;
  }

  async #send(members: readonly Member[]): Promise<void> {
    const [first] = members as [Member];
    if (members.length === 1) return first.resolve(this.#alone(first.item, first.command));
    const batch = new Batch(members);
    try {
      const errors = await this.#sharing.count(() => batch.send(this.#insertMany as InsertMany));
      batch.settle(({ resolve, reject }, place) => {
        const error = errors.get(place);
        if (error) reject(new MongoServerError({ ...error, index: 0 }));
        else resolve();
      });
    } catch (error) {
      // A document cannot be written as BSON: the one at fault is found when each goes alone. Nothing has been sent.
      if (batch.isUnwritable) batch.settle(({ item, command, trace, resolve }) => resolve(runFor(trace, () => this.#alone(item, command))));
      else batch.settle(({ reject }) => reject(error));
    }
  }
}

/** Creates that go out as one command. */
class Batch {
  readonly #members: Member[];
  readonly #documents: Stored[];
  readonly #controller = new AbortController();
  #left: number;
  #handOvers = 0;
  #isWriting = false;
  /**
   * Why the command must not be written any more: one has ended after it was handed to a connection, or all have ended.
   */
  #ended: { readonly reason: unknown } | undefined;

  constructor(members: readonly Member[]) {
    this.#members = [...members];
    this.#documents = members.map(({ item }) => item);
    this.#left = members.length;
    for (const one of members) one.command.whenAborted = (reason) => this.#end(one, reason);
  }

  /** Whether a document cannot be written as BSON, so that nothing was sent. */
  get isUnwritable(): boolean {
    return this.#isWriting && this.#handOvers === 0;
  }

  /** Returns the errors by the place of their documents. */
  async send(insertMany: InsertMany): Promise<ReadonlyMap<number, WriteError>> {
    // The driver writes `ordered` after all documents: when it does, they are BSON, and will be sent.
    const body = {
      documents: withToBson(this.#documents, () => this.#beginToWrite()),
      ordered: withToBson(Object(false) as object, () => this.#handOver()),
      mayRepeat: () => this.#ended === undefined,
    };
    const maxTimeMS = Math.min(...this.#members.map(({ command }) => command.timeLeft));
    const { n, writeErrors = [] } = await insertMany(body, { maxTimeMS, signal: this.#controller.signal });
    const count = this.#documents.length;
    if (n + writeErrors.length !== count)
      throw new Error(`The database has answered for ${n + writeErrors.length} of ${count} documents of an insert.`);
    return new Map(writeErrors.map((error) => [error.index, error]));
  }

  /** Ends the command for each request that waits for it. */
  settle(end: (one: Member, place: number) => void): void {
    for (const { command } of this.#members) command.whenAborted = undefined;
    this.#members.forEach((one, place) => {
      if (one.command.aborted) one.reject(one.command.aborted.reason);
      else end(one, place);
    });
  }

  #beginToWrite(): readonly Stored[] {
    // A retry must have the same documents, and nothing is sent after its answer.
    if (this.#ended) throw this.#ended.reason;
    this.#isWriting = true;
    return [...this.#documents];
  }

  #handOver(): boolean {
    this.#isWriting = false;
    this.#handOvers++;
    for (const { command } of this.#members) command.countHandOver();
    return false;
  }

  /** Leaves out one that has ended, unless the command was handed to a connection. */
  #end(one: Member, reason: unknown): void {
    this.#left--;
    if (this.#handOvers > 0 || this.#left === 0) this.#ended = { reason };
    else {
      const place = this.#members.indexOf(one);
      this.#members.splice(place, 1);
      this.#documents.splice(place, 1);
    }
    one.reject(reason);
    if (this.#left === 0) this.#controller.abort(reason);
  }
}

function withToBson<T extends object>(value: T, toBSON: () => unknown): T {
  return Object.defineProperty(value, 'toBSON', { value: toBSON });
}
