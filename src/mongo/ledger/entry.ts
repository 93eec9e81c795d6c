import { ObjectId } from 'mongodb';
import type { CompiledHistory } from '../../model/compile/compile-ledger.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { lifeKey } from '../../model/value/own-keys.ts';
import { own } from '../../model/value/plain-object.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import type { BlindWrite } from '../../model/write/plan-changes.ts';
import type { ChangeKind } from '../lifecycle/lifecycle.ts';
import { spellId } from '../stored-record.ts';
import type { Actor } from './actor.ts';
import type { Difference } from './difference.ts';
import { type Bounds, type KeptValues, keepValues } from './kept-values.ts';
import { type Referred, referredIn } from './referred.ts';

type Stored = Readonly<Record<string, unknown>>;

/** A change of a record: its states, and what differs between them. */
export interface RecordedChange {
  readonly change: ChangeKind;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
  readonly differences: readonly Difference[];
  /** What a client has written that it may not read. @default nothing */
  readonly blind?: BlindWrite | undefined;
}

/** What the changes of one write have in common. */
export interface Circumstances {
  readonly at: Date;
  readonly actor: Actor;
  readonly requestId: string | undefined;
  readonly operation: string | undefined;
}

/** One changed field in an entry. `before` and `after` are stored values, and are missing where there was none. */
export interface EntryChange extends KeptValues {
  readonly path: string;
  /** The names of the fields that have lost references to records which were purged. */
  readonly beforeErased?: readonly string[];
  readonly afterErased?: readonly string[];
}

/** A change of a record, as the collection of a history stores it. */
export interface Entry {
  readonly _id: ObjectId;
  /** The stored id of the record. */
  readonly record: unknown;
  /** Tells the record from others that had its id before it. Null for a record from before the history. */
  readonly life: ObjectId | null;
  /** The revision that the change has led to. For a record that is gone, one more than it had. */
  readonly revision: number | bigint;
  /** The revision before the change. Missing for a new record. */
  readonly previous?: number | bigint;
  readonly at: Date;
  readonly change: ChangeKind;
  /** The operation of the request. Missing outside of a request. */
  readonly operation?: string;
  readonly actor: Actor;
  readonly request?: string;
  /**
   * The names of the fields that are not private and were changed, or written by a client that may not read them,
   * without the time that every write sets.
   */
  readonly paths: readonly string[];
  readonly changes: readonly EntryChange[];
  /** The names of changed fields of which nothing may be kept. */
  readonly private: readonly string[];
  /** The values of the scope's fields before and after the change, at their stored paths. */
  readonly was?: Stored;
  readonly is?: Stored;
  /** What it refers to, so that a purge finds it. Missing if the model has no references. */
  readonly refers?: Referred;
}

/** What is kept of the changes of a model. */
export interface EntryRules extends Pick<CompiledHistory, 'scopeFields'> {
  readonly bounds: Bounds;
}

/** The entry of a change in the history of its model. */
export function entryOf(model: CompiledModel, rules: EntryRules, change: RecordedChange, circumstances: Circumstances): Entry {
  const { before, after, differences, blind } = change;
  const shown = differences.filter(({ isPrivate }) => !isPrivate);
  const { scopeFields, bounds } = rules;
  const scope = (state: Stored) => pick(state, scopeFields);
  const kept = {
    changes: shown.map(({ path, field, before: old, after: now }) => ({ path, ...keepValues(field, old, now, bounds) })),
    ...(scopeFields.length > 0 && { ...(before && { was: scope(before) }), ...(after && { is: scope(after) }) }),
  };
  const refers = referredIn(model, kept);
  return {
    _id: new ObjectId(),
    ...addressOf(model, change),
    ...(before && { previous: revisionIn(model, before) }),
    ...commonOf(change, circumstances),
    paths: [...new Set([...shown.map(({ path }) => path), ...(blind?.names ?? [])])].filter((path) => path !== model.updatedAt?.name),
    private: differences.filter(({ isPrivate }) => isPrivate).map(({ path }) => path),
    ...kept,
    ...(refers && { refers }),
  };
}

/** The event of a change. */
export interface EventRow {
  readonly _id: ObjectId;
  /** What has happened to a record of which model, such as `order.patched`. */
  readonly type: string;
  /** The name of the model. */
  readonly model: string;
  /** The id of the record as a path segment. */
  readonly subject: string;
  /** The collection of the record: models of one collection have written its events in one order. */
  readonly collection: string;
  readonly record: unknown;
  readonly life: ObjectId | null;
  readonly revision: number | bigint;
  readonly at: Date;
  readonly change: ChangeKind;
  readonly operation?: string;
  readonly actor: Actor;
  readonly request?: string;
  readonly state: 'pending';
}

/** The event of a change, for the outbox. */
export function eventOf(model: CompiledModel, change: RecordedChange, circumstances: Circumstances): EventRow {
  const address = addressOf(model, change);
  return {
    _id: new ObjectId(),
    type: `${model.name.charAt(0).toLowerCase()}${model.name.slice(1)}.${change.change}`,
    model: model.name,
    subject: spellId(model, address.record),
    collection: model.collection,
    ...address,
    ...commonOf(change, circumstances),
    state: 'pending',
  };
}

function addressOf(model: CompiledModel, { before, after }: RecordedChange): Pick<Entry, 'record' | 'life' | 'revision'> {
  const { _id: record, [lifeKey]: life } = (after ?? before) as Stored;
  const revision = after ? revisionIn(model, after) : next(revisionIn(model, before as Stored));
  return { record, life: life instanceof ObjectId ? life : null, revision };
}

function commonOf({ change }: RecordedChange, { at, actor, requestId, operation }: Circumstances) {
  return { at, change, actor, ...(operation !== undefined && { operation }), ...(requestId !== undefined && { request: requestId }) };
}

function revisionIn(model: CompiledModel, state: Stored): number | bigint {
  return (state[model.revision?.key as string] ?? 0) as number | bigint;
}

function next(revision: number | bigint): number | bigint {
  return typeof revision === 'bigint' ? revision + 1n : revision + 1;
}

/** What a state has at some stored paths. */
function pick(state: Stored, fields: CompiledHistory['scopeFields']): Stored {
  const picked: Record<string, unknown> = {};
  for (const { path } of fields) put(picked, path.split('.'), state);
  return picked;
}

function put(picked: Record<string, unknown>, [key, ...rest]: readonly string[], from: Stored): void {
  if (key === undefined || !Object.hasOwn(from, key)) return;
  const value = own(from, key);
  if (rest.length === 0) picked[key] = value;
  else if (isStoredObject(value)) {
    const within = (own(picked, key) ?? {}) as Record<string, unknown>;
    picked[key] = within;
    put(within, rest, value);
  } else picked[key] = value;
}
