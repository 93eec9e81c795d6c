import { ConfigurationError } from '../../errors.ts';
import { join, type Node, type ObjectNode } from '../node.ts';
import type { Leaf } from '../value/leaf.ts';
import { anyLeaf } from '../value/leaves.ts';

/** A field as an index may name it: one with a fixed path, so nothing inside of maps. */
export interface IndexField {
  /** Dotted, as clients write it. */
  readonly name: string;
  /** Dotted, as it is stored. */
  readonly path: string;
  /** The type of its value, or of its elements where it is a list; undefined for an object, a map or an untyped value. */
  readonly leaf: Leaf | undefined;
  /** The path of the innermost list that it stands in, or is. */
  readonly listPath: string | undefined;
  /** Whether a record may have no value there. */
  readonly mayLack: boolean;
  /** Whether it, or an object that it stands in, is private. */
  readonly isPrivate: boolean;
  readonly unique: boolean;
  /** Whether indexes are planned for its filters and sorts. */
  readonly isPlanned: boolean;
}

/** Fields by their dotted names. */
export type IndexFields = ReadonlyMap<string, IndexField>;

interface Place {
  readonly name: string;
  readonly path: string;
  readonly listPath: string | undefined;
  readonly mayLack: boolean;
  readonly isPrivate: boolean;
}

const top: Place = { name: '', path: '', listPath: undefined, mayLack: false, isPrivate: false };

/** Every field that an index may name. Throws a {@link ConfigurationError} for `unique` where no index could see to it. */
export function compileIndexFields(root: ObjectNode): IndexFields {
  const found = new Map<string, IndexField>();
  function visit(node: ObjectNode, parent: Place): void {
    for (const field of node.fields) {
      const { value, isList } = throughLists(field.node);
      const name = join(parent.name, field.name);
      const path = join(parent.path, field.key);
      const place: Place = {
        name,
        path,
        listPath: isList ? path : parent.listPath,
        mayLack: parent.mayLack || field.nullable || field.optional,
        isPrivate: parent.isPrivate || field.policy.private === true,
      };
      const leaf = value.kind === 'leaf' && value.leaf !== anyLeaf ? value.leaf : undefined;
      const compiled: IndexField = { ...place, leaf, unique: field.unique, isPlanned: field.index };
      if (field.unique) checkUnique(compiled, `\`unique\` of \`${name}\``);
      found.set(name, compiled);
      if (value.kind === 'object') visit(value, place);
      refuseUniqueInMaps(field.node, name);
    }
  }
  visit(root, top);
  return found;
}

/** Refuses a unique field that no unique index keeps apart as one expects. */
export function checkUnique({ name, leaf, listPath, isPrivate }: IndexField, what: string): void {
  if (listPath !== undefined)
    throw new ConfigurationError(`${what}: \`${name}\` is in a list, and an index would not keep the items of one record apart.`);
  if (!leaf) throw new ConfigurationError(`${what} needs a single value: objects, maps and untyped values cannot be compared.`);
  if (isPrivate) throw new ConfigurationError(`${what}: \`${name}\` is private, ${whyNotUnique}`);
}

/** Follows what is private. */
export const whyNotUnique = 'and a 409 would tell clients who has which value. An index that is not unique is no matter.';

function throughLists(node: Node, isList = false): { value: Node; isList: boolean } {
  return node.kind === 'array' ? throughLists(node.items.node, true) : { value: node, isList };
}

function refuseUniqueInMaps(node: Node, path: string): void {
  if (node.kind === 'array') refuseUniqueInMaps(node.items.node, path);
  if (node.kind === 'map') refuseUnique(node.values.node, `${path}.*`);
}

function refuseUnique(node: Node, path: string): void {
  if (node.kind === 'array') refuseUnique(node.items.node, path);
  if (node.kind === 'map') refuseUnique(node.values.node, `${path}.*`);
  if (node.kind !== 'object') return;
  for (const field of node.fields) {
    const at = join(path, field.name);
    if (field.unique)
      throw new ConfigurationError(`\`unique\` of \`${at}\`: the keys of a map are data, and an index cannot name what lies below them.`);
    refuseUnique(field.node, at);
  }
}

/**
 * Whether both fields may stand in one index: the database refuses every write of a record with two lists in one that are not part of each
 * other ("cannot index parallel arrays").
 */
export function mayShareIndex({ listPath: a }: IndexField, { listPath: b }: IndexField): boolean {
  if (a === undefined || b === undefined) return true;
  return `${a}.`.startsWith(`${b}.`) || `${b}.`.startsWith(`${a}.`);
}
