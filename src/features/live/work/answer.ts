import { Readable } from 'node:stream';
import type { KeptBytes, WaitingStream } from '../kept-bytes.ts';
import type { Frame } from './frames.ts';

/**
 * How many bytes are handed to the connection at a time. A connection that does not take them at once asks for no more,
 * so that it holds one piece, also where it encrypts what it holds.
 */
const pieceBytes = 65_536;

/**
 * The body of the answer. It asks for the next event when the client has taken what was sent, so that no more than one
 * event waits in memory; of small ones, which come in one part, the connection may hold the last.
 */
export class LiveAnswer extends Readable implements WaitingStream {
  since = 0;
  readonly #kept: KeptBytes;
  readonly #whenWanted: () => void;
  /** What the client has not taken yet. */
  readonly #frames: Frame[] = [];
  #pieces: Iterator<Buffer> | undefined;
  #isAsked = false;
  #isLast = false;

  constructor(kept: KeptBytes, whenWanted: () => void) {
    super({ highWaterMark: 1 });
    this.#kept = kept;
    this.#whenWanted = whenWanted;
  }

  /** Whether the client has taken what was sent. */
  get isWanted(): boolean {
    return this.#isAsked && this.#frames.length === 0;
  }

  send(...frames: readonly Frame[]): void {
    if (this.destroyed) return;
    if (this.#frames.length === 0) this.#begin();
    for (const frame of frames) {
      this.#kept.keep(frame);
      this.#frames.push(frame);
    }
    if (this.#isAsked) this.#pushNext();
  }

  /** Sends the last event. */
  finish(frame: Frame): void {
    this.#isLast = true;
    this.send(frame);
  }

  override _read(): void {
    this.#isAsked = true;
    this.#pushNext();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    for (const frame of this.#frames.splice(0)) this.#kept.release(frame);
    this.#kept.end(this);
    done(error);
  }

  #begin(): void {
    this.since = performance.now();
    this.#kept.begin(this);
  }

  #pushNext(): void {
    for (let frame = this.#frames[0]; frame; frame = this.#frames[0]) {
      this.#pieces ??= piecesOf(frame.parts);
      const next = this.#pieces.next();
      if (!next.done) {
        this.#isAsked = false;
        this.push(next.value);
        return;
      }
      this.#pieces = undefined;
      this.#frames.shift();
      this.#kept.release(frame);
    }
    this.#kept.end(this);
    if (this.#isLast) this.push(null);
    else this.#whenWanted();
  }
}

/**
 * The pieces of large parts: the shortest comes first. A connection that is handed a whole piece takes the next one
 * when it has sent it, but holds several short ones, and with them the memory of all.
 */
function* piecesOf(parts: readonly Buffer[]): Generator<Buffer, void> {
  for (const part of parts) {
    const first = part.length % pieceBytes;
    if (first > 0) yield part.subarray(0, first);
    for (let at = first; at < part.length; at += pieceBytes) yield part.subarray(at, at + pieceBytes);
  }
}
