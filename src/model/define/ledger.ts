/** What is known of the request that changes a record. A Koa context below the api has it. */
export interface LedgerCaller {
  /** What `authenticate` has returned. */
  readonly principal?: unknown;
  readonly requestId?: string | undefined;
  /** The operation that the request addresses. */
  readonly operation?: { readonly name: string } | undefined;
}

/** How the ledger names who has changed a record. */
export interface LedgerActor {
  /**
   * Returns the name of the caller, a text or a number; undefined or null for nobody. It is asked once in a request. If
   * it throws, nothing is written (500). Outside of a request nobody is asked: there is no actor.
   * @default the principal, if it is a text or a number, else its `id` or its `sub`
   */
  by?(ctx: LedgerCaller): unknown;
}

/** Options of `history` of a model. */
export interface ModelHistory<Name extends string = string> extends LedgerActor {
  /**
   * How long an entry is kept: `'90d'` are 90 days. `applyIndexes` creates the index that removes it.
   * @default for ever
   */
  readonly keep?: `${number}d`;
  /**
   * The fields that the scopes of the model's resources compare. Each entry keeps their values, so that nobody sees
   * what a record was while it was out of their scope. They are single values, not within arrays, and not
   * private: each entry would have what is never kept of a private field.
   * @default none: no resource with a scope may show the history
   */
  readonly scopeFields?: readonly Name[];
}

/** Options of `outbox` of a model. */
export interface ModelOutbox extends LedgerActor {
  /** The collection of the events, in the database of the records. Several models may share it. @default 'events' */
  readonly collection?: string;
}
