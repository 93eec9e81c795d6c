import { parseJson } from '../../http/json.ts';
import type { CompiledQuery } from '../../model/compile/compile-typed-query.ts';
import type { CompiledField, LeafNode, Node } from '../../model/node.ts';
import { compileObjectWriter } from '../../model/read/write-json.ts';
import { stringLeaf } from '../../model/value/leaves.ts';
import { isRequired } from '../../model/write/access.ts';
import type { Part, Schema } from '../document.ts';
import { annotate } from './annotate.ts';
import { textLeaf, writeLeaf } from './value-schema.ts';

/** The parameters of a custom operation that declares its `query`. `maxItems` is for arrays that do not say theirs. */
export function queryParameters({ node, fixed }: CompiledQuery, maxItems: number): Part[] {
  return node.fields.map((field) => {
    const { description, deprecated, ...schema } = annotate(valueSchema(field.node, maxItems), field, 'read');
    return {
      name: field.name,
      in: 'query',
      ...(description === undefined ? {} : { description }),
      ...(deprecated === undefined ? {} : { deprecated }),
      ...(isRequired(field) ? { required: true } : {}),
      ...(field.node.kind === 'array' ? { style: 'form', explode: false } : {}), // separated by commas
      schema: fixed.has(field.name) ? { ...schema, default: shownDefault(field) } : schema,
    };
  });
}

function valueSchema(node: Node, maxItems: number): Schema {
  if (node.kind !== 'array') return leafSchema(node as LeafNode, '^[^\\x00]*$');
  return { type: 'array', items: withoutCommas(leafSchema(node.items.node as LeafNode, '^[^\\x00,]*$')), maxItems, ...node.keywords };
}

/** `possible` matches the texts that can be sent: none with a NUL character, and no item with a comma. */
function leafSchema(node: LeafNode, possible: string): Schema {
  if (node.leaf.name === 'decimal') return textLeaf(node.leaf);
  const schema = writeLeaf(node);
  if (node.leaf !== stringLeaf) return schema;
  const { pattern, ...others } = schema;
  return pattern === undefined ? { ...others, pattern: possible } : { ...others, allOf: [{ pattern }, { pattern: possible }] };
}

/** A member with a comma is sent by `name[]`, which has no parameter here. */
function withoutCommas({ enum: members, ...schema }: Schema): Schema {
  return Array.isArray(members) ? { ...schema, enum: members.filter((member: string) => !member.includes(',')) } : schema;
}

function shownDefault(field: CompiledField): unknown {
  const alone = { kind: 'object', name: undefined, fields: [field], byName: new Map([[field.name, field]]) } as const;
  const shown = parseJson(compileObjectWriter(alone).write({ [field.key]: field.makeDefault?.() })) as Record<string, unknown>;
  return shown[field.name];
}
