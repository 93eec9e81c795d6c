import { createHash } from 'node:crypto';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { CompiledField, ObjectNode } from '../../model/node.ts';
import { clearReferences, type IsGone, modelsReferredTo, spellReferences, visitReferences } from '../../model/relations/held-references.ts';
import { digestOfId } from '../../model/value/digest-of-id.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';

type Stored = Readonly<Record<string, unknown>>;

/** The records that an entry refers to, as far as a purge needs them to find the entry. */
export interface Referred {
  /** Stands for the references that its model had: an entry of a model that has others by now is read again. */
  readonly by: string;
  /** A digest of each record, of the same few bytes whatever its id is. */
  readonly to: readonly bigint[];
}

/** A change, as far as it has values. */
interface KeptChange {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly beforeErased?: readonly string[];
  readonly afterErased?: readonly string[];
}

/** The values that an entry keeps. */
interface Kept {
  readonly changes: readonly KeptChange[];
  readonly was?: Stored;
  readonly is?: Stored;
}

/** What was the id of a record that is purged, in the values for scopes: it equals nothing, and is not missing. */
const tombstone = { erased: true } as const;

const shapes = new WeakMap<ObjectNode, string | undefined>();

/** Stands for the references of a model. Undefined if it has none. */
export function shapeOf({ whole: { root } }: CompiledModel): string | undefined {
  if (!shapes.has(root)) {
    const places = spellReferences(root);
    const text = createHash('sha256').update(places.join('\n')).digest('base64url').slice(0, 8);
    shapes.set(root, places.length > 0 ? text : undefined);
  }
  return shapes.get(root);
}

/** Whether records of a model may refer to one of these models, by any reference that is declared. */
export function mayRefer({ whole: { root } }: CompiledModel, names: readonly string[]): boolean {
  const targets = modelsReferredTo({ node: root, nullable: false, constraint: undefined });
  return names.some((name) => targets.has(name));
}

/** What an entry of a model refers to. Undefined if the model has no references. */
export function referredIn(model: CompiledModel, kept: Kept): Referred | undefined {
  const by = shapeOf(model);
  return by === undefined ? undefined : { by, to: digestsIn(model, kept) };
}

function digestsIn(model: CompiledModel, { changes, was, is }: Kept): bigint[] {
  const found = new Set<bigint>();
  const visit = (name: string, id: unknown) => found.add(digestOfId(name, id));
  for (const { path, before, after } of changes) {
    const field = fieldAt(model, path);
    if (field) for (const value of [before, after]) visitReferences(field, value, visit);
  }
  for (const { field, path } of scopeReferences(model)) for (const state of [was, is]) visitReferences(field, valueAt(state, path), visit);
  return [...found];
}

/** What an entry that any of these models may have written refers to. */
function referredByAny(models: readonly CompiledModel[], kept: Kept): Referred {
  const all = models.map((model) => referredIn(model, kept));
  return { by: all.find((one) => one)?.by as string, to: [...new Set(all.flatMap((one) => one?.to ?? []))] };
}

/** An entry without the ids of records that are purged. It says which fields held them. */
export function withoutReferences<Entry extends Kept>(models: readonly CompiledModel[], entry: Entry, isGone: IsGone): Entry {
  const known = models.filter((model) => shapeOf(model) !== undefined);
  const cleared = known.reduce<Entry>((left, model) => clearEntry(model, left, isGone), entry);
  return { ...cleared, refers: referredByAny(known, cleared) };
}

function clearEntry<Entry extends Kept>(model: CompiledModel, entry: Entry, isGone: IsGone): Entry {
  const { was, is } = entry;
  const changes = entry.changes.map((change) => {
    const field = fieldAt(model, change.path);
    return field ? clearSide(field, clearSide(field, change, 'before', isGone), 'after', isGone) : change;
  });
  return { ...entry, changes, ...(was && { was: clearState(model, was, isGone) }), ...(is && { is: clearState(model, is, isGone) }) };
}

function clearSide(field: CompiledField, change: KeptChange, side: 'before' | 'after', isGone: IsGone): KeptChange {
  const { [side]: held, ...rest } = change;
  const { value, names } = clearReferences(field, held, isGone, change.path);
  if (names.length === 0) return change;
  const erased = { [`${side}Erased`]: [...new Set([...(change[`${side}Erased`] ?? []), ...names])] };
  return { ...rest, ...(typeof value !== 'symbol' && { [side]: value }), ...erased };
}

/** A scope still sees what it saw by another condition than that of the id. */
function clearState(model: CompiledModel, state: Stored, isGone: IsGone): Stored {
  return scopeReferences(model).reduce((left, { field, path }) => {
    const { names } = clearReferences(field, valueAt(left, path), isGone, '');
    return names.length > 0 ? withTombstone(left, path.split('.')) : left;
  }, state);
}

function withTombstone(state: Stored, [key = '', ...rest]: readonly string[]): Stored {
  const held = state[key];
  return { ...state, [key]: rest.length > 0 && isStoredObject(held) ? withTombstone(held, rest) : tombstone };
}

function fieldAt({ fieldTable }: CompiledModel, name: string): CompiledField | undefined {
  return fieldTable.get(name)?.field;
}

function scopeReferences(model: CompiledModel): { readonly field: CompiledField; readonly path: string }[] {
  return (model.ledger?.history?.scopeFields ?? []).flatMap(({ name, path }) => {
    const field = fieldAt(model, name);
    return field?.ref ? [{ field, path }] : [];
  });
}

function valueAt(state: Stored | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((held, key) => (isStoredObject(held) ? held[key] : undefined), state);
}
