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
import type { Leaf } from '../value/leaf.ts';
import { isStoredObject } from '../value/stored-shape.ts';
import { compileShownValue } from './shown-value.ts';

/** A relation of a model, that a resource may let its clients include. */
export interface Relation {
  /** As `include` calls it. */
  readonly name: string;
  /** The dotted name of the field that holds its ids. */
  readonly field: string;
  /** The place of its ids. */
  readonly slot: Slot;
  readonly ref: Reference;
  /** The type of its ids. */
  readonly leaf: Leaf;
  /** Visits every id of a stored record, those that it lacks and has defaults for included. */
  visitIds(stored: unknown, visit: Visit): void;
}

/** Relations that clients may include. */
export interface Includable {
  /** The names that `include` may have. */
  readonly names: readonly string[];
  /** What each name begins with: a relation of the record itself. */
  readonly relations: ReadonlyMap<string, Relation>;
}

/** Whether a value is what `compileIncludes()` returns, or looks like it. */
export function isIncludable(value: unknown): value is Includable {
  if (typeof value !== 'object' || value === null) return false;
  return 'names' in value && Array.isArray(value.names) && 'relations' in value && value.relations instanceof Map;
}

/** For records without relations. */
export const noRelations: Includable = { names: [], relations: new Map() };

/** The relations of a record that these names ask for. */
export function relationsOf(names: readonly string[], { relations }: Includable): Relation[] {
  return names.flatMap((name) => relations.get(name) ?? []);
}

type Visit = (value: unknown) => void;
type Reach = (stored: unknown, visit: Visit) => void;

/**
 * The relations of a model that clients may know, by the names that `include` has for them: `as`, or the field's own name; dotted for those
 * in embedded objects. Lists have no part in the name. What stands in a map has no path, and so no name.
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

/** Compiles the way to a field's values, each item of a list by itself, in all the objects that hold the field. */
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
