import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Assignment } from '../../model/write/plan-changes.ts';
import { lifeSetBy, livesExpression } from '../lifecycle/lifecycle.ts';

/** How many times a record keeps: what is older counts as switched off. */
const mostTimes = 100;

/**
 * What adds a time to those of a record that is delivered to, if the assignments switch that on or off: by its field,
 * or because it is deleted or restored. Empty if they cannot.
 */
export function noteSwitch(model: CompiledModel, assignments: readonly Assignment[], now: Date): BsonDocument {
  if (!model.deliveries) return {};
  const { enabled, switchedAt } = model.deliveries;
  const changes = new Map(assignments.map(({ path, value }) => [path, value]));
  const livesThen = lifeSetBy(model, changes);
  if (!changes.has(enabled) && livesThen === undefined) return {};
  const isOn: unknown = { $ne: [`$${enabled}`, false] };
  const isLive = livesExpression(model);
  const willBeOn = changes.has(enabled) ? changes.get(enabled) !== false : isOn;
  const willBeLive = livesThen ?? isLive;
  const isSwitched = { $ne: [{ $and: [isOn, isLive] }, { $and: [willBeOn, willBeLive] }] };
  const longer = { $slice: [{ $concatArrays: [{ $ifNull: [`$${switchedAt}`, []] }, [now]] }, -mostTimes] };
  return { [switchedAt]: { $cond: [isSwitched, longer, `$${switchedAt}`] } };
}

/** Whether a record that is delivered to now was so at another time. */
export function wasOn(switchedAt: readonly Date[], time: Date): boolean {
  const since = switchedAt.filter((one) => one > time).length;
  return since % 2 === 0 && since < mostTimes;
}
