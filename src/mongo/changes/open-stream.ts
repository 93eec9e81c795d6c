import { setTimeout as pause } from 'node:timers/promises';
import type { ChangeStreamOptions, Db, Timestamp } from 'mongodb';
import { ConfigurationError, Problem } from '../../errors.ts';
import { askWithin } from '../driver/ask-within.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { replicaSetRequired } from '../driver/outcome.ts';
import { Turn } from '../driver/turn.ts';
import { type ChangeEvent, type CollectionChange, changePipeline, readChange } from './change.ts';
import { answersEveryMS, type Events, nextEvent } from './next-event.ts';

/** Tells all who listen. Undefined says that anything may have changed, because events were lost. */
export type Tell = (changes: readonly CollectionChange[] | undefined, turn?: Turn) => Promise<void>;

/** How many changes are told together at most. */
const mostTogether = 500;

/** The longest time to ask for the time of the database, in milliseconds. */
export const patienceMS = 10_000;
const firstPauseMS = 100;
/** After so many failures in a row, the application is warned. */
const warnedFailures = 5;
const longestPauseMS = 10_000;
/** How long the next stream waits until this one is closed, in milliseconds: its connection may be dead. */
const closingMS = 1_000;

/**
 * A change stream that is opened again after errors, and when its database does not answer any more, until it is
 * closed.
 */
export class OpenStream {
  readonly collections: ReadonlySet<string>;
  /** Resolves when the time is known from which on everything is told. */
  begun: Promise<void>;
  readonly #db: Db;
  readonly #tell: Tell;
  readonly #staleAfter: () => number;
  readonly #closing = new AbortController();
  #stream: Events | undefined;
  #time: Timestamp | undefined;

  /** `staleAfter` says after how many milliseconds without an answer the stream is taken for dead. */
  constructor(db: Db, collections: ReadonlySet<string>, tell: Tell, staleAfter: () => number) {
    this.#db = db;
    this.collections = collections;
    this.#tell = tell;
    this.#staleAfter = staleAfter;
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
        let untold: CollectionChange[] = [];
        for await (const event of this.#events()) {
          failures = 0;
          if (event && isLater(event, begun)) {
            this.#time = event.clusterTime;
            untold.push(...readChange(event));
          }
          if (untold.length < mostTogether && this.#stream?.bufferedCount?.()) continue;
          if (untold.length > 0) await this.#tell(untold, turn);
          untold = [];
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
        await this.#tell(undefined);
        return true;
      } catch {
        // the database is away
      }
    }
    return false;
  }

  /** A stream that is closed while the database opens its cursor leaves the cursor there: it is closed only then. */
  async *#events(): AsyncGenerator<ChangeEvent | undefined> {
    const options: ChangeStreamOptions = {
      ...bsonOptions,
      readConcern: { level: 'majority' }, // the only one that it may have, whatever the client's is
      maxAwaitTimeMS: answersEveryMS,
      ...(this.#time && { startAtOperationTime: this.#time }),
    };
    const stream = this.#db.watch(changePipeline(this.collections), options) as object as Events;
    try {
      while (!this.#isClosed) {
        const event = await nextEvent(stream, this.#staleAfter);
        if (this.#isClosed) return;
        this.#stream = stream;
        yield event;
      }
    } finally {
      await askWithin(closingMS, () => stream.close()).catch(ignore);
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

export function throwAway(cause: unknown): never {
  if (cause instanceof ConfigurationError) throw cause;
  throw new Problem({ code: 'database_unavailable', detail: 'The database cannot be reached; try again in a few seconds.', cause });
}

function ignore(): void {}
