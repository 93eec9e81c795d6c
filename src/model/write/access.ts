import { Invalid } from '../../rules.ts';
import type { CompiledField, FieldEntry, FieldTable, Node, ObjectNode } from '../node.ts';

/** How a resource lets its clients write; it belongs to the resource, so that two over one model may differ. */
export interface WriteRules {
  /** A field is writable only where its policy says `insert: true` or `update: true`. @default false */
  readonly explicitWrites?: boolean;
  /** PATCH merges into embedded objects (RFC 7396); false: it replaces them. @default true */
  readonly mergePatch?: boolean;
}

/** Who writes, and under which rules. */
export interface Access {
  /** Values of a request body, or values of the deployer's own code. */
  readonly source: 'json' | 'document';
  /** Why this field may not be written, or undefined where it may. */
  refusal(field: CompiledField): Invalid | undefined;
  /** The record exists (patch, put): null removes an optional field, which on create is an error. */
  readonly existing: boolean;
  /** Values that the client may not set are neither cleared nor replaced. */
  readonly protects: boolean;
  /** A missing required key is one error of the object, in `Report.incomplete`, instead of an error of its own. */
  readonly incompleteObjects: boolean;
  /** Checks are left to what is stored (`StoredCheck`). */
  readonly defersChecks?: boolean;
}

/** The refusal of a field that a client must not know of: it reads exactly as one of a field that does not exist. */
export const unknownField = new Invalid('unknown_field', 'is not a known field');

const notOnCreate = new Invalid('not_writable', 'cannot be set on create', { operation: 'create' });
const notOnUpdate = new Invalid('not_writable', 'cannot be set on update', { operation: 'update' });

/** The deployer's own code: every field is open, values are in document form. */
export const serverAccess: Access = {
  source: 'document',
  refusal: () => undefined,
  existing: true,
  protects: false,
  incompleteObjects: false,
};

/** What a client may set when it creates a record. */
export function insertAccess({ explicitWrites = false }: WriteRules): Access {
  return {
    source: 'json',
    existing: false,
    protects: false,
    incompleteObjects: false,
    refusal: (field) => refuse(field, field.policy.insert, explicitWrites, notOnCreate),
  };
}

/** What a client may change by a patch. With `mergePatch: false` what it replaces returns to its defaults, closed values too. */
export function patchAccess(rules: WriteRules): Access {
  return { ...updateAccess(rules), protects: rules.mergePatch !== false };
}

/** What a client may change in a record that exists. */
export function updateAccess({ explicitWrites = false }: WriteRules): Access {
  return {
    source: 'json',
    existing: true,
    protects: true,
    incompleteObjects: false,
    refusal(field) {
      return refuse(field, field.immutable ? false : field.policy.update, explicitWrites, notOnUpdate);
    },
  };
}

function refuse(field: CompiledField, allowed: boolean | undefined, explicit: boolean, refusal: Invalid): Invalid | undefined {
  if (field.policy.private && allowed !== true) return unknownField;
  const isOpen = allowed ?? !(explicit || field.maintained || field.key === '_id');
  return isOpen ? undefined : refusal;
}

/** Whether a value holds, at any depth, fields that this client may not write. */
export function holdsClosedValues(node: Node, access: Access): boolean {
  switch (node.kind) {
    case 'leaf':
      return false;
    case 'object':
      return node.fields.some((field) => access.refusal(field) !== undefined || holdsClosedValues(field.node, access));
    case 'array':
      return holdsClosedValues(node.items.node, access);
    case 'map':
      return holdsClosedValues(node.values.node, access);
  }
}

/** Whether an object requires, at any depth, what this client may not send: only the server can make a new one of it. */
export function needsServer(node: ObjectNode, access: Access): boolean {
  return node.fields.some((field) => isRequired(field) && !maySend(field, access));
}

/** Whether nothing stands in for the field when it is not sent. */
export function isRequired(field: CompiledField): boolean {
  return !(field.makeDefault || field.nullable || field.optional);
}

/** Whether there is any value but null that this client may send for the field. */
export function maySend(field: CompiledField, access: Access): boolean {
  if (access.refusal(field) !== undefined) return false;
  if (field.node.kind === 'object') return !needsServer(field.node, access);
  return !(access.protects && holdsClosedValues(field.node, access));
}

/** The dotted names of all fields that this client may write, those inside of maps left out: they have none. */
export function openNames(table: FieldTable, access: Access): string[] {
  const isOpen = (entry: FieldEntry | undefined): boolean =>
    entry === undefined || (access.refusal(entry.field) === undefined && isOpen(entry.parent));
  return [...table.values()].filter(isOpen).map(({ name }) => name);
}
