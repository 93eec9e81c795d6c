import type { Model } from '../../model/define/define-model.ts';

/** The key of `guardsFor` for live lists and records, and the name of the operation. */
export const liveName = 'live';

/** {@link liveName} as a type. */
export type ReadOfLive = typeof liveName;

/** The records of a model on which the rights of one caller depend. */
export interface WatchedRecords<Ctx, M = Model> {
  /** The model of the records. */
  readonly model: M;
  /**
   * Which of its records can concern the caller: a filter in the form of a `scope`, or `everything`. Only equalities
   * (a value, `in`) are compared with a changed record; other conditions let it pass. A caller is asked again after a
   * change of a record that fulfils them, and after one that may have fulfilled them before: a record that is deleted
   * or replaced, and one whose fields of the filter are updated. So name fields that records keep.
   */
  where(ctx: Ctx): unknown;
}

/** How the list and the records of a resource are kept true. */
export interface LiveListOptions<Ctx = never> {
  /**
   * Models whose records the guards, rules and scopes read: after a change of one of them, callers are asked again what
   * they may see, as soon as the change stream tells of it, and at most once a second for each stream. With `where`,
   * only those are asked whom the changed record can concern.
   * @default none: they are asked within `live.recheckEvery` of the api, a minute by default
   *
   * @example
   * watches: [Board, { model: Member, where: (ctx) => ({ user: ctx.requirePrincipal().id }) }]
   */
  readonly watches?: readonly (Model | WatchedRecords<Ctx>)[];
}

/** The option of a resource for streams that keep its list and its records true. */
export interface OfLive<Ctx> {
  /**
   * Answers list and get with a stream of server-sent events if `Accept` asks for `text/event-stream`: first the state,
   * then what changes. It has the guards, scope, hooks and view of list and get, and the guards of `guardsFor.live`. It
   * needs a replica set. See `docs/reference/live.md`.
   * @default false
   *
   * @example
   * live: true
   */
  readonly live?: boolean | LiveListOptions<Ctx>;
}
