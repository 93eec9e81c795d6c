import type { LeafNode, Node, ObjectNode, Slot } from '../model/node.ts';
import type { Leaf } from '../model/value/leaf.ts';
import { anyLeaf } from '../model/value/leaves.ts';
import type { Schema } from './document.ts';
import { escapePatterns } from './escape-patterns.ts';
import { describeUntyped, keySchema, untypedReference } from './untyped-value.ts';

/** How the parts of a value are described: as a client reads them, or as it may send them. */
export interface Form {
  readonly leaf: (node: LeafNode) => Schema;
  readonly object: (node: ObjectNode) => Schema;
}

/** The schema of a value that is not null. */
export function valueSchema(node: Node, form: Form): Schema {
  switch (node.kind) {
    case 'leaf':
      return form.leaf(node);
    case 'object':
      return form.object(node);
    case 'array':
      return { type: 'array', items: itemSchema(node.items, form), ...node.keywords };
    case 'map':
      return { type: 'object', additionalProperties: itemSchema(node.values, form), ...mapKeywords(node.keywords) };
  }
}

function mapKeywords(keywords: Schema): Schema {
  const { propertyNames, ...others } = escapePatterns(keywords);
  return { ...others, propertyNames: keysWithoutNul(propertyNames) };
}

/** What a definition says of keys, and that they have no NUL character where it leaves room for one. */
function keysWithoutNul(own: unknown): unknown {
  if (own === undefined) return keySchema;
  const { pattern } = own as Schema;
  return typeof pattern === 'string' && plainPattern.test(pattern) ? own : { allOf: [own, keySchema] };
}

/** From end to end letters, digits and classes of them, such as `^[A-Z]{3}$`. */
const plainPattern = /^\^[\w\-[\]{},?*+():]*\$$/;

function itemSchema(slot: Slot, form: Form): Schema {
  const schema = valueSchema(slot.node, form);
  return slot.nullable ? withNull(schema) : schema;
}

/** A single value as a client reads it. */
export function readLeaf({ leaf, keywords }: LeafNode): Schema {
  return tighten({ ...leaf.readSchema, ...leaf.range }, escapePatterns(keywords));
}

/** A single value as a client may send it in a body. */
export function writeLeaf({ leaf, keywords }: LeafNode): Schema {
  const escaped = escapePatterns(keywords);
  return leaf === anyLeaf ? describeUntyped(escaped) : tighten({ ...(leaf.writeSchema ?? leaf.readSchema), ...leaf.range }, escaped);
}

/** A single value as a client may write it in a path or query string, where a field's constraints do not count. */
export function textLeaf(leaf: Leaf): Schema {
  return leaf.textSchema ?? { ...(leaf.writeSchema ?? leaf.readSchema), ...leaf.range };
}

/** Both at once: of several bounds the narrowest. */
function tighten(range: Schema, keywords: Schema): Schema {
  const both: Record<string, unknown> = { ...range, ...keywords };
  if (isLess(keywords.minimum, range.minimum)) both.minimum = range.minimum;
  if (isLess(range.maximum, keywords.maximum)) both.maximum = range.maximum;
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum } = both;
  if (exclusiveMinimum !== undefined && minimum !== undefined)
    delete both[isLess(exclusiveMinimum, minimum) ? 'exclusiveMinimum' : 'minimum'];
  if (exclusiveMaximum !== undefined && maximum !== undefined)
    delete both[isLess(maximum, exclusiveMaximum) ? 'exclusiveMaximum' : 'maximum'];
  return both;
}

function isLess(a: unknown, b: unknown): boolean {
  return a !== undefined && b !== undefined && (a as bigint) < (b as bigint);
}

/** The same, or null. */
export function withNull(schema: Schema): Schema {
  const { type, enum: values, ...rest } = schema;
  if (Object.keys(schema).length === 0 || schema === untypedReference) return schema;
  if (type === undefined || Object.keys(rest).some((keyword) => constraining.has(keyword))) return { anyOf: [schema, { type: 'null' }] };
  const types = [type].flat();
  return {
    ...schema,
    type: types.includes('null') ? types : [...types, 'null'],
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  };
}

/** Keywords beside `type` that null would break. */
const constraining = new Set(['const', 'not', 'allOf', 'anyOf', 'oneOf', 'if', '$ref']);

/** The same without null: an untyped field may hold anything else. */
export function withoutNull(schema: Schema): Schema {
  const { type, not } = schema;
  if (type !== undefined && ![type].flat().includes('null')) return schema;
  const isNull = { type: 'null' };
  return { ...schema, not: not === undefined ? isNull : { anyOf: [not, isNull] } };
}

/** Whether a value may be anything. */
export function isUntyped(node: Node): boolean {
  return node.kind === 'leaf' && node.leaf === anyLeaf;
}
