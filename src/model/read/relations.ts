import {
  absent,
  type CompiledField,
  join,
  type LeafNode,
  type Node,
  type ObjectNode,
  type Reference,
  relationName,
  relationSlot,
  type Slot,
} from '../node.ts';
import type { Leaf } from '../value/leaf.ts';
import { compileMemberRead, isStoredObject } from '../value/stored-shape.ts';
import { compileMissingValue } from './missing-value.ts';

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
export function compileRelations(root: ObjectNode): ReadonlyMap<string, Relation> {
  const found = new Map<string, Relation>();
  function visitFields(node: ObjectNode, path: string, reach: Reach): void {
    for (const field of node.fields) {
      if (field.policy.private) continue;
      const reachValues = compileReach(field, reach);
      const slot = relationSlot(field);
      const value = throughLists(field.node);
      if (slot) {
        const { leaf } = slot.node as LeafNode;
        const name = relationName(path, slot.ref, field);
        found.set(name, { name, field: join(path, field.name), slot, ref: slot.ref, leaf, visitIds: reachValues });
      } else if (value.kind === 'object') {
        visitFields(value, join(path, field.name), reachValues);
      }
    }
  }
  visitFields(root, '', (stored, visit) => visit(stored));
  return found;
}

function throughLists(node: Node): Node {
  return node.kind === 'array' ? throughLists(node.items.node) : node;
}

/** Compiles the way to a field's values, each item of a list by itself, in all the objects that `reachObjects` leads to. */
function compileReach(field: CompiledField, reachObjects: Reach): Reach {
  const read = compileMemberRead(field.key);
  const makeMissing = compileMissingValue(field);
  const visitItems = compileItems(field.node);
  return function reachValues(stored, visit) {
    reachObjects(stored, (object) => {
      if (!isStoredObject(object)) return;
      const value = read(object);
      const shown = value === undefined || (value === null && !field.nullable) ? makeMissing() : value;
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
