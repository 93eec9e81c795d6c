import { join, type Node, type ObjectNode } from '../../model/node.ts';
import { ownKeys } from '../../model/value/own-keys.ts';
import { isStoredObject, mapEntries } from '../../model/value/stored-shape.ts';
import type { FoldedObject } from '../../model/write/folds.ts';

/** Adds the places of the keys of a value that are not fields. */
type Visit = (stored: unknown, place: string, found: Set<string>) => void;

/**
 * Compiles the search for keys of a stored record that are not fields of its model, at any depth. It returns their
 * paths, in which `*` replaces the items of an array and the keys of a map. The model ignores such keys. Keys of the
 * library itself are known, those of `folds` too.
 */
export function compileFindUnknownKeys(root: ObjectNode, folds?: FoldedObject): (stored: unknown) => ReadonlySet<string> {
  const visit = compileObject(root, folds);
  const ours = [...ownKeys].filter((key) => root.fields.every((field) => field.key !== key));
  return function findUnknownKeys(stored) {
    const found = new Set<string>();
    visit(stored, '', found);
    for (const key of ours) found.delete(key);
    return found;
  };
}

function compileObject(node: ObjectNode, folds?: FoldedObject): Visit {
  const within = new Map(folds?.members.map((one) => [one.field.key, one.within]));
  const members = new Map(node.fields.map(({ key, name, node }) => [key, { name, visit: compileNode(node, within.get(key)) }]));
  const ours = new Set(folds?.members.flatMap((one) => one.folds.map(({ key }) => key)));
  return function visitObject(stored, place, found) {
    if (!isStoredObject(stored)) return;
    for (const key of Object.keys(stored)) {
      const member = members.get(key);
      if (!member && !ours.has(key)) found.add(join(place, key));
      else member?.visit?.(stored[key], join(place, member.name), found);
    }
  };
}

/** Undefined for a value without objects that have fields. */
function compileNode(node: Node, folds?: FoldedObject): Visit | undefined {
  switch (node.kind) {
    case 'leaf':
      return undefined;
    case 'object':
      return compileObject(node, folds);
    case 'array': {
      const visit = compileNode(node.items.node, folds);
      return visit && ((stored, place, found) => visitAll(Array.isArray(stored) ? stored : [], visit, place, found));
    }
    case 'map': {
      const visit = compileNode(node.values.node);
      return (
        visit &&
        ((stored, place, found) =>
          visitAll(
            Array.from(mapEntries(stored) ?? [], ([, value]) => value),
            visit,
            place,
            found,
          ))
      );
    }
  }
}

function visitAll(values: readonly unknown[], visit: Visit, place: string, found: Set<string>): void {
  for (const value of values) visit(value, join(place, '*'), found);
}
