import type { Writer } from '../../collection/writer.ts';
import type { Work } from '../../driver/work.ts';
import type { Predicate } from '../../predicate/predicate.ts';
import type { Edge } from '../references.ts';
import { findMissing, type Named, type Scopes } from './check-references.ts';
import type { Holding } from './latches/latches.ts';

/**
 * As {@link findMissing}, for a writer who may also refer to what the transaction itself has made: that is asked for
 * only if something is missing.
 */
export async function findOutOfReach(
  named: readonly Named[],
  scopes: Scopes,
  writer: Writer | undefined,
  latches: Holding,
  work: Work,
): Promise<readonly Named[]> {
  const missing = await findMissing(named, scopes, latches, work);
  const made = new Map<Edge, Predicate>();
  for (const { edge } of missing) {
    const scope = await writer?.scopeOfMade?.(edge.target);
    if (scope) made.set(edge, scope);
  }
  if (made.size === 0) return missing;
  const isMade = ({ edge }: Named) => made.has(edge);
  return [...missing.filter((one) => !isMade(one)), ...(await findMissing(missing.filter(isMade), made, latches, work))];
}
