import { absent } from '../model/node.ts';
import { isStoredObject } from '../model/value/stored-shape.ts';
import type { Changes, StoredCheck } from '../model/write/plan-changes.ts';
import { Report } from '../model/write/report.ts';
import type { FieldError } from '../rules.ts';
import { valueAt } from './miss.ts';

type Stored = Readonly<Record<string, unknown>>;

/** A copy of a stored record as the update pipeline would leave it; what is not on a changed path is shared with the original. */
function applyChanges(stored: Stored, { assignments, embedded }: Changes): Stored {
  let changed = stored;
  for (const { path, whole } of embedded) if (!isStoredObject(valueAt(changed, path))) changed = assign(changed, path.split('.'), whole);
  for (const { path, value } of assignments) changed = assign(changed, path.split('.'), value);
  return changed;
}

function assign(object: Stored, [key, ...rest]: readonly string[], value: unknown): Stored {
  if (key === undefined) return object;
  const { [key]: member, ...others } = object;
  if (rest.length > 0) return { ...object, [key]: assign(isStoredObject(member) ? member : {}, rest, value) };
  return value === absent ? others : { ...object, [key]: value };
}

/** What the checks say of the record that a put would leave: the record's own, and those of the objects that the put writes into. */
export function checkStored({ checks }: StoredCheck, changes: Changes, stored: Stored): readonly FieldError[] {
  const left = applyChanges(stored, changes);
  const report = new Report();
  for (const path of [...changes.embedded.map((merge) => merge.path), '']) {
    checks.get(path)?.(path === '' ? left : valueAt(left, path), path, report);
  }
  return report.errors;
}
