import type { Policy } from './define/policy.ts';
import type { Check } from './define/schema.ts';
import type { Constraint, Leaf } from './value/leaf.ts';
import { anyLeaf } from './value/leaves.ts';

/** A value's place: what stands there, and whether it may be null. */
export interface Slot {
  readonly node: Node;
  readonly nullable: boolean;
  /** The field's own constraints (`minLength`, `pattern`, …), on the value in document form. */
  readonly constraint: Constraint | undefined;
  /** What the id that stands here leads to. */
  readonly ref?: Reference | undefined;
}

/** A compiled field of a model or of an embedded object. */
export interface CompiledField extends Slot {
  /** As clients and handlers call it. */
  readonly name: string;
  /** As it is stored: `_id` for `id`, otherwise the name. */
  readonly key: string;
  readonly optional: boolean;
  /** Null is stored as null, not as a missing key. */
  readonly storeNone: boolean;
  readonly immutable: boolean;
  /** No two records have the same value. */
  readonly unique: boolean;
  /** Whether indexes are planned for its filters and sorts. */
  readonly index: boolean;
  readonly policy: Policy;
  /** Set by the service itself. */
  readonly maintained: 'revision' | 'createdAt' | 'updatedAt' | undefined;
  readonly ref: Reference | undefined;
  /** Makes the stored value of a field that was not sent; undefined where there is no default. */
  readonly makeDefault: (() => unknown) | undefined;
  /** The keywords that only describe: title, description, examples, deprecated. */
  readonly annotations: Readonly<Record<string, unknown>>;
}

/** A relation to another model by id. */
export interface Reference {
  readonly model: string;
  /** The name under which an included record is added; without it the record replaces the id. */
  readonly as?: string;
  /** The path of the resource whose scope and guards hold for included records. */
  readonly resource?: string;
}

/** The place of the ids of a field that is a relation: the field itself, or the items of its list. */
export function relationSlot(slot: Slot): (Slot & { readonly ref: Reference }) | undefined {
  if (isRelation(slot)) return slot;
  return slot.node.kind === 'array' ? relationSlot(slot.node.items) : undefined;
}

/** The name of a relation in its model: `path` is that of the object which the field stands in. */
export function relationName(path: string, { as }: Reference, field: CompiledField): string {
  return join(path, as ?? field.name);
}

function isRelation(slot: Slot): slot is Slot & { readonly ref: Reference } {
  return slot.ref !== undefined && slot.node.kind === 'leaf';
}

/** A single value. */
export interface LeafNode {
  readonly kind: 'leaf';
  readonly leaf: Leaf;
  /** The keywords of its constraints, as they are published. */
  readonly keywords: Readonly<Record<string, unknown>>;
}

/** An embedded object, or the record itself. */
export interface ObjectNode {
  readonly kind: 'object';
  readonly name: string | undefined;
  readonly fields: readonly CompiledField[];
  readonly byName: ReadonlyMap<string, CompiledField>;
  /** Validates the whole object. */
  readonly check?: Check | undefined;
}

/** A list. */
export interface ArrayNode {
  readonly kind: 'array';
  readonly items: Slot;
  readonly keywords: Readonly<Record<string, unknown>>;
}

/** String keys to values of one type. */
export interface MapNode {
  readonly kind: 'map';
  readonly values: Slot;
  readonly keywords: Readonly<Record<string, unknown>>;
}

/** What the schema of a value compiles to. */
export type Node = LeafNode | ObjectNode | ArrayNode | MapNode;

/** The value of a field that is not stored: a null that is kept as a missing key, an optional one that was left out. */
export const absent: unique symbol = Symbol('absent');

/** The dotted path of a member, as errors name it. */
export function join(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

/** A field at its place in the record. */
export interface FieldEntry {
  readonly field: CompiledField;
  /** Dotted, as clients write it. Lists have no part in it. */
  readonly name: string;
  /** Dotted, as it is stored. */
  readonly path: string;
  /** The field that holds its object; undefined for a field of the record itself. */
  readonly parent: FieldEntry | undefined;
  /** Its value, or what stands in its list, however many lists lie in one another. */
  readonly value: Node;
  /** The type of that value; undefined for an object, a map or an untyped one. */
  readonly leaf: Leaf | undefined;
  /** The path of the innermost list that it stands in, or is. */
  readonly listPath: string | undefined;
  /** Whether it is a list of lists, or stands in one: the database does not look two lists deep. */
  readonly inListOfLists: boolean;
  /** Whether a record may have no value there. */
  readonly mayLack: boolean;
  /** Whether it, or an object that it stands in, is private. */
  readonly isPrivate: boolean;
}

/** Every field with a fixed path, by its dotted name: an object before its fields, and nothing inside of maps, whose keys are data. */
export type FieldTable = ReadonlyMap<string, FieldEntry>;

/** Makes the table of a record's fields. */
export function tabulateFields(root: ObjectNode): FieldTable {
  const table = new Map<string, FieldEntry>();
  function add(node: ObjectNode, parent?: FieldEntry): void {
    for (const field of node.fields) {
      const entry = toEntry(field, parent);
      table.set(entry.name, entry);
      if (entry.value.kind === 'object') add(entry.value, entry);
    }
  }
  add(root);
  return table;
}

function toEntry(field: CompiledField, parent: FieldEntry | undefined): FieldEntry {
  const path = join(parent?.path ?? '', field.key);
  const lists = listsOf(field.node);
  const value = lists.at(-1)?.items.node ?? field.node;
  return {
    field,
    name: join(parent?.name ?? '', field.name),
    path,
    parent,
    value,
    leaf: value.kind === 'leaf' && value.leaf !== anyLeaf ? value.leaf : undefined,
    listPath: lists.length > 0 ? path : parent?.listPath,
    inListOfLists: lists.length > 1 || parent?.inListOfLists === true,
    mayLack: field.nullable || field.optional || parent?.mayLack === true,
    isPrivate: field.policy.private === true || parent?.isPrivate === true,
  };
}

/** The list that a value is, and those that lie in it, from the outermost to the innermost. */
function listsOf(node: Node): ArrayNode[] {
  return node.kind === 'array' ? [node, ...listsOf(node.items.node)] : [];
}
