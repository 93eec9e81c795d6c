import type { Document as BsonDocument } from 'mongodb';
import { notFound, Problem } from '../../../errors.ts';
import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import type { FieldEntry } from '../../../model/node.ts';
import { computesFromHidden } from '../../../model/read/hidden-parts.ts';
import { readableMembers } from '../../../model/read/members.ts';
import { holdsPrivate } from '../../../model/read/private-fields.ts';
import { own } from '../../../model/value/plain-object.ts';
import { isStoredObject } from '../../../model/value/stored-shape.ts';
import { decode } from '../../../mongo/driver/bson-options.ts';
import type { Work } from '../../../mongo/driver/work.ts';
import type { Entry, EntryChange } from '../../../mongo/ledger/entry.ts';
import { isKept } from '../../../mongo/ledger/kept-values.ts';
import { changesOfLife, isMarked, shows, type Visible, wasDeletedBefore } from '../../../mongo/lifecycle/lifecycle.ts';
import { both } from '../../../mongo/predicate/filter-of.ts';
import type { Filter, Predicate } from '../../../mongo/predicate/predicate.ts';
import type { StoredRecord } from '../../../mongo/stored-record.ts';
import { changesOf, decodeEntry, entriesOf, type ReadEntries } from './entries.ts';
import { type StateSide, wasWithin } from './entry-scope.ts';

type Stored = Readonly<Record<string, unknown>>;
type Revision = number | bigint;

/** The most changes that are undone for one answer. */
const mostUndone = 1_000;

/** Which states of a record a caller sees. */
export interface SeenStates {
  readonly scope: Predicate | undefined;
  readonly visible: Visible;
  /** Whether fields are undone that the caller does not see, for hooks. */
  readonly isWhole: boolean;
}

/** A record as it was. */
export interface EarlierState {
  readonly stored: Stored;
  /** The names of fields that held references to records which were purged, as far as the view shows them. */
  readonly erased: readonly string[];
}

/**
 * Computes a record as it was at a revision before its present one, as a view of its model shows it. What is private
 * stays as it is now, and so does what the view hides and was too large to be kept.
 *
 * Throws `not_found` (404) for a state that the caller may not see, or that nobody knows any more, and `not_kept` (409)
 * if a value of it that the caller sees was not kept, or if it lies too far back.
 */
export async function stateAt(
  model: CompiledModel,
  present: StoredRecord,
  at: Revision,
  { scope, visible, isWhole }: SeenStates,
  entries: ReadEntries,
  work: Work,
): Promise<EarlierState> {
  const { stored } = present;
  const own = entriesOf(present);
  const later = { ...own, revision: { $gt: at, $lte: revisionIn(model, stored) } };
  const fields = fieldsToUndo(model, isWhole || computesFromHidden(model.root));
  const { found, isCut } = await entries.aggregate(both(later, concerning(fields)), firstChangesOf(fields), fields.length + 2, work);
  const changes = found.map((bytes) => decode(bytes) as unknown as FirstChange);
  const count = changes.find((one) => one.kind === 'entry')?.count;
  if (isCut || Number(count ?? 0) > mostUndone) throw tooFar();
  const bound = await boundOf(model, own, later, at, entries, work);
  const within = wasWithin(model, scope, bound.side);
  if (within) {
    const { found: seen } = await entries.read(both({ _id: bound.entry._id }, within), -1, 1, { _id: 1 }, work);
    if (seen.length === 0) throw notFound();
  }
  const { state, wasDeleted, isLost, erased } = undo(model, stored, changes);
  if (!shows(visible, wasDeleted)) throw notFound();
  if (isLost) throw notKept();
  return { stored: { ...state, ...maintained(model, at, bound) }, erased };
}

/** The revision of a record. */
export function revisionIn({ revision }: CompiledModel, stored: Stored): Revision {
  return (stored[revision?.key as string] ?? 0) as Revision;
}

/** The entry that led to a state, or else the next one, which knows what was before it. */
interface Bound {
  readonly entry: Entry;
  readonly side: StateSide;
}

/** Throws `not_found` (404) if no entry knows of the state. */
async function boundOf(
  { updatedAt }: CompiledModel,
  own: Filter,
  later: Filter,
  at: Revision,
  entries: ReadEntries,
  work: Work,
): Promise<Bound> {
  const projection = { revision: 1, previous: 1, changes: changesOf(updatedAt ? [updatedAt.name] : []) };
  const { found: before } = await entries.read({ ...own, revision: { $lte: at } }, -1, 1, projection, work);
  if (before[0]) return { entry: decodeEntry(before[0]), side: 'is' };
  const { found: after } = await entries.read(later, 1, 1, projection, work);
  const next = after[0] && decodeEntry(after[0]);
  if (next?.previous === undefined || next.previous > at) throw notFound();
  return { entry: next, side: 'was' };
}

/** What the service had set at a revision. The time is that of the first change behind it if it has no entry. */
function maintained({ revision, updatedAt }: CompiledModel, at: Revision, { entry, side }: Bound): Stored {
  const isExact = side === 'is' && entry.revision <= at && entry.revision >= at;
  const time = isExact ? entry.changes.find(({ path }) => path === updatedAt?.name)?.after : undefined;
  return { [revision?.key as string]: at, ...(updatedAt && time !== undefined && { [updatedAt.key]: time }) };
}

/** What a state is computed from: of each field the first change behind it, which knows its value. */
type FirstChange =
  | (EntryChange & { readonly kind: 'field'; readonly isPrivate?: true })
  | { readonly kind: 'deletion'; readonly change: Entry['change'] }
  | { readonly kind: 'entry'; readonly count: number };

/** The fields whose values of then are computed: those that the view shows, or all of them. */
function fieldsToUndo({ fieldTable }: CompiledModel, isWhole: boolean): FieldEntry[] {
  return [...fieldTable.values()].filter(({ isPrivate }) => isWhole || !isPrivate);
}

/** A filter for the entries of changes of some fields. What concerns none of them is no change for the caller. */
function concerning(fields: readonly FieldEntry[]): Filter {
  const names = fields.map(({ name }) => name);
  return { $or: [{ 'changes.path': { $in: names } }, { private: { $in: names } }, { change: { $in: changesOfLife } }] };
}

/** Of a field with private parts, the others have not changed where only what is private has. */
function hasPrivateParts({ isPrivate, field }: FieldEntry): boolean {
  return isPrivate || holdsPrivate(field.node);
}

/**
 * The stages that find the first change of each field, the last one first. The database looks through the entries, and
 * sends one value for each field, so that neither their number nor their sizes are a matter of the reply.
 */
function firstChangesOf(fields: readonly FieldEntry[]): BsonDocument[] {
  const unkept = fields.filter((field) => !hasPrivateParts(field));
  const changed = {
    $map: {
      input: changesOf(fields.map(({ name }) => name)),
      as: 'one',
      in: {
        kind: 'field',
        path: '$$one.path',
        before: '$$one.before',
        beforeDigest: '$$one.beforeDigest',
        beforeParts: '$$one.beforeParts',
        beforeErased: '$$one.beforeErased',
      },
    },
  };
  // The model that wrote it kept no value.
  const hidden = {
    $map: {
      input: { $setIntersection: ['$private', { $literal: unkept.map(({ name }) => name) }] },
      as: 'name',
      in: { kind: 'field', path: '$$name', isPrivate: true },
    },
  };
  const ofLife = { $cond: [{ $in: ['$change', changesOfLife] }, [{ kind: 'deletion', change: '$change' }], []] };
  return [
    { $sort: { revision: -1 } },
    { $limit: mostUndone + 1 },
    { $project: { _id: 0, revision: 1, first: { $concatArrays: [changed, hidden, ofLife, [{ kind: 'entry' }]] } } },
    { $unwind: '$first' },
    {
      $group: {
        _id: { kind: '$first.kind', path: '$first.path' },
        first: { $last: '$first' },
        revision: { $last: '$revision' },
        count: { $sum: 1 },
      },
    },
    { $sort: { revision: -1 } },
    { $replaceWith: { $mergeObjects: ['$first', { revision: '$revision', count: '$count' }] } },
  ];
}

/** What is not known of a state any more, by the names of fields. */
interface Lost {
  readonly unknown: Set<string>;
  readonly erased: Set<string>;
}

interface Undone {
  readonly state: Stored;
  readonly wasDeleted: boolean;
  /** Whether a value of it was not kept. */
  readonly isLost: boolean;
  readonly erased: string[];
}

/** Undoes changes, the last one first. */
function undo(model: CompiledModel, present: Stored, changes: readonly FirstChange[]): Undone {
  const { fieldTable } = model;
  const lost: Lost = { unknown: new Set(), erased: new Set() };
  let wasDeleted = isMarked(model, present);
  let state = present;
  for (const one of changes) {
    // The entries say it also where the time of the deletion is private.
    if (one.kind === 'deletion') wasDeleted = wasDeletedBefore(model, one.change);
    if (one.kind !== 'field') continue;
    const entry = fieldTable.get(one.path);
    if (!entry) continue;
    if (one.isPrivate) lost.unknown.add(one.path);
    else state = undoOne(state, one, entry, lost);
  }
  const isShown = (path: string) => fieldTable.get(path)?.isPrivate === false;
  return { state, wasDeleted, isLost: [...lost.unknown].some(isShown), erased: [...lost.erased].filter(isShown) };
}

function undoOne(state: Stored, change: EntryChange, entry: FieldEntry, { unknown, erased }: Lost): Stored {
  const { path, before, beforeErased = [] } = change;
  for (const names of [unknown, erased]) for (const one of names) if (one === path || one.startsWith(`${path}.`)) names.delete(one);
  for (const one of beforeErased) erased.add(one);
  if (!isKept(change, 'before', readableMembers(entry.field.node))) {
    unknown.add(path);
    return state;
  }
  return withValue(state, entry.path.split('.'), before);
}

/** A copy of an object with another value at a path. Undefined removes it. */
function withValue(stored: Stored, [key = '', ...rest]: readonly string[], value: unknown): Stored {
  const { [key]: _old, ...others } = stored;
  if (rest.length === 0) return value === undefined ? others : { ...others, [key]: value };
  const held = own(stored, key);
  if (value === undefined && !isStoredObject(held)) return stored;
  return { ...others, [key]: withValue(isStoredObject(held) ? held : {}, rest, value) };
}

function notKept(): Problem {
  return new Problem({ code: 'not_kept', detail: 'A value that the record had then was not kept.' });
}

function tooFar(): Problem {
  return new Problem({
    code: 'not_kept',
    detail: `It lies too far back: more than ${mostUndone} changes. Its history lists them.`,
  });
}
