import type { keywords } from '../features/keywords.ts';
import type { Invalid } from '../rules.ts';
import type { PolicyRules, ResolvedPolicy } from './define/policy.ts';
import type { Check } from './define/schema.ts';
import type { Constraint, Leaf } from './value/leaf.ts';
import { isComparable } from './value/point-leaf.ts';

/** The place of a value: its type, and whether it may be null. */
export interface Slot {
  readonly node: Node;
  readonly nullable: boolean;
  /** Checks the keywords of the schema (`minLength`, `pattern`, …). It takes the value in document form. */
  readonly constraint: Constraint | undefined;
  /** The relation that an id in this place belongs to. */
  readonly ref?: Reference | undefined;
}

/** A compiled field of a model or of an embedded object. */
export interface CompiledField extends Slot {
  /** The name that clients and handlers use. */
  readonly name: string;
  /** The stored key: `_id` for `id`, otherwise what `stored` says, or the name. */
  readonly key: string;
  /** Whether it is the id of the record. */
  readonly isId: boolean;
  readonly optional: boolean;
  /** Whether null is stored as null. Otherwise it is a missing key. */
  readonly storeNone: boolean;
  readonly immutable: boolean;
  /** Whether no two records may have the same value. */
  readonly unique: boolean;
  /** Whether indexes are planned for the filters and sorts of this field. */
  readonly index: boolean;
  /** What clients may do with the field: those of one view, or in a whole model those for whom every rule holds. */
  readonly policy: ResolvedPolicy;
  /**
   * The rules that its policy names. Undefined if it says the same to every caller, and in a view that has the field.
   */
  readonly rules: PolicyRules | undefined;
  /**
   * The value that the service sets here: the revision or a time. Undefined for a field that clients or handlers set.
   */
  readonly maintained: 'revision' | 'createdAt' | 'updatedAt' | 'deletedAt' | undefined;
  /** The kind that a plug-in has made of the field. Undefined for every other field. */
  readonly kind: FieldKind | undefined;
  readonly ref: Reference | undefined;
  /** Makes the stored value of a field that was not sent. Undefined if the field has no default. */
  readonly makeDefault: (() => unknown) | undefined;
  /** The keywords that describe the field: title, description, examples, deprecated. */
  readonly annotations: Readonly<Record<string, unknown>>;
}

/**
 * A kind of fields that a plug-in adds. Clients change them by operations of the plug-in, to those whom `policy.update`
 * allows it, and never set them on patch and put.
 */
export interface FieldKind {
  /** The keyword of a schema that says so. */
  readonly keyword: (typeof keywords)[number];
  /** The error of a patch or put that sets the field. */
  readonly refusal: Invalid;
  /** Throws a `ConfigurationError` for a field that cannot be of this kind. */
  check(field: CompiledField, path: string): void;
  /** Throws one for what the rules of its policy must not allow. */
  checkRules(entry: FieldEntry): void;
}

/** A relation to another model by id. */
export interface Reference {
  readonly model: string;
  /** The name under which an included record is added. If undefined, the record replaces the id. */
  readonly as?: string;
  /** The path of the resource whose scope and guards apply to included records. */
  readonly resource?: string;
  /** Whether a write that sets the reference requires that the record is there. */
  readonly exists?: true;
  /** The effect on the record with the reference when the other one is deleted. It implies `exists`. */
  readonly onDelete?: DeleteAction;
}

/** The effects of a delete on the records that refer to the deleted one. */
export const deleteActions = ['cascade', 'restrict', 'nullify', 'pull'] as const;

/** One of {@link deleteActions}. */
type DeleteAction = (typeof deleteActions)[number];

/**
 * The place of a relation's ids: the field itself, or the items of its array. Undefined for a field that is not a
 * relation.
 */
export function relationSlot(slot: Slot): (Slot & { readonly ref: Reference }) | undefined {
  if (isRelation(slot)) return slot;
  return slot.node.kind === 'array' ? relationSlot(slot.node.items) : undefined;
}

/** The dotted name of a relation in its model. `path` is the path of the object that holds the field. */
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
  /** The keywords of its constraint, as the OpenAPI description shows them. */
  readonly keywords: Readonly<Record<string, unknown>>;
  /**
   * The bounds of a decimal, as Decimal128. JSON Schema has none for it, because clients read and may send it as text.
   */
  readonly bounds?: Readonly<Record<string, unknown>>;
  /** Set for a text whose case clients' queries ignore. `accents` says whether they count in unique indexes. */
  readonly caseless?: { readonly accents: boolean };
}

/** An embedded object, or the record itself. */
export interface ObjectNode {
  readonly kind: 'object';
  readonly name: string | undefined;
  readonly fields: readonly CompiledField[];
  readonly byName: ReadonlyMap<string, CompiledField>;
  /** What is made of these fields when the object is shown. Undefined if nothing is. */
  readonly computed?: readonly CompiledComputed[] | undefined;
  /** Validates the whole object. */
  readonly check?: Check | undefined;
}

/** A field that is made of others of its object whenever it is shown. It is not stored, and is none of its `fields`. */
export interface CompiledComputed {
  /** Its name and its type, who reads it, and what describes it. */
  readonly field: CompiledField;
  /** The fields of the same object of which it is made. */
  readonly from: readonly CompiledField[];
  /** Makes its value in stored form, or `absent`, from the stored object. Throws `NotComputed`. */
  compute(stored: Readonly<Record<string, unknown>>): unknown;
}

/**
 * The key in a stored object of what was computed before the fields went of which it is made: by the names of computed
 * fields, what returns the value or throws.
 */
export const computedBefore: unique symbol = Symbol('computedBefore');

/** Everything that an object may show: its fields, and what is computed of them. */
export function membersOf({ fields, computed = [] }: ObjectNode): readonly CompiledField[] {
  return computed.length > 0 ? [...fields, ...computed.map(({ field }) => field)] : fields;
}

/** An array. */
export interface ArrayNode {
  readonly kind: 'array';
  readonly items: Slot;
  readonly keywords: Readonly<Record<string, unknown>>;
}

/** A map from strings to values of one type. */
export interface MapNode {
  readonly kind: 'map';
  readonly values: Slot;
  readonly keywords: Readonly<Record<string, unknown>>;
  /** The keys by which clients may filter, as fields of the map. Undefined if there are none. */
  readonly filterKeys?: readonly CompiledField[] | undefined;
  /** The constraints of a patch, if it merges keys. Undefined for a map that a patch replaces. */
  readonly merge?: MapMerging | undefined;
}

/** What is checked when a patch merges keys into a map. Both constraints take an object with the keys. */
export interface MapMerging {
  /** Checks the keys that are written. */
  readonly keys: Constraint | undefined;
  /** Checks how many keys the map has afterwards. */
  readonly size: Constraint | undefined;
}

/** The compiled schema of a value. */
export type Node = LeafNode | ObjectNode | ArrayNode | MapNode;

/** The value itself, or what arrays and maps of it hold in the end. */
export function innermost(node: Node): LeafNode | ObjectNode {
  if (node.kind === 'array') return innermost(node.items.node);
  return node.kind === 'map' ? innermost(node.values.node) : node;
}

/**
 * Stands for the value of a field whose key is not stored: a null without `storeNone`, or an optional field that was
 * left out.
 */
export const absent: unique symbol = Symbol('absent');

/** Where a value stands in a record. */
export interface FieldPath {
  /** The dotted name that clients write. */
  readonly name: string;
  /** The dotted path of the stored keys. */
  readonly path: string;
}

/** The place of the record itself. */
export const recordPath: FieldPath = { name: '', path: '' };

/** The place of a field in the object at `parent`. */
export function pathIn(parent: FieldPath, { name, key }: Pick<CompiledField, 'name' | 'key'>): FieldPath {
  return { name: join(parent.name, name), path: join(parent.path, key) };
}

/** The dotted path of a member or an item, as errors name it. */
export function join(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

/** A field with its place in the record. Neither the name nor the path has steps for the items of arrays. */
export interface FieldEntry extends FieldPath {
  readonly field: CompiledField;
  /** The field whose embedded object holds this field. Undefined for a field of the record itself. */
  readonly parent: FieldEntry | undefined;
  /** The type of the field's value. For an array, also of arrays, it is the type of the innermost items. */
  readonly value: Node;
  /** The leaf of `value`. Undefined for an object, a map, a point or an untyped value: they cannot be compared. */
  readonly leaf: Leaf | undefined;
  /** The path of the innermost array on the way to the value. It may be the field itself. */
  readonly arrayPath: string | undefined;
  /**
   * Whether the field is an array of arrays, or lies in one: a query of the database does not look into the inner
   * array.
   */
  readonly inNestedArray: boolean;
  /** Whether digits in the path are a key below an array: a query takes them for a position, too. */
  readonly mayBePosition: boolean;
  /** Whether a record may have no value for this field. */
  readonly mayBeMissing: boolean;
  /** Whether the field, or an object that holds it, is private. */
  readonly isPrivate: boolean;
}

/**
 * Every field with a fixed path, by its dotted name. An object comes before its fields. Fields in maps have no fixed
 * path, because the keys of a map are data: of them, only those have one that `filterKeys` names.
 */
export type FieldTable = ReadonlyMap<string, FieldEntry>;

/** Makes the table of all fields of a record. */
export function tabulateFields(root: ObjectNode): FieldTable {
  const table = new Map<string, FieldEntry>();
  function add(fields: readonly CompiledField[], parent?: FieldEntry): void {
    for (const field of fields) {
      const entry = toEntry(field, parent);
      table.set(entry.name, entry);
      if (entry.value.kind === 'object') add(entry.value.fields, entry);
      else if (entry.value.kind === 'map' && entry.value.filterKeys) add(entry.value.filterKeys, entry);
    }
  }
  add(root.fields);
  return table;
}

function toEntry(field: CompiledField, parent: FieldEntry | undefined): FieldEntry {
  const { name, path } = pathIn(parent ?? recordPath, field);
  const arrays = arraysOf(field.node);
  const value = arrays.at(-1)?.items.node ?? field.node;
  return {
    name,
    path,
    field,
    parent,
    value,
    leaf: value.kind === 'leaf' && isComparable(value.leaf) ? value.leaf : undefined,
    arrayPath: arrays.length > 0 ? path : parent?.arrayPath,
    inNestedArray: arrays.length > 1 || parent?.inNestedArray === true,
    mayBePosition: parent?.mayBePosition === true || (parent?.field.node.kind === 'array' && /^\d+$/.test(field.key)),
    mayBeMissing: field.nullable || field.optional || parent?.mayBeMissing === true,
    isPrivate: field.policy.private === true || parent?.isPrivate === true,
  };
}

/** The arrays that lie directly in one another, from the outermost to the innermost. Empty for any other value. */
function arraysOf(node: Node): ArrayNode[] {
  return node.kind === 'array' ? [node, ...arraysOf(node.items.node)] : [];
}
