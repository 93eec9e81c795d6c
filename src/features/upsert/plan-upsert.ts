import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { absent } from '../../model/node.ts';
import { ownKeys } from '../../model/value/own-keys.ts';
import { isNew, newKey } from '../../mongo/collection/write-or-insert.ts';
import type { WritePlan } from '../../mongo/collection/write-plan.ts';
import type { Target } from '../../mongo/collection/writer.ts';
import { noteSwitch } from '../../mongo/query/switch-times.ts';
import { countWrite, literal } from '../../mongo/query/update-pipeline.ts';

type Stored = Record<string, unknown>;

/**
 * Plans to insert a record, or to replace the fields of the one with its id that the application may set. A record with
 * this id outside of the scope is 409, as for an insert.
 */
export function planUpsert(model: CompiledModel, target: Target, inserts: Stored): WritePlan {
  return { kind: 'upsert', target, inserts, build: (now) => buildUpsert(model, inserts, now) };
}

/**
 * Builds the update that sets every field as `record`, which is a new one, has it. What the service itself has set in a
 * record that is there stays or counts on, and so do keys that are no fields.
 */
function buildUpsert(model: CompiledModel, record: Stored, now: Date): BsonDocument[] {
  const { root, folds } = model;
  const fields = root.fields.filter(({ isId, maintained }) => !isId && !maintained);
  const changes = { assignments: fields.map(({ key }) => ({ path: key, value: valueIn(record, key) })), embedded: [] };
  const next = countWrite(model, now);
  const set: BsonDocument = { [newKey]: '$$REMOVE' };
  for (const { path, value } of (folds?.extend(changes) ?? changes).assignments) set[path] = literal(value);
  const switched = Object.entries(noteSwitch(model, changes.assignments, now));
  for (const [key, times] of switched) set[key] = { $cond: [isNew, '$$REMOVE', times] };
  const kept = root.fields.filter(({ maintained }) => maintained).map(({ key }) => key);
  const ours = [...ownKeys].filter((own) => root.fields.every(({ key }) => key !== own));
  for (const key of [...kept, ...ours]) set[key] = { $cond: [isNew, literal(valueIn(record, key)), next[key] ?? `$${key}`] };
  return [{ $set: set }];
}

function valueIn(record: Stored, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : absent;
}
