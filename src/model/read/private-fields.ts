import { comparedPath, queriedPath } from '../fold/fold-paths.ts';
import { type CompiledField, type FieldTable, membersOf, type Node, type ObjectNode } from '../node.ts';
import { readableComputed } from './computed-fields.ts';
import { chainsAt } from './field-chains.ts';

/** Whether a value has private fields, at any depth. */
export function holdsPrivate(node: Node): boolean {
  switch (node.kind) {
    case 'leaf':
      return false;
    case 'object':
      return node.fields.some((field) => field.policy.private || holdsPrivate(field.node));
    case 'array':
      return holdsPrivate(node.items.node);
    case 'map':
      return holdsPrivate(node.values.node);
  }
}

/** The fields of an object that clients may read. */
export function readableFields(node: ObjectNode): readonly CompiledField[] {
  return node.fields.filter((field) => !field.policy.private);
}

/** The names of private fields, at any depth. */
export function privateNames(node: Node): ReadonlySet<string> {
  switch (node.kind) {
    case 'leaf':
      return new Set();
    case 'array':
      return privateNames(node.items.node);
    case 'map':
      return privateNames(node.values.node);
    case 'object':
      return new Set(membersOf(node).flatMap((field) => [...(field.policy.private ? [field.name] : []), ...privateNames(field.node)]));
  }
}

/**
 * The stored paths of private fields and of their folded values, for the projection of reads. Private fields in maps
 * have no fixed path. What is `needed`, because a computed field is made of it, is fetched.
 */
export function privatePaths(table: FieldTable, needed: readonly string[] = []): string[] {
  const hidden = [...table.values()].filter(({ isPrivate, parent }) => isPrivate && !parent?.isPrivate);
  const paths = hidden.flatMap((entry) => [...new Set([entry.path, queriedPath(entry), comparedPath(entry)])]);
  return paths.filter((path) => !needed.some((one) => `${path}.`.startsWith(`${one}.`)));
}

/**
 * Whether a stored path names a private field, leads through one, or to an object that has one: `place.code`,
 * `secret.any.key`, `place`.
 */
export function leadsToPrivate(node: Node, path: readonly string[]): boolean {
  return chainsAt(node, path).some((chain) => chain.some(({ policy }) => policy.private === true));
}

/** A copy of an object node without its private fields, at any depth. */
export function withoutPrivate(node: ObjectNode): ObjectNode {
  const fields = readableFields(node).map(withReadableNode);
  const computed = node.computed && readableComputed(node).map((one) => ({ ...one, field: withReadableNode(one.field) }));
  return { ...node, fields, byName: new Map(fields.map((field) => [field.name, field])), computed };
}

function withReadableNode(field: CompiledField): CompiledField {
  return { ...field, node: readableNode(field.node) };
}

/** The same for any value. */
export function readableNode(node: Node): Node {
  switch (node.kind) {
    case 'leaf':
      return node;
    case 'array':
      return { ...node, items: { ...node.items, node: readableNode(node.items.node) } };
    case 'map':
      return { ...node, values: { ...node.values, node: readableNode(node.values.node) } };
    case 'object':
      return withoutPrivate(node);
  }
}
