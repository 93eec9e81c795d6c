import type { Node } from '../node.ts';
import { isObject, own } from '../value/plain-object.ts';

/** The names of the fields that a path leads through, from the record on. Undefined if it leads to no field. */
export type FieldWay = readonly string[] | undefined;

/**
 * The fields to which the path of an error may lead. Several, if it leads through keys of maps: they may have dots, and
 * are looked up in the document. The path has the places of items, or is the name by which the model knows a field.
 */
export function* waysTo(node: Node, document: unknown, path: string): Iterable<FieldWay> {
  if (path === '' || node.kind === 'leaf') yield [];
  else if (node.kind === 'map') {
    for (const key of mapKeysOf(path, document)) yield* waysTo(node.values.node, member(document, key), after(path, key));
  } else {
    const [name = ''] = path.split('.', 1);
    if (node.kind === 'object') yield* through(name, node.byName.get(name)?.node, member(document, name), after(path, name));
    else {
      const { node: items } = node.items;
      const isItem = /^\d+$/.test(name);
      if (isItem) yield* waysTo(items, member(document, name), after(path, name));
      if (!isItem || (items.kind === 'object' && items.byName.has(name))) yield* waysTo(items, undefined, path); // without the place of an item
    }
  }
}

function* through(name: string, node: Node | undefined, document: unknown, rest: string): Iterable<FieldWay> {
  if (!node) yield undefined;
  else for (const way of waysTo(node, document, rest)) yield way && [name, ...way];
}

/** An object in a document, and a key of it that is no field. */
interface UnknownKey {
  readonly way: readonly string[];
  readonly key: string;
}

/** The objects to which the path of a key may lead that is no field. Several, because the key may have dots. */
export function* unknownKeysAt(node: Node, document: unknown, path: string): Iterable<UnknownKey> {
  const [name = ''] = path.split('.', 1);
  if (node.kind === 'array') yield* unknownKeysAt(node.items.node, member(document, name), after(path, name));
  else if (node.kind === 'map') {
    for (const key of mapKeysOf(path, document)) yield* unknownKeysAt(node.values.node, member(document, key), after(path, key));
  } else if (node.kind === 'object' && isObject(document)) {
    if (Object.hasOwn(document, path)) yield { way: [], key: path };
    const field = Object.hasOwn(document, name) ? node.byName.get(name) : undefined;
    if (!field) return;
    for (const { way, key } of unknownKeysAt(field.node, member(document, name), after(path, name))) yield { way: [name, ...way], key };
  }
}

/** The keys of a map with which a path may begin. They are several if the map has the keys `a` and `a.b`. */
export function mapKeysOf(path: string, map: unknown): readonly string[] {
  const keys = isObject(map) ? Object.keys(map).filter((key) => path === key || path.startsWith(`${key}.`)) : [];
  return keys.length > 0 ? keys : path.split('.', 1);
}

/** What an array or object of a document has at one step of a path. */
export function member(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) ? own(value, name) : undefined;
}

/** What is left of a path after its first key. */
export function after(path: string, key: string): string {
  return path.slice(key.length + 1);
}
