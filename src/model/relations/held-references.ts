import { absent, type CompiledField, join, type Node, type ObjectNode, type Slot } from '../node.ts';
import { isStoredObject, mapEntries } from '../value/stored-shape.ts';

/** Whether a reference to a model holds an id that is to be taken away. */
export type IsGone = (model: string, id: unknown) => boolean;

/** A stored value without some ids, or `absent` if nothing is left of it. */
export interface Cleared {
  readonly value: unknown;
  /** The dotted names of the fields that held them, without steps for items and keys. Empty if none did. */
  readonly names: readonly string[];
}

/**
 * Visits the ids in a stored value that are references, wherever they stand: also in maps and in arrays of arrays, and
 * whether or not anything checks them.
 */
export function visitReferences({ node, ref }: Slot, value: unknown, visit: (model: string, id: unknown) => void): void {
  if (value === null || value === undefined) return;
  switch (node.kind) {
    case 'leaf':
      if (ref) visit(ref.model, value);
      return;
    case 'array':
      if (holdsReference(node) && Array.isArray(value)) for (const item of value) visitReferences(node.items, item, visit);
      return;
    case 'map':
      if (holdsReference(node)) for (const [, item] of mapEntries(value) ?? []) visitReferences(node.values, item, visit);
      return;
    case 'object':
      if (isStoredObject(value))
        for (const field of node.fields) if (holdsReference(field.node, field)) visitReferences(field, value[field.key], visit);
  }
}

/**
 * Takes ids of references out of a stored value: an item goes from its array, or becomes null where it may, a member
 * goes from its object, and a key from its map. `name` is the dotted name of the value.
 */
export function clearReferences(slot: Slot, value: unknown, isGone: IsGone, name: string): Cleared {
  const names = new Set<string>();
  const left = clear(slot, value, name);
  return { value: left, names: [...names] };

  function clear({ node, ref }: Slot, held: unknown, at: string): unknown {
    if (held === null || held === undefined) return held;
    switch (node.kind) {
      case 'leaf': {
        if (!ref || !isGone(ref.model, held)) return held;
        names.add(at);
        return absent;
      }
      case 'array':
        return Array.isArray(held) ? held.flatMap((item) => keepItem(node.items, clear(node.items, item, at))) : held;
      case 'map': {
        const members = mapEntries(held);
        return members ? keepMembers(Array.from(members, ([key, one]) => [key, clear(node.values, one, at)])) : held;
      }
      case 'object':
        return isStoredObject(held) ? clearMembers(node, held, at) : held;
    }
  }

  function clearMembers(node: ObjectNode, held: Readonly<Record<string, unknown>>, at: string): unknown {
    const byKey = new Map(node.fields.map((field) => [field.key, field]));
    return keepMembers(
      Object.entries(held).map(([key, one]) => {
        const field = byKey.get(key);
        return [key, field ? clear(field, one, join(at, field.name)) : one];
      }),
    );
  }
}

function keepItem({ nullable }: Slot, item: unknown): unknown[] {
  if (item !== absent) return [item];
  return nullable ? [null] : [];
}

function keepMembers(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(members.filter(([, one]) => one !== absent));
}

/** The places of the references of a model, and where they lead. Equal texts: the same references are found. */
export function spellReferences({ fields }: ObjectNode, path = ''): string[] {
  const ofSlot = ({ node, ref }: Slot, at: string): string[] => {
    if (node.kind === 'leaf') return ref ? [`${at} ${ref.model}`] : [];
    if (node.kind === 'array') return ofSlot(node.items, `${at}[]`);
    return node.kind === 'map' ? ofSlot(node.values, `${at}{}`) : spellReferences(node, at);
  };
  return fields.flatMap((field: CompiledField) => ofSlot(field, join(path, field.name)));
}

/** The names of the models that the references of a value lead to. */
export function modelsReferredTo({ node, ref }: Slot): ReadonlySet<string> {
  switch (node.kind) {
    case 'leaf':
      return new Set(ref ? [ref.model] : []);
    case 'array':
      return modelsReferredTo(node.items);
    case 'map':
      return modelsReferredTo(node.values);
    case 'object':
      return new Set(node.fields.flatMap((field) => [...modelsReferredTo(field)]));
  }
}

const known = new WeakMap<Node, boolean>();

function holdsReference(node: Node, slot?: Slot): boolean {
  if (node.kind === 'leaf') return slot?.ref !== undefined;
  const found = known.get(node) ?? modelsReferredTo({ node, nullable: false, constraint: undefined }).size > 0;
  known.set(node, found);
  return found;
}
