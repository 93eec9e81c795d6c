import { parseJson } from '../../http/json.ts';
import type { CompiledQuery } from '../../model/compile/compile-typed-query.ts';
import type { CompiledField, LeafNode } from '../../model/node.ts';
import { compileObjectWriter } from '../../model/read/write-json.ts';
import { stringLeaf } from '../../model/value/leaves.ts';
import { isRequired } from '../../model/write/access.ts';
import type { DocumentPart, Schema } from '../document.ts';
import { annotate } from './annotate.ts';
import { commaSeparated, isSeparable, repeated } from './parameter.ts';
import { textLeaf, writeLeaf } from './value-schema.ts';

/**
 * The parameters of a custom operation that declares its `query`. `maxItems` is for arrays that do not say theirs. An
 * array of texts has two, unless it is required: a description cannot say that one of two parameters is.
 */
export function queryParameters({ node, fixed }: CompiledQuery, maxItems: number): DocumentPart[] {
  return node.fields.flatMap((field) => {
    const shownParameter = (name: string, value: Schema, style: DocumentPart = {}): DocumentPart => {
      const { description, deprecated, ...schema } = annotate(value, field, 'read');
      return {
        name,
        in: 'query',
        ...(description === undefined ? {} : { description }),
        ...(deprecated === undefined ? {} : { deprecated }),
        ...(isRequired(field) ? { required: true } : {}),
        ...style,
        schema: fixed.has(field.name) ? { ...schema, default: shownDefault(field) } : schema,
      };
    };
    const { node: value, name } = field;
    if (value.kind !== 'array') return [shownParameter(name, leafSchema(value as LeafNode, withoutNul))];
    const item = value.items.node as LeafNode;
    const listOf = (items: Schema): Schema => ({ type: 'array', items, maxItems, ...value.keywords });
    const schema = leafSchema(item, withoutNul);
    const whole = shownParameter(`${name}[]`, listOf(schema), repeated);
    if (!isSeparable(schema)) return [whole];
    const separated = shownParameter(name, listOf(leafSchema(item, '^[^\\x00,]*$')), commaSeparated);
    return item.leaf === stringLeaf && !isRequired(field) ? [separated, whole] : [separated];
  });
}

const withoutNul = '^[^\\x00]*$';

/** `possible` matches the texts that can be sent: none with a NUL character, and no item with a comma. */
function leafSchema(node: LeafNode, possible: string): Schema {
  if (node.leaf.name === 'decimal') return textLeaf(node.leaf);
  const schema = writeLeaf(node);
  if (node.leaf !== stringLeaf) return schema;
  const { pattern, ...others } = schema;
  return pattern === undefined ? { ...others, pattern: possible } : { ...others, allOf: [{ pattern }, { pattern: possible }] };
}

function shownDefault(field: CompiledField): unknown {
  const alone = { kind: 'object', name: undefined, fields: [field], byName: new Map([[field.name, field]]) } as const;
  const shown = parseJson(compileObjectWriter(alone).write({ [field.key]: field.makeDefault?.() })) as Record<string, unknown>;
  return shown[field.name];
}
