import type { LeafNode, Node, ObjectNode, Slot } from '../../model/node.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { anyLeaf } from '../../model/value/leaves.ts';
import type { Schema } from '../document.ts';
import { escapePatterns } from './escape-patterns.ts';
import { describeUntyped, keySchema, untypedReference } from './untyped-value.ts';

/** Describes the parts of a value: as a client reads them, or as it may send them. */
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
      return mapSchema(itemSchema(node.values, form), node.keywords);
  }
}

/** The schema of a map whose values have one. */
export function mapSchema(values: Schema, keywords: Schema): Schema {
  return { type: 'object', additionalProperties: values, ...mapKeywords(keywords) };
}

function mapKeywords(keywords: Schema): Schema {
  const { propertyNames, ...others } = escapePatterns(keywords);
  return { ...others, propertyNames: keysWithoutNul(propertyNames) };
}

/** The definition's own schema of keys, which also excludes a NUL character if the schema would allow one. */
function keysWithoutNul(own: unknown): unknown {
  if (own === undefined) return keySchema;
  const { pattern } = own as Schema;
  return typeof pattern === 'string' && (plainPattern.test(pattern) || pattern === keySchema.pattern) ? own : { allOf: [own, keySchema] };
}

/**
 * Matches a pattern of letters, digits and classes of them only, with both anchors, such as `^[A-Z]{3}$`. Such a
 * pattern cannot match NUL.
 */
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

/**
 * A single value as a client may write it in a path or query string. The constraints of the field do not apply there.
 */
export function textLeaf(leaf: Leaf): Schema {
  return leaf.textSchema ?? { ...(leaf.writeSchema ?? leaf.readSchema), ...leaf.range };
}

/** Combines a type's range with a field's keywords, and keeps the narrowest bounds. */
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

/** The schema of the same value, or null. */
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

/** Keywords that null would not fulfil, even if `type` allowed it. */
const constraining = new Set(['const', 'not', 'allOf', 'anyOf', 'oneOf', 'if', '$ref']);

/** The schema of the same value without null: an untyped field may hold anything else. */
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
