import { type Document as BsonDocument, UUID } from 'mongodb';
import { absent } from '../../model/node.ts';
import { mapEntries } from '../../model/value/stored-shape.ts';
import { KeyMerge } from '../../model/write/key-merge.ts';
import type { Changes, EmbeddedMerge } from '../../model/write/plan-changes.ts';
import type { FieldError } from '../../rules.ts';

/** Marks a key that is removed: to look each key up in the list of those would take the product of both numbers. */
const gone = new UUID();

/**
 * The expression of an object with the keys of a merge. `current` is that of the stored value. No operator takes a list
 * of keys, and `$setField` for each would nest as deep as there are keys, which BSON allows only 200 times.
 */
export function mergedKeys(merge: KeyMerge, current: string | BsonDocument): BsonDocument {
  const removed = new Map<string, UUID>();
  const set = new Map<string, unknown>();
  const deeper: BsonDocument[] = [];
  for (const [key, value] of merge.keys) {
    if (value === absent) removed.set(key, gone);
    else if (value instanceof KeyMerge) deeper.push({ k: { $literal: key }, v: mergedKeys(value, member('$$object', key)) });
    else set.set(key, value);
  }
  const marked = { $mergeObjects: ['$$object', { $literal: removed }] };
  const kept = { $arrayToObject: { $filter: { input: { $objectToArray: marked }, cond: { $ne: ['$$this.v', gone] } } } };
  const parts: unknown[] = [removed.size > 0 ? kept : '$$object'];
  if (set.size > 0) parts.push({ $literal: set });
  if (deeper.length > 0) parts.push({ $arrayToObject: [deeper] });
  return { $let: { vars: { object: begun(merge, current) }, in: { $mergeObjects: parts } } };
}

/** The object that a merge writes into: what is stored, or what is created. */
function begun({ whole, unset }: KeyMerge, current: string | BsonDocument): BsonDocument {
  const type = { $type: current };
  const [ofNull, ofNothing] = [{ $literal: whole ?? {} }, { $literal: unset ?? {} }];
  const created = unset === whole ? ofNull : { $cond: [{ $eq: [type, 'missing'] }, ofNothing, ofNull] };
  return { $cond: [{ $eq: [type, 'object'] }, current, created] };
}

/** The value under a key that is data. Missing if there is no object. */
function member(object: string | BsonDocument, key: string): BsonDocument {
  return { $getField: { field: { $literal: key }, input: object } };
}

/**
 * The expressions that must hold so that the keys can be merged: objects that cannot be created, and limits of maps.
 */
export function requirementsOf({ assignments, embedded }: Changes): BsonDocument[] {
  return assignments.flatMap(({ path, value }) => (value instanceof KeyMerge ? requirementsAt(value, currentAt(path, embedded)) : []));
}

/** The value that a merge finds at its path: the embedded objects that the update creates are there by then. */
function currentAt(path: string, embedded: readonly EmbeddedMerge[]): string | BsonDocument {
  const [outer] = embedded.filter((one) => path.startsWith(`${one.path}.`)).slice(-1);
  if (outer?.whole === undefined) return `$${path}`;
  const steps = path.slice(outer.path.length + 1).split('.');
  const created = steps.reduce<unknown>((value, step) => new Map(mapEntries(value) ?? []).get(step), outer.whole);
  return { $cond: [{ $eq: [{ $type: `$${outer.path}` }, 'object'] }, `$${path}`, { $literal: created }] };
}

function requirementsAt(merge: KeyMerge, current: string | BsonDocument): BsonDocument[] {
  const { keys, whole, limits } = merge;
  const required: BsonDocument[] = whole === undefined ? [{ $eq: [{ $type: current }, 'object'] }] : [];
  const within: BsonDocument[] = [];
  if (limits) {
    const count = { $size: keysAfter(merge) };
    if (limits.least !== undefined) within.push({ $gte: [count, limits.least] });
    if (limits.most !== undefined) within.push({ $lte: [count, limits.most] });
  }
  for (const [key, value] of keys) if (value instanceof KeyMerge) within.push(...requirementsAt(value, member('$$object', key)));
  if (within.length > 0) required.push({ $let: { vars: { object: begun(merge, current) }, in: { $and: within } } });
  return required;
}

/** The keys of `$$object` after the merge. */
function keysAfter({ keys }: KeyMerge): BsonDocument {
  const [set, removed] = [[] as string[], [] as string[]];
  for (const [key, value] of keys) (value === absent ? removed : set).push(key);
  const before = { $map: { input: { $objectToArray: '$$object' }, in: '$$this.k' } };
  return { $setUnion: [{ $setDifference: [before, { $literal: removed }] }, { $literal: set }] };
}

/** The stored value after the same merge. */
export function mergeKeys(merge: KeyMerge, stored: unknown): unknown {
  const merged = new Map(membersBefore(merge, stored));
  for (const [key, value] of merge.keys) {
    if (value === absent) merged.delete(key);
    else merged.set(key, value instanceof KeyMerge ? mergeKeys(value, merged.get(key)) : value);
  }
  return Object.fromEntries(merged);
}

function membersBefore({ whole, unset }: KeyMerge, stored: unknown): Iterable<[string, unknown]> {
  return mapEntries(stored) ?? mapEntries(stored === undefined ? unset : whole) ?? [];
}

/** What a record's state refuses of a merge. */
export interface RefusedMerge {
  readonly errors: readonly FieldError[];
  /** The message of an Error (500), if a hook has written what cannot be created. */
  readonly mistake: string | undefined;
}

/** The merges that a stored value does not allow: the opposite of {@link requirementsOf}. */
export function* refusedMerges(merge: KeyMerge, stored: unknown): Iterable<RefusedMerge> {
  const { keys, whole, refused, mistake, limits } = merge;
  const isImpossible = whole === undefined && !mapEntries(stored);
  if (isImpossible) yield { errors: refused, mistake };
  if (limits) {
    const after = new Set(Array.from(membersBefore(merge, stored), ([key]) => key));
    for (const [key, value] of keys)
      if (value === absent) after.delete(key);
      else after.add(key);
    const error = limits.refuse(after);
    if (error) yield { errors: [error], mistake: undefined };
  }
  const before = new Map(membersBefore(merge, stored));
  for (const [key, value] of keys) if (value instanceof KeyMerge) yield* refusedMerges(value, isImpossible ? null : before.get(key));
}
