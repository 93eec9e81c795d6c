import { membersOf, type ObjectNode } from '../../model/node.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import type { Schema } from '../document.ts';

/**
 * The uses of an object, each of which may have its own schema. `Selected` is what clients read if they choose the
 * fields. `Page` is a page of records, and the events are what a stream of them tells. None ends with another one.
 */
export const shapes = ['Read', 'Selected', 'Page', 'PageEvent', 'RecordEvent', 'Create', 'Replace', 'Patch', 'Put'] as const;

/** One of {@link shapes}. */
export type SchemaShape = (typeof shapes)[number];

const readable: ReadonlySet<SchemaShape> = new Set<SchemaShape>(['Read', 'Selected', 'Page', 'PageEvent', 'RecordEvent']);

/** Whether clients read this shape. Such a schema is open, because later versions may add properties. */
export function isReadable(shape: SchemaShape): boolean {
  return readable.has(shape);
}

/**
 * The schema of an object that is published under a name. The name is chosen when the schemas of all resources are
 * known. Until then, this object takes the place of the text of a `$ref`.
 */
export class NamedSchema {
  /** The model's or the embedded object's name. */
  readonly base: string;
  /** A model's record, or an object embedded in one. */
  readonly kind: 'record' | 'embedded';
  readonly shape: SchemaShape;
  readonly schema: Schema;
  readonly #node: ObjectNode;
  #text: string | undefined;

  constructor(base: string, kind: 'record' | 'embedded', shape: SchemaShape, node: ObjectNode, schema: Schema) {
    this.base = base;
    this.kind = kind;
    this.shape = shape;
    this.schema = schema;
    this.#node = node;
  }

  /** Whether both schemas are equal. The names that schemas inside them will get do not matter. */
  isEqual(other: NamedSchema): boolean {
    return this === other || this.#toText() === other.#toText();
  }

  /** Whether the objects of both are defined equally. Two objects with the same name must be. */
  isOfSameDefinition(other: NamedSchema): boolean {
    const [own, others] = [this.#node, other.#node];
    return (own.fields === others.fields && own.computed === others.computed) || toText(describeNode(own)) === toText(describeNode(others));
  }

  #toText(): string {
    this.#text ??= toText(this.schema);
    return this.#text;
  }
}

/**
 * Describes what the reads of a plug-in answer with a resource of this root, by the names of their rows. `shown` are
 * the schemas of a record, and of a page if there is a list.
 */
export type DescribeReads = (
  root: ObjectNode,
  resource: CompiledResource,
  shown: { readonly record: Schema; readonly page: Schema | undefined },
) => Readonly<Record<string, Schema>>;

/**
 * Returns the name if a component may have it. Otherwise converts it, or returns undefined if nothing is left of it.
 */
export function toSchemaName(name: string | undefined): string | undefined {
  if (name === undefined || /^[\w.-]+$/.test(name)) return name;
  return toPascalCase(name) || undefined;
}

/** Converts `order-items` to `OrderItems`. */
export function toPascalCase(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Returns the same text for equal schemas. */
function toText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof NamedSchema) return [part.base, part.schema];
    return typeof part === 'bigint' ? `${part}n` : part;
  });
}

/**
 * Describes the values of a definition and who may write them. Filters and sorts are left out, because no schema shows
 * them.
 */
function describeNode(node: ObjectNode): unknown {
  return membersOf(node).map((field) => {
    const { name, optional, nullable, immutable, maintained, annotations, policy, rules } = field;
    const access = [policy.private, policy.insert, policy.update, immutable, maintained];
    return [name, optional, nullable, field.makeDefault !== undefined, access, rules, annotations, describeValue(field.node)];
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
      return ['map', node.values.nullable, describeValue(node.values.node), node.keywords, node.merge !== undefined];
  }
}
