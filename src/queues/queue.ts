import { setTimeout as pause } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { PermanentFailure } from '../errors.ts';
import { defaultOf, type Filled, fillIn } from '../options.ts';
import { Lease, WorkerClosed } from './lease.ts';
import { type Busy, type Candidate, isSame, type Left, linesOf } from './lines.ts';
import { persist } from './persist.ts';
import {
  type Handled,
  legalClose,
  legalRetry,
  millisecondsOf,
  Postponed,
  type QueueObservation,
  type QueueOptions,
  queueOptions,
  type RetryOptions,
} from './queue-options.ts';
import { type Claimed, type Line, type QueueRow, QueueRows } from './queue-rows.ts';
import { report } from './report.ts';
import { textOfError } from './text-of-error.ts';
import { wakeUp } from './wake.ts';

/** How many due rows are read at once. */
const pageSize = 1_000;
/** After so many rows of a line, other lines that wait have their turn. */
const mostInTurn = 50;
/** How long a handler may take to end after its signal, when the worker is closed, in milliseconds. */
const graceMS = 1_000;

/** A row that this worker has. */
interface Held<Row> {
  readonly row: Row;
  readonly token: ObjectId;
  readonly claimedAt: number;
}

/**
 * Handles the rows of a collection: at least once, in order in each line, by as many workers as there are. A row is
 * `pending` until it is `delivered`, or `dead`: a dead letter stops its line until it is released or skipped.
 *
 * Rows that were not handled are found by their state and the time at which they are due. Rows that wait for an earlier
 * one of their line are put off as long as that one, so that neither many of them nor dead letters hide other lines.
 */
export class Queue<Row extends QueueRow> {
  readonly #options: Filled<QueueOptions<Row>, typeof queueOptions>;
  readonly #retry: Required<RetryOptions>;
  readonly #leaseMS: number;
  readonly #rows: QueueRows<Row>;
  readonly #running = new Set<Promise<void>>();
  /** The lines that this worker handles. */
  readonly #busy = new Map<string, Busy>();
  readonly #held = new Map<Lease, Held<Row>>();
  /** The lines to try next. */
  #candidates: Candidate[] = [];
  /** Whether there may be due rows that were not read. */
  #isStale = false;
  #looking: Promise<void> | undefined;
  #stopWaking: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: QueueOptions<Row>) {
    this.#options = fillIn(options, queueOptions);
    this.#retry = fillIn(options.retry ?? {}, legalRetry);
    this.#rows = new QueueRows(options);
    this.#leaseMS = this.#options.lease;
  }

  /** Begins to handle rows. */
  start(): void {
    this.#stopWaking ??= wakeUp(this.#options, () => this.#wake());
  }

  /**
   * Takes no further row, and waits for the handlers that are under way: after `timeout` milliseconds their signals are
   * aborted, and what they have is given back.
   */
  close(timeout: number = defaultOf(legalClose.timeout)): Promise<void> {
    this.#closing ??= this.#close(timeout);
    return this.#closing;
  }

  async #close(timeout: number): Promise<void> {
    this.#stopWaking?.();
    this.#candidates = [];
    if (await this.#hasEnded(timeout)) return;
    for (const lease of this.#held.keys()) lease.abort(new WorkerClosed('The worker is closed.'));
    if (await this.#hasEnded(graceMS)) return;
    this.#isClosed = true; // what a handler that goes on has done is the next worker's to find out
    await Promise.allSettled(Array.from(this.#held, ([lease, held]) => this.#giveBack(lease, held)));
  }

  async #hasEnded(withinMS: number): Promise<boolean> {
    const controller = new AbortController();
    const late = pause(withinMS, false, { signal: controller.signal }).catch(() => false);
    const hasEnded = await Promise.race([this.#untilIdle(), late]);
    controller.abort();
    return hasEnded;
  }

  async #untilIdle(): Promise<true> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    return true;
  }

  #wake(): void {
    this.#isStale = true;
    this.#begin();
  }

  /** Begins to take lines, if a place is free. */
  #begin(): void {
    if (this.#closing || this.#running.size >= this.#options.concurrency) return;
    const run = this.#run()
      .catch((error) => this.#tell({ kind: 'error', error })) // the next look is the next attempt
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #run(): Promise<void> {
    for (let next = await this.#next(); next; next = await this.#next()) {
      if (this.#candidates.length > 0) this.#begin();
      await this.#take(next);
    }
  }

  async #next(): Promise<Candidate | undefined> {
    while (!this.#closing) {
      const next = this.#candidates.shift();
      if (next) return next;
      if (!this.#isStale && !this.#looking) return undefined;
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
    }
    return undefined;
  }

  /** Reads due rows. */
  async #look(): Promise<void> {
    this.#isStale = false;
    const due = await this.#rows.findDue(pageSize);
    this.#candidates = linesOf(due);
    if (due.length === pageSize) this.#isStale = true;
  }

  /** Handles the rows of a line, unless this worker does already. */
  async #take({ key, line, ids }: Candidate): Promise<void> {
    const known = this.#busy.get(key);
    if (known) {
      known.parking = Promise.allSettled([known.parking, this.#rows.park(ids, undefined, this.#leaseMS)]);
      return void (await known.parking);
    }
    const busy: Busy = {};
    this.#busy.set(key, busy);
    const left = await this.#handleLine(line, ids, busy).catch((error): Left => {
      this.#tell({ kind: 'error', error });
      return 'turn over';
    });
    this.#busy.delete(key);
    if (this.#isClosed || left === 'done' || (left === 'waiting' && !busy.parking)) return;
    await busy.parking; // the first row may have been put off with others
    await this.#pass(line);
    this.#isStale = true;
  }

  /** Lets the first row of a line be found: after a lease, it is found anyway. */
  #pass(line: Line): Promise<Row | undefined> {
    const end = performance.now() + this.#leaseMS;
    return this.#persist(
      () => this.#rows.pass(line),
      () => this.#closing !== undefined || performance.now() > end,
    );
  }

  /** Handles the rows of a line, as long as there are due ones. */
  async #handleLine(line: Line, found: readonly unknown[], busy: Busy): Promise<Left> {
    let held = await this.#claimNext(line, busy, found);
    for (let count = 1; held; count++) {
      if (!(await this.#handle(held))) return 'waiting';
      const hasOthers = this.#candidates.length > 0 || this.#isStale;
      if (this.#closing || (count >= mostInTurn && hasOthers)) return 'turn over';
      held = await this.#claimNext(line, busy);
    }
    return this.#closing ? 'turn over' : 'done';
  }

  /** Takes the first row of a line: also one that was put off while it asked, because this worker has the line. */
  async #claimNext(line: Line, busy: Busy, found?: readonly unknown[]): Promise<Held<Row> | undefined> {
    for (;;) {
      const { parking } = busy;
      await parking;
      if (this.#closing) return undefined;
      const held = await this.#claim(line, found);
      if (held || busy.parking === parking) return held;
    }
  }

  /** Takes the first row of a line, and puts off those that were found behind it. */
  async #claim(line: Line, found: readonly unknown[] = []): Promise<Held<Row> | undefined> {
    const claimedAt = performance.now();
    const first = await this.#rows.claim(line, this.#leaseMS);
    if (!first) return undefined;
    const { row, token } = first;
    const behind = found.filter((id) => !isSame(id, row._id));
    await this.#putOff(line, behind, first).catch((error) => this.#tell({ kind: 'error', error }));
    return token && { row, token, claimedAt };
  }

  /** Puts off rows behind the first one. A worker that has that may be done with it already, and with others. */
  async #putOff(line: Line, behind: readonly unknown[], { row, token }: Claimed<Row>): Promise<void> {
    try {
      await this.#rows.park(behind, row, this.#leaseMS);
      if (token && row.releasedAt) await this.#rows.watch(line, this.#leaseMS); // they were left alone for longer
    } finally {
      const first = token || behind.length === 0 ? undefined : await this.#pass(line); // without an answer, it may have parked
      if (first && !isSame(first._id, row._id)) this.#isStale = true;
      if (first && row.state === 'dead' && first.state !== 'dead') await this.#rows.watch(line, this.#leaseMS);
    }
  }

  /** Returns whether the next row of the line may follow. */
  async #handle(held: Held<Row>): Promise<boolean> {
    const { row, token, claimedAt } = held;
    const lease = new Lease(() => this.#rows.renew(row._id, token, this.#leaseMS), this.#leaseMS, claimedAt);
    this.#held.set(lease, held);
    const attempt = row.attempts ?? 1;
    const begun = performance.now();
    try {
      let failure: { readonly error: unknown } | undefined;
      try {
        await this.#options.handle(row, { signal: lease.signal, attempt });
      } catch (error) {
        failure = { error };
      }
      const what = { row, attempt, duration: performance.now() - begun };
      if (failure && lease.signal.reason instanceof WorkerClosed) return await this.#giveBack(lease, held);
      if (failure?.error instanceof Postponed) return await this.#giveBack(lease, held, failure.error.pause);
      const end = failure ? await this.#fail(lease, held, failure.error, what) : await this.#deliver(lease, held, what);
      if (end === undefined) this.#tell({ kind: 'lost', ...what });
      return end === 'delivered';
    } finally {
      lease.end();
      this.#held.delete(lease);
    }
  }

  async #deliver(lease: Lease, { row, token }: Held<Row>, what: Handled<Row>): Promise<'delivered' | undefined> {
    const isOurs = await this.#settle(lease, () => this.#rows.deliver(row._id, token, millisecondsOf(this.#options.keep)));
    if (!isOurs) return undefined;
    this.#tell({ kind: 'delivered', ...what });
    return 'delivered';
  }

  async #fail(lease: Lease, { row, token }: Held<Row>, error: unknown, what: Handled<Row>): Promise<'pending' | 'dead' | undefined> {
    const { first, longest, for: forMS } = this.#retry;
    const retryIn = Math.ceil(Math.random() * Math.min(longest, first * 2 ** (what.attempt - 1)));
    const lastMS = error instanceof PermanentFailure ? 0 : forMS;
    const state = await this.#settle(lease, () => this.#rows.fail(row._id, token, textOfError(error), retryIn, lastMS));
    if (state === 'dead') this.#tell({ kind: 'dead', ...what, error });
    if (state === 'pending') {
      this.#tell({ kind: 'failed', ...what, error, retryIn });
      this.#wakeIn(retryIn);
    }
    return state;
  }

  async #giveBack(lease: Lease, { row, token }: Held<Row>, pauseMS = 0): Promise<false> {
    lease.end();
    await this.#rows.giveBack(row._id, token, pauseMS);
    if (pauseMS > 0) this.#wakeIn(pauseMS);
    return false;
  }

  /** Writes what has become of a row, as long as its lease is held. */
  #settle<T>(lease: Lease, write: () => Promise<T>): Promise<T | undefined> {
    return this.#persist(write, () => lease.signal.aborted || this.#isClosed);
  }

  /** Tries again while the database is away, and tells of each error. */
  #persist<T>(write: () => Promise<T>, isOver: () => boolean): Promise<T | undefined> {
    return persist(write, isOver, (error) => this.#tell({ kind: 'error', error }));
  }

  /** Looks when a pause ends, unless there is another look before. */
  #wakeIn(ms: number): void {
    if (ms < this.#options.poll) setTimeout(() => this.#wake(), ms + 1).unref();
  }

  #tell(what: QueueObservation<Row>): void {
    void report(this.#options.observe, what);
  }
}
