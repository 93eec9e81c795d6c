import type { KoaContext } from '../../middleware/exchange/koa-context.ts';
import type { RequestContext } from '../../resource/define/custom-operation.ts';

/** Settings of `Idempotency-Key`. */
export interface IdempotencyOptions<Principal, App = KoaContext> {
  /** Names the caller: each has keys and answers of its own. It must not return an empty text. */
  readonly principal: (ctx: RequestContext<Principal, App>) => string | Promise<string>;
  /** Whether a POST, PATCH or batch without a key is answered with 400. @default false */
  readonly required?: boolean;
  /** The collection of the keys and their answers. @default 'idempotency_keys' */
  readonly collection?: string;
  /** How long a key is kept, in seconds. @default 86,400 (a day) */
  readonly ttl?: number;
  /**
   * The largest answer that is kept, in bytes, up to 15 MiB. If it would be larger, nothing is written, and the answer
   * is 413.
   *
   * @default 1 MiB
   */
  readonly maxAnswerBytes?: number;
}

/** The option of an api for keys that make writes repeatable. */
export interface OfIdempotency<Principal, App> {
  /**
   * Answers a POST, PATCH or batch that comes again with the same `Idempotency-Key` as the first time, and writes
   * nothing again. It needs a replica set. See `docs/reference/idempotency.md`.
   * @default none: the header has no effect
   *
   * @example
   * idempotency: { principal: (ctx) => ctx.requirePrincipal().name }
   */
  readonly idempotency?: IdempotencyOptions<Principal, App>;
}
