import type { NotedRecords } from '../middleware/exchange/context.ts';
import { type ShownRecords, textOf } from '../mongo/idempotency-keys.ts';

/**
 * The records that a batch shows in the end: an operation may delete a record that an earlier one has shown, or take it
 * out of the scope.
 */
export function settle(noted: readonly NotedRecords[]): readonly ShownRecords[] {
  const left = new Set<string>();
  const settled = noted.toReversed().map(({ records, hasLeft, left: own = [] }) => {
    for (const one of own) left.add(textOf(one));
    return { records, hasLeft: hasLeft || records.some((one) => left.has(textOf(one))) };
  });
  return settled.reverse();
}
