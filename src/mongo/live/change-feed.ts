import { setTimeout as pause } from 'node:timers/promises';
import type { ChangeStreamOptions, ClientSession, Db, MongoClient, Timestamp } from 'mongodb';
import { ConfigurationError, Problem } from '../../errors.ts';
import { askWithin } from '../driver/ask-within.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { replicaSetRequired } from '../driver/outcome.ts';
import { reachabilityOf } from '../driver/reachability.ts';
import { Turn } from '../driver/turn.ts';
import { Audience, type Hear, type Interest } from './audience.ts';
import { type Change, type ChangeEvent, changePipeline, readChange } from './change.ts';
import { HeardCollections } from './heard-collections.ts';

/** The longest time to ask for the time of the database, in milliseconds. */
const patienceMS = 10_000;
const firstPauseMS = 100;
/** After so many failures in a row, the application is warned. */
const warnedFailures = 5;
const longestPauseMS = 10_000;

/**
 * The changes of a database: one change stream for a process, which is open as long as somebody listens. It carries the
 * ids of records and the names of their changed fields, and no values.
 *
 * Events may be lost, because the stream cannot go on after an error: then every listener hears that anything may have
 * changed, and the next stream begins at the present time. A token of an event that cannot be read is never used again.
 */
export class ChangeFeed {
  readonly #db: Db;
  readonly #audience = new Audience();
  readonly #heard: HeardCollections;
  #stream: OpenStream | undefined;

  private constructor(db: Db) {
    this.#db = db;
    this.#heard = new HeardCollections(db);
  }

  /** The feed of a database, the same for all that use its client. */
  static of(db: Db): ChangeFeed {
    const ofClient = feeds.get(db.client) ?? new Map<string, ChangeFeed>();
    feeds.set(db.client, ofClient);
    const feed = ofClient.get(db.databaseName) ?? new ChangeFeed(db);
    ofClient.set(db.databaseName, feed);
    return feed;
  }

  /**
   * Listens to the changes of some collections from now on, until the function is called that it returns. Throws
   * `replica_set_required` (501) on a standalone server, `database_unavailable` (503), and a configuration error for a
   * view, of which a change stream tells nothing.
   */
  async listen(collections: ReadonlySet<string>, hear: Hear): Promise<() => void> {
    if (reachabilityOf(this.#db.client).isStandalone) throw replicaSetRequired('change streams');
    this.#audience.add(hear, collections);
    const leave = () => {
      this.#audience.remove(hear);
      if (this.#audience.isEmpty) this.#close();
    };
    try {
      await this.#heard.require(collections, patienceMS).catch(throwAway);
      if (!this.#stream?.carries(collections)) this.#reopen();
      await this.#stream?.begun;
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** From now on, one who listens hears only of these changes of a collection; without an interest, of all of them. */
  focus(hear: Hear, collection: string, interest: Interest | undefined): void {
    this.#audience.focus(hear, collection, interest);
  }

  /** A session whose reads show all changes that were told. */
  session(): ClientSession {
    const session = this.#db.client.startSession({ causalConsistency: true });
    const latest = this.#stream?.time;
    if (latest) session.advanceOperationTime(latest);
    return session;
  }

  /** A stream cannot be changed: one that carries too few collections is replaced, and what it has not told is lost. */
  #reopen(): void {
    const before = this.#stream;
    const collections = new Set([...(before?.collections ?? []), ...this.#audience.collections]);
    before?.close();
    const stream = new OpenStream(this.#db, collections, (change) => this.#tell(change));
    this.#stream = stream;
    if (before) stream.begun.then(() => this.#tell(undefined), ignore);
  }

  #close(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  #tell(change: Change | undefined): void {
    if (change?.id === undefined) this.#heard.forget(change?.collection);
    this.#audience.tell(change);
  }
}

const feeds = new WeakMap<MongoClient, Map<string, ChangeFeed>>();

/** The part of the driver's change stream that is used here. */
interface Events extends AsyncIterable<ChangeEvent> {
  tryNext(): Promise<ChangeEvent | null>;
  close(): Promise<void>;
}

/** A change stream that is opened again after errors, until it is closed. */
class OpenStream {
  readonly collections: ReadonlySet<string>;
  /** Resolves when the time is known from which on everything is told. */
  begun: Promise<void>;
  readonly #db: Db;
  readonly #tell: Hear;
  readonly #closing = new AbortController();
  #stream: Events | undefined;
  #time: Timestamp | undefined;

  constructor(db: Db, collections: ReadonlySet<string>, tell: Hear) {
    this.#db = db;
    this.collections = collections;
    this.#tell = tell;
    this.begun = this.#askTime();
    this.begun.then(
      () => this.#run(),
      () => this.#runLater(),
    );
  }

  /** The time of the last event, or that from which on the stream tells. */
  get time(): Timestamp | undefined {
    return this.#time;
  }

  carries(collections: ReadonlySet<string>): boolean {
    return [...collections].every((name) => this.collections.has(name));
  }

  close(): void {
    this.#closing.abort();
    void this.#stream?.close().catch(ignore);
  }

  async #askTime(): Promise<void> {
    const session = this.#db.client.startSession({ causalConsistency: true });
    try {
      await askWithin(patienceMS, (signal) => this.#db.command({ ping: 1 }, { session, signal } as object)).catch(throwAway);
      if (!session.operationTime) throw replicaSetRequired('change streams'); // a standalone server has no such time
      this.#time = session.operationTime;
    } finally {
      await session.endSession();
    }
  }

  /** Whoever has opened it is told that it could not begin. Others may listen since before, and it begins for them. */
  async #runLater(): Promise<void> {
    if (!(await this.#beginAgain(0))) return;
    this.begun = Promise.resolve();
    await this.#run();
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#isClosed; ) {
      const begun = this.#time;
      const turn = new Turn(); // one write of the database may be thousands of events
      try {
        for await (const event of this.#events()) {
          failures = 0;
          if (!isLater(event, begun)) continue;
          this.#time = event.clusterTime;
          for (const change of readChange(event)) this.#tell(change);
          await turn.pass();
        }
      } catch (error) {
        if (++failures === warnedFailures && !this.#isClosed) warnOfFailure(error);
      }
      if (!(await this.#beginAgain(failures))) return;
    }
  }

  /** The stream has ended: the next one begins at the present time, and whatever lies between them may have changed. */
  async #beginAgain(failures: number): Promise<boolean> {
    for (let attempt = failures; !this.#isClosed; attempt++) {
      await this.#pause(Math.min(firstPauseMS * 2 ** attempt, longestPauseMS));
      if (this.#isClosed) return false;
      try {
        await this.#askTime();
        this.#tell(undefined);
        return true;
      } catch {
        // the database is away
      }
    }
    return false;
  }

  /** A stream that is closed while the database opens its cursor leaves the cursor there: it is closed only then. */
  async *#events(): AsyncGenerator<ChangeEvent> {
    const readConcern = { level: 'majority' } as const; // the only one that it may have, whatever the client's is
    const options: ChangeStreamOptions = { ...bsonOptions, readConcern, ...(this.#time && { startAtOperationTime: this.#time }) };
    const stream = this.#db.watch(changePipeline(this.collections), options) as object as Events;
    try {
      const first = await stream.tryNext();
      if (this.#isClosed) return;
      this.#stream = stream;
      if (first) yield first;
      yield* stream;
    } finally {
      await stream.close().catch(ignore);
    }
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #pause(ms: number): Promise<void> {
    await pause(Math.random() * ms, undefined, { ref: false, signal: this.#closing.signal }).catch(ignore);
  }
}

/** A stream begins with what happened at its time: reads that begin now show that already. */
function isLater({ clusterTime }: ChangeEvent, begun: Timestamp | undefined): boolean {
  return !clusterTime || !begun || clusterTime.greaterThan(begun);
}

/** A stream that is refused, for example because its user lacks the right, leaves lists old, and events late. */
function warnOfFailure(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.emitWarning(
    `The change stream of live lists and deliveries has failed ${warnedFailures} times in a row, and is tried again: until it opens, changes arrive late. ${reason}`,
    { type: 'KoaMongoResourceWarning', code: 'CHANGE_STREAM_FAILS' },
  );
}

function throwAway(cause: unknown): never {
  if (cause instanceof ConfigurationError) throw cause;
  throw new Problem({ code: 'database_unavailable', detail: 'The database cannot be reached; try again in a few seconds.', cause });
}

function ignore(): void {}
