import { absent } from '../../model/node.ts';
import { own } from '../../model/value/plain-object.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import type { Changes, EmbeddedMerge, StoredCheck } from '../../model/write/plan-changes.ts';
import { Report } from '../../model/write/report.ts';
import type { FieldError } from '../../rules.ts';

type Stored = Readonly<Record<string, unknown>>;

/** A copy of a stored record as the update pipeline would leave it; what is not on a changed path is shared with the original. */
function applyChanges(stored: Stored, { assignments, embedded }: Changes): Stored {
  let changed = stored;
  for (const merge of embedded) if (isLacking(changed, merge)) changed = assign(changed, merge.path.split('.'), merge.whole);
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

/** What is wrong with the embedded objects that the changes write into, that the record lacks, and that the body does not suffice to create. */
export function refusedCreations({ embedded }: Changes, stored: Stored): FieldError[] {
  return embedded.filter((merge) => isLacking(stored, merge)).flatMap(({ refused }) => refused);
}

/** Whether a record has no object where keys are to be written into one: the same as `isObjectAt` of the update pipeline. */
function isLacking(stored: Stored, { path }: EmbeddedMerge): boolean {
  return !isStoredObject(valueAt(stored, path));
}

/** The value at a dotted path of stored objects; undefined where the path ends early. */
function valueAt(stored: Stored, path: string): unknown {
  let value: unknown = stored;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = own(value as Stored, key);
  }
  return value;
}
