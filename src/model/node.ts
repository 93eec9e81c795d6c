import type { Policy } from './define/policy.ts';
import type { Check } from './define/schema.ts';
import type { Constraint, Leaf } from './value/leaf.ts';

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
