import type { Context } from '../../../middleware/exchange/context.ts';
import { once } from '../../../mistakes.ts';
import { untilGivenUp } from './detached.ts';

/** A stream that waits for its caller to be asked again. */
export interface Recheck {
  /** Only what was asked since then tells it who its caller is. */
  readonly since: number;
  readonly credentials: string | undefined;
  /** It does not wait any more. */
  leave(): void;
}

/** What finds out who a caller is leaves in a context. */
type Identity = Pick<Context, 'principal' | 'requirePrincipal' | 'rules'>;

/** Those who wait with the same credentials, and who they are. */
interface Equals {
  waiting: number;
  since: number;
  identity: Promise<Identity> | undefined;
}

/** Finds out again who the callers of streams are: once for all who have the same credentials and wait for it. */
export class Callers {
  readonly #equals = new Map<string, Equals>();

  want(credentials: string | undefined): Recheck {
    const since = performance.now();
    if (credentials === undefined) return { since, credentials, leave: () => undefined };
    const equals = this.#equals.get(credentials) ?? { waiting: 0, since, identity: undefined };
    this.#equals.set(credentials, equals);
    equals.waiting++;
    const leave = once(() => {
      if (--equals.waiting === 0) this.#equals.delete(credentials);
    });
    return { since, credentials, leave };
  }

  /**
   * Leaves in a context who its caller is, and returns since when that counts. `identify` finds it out for a context.
   * Throws what that throws for this context: what it throws for another one says nothing about this one.
   */
  async identify(ctx: Context, { since, credentials }: Recheck, identify: (ctx: Context) => Promise<unknown>): Promise<number> {
    const equals = credentials === undefined ? undefined : this.#equals.get(credentials);
    if (equals?.identity && equals.since >= since) {
      const { since: counts } = equals;
      const known = await equals.identity.catch(() => undefined);
      if (known) {
        assume(ctx, known);
        return counts;
      }
    }
    const now = performance.now();
    const found = Promise.race([identify(ctx), untilGivenUp(ctx)]).then(() => identityOf(ctx));
    if (equals) Object.assign(equals, { since: now, identity: found });
    await found;
    return now;
  }
}

function identityOf({ principal, requirePrincipal, rules }: Context): Identity {
  return { principal, requirePrincipal, rules };
}

function assume(ctx: Context, identity: Identity): void {
  Object.assign(ctx, identity, { openedGuards: undefined, rules: identity.rules?.renew() });
}
