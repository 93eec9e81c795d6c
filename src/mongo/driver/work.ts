import type { ClientSession } from 'mongodb';
import type { LedgerCaller } from '../../model/define/ledger.ts';
import { type Alarm, coarseTimer } from './coarse-timer.ts';
import { type CallOptions, type CommandPlan, type FailedSending, ofMajority } from './command-plan.ts';
import type { Told } from './duplicate-key.ts';
import type { Need, Reachability } from './reachability.ts';
import { giveBack, type ReusedController, takeController } from './signals.ts';
import { BudgetSpent, DatabaseAway, DeadlineExceeded, graceMS } from './time-limit.ts';
import type { Transaction } from './transaction.ts';

/** A running command, which several calls of the driver may share. If one of them fails, the others are aborted. */
export class Command {
  readonly need: Need;
  readonly isWrite: boolean;
  /** The rest of the request's budget in milliseconds: the time limit for the database. */
  readonly maxTimeMS: number;
  readonly collection: string | undefined;
  /** The session of the transaction that the command is part of. Every call of the driver must be given it. */
  readonly session: ClientSession | undefined;
  /** The session of a read that waits for a time of the database. It is part of no transaction. */
  readonly causal: ClientSession | undefined;
  /** The writer, whom a 409 for a duplicate key tells which fields collide. @default the application itself */
  writer: Told | undefined;
  /** Called when the command is aborted. */
  whenAborted: ((reason: unknown) => void) | undefined;
  readonly #work: Work;
  #controller: ReusedController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  readonly #begun = performance.now();
  #handOvers = 0;
  #reject: (reason: unknown) => void = () => undefined;

  constructor(work: Work, { isWrite, need, collection }: CommandPlan, maxTimeMS: number) {
    this.#work = work;
    this.isWrite = isWrite;
    this.need = need;
    this.maxTimeMS = maxTimeMS;
    this.collection = collection;
    this.session = work.transaction?.session;
    this.causal = this.session || isWrite ? undefined : work.causal;
  }

  /** The signal that every call of the driver must be given. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = takeController();
      if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** For every call of the driver. `signal`, which some types lack, ends the search for a server with the answer. */
  get options(): CallOptions {
    const { maxTimeMS, signal, session, causal } = this;
    if (causal) return { maxTimeMS, signal, session: causal, readConcern: ofMajority };
    return session ? { maxTimeMS, signal, session } : { maxTimeMS, signal };
  }

  /** Why the command was aborted; undefined if it was not. */
  get aborted(): { readonly reason: unknown } | undefined {
    return this.#aborted;
  }

  /** The part of {@link maxTimeMS} that is left by now. */
  get timeLeft(): number {
    return Math.max(1, Math.ceil(this.maxTimeMS - (performance.now() - this.#begun)));
  }

  /** How often the command was handed to a connection. It is more than once if the driver has retried the command. */
  get handOvers(): number {
    return this.#handOvers;
  }

  /**
   * Prepares the filter or document of a command for the driver. Its `toBSON` counts each time the driver writes it for
   * a connection, and throws if the command has been aborted. This proves for every topology and every setting of the
   * client that a command was never sent, and never will be.
   */
  handOver<T extends object>(document: T): T {
    const toBSON = (): T => {
      if (this.#aborted) throw this.#aborted.reason;
      this.countHandOver();
      return document;
    };
    const copy = Object.assign({}, document); // of many shapes: a spread would take seven times as long
    return Object.defineProperty(copy, 'toBSON', { value: toBSON });
  }

  /** Counts that the driver has written the command. A write in a transaction has no effect until the commit. */
  countHandOver(): void {
    this.#handOvers++;
    if (this.isWrite && !this.session) this.#work.hasHandedOver = true;
  }

  /** Calls the driver once, and adds the call to the counts of the request. */
  async count<T>(call: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    this.#work.commandCount++;
    try {
      return await call();
    } finally {
      this.#work.databaseTime += performance.now() - startedAt;
    }
  }

  /** Ends the command: `run` rejects at once, whatever the driver does. */
  abort(reason: unknown): void {
    this.#reject(reason);
    this.#stop(reason);
  }

  #stop(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = { reason };
    if (!this.session || this.#handOvers === 0) this.cancel();
    this.whenAborted?.(reason);
  }

  /**
   * Ends the driver's calls of an aborted command. A command of a transaction continues after `abort` if it was handed
   * to a connection: the driver aborts no transaction before the database has answered its first command. The end of
   * the transaction cancels it if it takes too long.
   */
  cancel(): void {
    this.#controller?.abort(this.#aborted?.reason);
  }

  /** Ends the command unless it is a write that may have arrived: its outcome will be known when a server is back. */
  giveUpOnServers(): void {
    if (this.isWrite && this.#handOvers > 0) return;
    this.abort(new DatabaseAway('No server that could take the command has been known for more than a second.'));
  }

  /** @internal */
  settle<T>(run: (command: Command) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      const answer = run(this);
      if (this.session) this.#work.transaction?.follow(this, answer);
      answer.then(resolve, (error) => {
        reject(error);
        this.#stop(error); // ends the other calls
      });
    });
  }

  /** @internal It has its answer. From now on, nothing that is done to it can end another command. */
  release(): void {
    if (!this.#controller || this.#aborted) return;
    giveBack(this.#controller);
    this.#controller = undefined;
  }
}

/** The work of one request in the database: its commands, their shared time, and whether their results are wanted. */
export class Work {
  /** How many commands were sent. */
  commandCount = 0;
  /** The sum of the times of all commands in milliseconds. Commands that ran at the same time count separately. */
  databaseTime = 0;
  /** Whether a write was handed to a connection. */
  hasHandedOver = false;
  /** The transaction that all commands are part of as long as it is set. */
  transaction: Transaction | undefined;
  /** Who is doing it, for the ledger. Undefined for the application itself. */
  caller: LedgerCaller | undefined;
  /** The session of all reads, if they must not show a state of the database from before its time. */
  causal: ClientSession | undefined;
  /** @internal The commands that are under way. */
  readonly running = new Set<Command>();
  #budget: number | undefined;
  #spent = 0;
  #busySince = 0;
  #leaveReason: Error | undefined;
  #giveUpReason: Error | undefined;

  /**
   * Runs a command with our own deadline: `maxTimeMS` has no effect while the database is frozen, and the driver's
   * `timeoutMS` has none in the versions that we support. All commands of a request share one budget. The time between
   * commands does not count.
   *
   * Throws what `plan.explain` returns for the error: a {@link DeadlineExceeded} a second after the budget is spent, a
   * {@link DatabaseAway} at once if no server is known, the reason of {@link leave} or {@link giveUp}, or the driver's
   * own error.
   */
  run<T>(plan: CommandPlan, send: (command: Command) => Promise<T>): Promise<T> {
    return this.transaction?.inTurn(() => this.#run(plan, send)) ?? this.#run(plan, send);
  }

  async #run<T>(given: CommandPlan, send: (command: Command) => Promise<T>): Promise<T> {
    // Every command of a transaction goes to the primary, whatever the read preference of the client.
    const plan: CommandPlan = this.transaction ? { ...given, need: 'primary' } : given;
    this.#refuse(plan);
    const command = new Command(this, plan, this.#budgetLeft(plan));
    const alarm = this.#begin(command, plan.reachability);
    try {
      return await command.settle(send);
    } catch (error) {
      const { handOvers, session, writer } = command;
      throw plan.explain(error, { handOvers, isInTransaction: session !== undefined, writer });
    } finally {
      this.#end(command, alarm, plan.reachability);
    }
  }

  /** Sets the budget of the request in milliseconds, if no command has set it yet. */
  limitTo(maxTimeMS: number): void {
    this.#budget ??= maxTimeMS;
  }

  /**
   * Begins the budget anew, for the next part of an answer that is sent in parts. A transaction keeps what is left: it
   * holds locks.
   */
  renew(): void {
    if (this.transaction) return;
    this.#budget = undefined;
    this.#spent = 0;
    this.#busySince = performance.now();
  }

  /**
   * Ends all reads with this reason, because the client has disconnected, and a transaction that is not being committed
   * yet. Other writes continue: the database may carry out an aborted write anyway.
   */
  leave(reason: Error): void {
    this.#leaveReason ??= reason;
    for (const command of this.running) if (!command.isWrite || command.session) command.abort(reason);
    this.transaction?.stop(reason);
  }

  /** Ends all commands with this reason, because no caller waits for the request any more. No new command begins. */
  giveUp(reason: Error): void {
    this.#giveUpReason ??= reason;
    for (const command of this.running) command.abort(reason);
    this.transaction?.stop(reason);
  }

  /** Whether no request waits for the result any more. */
  get isGone(): boolean {
    return this.#goneReason !== undefined;
  }

  /** Throws if no request waits for the result any more. */
  refuseIfGone(): void {
    if (this.#goneReason) throw this.#goneReason;
  }

  get #goneReason(): Error | undefined {
    return this.#giveUpReason ?? this.#leaveReason;
  }

  /** Throws if no command may begin any more, or no server could take one. */
  #refuse({ isWrite, need, reachability, explain }: CommandPlan): void {
    const reason = this.#giveUpReason ?? (isWrite && !this.transaction ? undefined : this.#leaveReason);
    if (reason) throw reason;
    if (reachability.isAway(need)) throw explain(new DatabaseAway('No server that could take the command is known.'), this.#unsent);
  }

  #budgetLeft({ maxTimeMS, explain }: CommandPlan): number {
    this.#budget ??= maxTimeMS;
    const left = Math.ceil(this.#budget - this.#spentUntil(performance.now()));
    if (left <= 0) throw explain(new BudgetSpent(`The commands of the request have taken ${this.#budget} ms.`), this.#unsent);
    return left;
  }

  /** The time in milliseconds after which a request that waits for the database is answered, whatever that does. */
  get untilDeadline(): number {
    if (this.#budget === undefined) return graceMS;
    return Math.max(0, this.#budget + graceMS - this.#spentUntil(performance.now()));
  }

  get #unsent(): FailedSending {
    return { handOvers: 0, isInTransaction: this.transaction !== undefined };
  }

  #begin(command: Command, reachability: Reachability): Alarm {
    if (this.running.size === 0) this.#busySince = performance.now();
    this.running.add(command);
    reachability.watch(command);
    const limitMS = command.maxTimeMS + graceMS;
    return coarseTimer.after(limitMS, () => command.abort(new DeadlineExceeded(`No answer from the database within ${limitMS} ms.`)));
  }

  #end(command: Command, alarm: Alarm, reachability: Reachability): void {
    alarm.cancel();
    command.release();
    reachability.forget(command);
    const now = performance.now();
    this.#spent = this.#spentUntil(now);
    this.running.delete(command);
    this.#busySince = now;
  }

  /** The time of the budget that is spent. Commands that run at the same time spend it once. */
  #spentUntil(now: number): number {
    return this.#spent + (this.running.size > 0 ? now - this.#busySince : 0);
  }
}
