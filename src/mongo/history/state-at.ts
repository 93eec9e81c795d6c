import { notFound, Problem } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { FieldEntry } from '../../model/node.ts';
import { holdsPrivate } from '../../model/read/private-fields.ts';
import { own } from '../../model/value/plain-object.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import { Turn } from '../driver/turn.ts';
import type { Work } from '../driver/work.ts';
import type { Entry, EntryChange } from '../ledger/entry.ts';
import type { Visible } from '../query/deleted.ts';
import { both, type Filter } from '../query/filter.ts';
import type { StoredRecord } from '../stored-record.ts';
import { decodeEntry, entriesOf, type ReadEntries } from './entries.ts';
import { type Side, wasWithin } from './entry-scope.ts';

type Stored = Readonly<Record<string, unknown>>;
type Revision = number | bigint;

/** The most changes that are undone for one answer. */
const mostUndone = 1_000;

/** Which states of a record a caller sees. */
export interface SeenStates {
  readonly scope: Filter | undefined;
  readonly visible: Visible;
}

/** A record as it was. */
export interface EarlierState {
  readonly stored: Stored;
  /** The names of fields that held references to records which were purged, as far as the view shows them. */
  readonly erased: readonly string[];
}

/**
 * Computes a record as it was at a revision before its present one, as a view of its model shows it. What is private
 * stays as it is now.
 *
 * Throws `not_found` (404) for a state that the caller may not see, or that nobody knows any more, and `not_kept` (409)
 * if a value of it was not kept, or if it lies too far back.
 */
export async function stateAt(
  model: CompiledModel,
  present: StoredRecord,
  at: Revision,
  { scope, visible }: SeenStates,
  entries: ReadEntries,
  work: Work,
): Promise<EarlierState> {
  const { stored } = present;
  const own = entriesOf(present);
  const later = { ...own, revision: { $gt: at, $lte: revisionIn(model, stored) } };
  const { found, isCut } = await entries.read(later, -1, mostUndone + 1, work);
  if (isCut || found.length > mostUndone) throw tooFar();
  const { found: before } = await entries.read({ ...own, revision: { $lte: at } }, -1, 1, work);
  const [reached, next] = [before[0], found.at(-1)].map((bytes) => bytes && decodeEntry(bytes));
  const [bound, side]: [Entry | undefined, Side] = reached ? [reached, 'is'] : [next, 'was'];
  if (!bound || !(reached || (bound.previous !== undefined && bound.previous <= at))) throw notFound();
  const within = wasWithin(model, scope, side);
  if (within) {
    const { found: seen } = await entries.read(both({ _id: bound._id }, within), -1, 1, work);
    if (seen.length === 0) throw notFound();
  }
  const { state, wasDeleted, isLost, erased } = await undo(model, stored, found);
  if (wasDeleted ? visible === 'live' : visible === 'only') throw notFound();
  if (isLost) throw notKept();
  return { stored: { ...state, ...maintained(model, at, reached) }, erased };
}

/** The revision of a record. */
export function revisionIn({ revision }: CompiledModel, stored: Stored): Revision {
  return (stored[revision?.key as string] ?? 0) as Revision;
}

/** What the service had set at a revision. The time is that of the first change behind it if it has no entry. */
function maintained({ revision, updatedAt }: CompiledModel, at: Revision, reached: Entry | undefined): Stored {
  const isExact = reached !== undefined && reached.revision <= at && reached.revision >= at;
  const time = isExact ? reached.changes.find(({ path }) => path === updatedAt?.name)?.after : undefined;
  return { [revision?.key as string]: at, ...(updatedAt && time !== undefined && { [updatedAt.key]: time }) };
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

/** Undoes changes, the last one first. Each is decoded when its turn comes, and other requests run between them. */
async function undo(model: CompiledModel, present: Stored, found: readonly Uint8Array[]): Promise<Undone> {
  const { deletedAt } = model;
  const turn = new Turn();
  const lost: Lost = { unknown: new Set(), erased: new Set() };
  let wasDeleted = deletedAt !== undefined && present[deletedAt.key] instanceof Date;
  let state = present;
  for (const bytes of found) {
    const { change, changes, private: hidden } = decodeEntry(bytes);
    // The entries say it also where the time of the deletion is private.
    if (deletedAt && (change === 'deleted' || change === 'restored')) wasDeleted = change === 'restored';
    for (const one of changes) {
      const entry = model.fieldTable.get(one.path);
      if (entry) state = undoOne(state, one, entry, lost);
    }
    for (const name of hidden) if (!isPartlyPrivate(model, name)) lost.unknown.add(name); // the model that wrote it kept no value
    await turn.pass();
  }
  const isShown = (path: string) => model.fieldTable.get(path)?.isPrivate === false;
  return { state, wasDeleted, isLost: [...lost.unknown].some(isShown), erased: [...lost.erased].filter(isShown) };
}

/** Whether a field has private parts: the others have not changed where only what is private has. */
function isPartlyPrivate({ fieldTable }: CompiledModel, name: string): boolean {
  const entry = fieldTable.get(name);
  return entry !== undefined && (entry.isPrivate || holdsPrivate(entry.field.node));
}

function undoOne(
  state: Stored,
  { path, before, beforeDigest, beforeErased = [] }: EntryChange,
  entry: FieldEntry,
  { unknown, erased }: Lost,
): Stored {
  for (const names of [unknown, erased]) for (const one of names) if (one === path || one.startsWith(`${path}.`)) names.delete(one);
  for (const one of beforeErased) erased.add(one);
  if (beforeDigest !== undefined) {
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
    detail: `It lies too far back: more than ${mostUndone} changes, or more bytes than are read at once. Its history lists them.`,
  });
}
