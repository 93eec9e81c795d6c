import type { LedgerCaller } from '../../model/define/ledger.ts';
import { isObject } from '../../model/value/plain-object.ts';

/** The name of whoever makes a request, as the ledger keeps it. */
export type Actor = string | null;

/** Who has begun what is carried out later, and by what. */
export interface KeptCaller {
  readonly actor: Actor;
  readonly operation?: string | undefined;
  readonly request?: string | undefined;
}

const keptActors = new WeakMap<LedgerCaller, Actor>();

/** The caller of what is carried out later: its name is known, and no application is asked for it. */
export function keptCaller({ actor, operation, request }: KeptCaller): LedgerCaller {
  const caller: LedgerCaller = { requestId: request, operation: operation === undefined ? undefined : { name: operation } };
  keptActors.set(caller, actor);
  return caller;
}

const known = new WeakMap<LedgerCaller, Map<unknown, Actor>>();

/**
 * Asks once in a request who makes it. Throws an Error if the application's function throws, or names somebody by
 * something that is neither a text nor a number.
 */
export async function actorOf(caller: LedgerCaller | undefined, by: (ctx: LedgerCaller) => unknown = named): Promise<Actor> {
  if (!caller) return null;
  const kept = keptActors.get(caller);
  if (kept !== undefined) return kept;
  const ofCaller = known.get(caller) ?? new Map<unknown, Actor>();
  known.set(caller, ofCaller);
  const asked = ofCaller.get(by);
  if (asked !== undefined) return asked;
  const actor = textOf(await by(caller));
  ofCaller.set(by, actor);
  return actor;
}

/** What a principal most likely calls itself. It may be of a class, and so may its id. */
function named({ principal }: LedgerCaller): unknown {
  if (typeof principal !== 'object' || principal === null) return isName(principal) ? principal : undefined;
  const { id, sub } = principal as { readonly id?: unknown; readonly sub?: unknown };
  const name = id ?? sub;
  return name === undefined || name === null || isObject(name) ? name : String(name);
}

function textOf(name: unknown): Actor {
  if (name === undefined || name === null) return null;
  if (isName(name)) return cutName(String(name));
  throw new Error(
    '`by` of a ledger must return a text or a number, or undefined for nobody. Without it, the principal or its id must be one.',
  );
}

/** The part of a name that is kept. */
export function cutName(name: string): string {
  return name.slice(0, mostCharacters);
}

const mostCharacters = 512;

function isName(value: unknown): value is string | number | bigint {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}
