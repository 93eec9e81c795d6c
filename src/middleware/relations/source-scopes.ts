import { fulfilling, type Predicate } from '../../mongo/predicate/predicate.ts';
import { readScope } from '../../mongo/predicate/read-scope.ts';
import type { Context, Guard, ScopeFunction } from '../exchange/context.ts';
import type { GuardedSource } from './relation-targets.ts';

/**
 * Which records of other models the client of a request may see: what the guards and scopes of these models' resources
 * have answered. Each is asked once. Ask for one source after the other, so that no guard is asked twice.
 */
export class SourceScopes {
  readonly #ctx: Context;
  readonly #closed = new Set<Guard<never>>();
  readonly #scopes = new Map<GuardedSource, Predicate | undefined>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** The row filters that are known by now; undefined for a source that shows nothing. */
  get known(): ReadonlyMap<GuardedSource, Predicate | undefined> {
    return this.#scopes;
  }

  /**
   * The row filter of a source. Undefined if it shows this client nothing: a guard does not open, or a guard or the
   * scope throws a 4xx.
   */
  async of(source: GuardedSource): Promise<Predicate | undefined> {
    this.#ctx.exchange?.throwIfGivenUp();
    if (!this.#scopes.has(source)) this.#scopes.set(source, await this.#ask(source));
    return this.#scopes.get(source);
  }

  async #ask({ guards, scope, model }: GuardedSource): Promise<Predicate | undefined> {
    try {
      for (const guard of guards) if (!(await this.#opens(guard as Guard))) return undefined;
      return scope ? fulfilling(readScope(await (scope as ScopeFunction)(this.#ctx), model.scopeFields)) : {};
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  async #opens(guard: Guard): Promise<boolean> {
    const ctx = this.#ctx;
    ctx.openedGuards ??= new Set();
    if (ctx.openedGuards.has(guard)) return true;
    if (this.#closed.has(guard)) return false;
    this.#closed.add(guard);
    if ((await guard(ctx)) !== true) return false;
    this.#closed.delete(guard);
    ctx.openedGuards.add(guard);
    return true;
  }
}

const known = new WeakMap<object, SourceScopes>();

/**
 * The scopes that were found in this request so far. They are forgotten, like the guards that have passed, if the
 * request is authenticated again.
 */
export function sourceScopesOf(ctx: Context): SourceScopes {
  ctx.openedGuards ??= new Set();
  const scopes = known.get(ctx.openedGuards) ?? new SourceScopes(ctx);
  known.set(ctx.openedGuards, scopes);
  return scopes;
}

/**
 * Whether an error refuses the client, as `Unauthorized` does. Other errors, such as a database that is down, do not
 * say whether the client may see the record.
 */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('expose' in error) || error.expose !== true || !('status' in error)) return false;
  return typeof error.status === 'number' && error.status >= 400 && error.status < 500;
}
