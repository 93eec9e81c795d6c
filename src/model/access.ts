import type { CompiledField, Node, ObjectNode } from './node.ts';

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
  refusal(field: CompiledField): string | undefined;
  /**
   * The record exists (patch, put): null removes an optional field, which on create is an error, and values that the client may not set are
   * neither cleared nor replaced (spec, "Patch rules" 4).
   */
  readonly existing: boolean;
  /** A missing required key is one error of the object, in `Report.incomplete`, instead of an error of its own. */
  readonly incompleteObjects: boolean;
}

/** The refusal of a field that a client must not know of: it reads exactly as one of a field that does not exist. */
export const unknownField = 'is not a known field';

/** The deployer's own code: every field is open, values are in document form. */
export const serverAccess: Access = { source: 'document', refusal: () => undefined, existing: true, incompleteObjects: false };

/** What a client may set when it creates a record. */
export function insertAccess({ explicitWrites = false }: WriteRules): Access {
  return {
    source: 'json',
    existing: false,
    incompleteObjects: false,
    refusal: (field) => refuse(field, field.policy.insert, explicitWrites, 'create'),
  };
}

/** What a client may change in a record that exists. */
export function updateAccess({ explicitWrites = false }: WriteRules): Access {
  return {
    source: 'json',
    existing: true,
    incompleteObjects: false,
    refusal(field) {
      const isFixed = field.immutable || field.key === '_id';
      return refuse(field, isFixed ? false : field.policy.update, explicitWrites, 'update');
    },
  };
}

function refuse(field: CompiledField, allowed: boolean | undefined, explicit: boolean, operation: 'create' | 'update'): string | undefined {
  if (field.policy.private && allowed !== true) return unknownField;
  const isOpen = allowed ?? !(explicit || field.maintained || field.key === '_id');
  return isOpen ? undefined : `cannot be set on ${operation}`;
}

/** Whether a value holds, at any depth, fields that this client may not write (spec, "Patch rules" 4). */
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
  return !(access.existing && holdsClosedValues(field.node, access));
}
