/** A lease was lost: another worker may have the row by now, or the row is gone. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The worker is closed, and does not wait any longer. */
export class WorkerClosed extends Error {
  override readonly name = 'WorkerClosed';
}

/** After a renewal that has failed, the next one follows after this part of the lease. */
const [between, afterFailure] = [1 / 3, 1 / 15];

/** The lease of a row, which is renewed until it ends. */
export class Lease {
  readonly #controller = new AbortController();
  readonly #renew: () => Promise<boolean>;
  readonly #lengthMS: number;
  #hasEnded = false;
  #renewal: NodeJS.Timeout;
  #expiry: NodeJS.Timeout;

  /**
   * `renew` says whether the lease was still held. `claimedAt` is the time of `performance` before the claim was sent.
   */
  constructor(renew: () => Promise<boolean>, lengthMS: number, claimedAt: number) {
    this.#renew = renew;
    this.#lengthMS = lengthMS;
    this.#renewal = this.#renewAfter(lengthMS * between);
    this.#expiry = this.#expireAfter(claimedAt);
  }

  /** Is aborted when the lease is lost, and when the worker does not wait any longer. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts the signal. */
  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Renews it no more. */
  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#renewal);
    clearTimeout(this.#expiry);
  }

  async #keep(): Promise<void> {
    const sentAt = performance.now();
    const isHeld = await this.#renew().catch(() => undefined);
    if (this.#hasEnded) return;
    if (isHeld === false) return this.#lose();
    this.#renewal = this.#renewAfter(this.#lengthMS * (isHeld ? between : afterFailure));
    if (!isHeld) return;
    clearTimeout(this.#expiry);
    this.#expiry = this.#expireAfter(sentAt);
  }

  #lose(): void {
    this.end();
    this.abort(new LeaseLost('The lease was lost: another worker may have the row by now.'));
  }

  #renewAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#keep(), ms).unref();
  }

  /** The lease of the database lasts at least as long from the time at which the command was sent. */
  #expireAfter(sentAt: number): NodeJS.Timeout {
    return setTimeout(() => this.#lose(), sentAt + this.#lengthMS - performance.now()).unref();
  }
}
