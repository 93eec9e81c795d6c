import { setTimeout as pause } from 'node:timers/promises';
import type { ClientSession } from 'mongodb';
import { isProblem } from '../../errors.ts';
import { hasLabel, isWithoutAnswer } from './server-error.ts';

/** The part of a sent command that its transaction uses. */
interface Sent {
  readonly collection: string | undefined;
  /** How often it was handed to a connection. */
  readonly handOvers: number;
  /** Why it was aborted; undefined if it was not. */
  readonly aborted: { readonly reason: unknown } | undefined;
  /** Ends the driver's calls. */
  cancel(): void;
}

/**
 * One attempt of a transaction. Its commands run one after the other, because the database takes one command of a
 * session at a time. After an error of the database the transaction is lost, whatever its function does about it.
 */
export class Transaction {
  readonly session: ClientSession;
  /** Whether the database has confirmed its commit. */
  isCommitted = false;
  /** Rejects when the transaction is given up from outside. */
  readonly stopped: Promise<never>;
  #stop: (reason: unknown) => void = () => undefined;
  #isOpen = true;
  #running = 0;
  /** The command that was sent last, if the database has not answered it. */
  #unanswered: Sent | undefined;
  #isPending = false;
  /** Resolves when the driver's calls for that command have ended. */
  #ended: Promise<void> = Promise.resolve();
  #isKnown = false;
  #last: Promise<unknown> = Promise.resolve();
  #lastWrite: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  readonly #undo: (() => void)[] = [];
  readonly #ends: (() => void)[] = [];
  /** How many commands that write were sent in it. */
  writes = 0;

  constructor(session: ClientSession) {
    this.session = session;
    this.stopped = new Promise((_resolve, reject) => {
      this.#stop = reject;
    });
    this.stopped.catch(() => undefined); // without this, a rejection that is not awaited would end the process
  }

  /** The first error of the database; the transaction cannot be committed after it. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Throws if the transaction has ended. */
  requireOpen(): void {
    if (!this.#isOpen) throw new Error('The transaction has ended: use its `tx` within its function only, and await what it does.');
  }

  /** Runs a command of the transaction when the commands before it have ended. */
  async inTurn<T>(run: () => Promise<T>): Promise<T> {
    return this.join(() => {
      const turn = this.#last.then(() => {
        this.requireOpen();
        if (this.#failure) throw lost(this.#failure.error);
        return run();
      });
      this.#last = turn.catch((error) => this.fail(error)); // before the next command has its turn
      return turn;
    });
  }

  /** Remembers the command that is sent until the database has answered it. */
  follow(command: Sent, answer: Promise<unknown>): void {
    this.#unanswered = command;
    this.#isPending = true;
    this.#ended = answer.then(
      () => this.#hear(),
      (error) => {
        this.#isPending = false;
        if (command.handOvers === 0) this.#unanswered = undefined;
        else if (!isWithoutAnswer(error) && error !== command.aborted?.reason) this.#hear();
      },
    );
  }

  #hear(): void {
    this.#isPending = false;
    this.#unanswered = undefined;
    this.#isKnown = true;
  }

  /** Whether the database may have begun the transaction, and has not confirmed its commit. */
  get mayHoldLocks(): boolean {
    return !this.isCommitted && (this.#isKnown || this.#unanswered !== undefined);
  }

  /**
   * The collection of the unanswered command if it is the first one: the database may not have begun the transaction
   * yet, and may begin it when all others have given up on it.
   */
  get mayBeginIn(): string | undefined {
    return this.#isKnown ? undefined : this.#unanswered?.collection;
  }

  /** Whether the driver still waits for that answer. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /** Waits until the driver's calls for that command have ended, and no longer than `ms` milliseconds. */
  async untilEnded(ms: number): Promise<void> {
    if (this.#isPending) await Promise.race([this.#ended, pause(ms, undefined, { ref: false })]);
  }

  /** Waits until the transaction is given up from outside, and no longer than `ms` milliseconds. */
  async untilStopped(ms: number): Promise<void> {
    await Promise.race([this.stopped.catch(() => undefined), pause(ms, undefined, { ref: false })]);
  }

  /** Ends the driver's calls for that command. */
  cancel(): void {
    this.#unanswered?.cancel();
  }

  /**
   * Runs a function as a part of the transaction, which is committed only if the function has ended, and without an
   * error.
   */
  async join<T>(run: () => Promise<T>): Promise<T> {
    this.requireOpen();
    this.#running++;
    try {
      return await run();
    } catch (error) {
      this.fail(error);
      throw error;
    } finally {
      this.#running--;
    }
  }

  /**
   * Runs a write of several commands when those before it have ended, so that no other one comes between its commands.
   * Its error may be caught, and the transaction continues. It must not wait for another such write.
   */
  alone<T>(run: () => Promise<T>): Promise<T> {
    this.requireOpen();
    this.#running++;
    const turn = this.#lastWrite.then(run).finally(() => {
      this.#running--;
    });
    this.#lastWrite = turn.catch(() => undefined);
    return turn;
  }

  /** The transaction must not be committed, because of this error. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Calls a function if this attempt is not committed: for what has changed in memory meanwhile. */
  onRollback(undo: () => void): void {
    this.#undo.push(undo);
  }

  /** Calls a function when the database holds no lock of this attempt any more, however it has ended. */
  onEnd(run: () => void): void {
    this.#ends.push(run);
  }

  /** The attempt has ended. */
  end(): void {
    for (const run of this.#ends.splice(0)) run();
  }

  /** Ends the transaction from outside. */
  stop(reason: unknown): void {
    this.#stop(reason);
  }

  /** Takes no further commands. Throws if it cannot be committed. */
  close(): void {
    this.#isOpen = false;
    if (this.#failure) throw this.#failure.error;
    if (this.#running > 0)
      throw new Error('The function of a transaction has returned before everything that it does had ended: await all of it.');
  }

  /** Takes no further commands, and takes back what has changed in memory. */
  rollBack(): void {
    this.#isOpen = false;
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }
}

/**
 * The error of all commands after a failed one. Whether the transaction may be tried again depends on the first error.
 */
function lost(cause: unknown): Error {
  return new Error('The transaction is lost, because an earlier command in it has failed.', { cause });
}

/**
 * Whether the database says by this label that a transaction may be tried again. A problem has the label of its cause.
 */
export function hasErrorLabel(error: unknown, label: string): boolean {
  return hasLabel(isProblem(error) ? error.cause : error, label);
}
