import { absent } from '../../model/node.ts';
import { own } from '../../model/value/plain-object.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import { KeyMerge } from '../../model/write/key-merge.ts';
import type { Changes, EmbeddedMerge, StoredCheck } from '../../model/write/plan-changes.ts';
import { Report } from '../../model/write/report.ts';
import type { FieldError } from '../../rules.ts';
import { mergeKeys, refusedMerges } from './merge-keys.ts';

type Stored = Readonly<Record<string, unknown>>;

/**
 * Copies a stored record as the update pipeline would leave it. Values off the changed paths are shared with the
 * original.
 */
export function applyChanges(stored: Stored, { assignments, embedded }: Changes): Stored {
  let changed = createMissing(stored, embedded);
  for (const { path, value } of assignments)
    changed = assign(changed, path.split('.'), value instanceof KeyMerge ? mergeKeys(value, valueAt(changed, path)) : value);
  return changed;
}

function createMissing(stored: Stored, embedded: Changes['embedded']): Stored {
  let created = stored;
  for (const merge of embedded) if (isMissing(created, merge)) created = assign(created, merge.path.split('.'), merge.whole);
  return created;
}

function assign(object: Stored, [key, ...rest]: readonly string[], value: unknown): Stored {
  if (key === undefined) return object;
  const { [key]: member, ...others } = object;
  if (rest.length > 0) return { ...object, [key]: assign(isStoredObject(member) ? member : {}, rest, value) };
  return value === absent ? others : { ...object, [key]: value };
}

/**
 * The errors of the checks on the record that a put would leave: of the record's check, and of those of the objects
 * that it writes into.
 */
export function checkStored({ checks }: StoredCheck, changes: Changes, stored: Stored): readonly FieldError[] {
  const changed = applyChanges(stored, changes);
  const report = new Report();
  for (const path of [...changes.embedded.map((merge) => merge.path), '']) {
    checks.get(path)?.(path === '' ? changed : valueAt(changed, path), report);
  }
  return report.errors;
}

/**
 * The errors of merges that a record does not allow: into objects that it does not have and the body cannot create, and
 * into maps that would have too many or too few keys. Throws a plain Error (500) if the client has no part in that.
 */
export function refusalsBy(stored: Stored, { embedded, assignments }: Changes): FieldError[] {
  const missing = embedded.filter((merge) => isMissing(stored, merge)).map(({ refused, mistake }) => ({ errors: refused, mistake }));
  const created = createMissing(
    stored,
    embedded.filter(({ whole }) => whole !== undefined),
  );
  const merges = assignments.flatMap(({ path, value }) =>
    value instanceof KeyMerge ? [...refusedMerges(value, valueAt(created, path))] : [],
  );
  const found = [...missing, ...merges];
  const refused = found.flatMap(({ errors }) => errors);
  const mistake = found.find((one) => one.mistake !== undefined)?.mistake;
  if (refused.length === 0 && mistake !== undefined) throw new Error(mistake);
  return refused;
}

/** Whether a record does not have the embedded object: the opposite of `isObjectAt` in the update pipeline. */
function isMissing(stored: Stored, { path }: EmbeddedMerge): boolean {
  return !isStoredObject(valueAt(stored, path));
}

/** The value at a dotted path of stored objects. Undefined if the path ends early. */
function valueAt(stored: Stored, path: string): unknown {
  let value: unknown = stored;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = own(value as Stored, key);
  }
  return value;
}
