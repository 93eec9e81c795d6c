import { ConfigurationError } from '../../errors.ts';
import type { ResourceMiddleware, Slots } from './context.ts';
import { type Descriptor, descriptorOf, type Passed } from './descriptor.ts';

/** The slots by which middlewares pass on their results, each with the one that fills it. */
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
} as const satisfies { readonly [Name in Passed]: Name extends keyof Slots ? string : never };

/**
 * The slots that middlewares need and fill as one. What comes after one of the application may find any slot filled.
 */
export function passesOf(chain: readonly ResourceMiddleware[]): Required<Pick<Descriptor, 'needs' | 'leaves'>> {
  const lacking = new Set<Passed>();
  const leaves = new Set<Passed>();
  for (const middleware of chain) {
    const known = descriptorOf(middleware);
    if (!known) break;
    for (const slot of known.needs ?? []) if (!leaves.has(slot)) lacking.add(slot);
    for (const slot of known.leaves ?? []) leaves.add(slot);
  }
  return { needs: [...lacking], leaves: [...leaves] };
}

/**
 * Refuses a chain in which a middleware of the library stands before the one whose result it needs, or without it. One
 * of the application may fill any slot: what comes after it is not checked here, but by {@link missing}.
 */
export function checkOrder(chain: readonly ResourceMiddleware[], where: string): void {
  const left = new Set<Passed>();
  for (const [index, middleware] of chain.entries()) {
    const known = descriptorOf(middleware);
    if (!known) return;
    const lacking = known.needs?.find((slot) => !left.has(slot));
    if (lacking) throw new ConfigurationError(`${where}: ${lackingText(lacking, middleware.name, chain.slice(index + 1))}`);
    for (const slot of known.leaves ?? []) left.add(slot);
  }
}

/** Throws a plain Error (500) that names the middleware which fills a slot that the chain needs. */
export function missing(slot: Passed, by: string): never {
  throw new Error(missingText(slot, by));
}

function lackingText(slot: Passed, by: string, below: readonly ResourceMiddleware[]): string {
  const late = below.find((middleware) => descriptorOf(middleware)?.leaves?.includes(slot));
  return late ? `\`${late.name}\` must come before \`${by}\`, which needs its result.` : missingText(slot, by);
}

function missingText(slot: Passed, by: string): string {
  return `\`${by}\` needs \`${makers[slot]}\` before it in the chain.`;
}
