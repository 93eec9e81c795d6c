import { Problem } from '../../errors.ts';
import type { Called, Context } from '../../middleware/exchange/context.ts';
import { type StreamPlaces, streamPlaces } from '../../middleware/exchange/stream-places.ts';
import { Lane } from '../../mongo/driver/turn.ts';
import { aFunction, aWholeNumber, byDefault, checkOptions, fillIn, milliseconds, orUndefined } from '../../options.ts';
import { KeptBytes } from './kept-bytes.ts';

/** Options of {@link liveStreams}. */
export interface LiveStreamsOptions<Ctx = Context> {
  /** How many streams may be open at a time. The next one is answered with 503. @default 1,000 */
  readonly max?: number;
  /**
   * How many of them one client may have, by the name that `by` gives it. Its next one is answered with 429.
   *
   * @default no limit
   */
  readonly each?: number;
  /** Names the client of a stream, such as the id of its user; undefined if the stream counts for no client. */
  readonly by?: Called<[ctx: Ctx], string | undefined>;
  /**
   * The text on which alone `authenticate` depends, such as the `Authorization` field: after a change that concerns the
   * callers of several streams, those with the same text are authenticated once. `authenticate` must then do nothing
   * but return the principal.
   *
   * @default none: each stream is authenticated by itself
   */
  readonly credentials?: Called<[ctx: Ctx], string | undefined>;
  /**
   * How many bytes the streams may keep: of each list, the ids of its records and a digest of each, and of each event
   * that a client has not taken yet, all. What several streams share counts once. The next stream is answered with 503.
   *
   * @default 268,435,456 (256 MiB)
   */
  readonly maxBytes?: number;
  /** How many states are read at a time. Further changes wait for their turn. @default 10 */
  readonly maxReads?: number;
  /** How long a stream may last, in milliseconds. Its client then opens another one. @default 900,000 (15 minutes) */
  readonly maxAge?: number;
  /** How often it is asked whether the caller may still see what it is sent, in milliseconds. @default 60,000 */
  readonly recheckEvery?: number;
  /**
   * After how many milliseconds without an answer of the database a change stream is taken for dead, and another one is
   * opened: at least 5,000, because an idle one answers every second. Of those who share the change stream of a
   * database, the one with the shortest time decides.
   *
   * @default 30,000
   */
  readonly staleAfter?: number;
}

/** Whose rights are asked again. */
export interface RecheckOptions<Principal = unknown> {
  /** Whether the streams of a principal are meant; undefined is an anonymous one. @default all */
  select?(principal: Principal | undefined): boolean;
}

/** A stream that is open, or begins. */
export interface OpenLive {
  readonly principal: unknown;
  /** Asks now what the caller may see. */
  recheck(): void;
}

/** How long a request may take until its stream begins, in milliseconds: its caller may have been found out before. */
const longestBeginMS = 60_000;

/**
 * The live lists and records that are open, and their limits. Made by {@link liveStreams}.
 *
 * @example
 * const streams = liveStreams();
 * process.once('SIGTERM', () => streams.places.close());
 */
export class LiveStreams {
  readonly places: StreamPlaces;
  readonly open = new Set<OpenLive>();
  readonly maxAge: number;
  readonly recheckEvery: number;
  /** @internal Undefined for that of a change stream of which nobody says it. */
  readonly staleAfter: number | undefined;
  /** @internal What the streams keep. */
  readonly kept: KeptBytes;
  /** Where those wait who read states. */
  readonly reading: Lane;
  /** Where those wait who ask again what callers may see. */
  readonly asking: Lane;
  readonly #each: number;
  readonly #by: LiveStreamsOptions['by'];
  readonly #credentials: LiveStreamsOptions['credentials'];
  readonly #ofClients = new Map<string, number>();
  #lastRecheck = Number.NEGATIVE_INFINITY;

  constructor(options: LiveStreamsOptions) {
    const { max, each = Number.POSITIVE_INFINITY, maxBytes, maxReads, maxAge, recheckEvery, staleAfter } = fillIn(options, legal);
    this.kept = new KeptBytes(maxBytes);
    this.reading = new Lane(maxReads);
    this.asking = new Lane(maxReads);
    this.places = streamPlaces(max, 'live lists');
    this.#each = each;
    this.#by = options.by;
    this.#credentials = options.credentials;
    this.maxAge = maxAge;
    this.recheckEvery = recheckEvery;
    this.staleAfter = staleAfter;
  }

  /**
   * @internal Takes a place, and returns the function that gives it back. `end` is called if the stream has to end,
   * because the service shuts down. Throws `overloaded` and `shutting_down` (503), and `too_many_requests` (429).
   */
  async take(ctx: Context, end: (reason: Problem) => void): Promise<() => void> {
    this.kept.refuseIfExceeded();
    const client = await this.#by?.(ctx);
    if (client === undefined) return this.places.take(end);
    const others = this.#ofClients.get(client) ?? 0;
    if (others >= this.#each) throw tooMany(this.#each);
    const leave = this.places.take(end);
    this.#ofClients.set(client, others + 1);
    return () => {
      leave();
      const left = (this.#ofClients.get(client) as number) - 1;
      if (left > 0) this.#ofClients.set(client, left);
      else this.#ofClients.delete(client);
    };
  }

  /** @internal What a caller is known by; undefined if it is asked by itself. */
  credentialsOf(ctx: Context): string | undefined {
    const text: unknown = this.#credentials?.(ctx);
    if (text !== undefined && typeof text !== 'string') throw new TypeError('`live.credentials` must return a string, or undefined.');
    return text;
  }

  /**
   * @internal Adds a stream that begins. Whoever calls it was found out before: if `recheck` was called meanwhile, the
   * rights may be those of before.
   */
  add(stream: OpenLive): void {
    this.open.add(stream);
    if (performance.now() - this.#lastRecheck < longestBeginMS) stream.recheck();
  }

  /** Asks now what the callers may see. */
  recheck(options: RecheckOptions = {}): void {
    checkOptions(options, { select: orUndefined(aFunction) }, '`recheck`');
    this.#lastRecheck = performance.now();
    for (const one of [...this.open]) if (options.select?.(one.principal) ?? true) one.recheck();
  }
}

function tooMany(max: number): Problem {
  const detail = `This client has as many live lists open as it may have (${max}); close one of them.`;
  return new Problem({ code: 'too_many_requests', detail, headers: { 'retry-after': '5' } });
}

const legal = {
  max: byDefault(1_000, aWholeNumber(1)),
  each: aWholeNumber(1),
  by: aFunction,
  credentials: aFunction,
  maxBytes: byDefault(2 ** 28, aWholeNumber(1)),
  maxReads: byDefault(10, aWholeNumber(1)),
  maxAge: byDefault(900_000, milliseconds(1_000)),
  recheckEvery: byDefault(60_000, milliseconds(1_000)),
  staleAfter: milliseconds(5_000),
};

/**
 * Makes the places of live lists, which an application shares among its `live` middlewares. `recheck()` of the result
 * asks at once what callers may see, instead of within `recheckEvery`; `places.close()` ends all streams.
 *
 * @example
 * const streams = liveStreams({ max: 5_000, each: 10, by: (ctx) => ctx.state.user?.id });
 */
export function liveStreams<Ctx = Context>(options: LiveStreamsOptions<Ctx> = {}): LiveStreams {
  return new LiveStreams(checkOptions(options as LiveStreamsOptions, legal, '`live`'));
}
