import { type CompiledComputed, type FieldEntry, type FieldTable, join, type Node, type ObjectNode } from '../node.ts';

/** A computed field with its place in the record. */
export interface ComputedEntry {
  /** Its dotted name. */
  readonly name: string;
  readonly computed: CompiledComputed;
  /** The field whose embedded object holds it. */
  readonly parent: FieldEntry | undefined;
  /** The stored paths of the fields of which it is made. */
  readonly paths: readonly string[];
}

/** The computed fields of an object that clients may read. */
export function readableComputed({ computed = [] }: ObjectNode): readonly CompiledComputed[] {
  return computed.filter(({ field }) => !field.policy.private);
}

/** Whether a value has computed fields, at any depth. */
export function holdsComputed(node: Node): boolean {
  switch (node.kind) {
    case 'leaf':
      return false;
    case 'array':
      return holdsComputed(node.items.node);
    case 'map':
      return holdsComputed(node.values.node);
    case 'object':
      return node.computed !== undefined || node.fields.some((field) => holdsComputed(field.node));
  }
}

/** The computed fields with a fixed path that clients may read. A map has none. */
export function tabulateComputed(root: ObjectNode, table: FieldTable): readonly ComputedEntry[] {
  const parents = [...table.values()].filter(({ value, isPrivate }) => value.kind === 'object' && !isPrivate);
  return [entriesIn(root, undefined), ...parents.map((parent) => entriesIn(parent.value as ObjectNode, parent))].flat();
}

function entriesIn(node: ObjectNode, parent: FieldEntry | undefined): ComputedEntry[] {
  return readableComputed(node).map((computed) => ({
    name: join(parent?.name ?? '', computed.field.name),
    computed,
    parent,
    paths: computed.from.map(({ key }) => join(parent?.path ?? '', key)),
  }));
}
