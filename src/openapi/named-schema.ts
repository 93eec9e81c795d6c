import type { ObjectNode } from '../model/node.ts';
import type { Schema } from './document.ts';

/**
 * What a client does with an object: each may have a schema of its own. `Selected` is what is read where clients choose the fields, `Page` a
 * page of records.
 */
export type Shape = 'Read' | 'Selected' | 'Page' | 'Create' | 'Replace' | 'Patch' | 'Put';

/** Whether it is what a client reads: open to what later versions add. */
export function isReadable(shape: Shape): boolean {
  return shape === 'Read' || shape === 'Selected' || shape === 'Page';
}

/**
 * The schema of an object that is published under a name of its own. Which name is known only when the schemas of all resources are; until
 * then it stands where the text of a `$ref` will stand.
 */
export class NamedSchema {
  /** The model's or the embedded object's name. */
  readonly base: string;
  /** Whether it is a model's record, or an object embedded in one. */
  readonly kind: 'record' | 'embedded';
  readonly shape: Shape;
  /** All that its definition says: two objects of one name must agree in it. */
  readonly definition: string;
  readonly schema: Schema;

  constructor(base: string, kind: 'record' | 'embedded', shape: Shape, node: ObjectNode, schema: Schema) {
    this.base = base;
    this.kind = kind;
    this.shape = shape;
    this.definition = toText(describeNode(node));
    this.schema = schema;
  }
}

/** The name itself where a component may have it; a title is made to fit. Undefined where nothing is left of it. */
export function toSchemaName(name: string | undefined): string | undefined {
  if (name === undefined || /^[\w.-]+$/.test(name)) return name;
  return toPascalCase(name) || undefined;
}

/** `order-items` is `OrderItems`. */
export function toPascalCase(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** A text that is equal for equal schemas, whatever the names of the schemas inside them will be. */
export function toText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof NamedSchema) return [part.base, part.schema];
    return typeof part === 'bigint' ? `${part}n` : part;
  });
}

/** What a definition says of the values and of who may write them. Filters and sorts are not part of it: no schema shows them. */
function describeNode(node: ObjectNode): unknown {
  return node.fields.map((field) => {
    const { name, optional, nullable, immutable, maintained, annotations, policy } = field;
    const access = [policy.private, policy.insert, policy.update, immutable, maintained];
    return [name, optional, nullable, field.makeDefault !== undefined, access, annotations, describeValue(field.node)];
  });
}

function describeValue(node: ObjectNode['fields'][number]['node']): unknown {
  switch (node.kind) {
    case 'leaf':
      return [node.leaf.readSchema, node.leaf.name, node.keywords];
    case 'object':
      return [node.name, describeNode(node)];
    case 'array':
      return ['list', node.items.nullable, describeValue(node.items.node), node.keywords];
    case 'map':
      return ['map', node.values.nullable, describeValue(node.values.node), node.keywords];
  }
}
