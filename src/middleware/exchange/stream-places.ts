import { Problem } from '../../errors.ts';
import { aWholeNumber, byDefault, checkValue, type Legal } from '../../options.ts';

/**
 * The places of streams. Each stream takes one until it has ended: a stream lasts as long as its client reads, and must
 * not take a place from other requests meanwhile.
 *
 * @example
 * const places = streamPlaces(10);
 * process.once('SIGTERM', () => places.close());
 */
export class StreamPlaces {
  readonly #max: number;
  readonly #what: string;
  readonly #open = new Set<(reason: Problem) => void>();
  #isClosed = false;

  constructor(max: number, what: string) {
    this.#max = max;
    this.#what = what;
  }

  /**
   * @internal Takes a place, and returns the function that gives it back. `end` is called if the streams have to end,
   * because the service shuts down. Throws `overloaded` (503) if no place is free, and `shutting_down` (503).
   */
  take(end: (reason: Problem) => void): () => void {
    if (this.#isClosed) throw shuttingDown();
    if (this.#open.size >= this.#max)
      throw new Problem({
        code: 'overloaded',
        detail: `As many ${this.#what} are under way as may be at a time; try again in a few seconds.`,
        headers: { 'retry-after': '5' },
      });
    const own = (reason: Problem) => end(reason);
    this.#open.add(own);
    return () => void this.#open.delete(own);
  }

  /** How many are taken. */
  get taken(): number {
    return this.#open.size;
  }

  /** Ends all streams, and lets no other begin. */
  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#open]) end(shuttingDown());
  }
}

/** What a stream that has to end because the service shuts down ends with. */
export function shuttingDown(): Problem {
  return new Problem({ code: 'shutting_down', detail: 'The service is shutting down; continue in a few seconds.' });
}

/** How many streams of a kind are under way at a time. */
export const maxStreams = byDefault(10, aWholeNumber(1));

/** The legal values of `places` of a middleware. */
export const somePlaces: Legal = [(value) => value instanceof StreamPlaces, 'what `streamPlaces()` returns'];

/**
 * Makes the places of `max` streams, which the exports of an application share. `close()` of the result ends all of
 * them, and lets no other begin: call it when the application shuts down.
 *
 * @example
 * const places = streamPlaces(10);
 * router.get('/orders/all', listQuery(Order, cursorPaging(), { whole: true }), exportRecords(Order, { db, places }));
 */
export function streamPlaces(max: number, what = 'exports'): StreamPlaces {
  checkValue('`maxStreams`', max, aWholeNumber(1));
  return new StreamPlaces(max, what);
}
