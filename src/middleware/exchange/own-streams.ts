import type { ServerResponse } from 'node:http';
import type { Readable, Stream } from 'node:stream';
import type { Problem } from '../../errors.ts';
import { shuttingDown } from './stream-places.ts';

/** The exchange whose answer is a stream of a handler. */
interface Streaming {
  shutDown(reason: Problem): void;
  whenOver(run: () => void): void;
}

/** The streams of handlers that are under way in an api. They have no places, and hear of its shutdown. */
export class OwnStreams {
  readonly #open = new Set<Streaming>();
  #ended: Problem | undefined;

  /** @internal Counts the exchange of a stream until it is over. */
  add(exchange: Streaming): void {
    if (this.#ended) exchange.shutDown(this.#ended);
    this.#open.add(exchange);
    exchange.whenOver(() => this.#open.delete(exchange));
  }

  /** Tells all streams that the service shuts down, and those that begin later. */
  close(): void {
    this.#ended ??= shuttingDown();
    for (const exchange of [...this.#open]) exchange.shutDown(this.#ended);
  }
}

/**
 * Whether a stream waits for its source: the client has taken all that was sent. A stream that was destroyed will never
 * send anything.
 */
export function isIdle(res: ServerResponse, stream: Stream): boolean {
  const { destroyed, readableEnded } = stream as Partial<Readable>; // which a stream of another kind lacks
  return res.socket !== null && res.writableLength === 0 && !res.writableNeedDrain && !destroyed && !readableEnded;
}
