import { Invalid } from '../../rules.ts';
import type { CompiledField, FieldEntry, FieldTable, MapNode, Node, ObjectNode } from '../node.ts';

/** How clients may write. These are options of a resource, so two resources of one model may differ. */
export interface WriteRules {
  /** Whether clients may write only fields whose policy has `insert: true` or `update: true`. @default false */
  readonly explicitWrites?: boolean;
  /**
   * Whether PATCH merges into embedded objects (RFC 7396). Otherwise it replaces them, as it always does maps and
   * arrays.
   *
   * @default true
   */
  readonly mergePatch?: boolean;
}

/** The rules of one kind of write: what may be written, and how values are read. */
export interface Access {
  /**
   * Where values come from: JSON of a request body, document form of the application, or document form of what is
   * stored.
   */
  readonly source: 'json' | 'document' | 'stored';
  /** The error of writing this field. Undefined if it may be written. */
  refusal(field: CompiledField): Invalid | undefined;
  /** Whether the record exists (patch, put). Then null removes an optional field; on create it is an error. */
  readonly existing: boolean;
  /**
   * Whether the stored value of this field is protected from a client that may not set it: the client can neither clear
   * nor replace what holds it.
   */
  protects(field: CompiledField): boolean;
  /**
   * Whether the missing keys of an object are reported together in `Report.incomplete`. Otherwise each is an error of
   * its own.
   */
  readonly incompleteObjects: boolean;
  /** Whether null leaves a key out of a map with `merge: true`, because a merge patch creates the map. */
  readonly mergesMaps?: boolean;
  /** Whether null is a value of an untyped field, as it is in JSON Schema. */
  readonly takesNull?: boolean;
  /** Whether checks do not run here, because they need stored values (`StoredCheck`). */
  readonly defersChecks?: boolean;
  /**
   * Whether it is the access of a client to a value that it may write and not read. Such a write is judged by the body
   * alone, so that the answer tells nothing of what is stored: see {@link accessWithin}.
   */
  readonly isBlind?: boolean;
}

/** The access to what the value of a field holds. Whoever may not read the value may read nothing in it. */
export function accessWithin(field: CompiledField, access: Access): Access {
  return !access.isBlind && isBlindField(field, access) ? { ...access, isBlind: true } : access;
}

/** Whether a client may write a field that it may not read. */
export function isBlindField(field: CompiledField, access: Access): boolean {
  return access.source === 'json' && field.policy.private === true && access.refusal(field) === undefined;
}

/**
 * The error of an unknown field. A private field has the same error, so that clients cannot find out that it exists.
 */
export const unknownField = new Invalid('unknown_field', 'is not a known field');

const notOnCreate = new Invalid('not_writable', 'cannot be set on create', { operation: 'create' });
const notOnUpdate = new Invalid('not_writable', 'cannot be set on update', { operation: 'update' });

/** Access for the application's own code: it may write every field, and its values are in document form. */
export const serverAccess: Access = {
  source: 'document',
  refusal: () => undefined,
  existing: true,
  protects: () => false,
  incompleteObjects: false,
};

/** The error of a value for what the service sets, or what names the record. */
export const setByService = new Invalid('not_writable', 'is set by the service itself');

/**
 * Access for the application's own code that writes a record it has not loaded. The revision and the timestamps cannot
 * be set, and an id never changes.
 */
export function storeAccess({ existing }: Pick<Access, 'existing'>): Access {
  return {
    ...serverAccess,
    existing,
    refusal: (field) => (field.maintained || (existing && field.isId) ? setByService : undefined),
  };
}

/** Access for the body of a create. */
export function insertAccess({ explicitWrites = false }: WriteRules): Access {
  return {
    source: 'json',
    existing: false,
    protects: () => false,
    incompleteObjects: false,
    refusal: (field) => refuse(field, field.policy.insert, explicitWrites, notOnCreate),
  };
}

/**
 * Access for the body of a patch. With `mergePatch: false`, replacing an object returns all its fields to their
 * defaults, closed ones too, but not those that a rule hides from this caller and shows to others.
 */
export function patchAccess(rules: WriteRules): Access {
  const access = updateAccess(rules);
  if (rules.mergePatch !== false) return access;
  return { ...access, protects: (field) => isHiddenByRule(field) && access.protects(field) };
}

/** Whether a client does not know of a field: it may neither read nor write it. */
export function isUnknownTo(access: Access, field: CompiledField): boolean {
  return field.policy.private === true && access.refusal(field) !== undefined;
}

function isHiddenByRule({ policy, rules }: CompiledField): boolean {
  return policy.private === true && rules?.read !== undefined;
}

/** Access for the body of a put. */
export function updateAccess({ explicitWrites = false }: WriteRules): Access {
  const refusal = (field: CompiledField) =>
    field.kind
      ? refuse(field, false, explicitWrites, field.kind.refusal)
      : refuse(field, field.immutable ? false : field.policy.update, explicitWrites, notOnUpdate);
  return { source: 'json', existing: true, protects: (field) => refusal(field) !== undefined, incompleteObjects: false, refusal };
}

/**
 * The error of changing a field of a plug-in by its operation. Undefined if the client may: `policy.update` says so.
 */
export function refusalByPolicy(field: CompiledField, { explicitWrites = false }: WriteRules): Invalid | undefined {
  return refuse(field, field.policy.update, explicitWrites, notOnUpdate);
}

function refuse(field: CompiledField, allowed: boolean | undefined, explicit: boolean, refusal: Invalid): Invalid | undefined {
  if (field.policy.private && allowed !== true) return unknownField;
  const isOpen = allowed ?? !(explicit || field.maintained || field.isId);
  return isOpen ? undefined : refusal;
}

/** Whether a value holds closed fields at any depth: fields that may not be written. */
export function holdsClosedValues(node: Node, access: Access): boolean {
  return holds(node, (field) => access.refusal(field) !== undefined);
}

/** Whether a value holds, at any depth, fields whose stored values are protected from the client. */
export function holdsProtectedValues(node: Node, access: Access): boolean {
  return holds(node, access.protects);
}

/** Whether a value holds, at any depth, fields that the client may write and not read. */
export function holdsBlindValues(node: Node, access: Access): boolean {
  return holds(node, (field) => isBlindField(field, access));
}

function holds(node: Node, isSuch: (field: CompiledField) => boolean): boolean {
  switch (node.kind) {
    case 'leaf':
      return false;
    case 'object':
      return node.fields.some((field) => isSuch(field) || holds(field.node, isSuch));
    case 'array':
      return holds(node.items.node, isSuch);
    case 'map':
      return holds(node.values.node, isSuch);
  }
}

/** A map whose keys a patch merges. */
export type MergingMap = MapNode & { readonly merge: NonNullable<MapNode['merge']> };

/**
 * Whether a merge patch writes a value key by key: a map with `merge: true`. Values that only the server may set in
 * part cannot be replaced, so they must be objects or maps, which are merged, too.
 */
export function isMergingMap(node: Node, access: Access): node is MergingMap {
  if (node.kind !== 'map' || !node.merge) return false;
  const values = node.values.node;
  return values.kind === 'object' || isMergingMap(values, access) || !holdsProtectedValues(values, access);
}

/**
 * Whether an object requires, at any depth, fields that the client may not send. Then only the server can create the
 * object.
 */
export function needsServer(node: ObjectNode, access: Access): boolean {
  return node.fields.some((field) => isRequired(field) && !maySend(field, access));
}

/** Whether the field must be sent, because it has no default and may be neither null nor absent. */
export function isRequired(field: CompiledField): boolean {
  return !(field.makeDefault || field.nullable || field.optional);
}

/** Whether the client may send any value but null for the field. */
export function maySend(field: CompiledField, access: Access): boolean {
  if (access.refusal(field) !== undefined) return false;
  if (field.node.kind === 'object') return !needsServer(field.node, access);
  return (access.mergesMaps === true && isMergingMap(field.node, access)) || !holdsProtectedValues(field.node, access);
}

/** Whether a body that writes into an object which the client may not read must have this field of it. */
export function mustBeSent(field: CompiledField, access: Access): boolean {
  return access.isBlind === true && isRequired(field) && maySend(field, access);
}

/**
 * The dotted names of all fields that the client may write. Fields inside maps are left out, because they have no fixed
 * name.
 */
export function openNames(table: FieldTable, access: Access): string[] {
  const isOpen = (entry: FieldEntry | undefined): boolean =>
    entry === undefined || (access.refusal(entry.field) === undefined && isOpen(entry.parent));
  return [...table.values()].filter(isOpen).map(({ name }) => name);
}

/** The dotted names of the fields that clients may write on create or on update. */
export function writableNames(table: FieldTable, rules: Pick<WriteRules, 'explicitWrites'>): ReadonlySet<string> {
  return new Set([insertAccess(rules), updateAccess(rules)].flatMap((access) => openNames(table, access)));
}
