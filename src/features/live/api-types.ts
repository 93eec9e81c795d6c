import type { RequestContext } from '../../resource/define/custom-operation.ts';
import type { LiveStreamsOptions, RecheckOptions } from './live-streams.ts';

/** The option of an api for its live lists and records. */
export interface LimitsLive<Principal, App> {
  /**
   * The limits of live lists and records. They take no places of `maxConcurrency` while they stream.
   *
   * @default 1,000 streams, of at most 15 minutes, whose callers are asked every minute
   *
   * @example
   * live: { max: 5_000, each: 10, by: (ctx) => ctx.principal?.name }
   */
  readonly live?: LiveStreamsOptions<RequestContext<Principal, App>>;
}

/** The method of an api for its live lists and records. */
export interface Rechecks<Principal> {
  /**
   * Asks now what the callers of live lists may see, instead of within a minute. It reaches the streams of this
   * process: call it in each process when a right was taken away.
   *
   * @example
   * users.delete('ann');
   * api.recheck({ select: (user) => user?.name === 'ann' });
   */
  recheck(options?: RecheckOptions<Principal>): void;
}
