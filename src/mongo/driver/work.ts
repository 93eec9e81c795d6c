import { type Alarm, coarseTimer } from './coarse-timer.ts';
import type { Need, Reachability } from './reachability.ts';
import { graceMS } from './time-limit.ts';

/** The time of a command, or of all commands of its request, is over. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** No server that could take the command has been known for more than a second. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}

/** What a command is, for whoever runs it. */
export interface CommandPlan {
  readonly isWrite: boolean;
  /** The budget of the request, in milliseconds, where this is its first command. */
  readonly maxTimeMS: number;
  readonly need: Need;
  readonly reachability: Reachability;
  /** What an error means, of a command that was so often handed to a connection. */
  explain(error: unknown, handOvers: number): unknown;
}

/** A command that runs: what the call of the driver needs. Several calls may share one; when one of them fails, the others are aborted. */
export class Command {
  readonly need: Need;
  readonly isWrite: boolean;
  /** What is left of the request's budget, for the database. */
  readonly maxTimeMS: number;
  readonly #controller = new AbortController();
  readonly #work: Work;
  #handOvers = 0;
  #reject: (reason: unknown) => void = () => undefined;

  constructor(work: Work, { isWrite, need }: CommandPlan, maxTimeMS: number) {
    this.#work = work;
    this.isWrite = isWrite;
    this.need = need;
    this.maxTimeMS = maxTimeMS;
  }

  /** To be given to the driver, with every read and every write. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** How often it was handed to a connection: more than once when the driver has tried it again. */
  get handOvers(): number {
    return this.#handOvers;
  }

  /**
   * The filter or document of a command, as the driver is given it: it notices when the driver writes it for a connection, by `toBSON`, and
   * refuses when the command has been aborted. That is the proof that a command was never sent, and never will be, with every topology and
   * every setting of the client.
   */
  handOver<T extends object>(document: T): T {
    const toBSON = (): T => {
      this.signal.throwIfAborted();
      this.#handOvers++;
      if (this.isWrite) this.#work.hasHandedOver = true;
      return document;
    };
    return Object.defineProperty({ ...document }, 'toBSON', { value: toBSON });
  }

  /** Calls the driver once, and counts what it costs. */
  async count<T>(call: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    this.#work.commandCount++;
    try {
      return await call();
    } finally {
      this.#work.databaseTime += performance.now() - begun;
    }
  }

  /** Ends it: `run` rejects at once, whatever the driver does. */
  abort(reason: unknown): void {
    this.#reject(reason);
    this.#controller.abort(reason);
  }

  /** A write that may have arrived goes on: when there is a server again, its answer is known. */
  giveUpOnServers(): void {
    if (this.isWrite && this.#handOvers > 0) return;
    this.abort(new DatabaseAway('No server that could take the command has been known for more than a second.'));
  }

  /** @internal */
  settle<T>(run: (command: Command) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      run(this).then(resolve, (error) => {
        reject(error);
        this.#controller.abort(error); // of several calls, the others
      });
    });
  }
}

/**
 * What a request does in the database: its commands, the time that they share, and when nobody wants them any more. A request has one, from
 * its first command to its end.
 */
export class Work {
  /** How many commands were sent. */
  commandCount = 0;
  /** Milliseconds that commands took, all added up, those that ran at the same time too. */
  databaseTime = 0;
  /** Whether a write was handed to a connection. */
  hasHandedOver = false;
  readonly #running = new Set<Command>();
  #budget: number | undefined;
  #spent = 0;
  #busySince = 0;
  #left: Error | undefined;
  #givenUp: Error | undefined;

  /**
   * Runs a command with a deadline of its own: `maxTimeMS` does not help when the database is frozen, and the driver's `timeoutMS` does
   * nothing in the versions that we support. All commands of a request share one budget; the time of the functions between them does not count.
   *
   * Throws what the plan makes of an error: of {@link DeadlineExceeded} a second after the budget is spent, of {@link DatabaseAway} at once
   * where there is no server, of what {@link leave} or {@link giveUp} were given, and of the driver's own.
   */
  async run<T>(plan: CommandPlan, send: (command: Command) => Promise<T>): Promise<T> {
    this.#refuse(plan);
    const command = new Command(this, plan, this.#budgetLeft(plan));
    const alarm = this.#begin(command, plan.reachability);
    try {
      return await command.settle(send);
    } catch (error) {
      throw plan.explain(error, command.handOvers);
    } finally {
      this.#end(command, alarm, plan.reachability);
    }
  }

  /** The client has gone: reads end with this reason. Writes go on: one that is cut off may be carried out all the same. */
  leave(reason: Error): void {
    this.#left ??= reason;
    for (const command of this.#running) if (!command.isWrite) command.abort(reason);
  }

  /** Nobody waits for the request any more: everything ends with this reason, and nothing begins. */
  giveUp(reason: Error): void {
    this.#givenUp ??= reason;
    for (const command of this.#running) command.abort(reason);
  }

  /** Throws where nothing may begin any more, or could. */
  #refuse({ isWrite, need, reachability, explain }: CommandPlan): void {
    const ended = this.#givenUp ?? (isWrite ? undefined : this.#left);
    if (ended) throw ended;
    if (reachability.isAway(need)) throw explain(new DatabaseAway('No server that could take the command is known.'), 0);
  }

  #budgetLeft({ maxTimeMS, explain }: CommandPlan): number {
    this.#budget ??= maxTimeMS;
    const left = Math.ceil(this.#budget - this.#spentUntil(performance.now()));
    if (left <= 0) throw explain(new DeadlineExceeded(`The commands of the request have taken ${this.#budget} ms.`), 0);
    return left;
  }

  #begin(command: Command, reachability: Reachability): Alarm {
    if (this.#running.size === 0) this.#busySince = performance.now();
    this.#running.add(command);
    reachability.watch(command);
    const waits = command.maxTimeMS + graceMS;
    return coarseTimer.after(waits, () => command.abort(new DeadlineExceeded(`No answer from the database within ${waits} ms.`)));
  }

  #end(command: Command, alarm: Alarm, reachability: Reachability): void {
    alarm.cancel();
    reachability.forget(command);
    const now = performance.now();
    const spent = this.#spentUntil(now);
    this.#running.delete(command);
    this.#spent = spent;
    this.#busySince = now;
  }

  /** Commands that run at the same time spend their time once. */
  #spentUntil(now: number): number {
    return this.#spent + (this.#running.size > 0 ? now - this.#busySince : 0);
  }
}
