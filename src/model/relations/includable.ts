import {
  absent,
  type FieldEntry,
  type FieldTable,
  type LeafNode,
  type Node,
  type Reference,
  relationName,
  relationSlot,
  type Slot,
} from '../node.ts';
import { compileShownValue } from '../shown-value.ts';
import type { Leaf } from '../value/leaf.ts';
import { isStoredObject } from '../value/stored-shape.ts';

/** A relation of a model. A resource may let its clients include it. */
export interface Relation {
  /** Its name in `include`. */
  readonly name: string;
  /** The dotted name of the field that holds its ids. */
  readonly field: string;
  /** The slot of its ids. */
  readonly slot: Slot;
  readonly ref: Reference;
  /** The type of its ids. */
  readonly leaf: Leaf;
  /** Visits every id of a stored record, including defaults of missing fields. */
  visitIds(stored: unknown, visit: Visit): void;
}

/** The relations that clients may include. */
export interface Includable {
  /** The legal names of `include`. */
  readonly names: readonly string[];
  /**
   * The references of the record itself, by the first part of a name. What is included by `t.hasMany` needs no field of
   * the record.
   */
  readonly relations: ReadonlyMap<string, Relation>;
  /** The rules on which it depends who may include what. Empty in a view. */
  readonly rules: readonly string[];
  /** The relations that callers may include for whom these rules hold. */
  seenBy(held: ReadonlySet<string>): Includable;
}

/** Whether a value looks like a result of `compileIncludes()`. */
export function isIncludable(value: unknown): value is Includable {
  if (typeof value !== 'object' || value === null) return false;
  return 'names' in value && Array.isArray(value.names) && 'relations' in value && value.relations instanceof Map;
}

/** The relations of records that have none. */
export const noRelations: Includable = { names: [], relations: new Map(), rules: [], seenBy: () => noRelations };

/** The relations of a record that these names include. */
export function relationsOf(names: readonly string[], { relations }: Pick<Includable, 'relations'>): Relation[] {
  return names.flatMap((name) => relations.get(name) ?? []);
}

type Visit = (value: unknown) => void;
type Reach = (stored: unknown, visit: Visit) => void;

/**
 * The readable relations of a model by their names in `include`: `as`, or the name of the field, dotted if it is in an
 * embedded object. Arrays have no part in a name. Relations in maps have no fixed path, and therefore no name.
 */
export function compileRelations(table: FieldTable): ReadonlyMap<string, Relation> {
  const readable = [...table.values()].filter(({ isPrivate }) => !isPrivate);
  return new Map(readable.flatMap(compileRelation).map((relation) => [relation.name, relation]));
}

function compileRelation(entry: FieldEntry): Relation[] {
  const { field, parent } = entry;
  const slot = relationSlot(field);
  if (!slot) return [];
  const name = relationName(parent?.name ?? '', slot.ref, field);
  return [{ name, field: entry.name, slot, ref: slot.ref, leaf: (slot.node as LeafNode).leaf, visitIds: compileReach(entry) }];
}

/** Compiles a function that visits the values of a field in all objects that have it, and every item of an array. */
function compileReach({ field, parent }: FieldEntry): Reach {
  const reachObjects: Reach = parent ? compileReach(parent) : (stored, visit) => visit(stored);
  const show = compileShownValue(field);
  const visitItems = compileItems(field.node);
  return function reachValues(stored, visit) {
    reachObjects(stored, (object) => {
      if (!isStoredObject(object)) return;
      const shown = show(object);
      if (shown !== absent) visitItems(shown, visit);
    });
  };
}

function compileItems(node: Node): Reach {
  if (node.kind !== 'array') return visitValue;
  const visitItems = compileItems(node.items.node);
  return function visitList(stored, visit) {
    if (Array.isArray(stored)) for (const item of stored) visitItems(item, visit);
  };
}

function visitValue(stored: unknown, visit: Visit): void {
  if (stored !== null && stored !== undefined) visit(stored);
}
