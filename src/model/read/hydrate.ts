import { absent, type ObjectNode, type Slot } from '../node.ts';
import { isDouble } from '../value/bson-type.ts';
import { copyValue } from '../value/copy-value.ts';
import { isStoredObject, mapEntries } from '../value/stored-shape.ts';
import { compileShownValue } from './shown-value.ts';

/** A stored value in the form that handlers and hooks hold. */
export type Hydrate = (stored: unknown) => unknown;

/**
 * Compiles the reading of stored records for the deployer's own code: `id` for `_id`, defaults for what is missing, numbers by their
 * declared types, and every field, the private ones included. It shares nothing with what is stored: whatever is changed in it, dates and
 * bytes too, the answer is written from what was stored.
 */
export function compileHydrate(node: ObjectNode): Hydrate {
  const members = node.fields.map((field) => ({
    name: field.name,
    show: compileShownValue(field),
    hydrate: compileItemHydrate(field),
  }));
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

/** Compiles the same for one value. */
export function compileItemHydrate(slot: Slot): Hydrate {
  const hydrate = compileSlotHydrate(slot);
  return (stored) => (stored === null ? null : hydrate(stored));
}

function compileSlotHydrate({ node }: Slot): Hydrate {
  switch (node.kind) {
    case 'leaf':
      return (stored) => asReadBack(node.leaf.toDocument(stored));
    case 'object':
      return compileHydrate(node);
    case 'array': {
      const item = compileItemHydrate(node.items);
      return (stored) => (Array.isArray(stored) ? stored.map(item) : asReadBack(stored));
    }
    case 'map': {
      const value = compileItemHydrate(node.values);
      return (stored) => hydrateMembers(stored, value);
    }
  }
}

function hydrateMembers(stored: unknown, hydrate: Hydrate): unknown {
  const members = mapEntries(stored);
  if (!members) return asReadBack(stored);
  const object: Record<string, unknown> = {};
  for (const [key, value] of members) {
    // A client's key: `__proto__` must become a member like any other.
    Object.defineProperty(object, key, { value: hydrate(value), enumerable: true, writable: true, configurable: true });
  }
  return object;
}

/** A value as it would come back from the database: an object, where it was inserted as a Map or has the keys of a DBRef. */
function asReadBack(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (mapEntries(value)) return hydrateMembers(value, asReadBack);
  if (isDouble(value)) return value.value;
  return Array.isArray(value) ? value.map(asReadBack) : copyValue(value);
}
