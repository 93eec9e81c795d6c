import { ConfigurationError } from '../../errors.ts';
import { isOfLibrary } from './can-answer.ts';
import type { ResourceMiddleware, Slots } from './context.ts';

/** The slots by which one middleware of a chain passes on its result to another, each with the one that fills it. */
const makers = {
  created: 'checkCreate',
  changes: 'checkPatch',
  listQuery: 'listQuery',
  filterQuery: 'filterQuery',
  typedQuery: 'typedQuery',
  page: 'findPage',
  record: 'findRecord',
  affected: 'updateMany',
  result: 'handler',
} as const satisfies { readonly [Name in keyof Slots]?: string };

type Passed = keyof typeof makers;

interface Passes {
  readonly needs?: readonly Passed[];
  readonly leaves?: readonly Passed[];
}

interface InOrder {
  readonly passes?: Passes;
}

/** Attaches to a middleware the slots that it cannot do without, and those that it fills. */
export function passing(passes: Passes, middleware: ResourceMiddleware): ResourceMiddleware {
  return Object.assign(middleware, { passes } satisfies InOrder);
}

/** The slots that middlewares need and fill as one. */
export function passesOf(parts: readonly ResourceMiddleware[]): Passes {
  const leaves = new Set<Passed>();
  const needs = parts.flatMap((part) => {
    const { passes: own = {} } = part as InOrder;
    const lacking = (own.needs ?? []).filter((slot) => !leaves.has(slot));
    for (const slot of own.leaves ?? []) leaves.add(slot);
    return lacking;
  });
  return { needs, leaves: [...leaves] };
}

/**
 * Refuses a chain in which a middleware of the library stands before the one whose result it needs, or without it. One
 * of the application may fill any slot: what comes after it is not checked here, but by {@link missing}.
 */
export function checkOrder(chain: readonly ResourceMiddleware[], where: string): void {
  const left = new Set<Passed>();
  for (const middleware of chain) {
    const { passes = isOfLibrary(middleware) ? {} : undefined } = middleware as InOrder;
    if (!passes) return;
    const lacking = passes.needs?.find((slot) => !left.has(slot));
    if (lacking) throw new ConfigurationError(`${where}: ${missingText(lacking, middleware.name)}`);
    for (const slot of passes.leaves ?? []) left.add(slot);
  }
}

/** Throws a plain Error (500) that names the middleware which fills a slot that the chain needs. */
export function missing(slot: Passed, by: string): never {
  throw new Error(missingText(slot, by));
}

function missingText(slot: Passed, by: string): string {
  return `\`${by}\` needs \`${makers[slot]}\` before it in the chain.`;
}
