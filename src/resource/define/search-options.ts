import type { Called } from '../../middleware/exchange/context.ts';
import type { RequestContext } from './custom-operation.ts';

/** Returns ids, each also as the text of an id. */
type FoundIds<Id> = readonly (Id | string)[];

/** The option of a resource for searches by an engine outside of the database. */
export interface OfSearch<Principal, Id, App> {
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
  readonly search?: Called<[q: string, ctx: RequestContext<Principal, App>], FoundIds<Id> | Promise<FoundIds<Id>>>;
}
