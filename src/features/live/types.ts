import type { Model } from '../../model/define/define-model.ts';

/** The key of `guardsFor` for live lists and records, and the name of the operation. */
export const liveName = 'live';

/** {@link liveName} as a type. */
export type ReadOfLive = typeof liveName;

/** How the list and the records of a resource are kept true. */
export interface LiveListOptions {
  /**
   * Models whose records the guards, rules and scopes read: after a change of one of them, callers are asked again what
   * they may see, as soon as the change stream tells of it, and at most once a second for each stream.
   * @default none: they are asked within `live.recheckEvery` of the api, a minute by default
   */
  readonly watches?: readonly Model[];
}

/** The option of a resource for streams that keep its list and its records true. */
export interface OfLive {
  /**
   * Answers list and get with a stream of server-sent events if `Accept` asks for `text/event-stream`: first the state,
   * then what changes. It has the guards, scope, hooks and view of list and get, and the guards of `guardsFor.live`. It
   * needs a replica set. See `docs/reference/live.md`.
   * @default false
   *
   * @example
   * live: true
   */
  readonly live?: boolean | LiveListOptions;
}
