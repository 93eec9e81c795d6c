import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { absent } from '../../model/node.ts';
import type { Assignment } from '../../model/write/plan-changes.ts';

/** How many times a record keeps: what is older counts as switched off. */
const mostTimes = 100;

/**
 * What adds a time to those of a record that is delivered to, if the assignments switch that on or off: by its field,
 * or because it is deleted or restored. Empty if they cannot.
 */
export function noteSwitch({ deliveries, deletedAt }: CompiledModel, assignments: readonly Assignment[], now: Date): BsonDocument {
  if (!deliveries) return {};
  const { enabled, switchedAt } = deliveries;
  const changes = new Map(assignments.map(({ path, value }) => [path, value]));
  const isDeletion = deletedAt && changes.has(deletedAt.key);
  if (!changes.has(enabled) && !isDeletion) return {};
  const isOn: unknown = { $ne: [`$${enabled}`, false] };
  const isLive: unknown = deletedAt ? { $ne: [{ $type: `$${deletedAt.key}` }, 'date'] } : true;
  const willBeOn = changes.has(enabled) ? changes.get(enabled) !== false : isOn;
  const willBeLive = isDeletion ? changes.get(deletedAt.key) === absent : isLive;
  const isSwitched = { $ne: [{ $and: [isOn, isLive] }, { $and: [willBeOn, willBeLive] }] };
  const longer = { $slice: [{ $concatArrays: [{ $ifNull: [`$${switchedAt}`, []] }, [now]] }, -mostTimes] };
  return { [switchedAt]: { $cond: [isSwitched, longer, `$${switchedAt}`] } };
}

/** Whether a record that is delivered to now was so at another time. */
export function wasOn(switchedAt: readonly Date[], time: Date): boolean {
  const since = switchedAt.filter((one) => one > time).length;
  return since % 2 === 0 && since < mostTimes;
}
