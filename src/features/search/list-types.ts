import type { Called } from '../../middleware/exchange/context.ts';

/** The limits of searches by `q`. */
export interface SearchLimits {
  /** The most characters of `q`, up to 1,000. More are 400. @default 200 */
  readonly maxSearchLength?: number;
  /** The most words and phrases of `q`, up to 32. More are 400. @default 8 */
  readonly maxSearchTerms?: number;
  /**
   * The most matches of a search that has a `sort`, and the most ids of an engine outside of the database, up to
   * 10,000. More are 422.
   *
   * @default 10,000
   */
  readonly maxSearchMatches?: number;
}

/** Returns ids, each also as the text of an id. */
type FoundIds<Id> = readonly (Id | string)[];

/** The option for searches by an engine outside of the database. */
export interface OfSearch<Ctx, Id> {
  /**
   * Finds the ids of the records that match `q`, the best first, by an engine outside of the database. The records are
   * then read within the scope, the filters and the view of the request, and what the engine says of others is not
   * told. It must not return more than `maxSearchMatches` of the api. A model with `search` needs none. See
   * `docs/reference/search.md`.
   * @default lists of a model with `search` look into its text index, and others have no `q`
   *
   * @example
   * search: async (q, ctx) => (await engine.search(q, { tenant: ctx.requirePrincipal().tenant })).ids
   */
  readonly search?: Called<[q: string, ctx: Ctx], FoundIds<Id> | Promise<FoundIds<Id>>>;
}

/** What the option of a list is, once it has been checked. What it returns is checked when it is called. */
export type FindIds = NonNullable<OfSearch<never, unknown>['search']>;
