import { absent, type Node, type ObjectNode, type Slot } from '../node.ts';
import { compileShownValue, type ShowValue } from '../shown-value.ts';
import { isAccepted } from '../value/accepted.ts';
import { isDouble } from '../value/bson-type.ts';
import { copyValue } from '../value/copy-value.ts';
import type { Leaf } from '../value/leaf.ts';
import { isStoredObject, mapEntries } from '../value/stored-shape.ts';
import { changeFields, showNull } from './change-fields.ts';
import { itemsIn, memberIn, takesMember, valuesIn } from './place.ts';

/** Converts a stored value to its document form, for handlers and hooks. */
export type Hydrate = (stored: unknown) => unknown;

/**
 * Compiles a function that makes the document of a stored record: `id` instead of `_id`, defaults for missing fields,
 * numbers by their declared types, and every field, including private ones. The document is a deep copy, including
 * dates and bytes, so that changes of it do not change the answer.
 *
 * A stored value that its field cannot read is a `Misfit`, unless `onMisfit` says what stands for each value that its
 * field does not accept. The document has no computed fields, unless it is made for a `place`: the schema of an answer,
 * and then those that it takes.
 */
export function compileHydrate(node: ObjectNode, onMisfit?: Hydrate, place?: Node): Hydrate {
  const stored = node.fields.map((field) => ({
    name: field.name,
    show: compileShownValue(field),
    hydrate: compileItemHydrate(field, onMisfit, memberIn(place, field.name)),
  }));
  const members = [...stored, ...computedMembers(node, place)];
  return function hydrateObject(stored) {
    if (!isStoredObject(stored)) return asReadBack(stored);
    const document: Record<string, unknown> = {};
    for (const { name, show, hydrate } of members) {
      const shown = show(stored);
      if (shown !== absent) document[name] = hydrate(shown);
    }
    return document;
  };
}

/** A field of a document, and how it is made of the stored object. */
interface Member {
  readonly name: string;
  readonly show: ShowValue;
  readonly hydrate: Hydrate;
}

function computedMembers({ computed = [] }: ObjectNode, place: Node | undefined): Member[] {
  const taken = computed.filter(({ field: { name } }) => takesMember(place, name));
  return taken.map(({ field, compute }) => ({
    name: field.name,
    show: compute,
    hydrate: compileItemHydrate(changeFields(field, showNull), undefined, memberIn(place, field.name)),
  }));
}

/** Compiles the same for a single value. */
export function compileItemHydrate(slot: Slot, onMisfit?: Hydrate, place?: Node): Hydrate {
  const hydrate = compileSlotHydrate(slot, onMisfit, place);
  return (stored) => (stored === null ? null : hydrate(stored));
}

function compileSlotHydrate({ node }: Slot, onMisfit: Hydrate | undefined, place: Node | undefined): Hydrate {
  switch (node.kind) {
    case 'leaf':
      return compileLeafHydrate(node.leaf, onMisfit);
    case 'object':
      return compileHydrate(node, onMisfit, place);
    case 'array': {
      const item = compileItemHydrate(node.items, onMisfit, itemsIn(place));
      return (stored) => (Array.isArray(stored) ? stored.map(item) : asReadBack(stored));
    }
    case 'map': {
      const value = compileItemHydrate(node.values, onMisfit, valuesIn(place));
      return (stored) => hydrateMembers(stored, value);
    }
  }
}

function compileLeafHydrate({ accepted, toDocument }: Leaf, onMisfit?: Hydrate): Hydrate {
  const hydrate: Hydrate = (stored) => asReadBack(toDocument(stored));
  return accepted && onMisfit ? (stored) => (isAccepted(accepted, stored) ? hydrate(stored) : onMisfit(stored)) : hydrate;
}

function hydrateMembers(stored: unknown, hydrate: Hydrate): unknown {
  const members = mapEntries(stored);
  if (!members) return asReadBack(stored);
  const object: Record<string, unknown> = {};
  for (const [key, value] of members) {
    // The key is from a client: `__proto__` must become an ordinary member.
    Object.defineProperty(object, key, { value: hydrate(value), enumerable: true, writable: true, configurable: true });
  }
  return object;
}

/** A value as it would be read from the database: a Map and a DBRef become objects. */
function asReadBack(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (mapEntries(value)) return hydrateMembers(value, asReadBack);
  if (isDouble(value)) return value.value;
  return Array.isArray(value) ? value.map(asReadBack) : copyValue(value);
}
