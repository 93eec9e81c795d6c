import { Readable } from 'node:stream';

/**
 * The body of the answer. It asks for the next event when the client has taken what was sent, so that no more than one
 * event waits in memory.
 */
export class LiveAnswer extends Readable {
  readonly #whenWanted: () => void;
  #isWanted = false;

  constructor(whenWanted: () => void) {
    super({ highWaterMark: 1 });
    this.#whenWanted = whenWanted;
  }

  /** Whether the client has taken what was sent. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  send(frame: Buffer): void {
    this.#isWanted = false;
    this.push(frame);
  }

  /** Sends the last event. */
  finish(frame: Buffer): void {
    this.push(frame);
    this.push(null);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#whenWanted();
  }
}
