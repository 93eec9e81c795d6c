import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { queriedPath } from '../../model/fold/fold-paths.ts';
import { type FieldEntry, type LeafNode, relationSlot } from '../../model/node.ts';
import type { ManyRelation } from '../../model/relations/many-relations.ts';
import type { Children } from '../../mongo/collection/related.ts';
import { endWithId } from '../../mongo/list/parse-sort.ts';
import { checkIdType } from '../../mongo/relations/check-id-type.ts';

/**
 * Links a relation by `t.hasMany` with the model whose records refer. Throws a {@link ConfigurationError} that names
 * both ends if `via` is not a reference back, or if its records cannot be sorted by `sort`.
 */
export function linkMany(relation: ManyRelation, from: CompiledModel, target: CompiledModel): Children {
  const where = `\`t.hasMany\` of \`${relation.name}\` in ${from.name}`;
  const { path } = checkVia(relation, from, target, where);
  const sort = compileOrder(relation.sort, target, `${where}: \`sort\``);
  return { path, idTypes: from.id.leaf.bsonTypes, sort, max: relation.max };
}

/** Compiles an order of the records that refer. `option` says where it stands, for error messages. */
export function compileOrder(order: ManyRelation['sort'], target: CompiledModel, option: string): Children['sort'] {
  const keys = endWithId(
    order.map(([name, direction]) => ({ field: sortField(name, target, option), direction })),
    target.scopeFields.get('id') as QueryField,
  );
  const pathOf = ({ name }: QueryField) => queriedPath(target.fieldTable.get(name) as FieldEntry);
  return new Map(keys.map(({ field, direction }) => [pathOf(field), direction]));
}

/**
 * Finds the field that refers. It must be a reference to the model, alone or in arrays that a query of the database
 * looks into.
 */
function checkVia({ via, model }: ManyRelation, from: CompiledModel, { fieldTable }: CompiledModel, where: string): FieldEntry {
  const entry = fieldTable.get(via);
  if (!entry)
    throw new ConfigurationError(
      `${where}: \`via: '${via}'\` is not a field of ${model}, or is one within a map${didYouMean(via, fieldTable.keys(), '.')}`,
    );
  if (entry.inNestedArray)
    throw new ConfigurationError(`${where}: \`via: '${via}'\` of ${model} is in an array of arrays, where a query cannot find it.`);
  const slot = relationSlot(entry.field);
  if (slot?.ref.model !== from.name)
    throw new ConfigurationError(
      `${where}: \`via: '${via}'\` of ${model} ${slot ? `refers to ${slot.ref.model}` : 'is not a reference'}: it must be \`t.ref('${from.name}')\`, alone or in an array.`,
    );
  checkIdType({ leaf: (slot.node as LeafNode).leaf, ref: slot.ref }, from, `${where}, with \`via: '${via}'\` of ${model}`);
  return entry;
}

function isUnderRule({ field, parent }: FieldEntry): boolean {
  return field.rules?.read !== undefined || (parent !== undefined && isUnderRule(parent));
}

/**
 * The order is the definition's, and not the client's: the field needs no policy. But the order of private values would
 * show them.
 */
function sortField(name: string, { scopeFields, fieldTable, name: model }: CompiledModel, option: string): QueryField {
  const field = scopeFields.get(name);
  const entry = fieldTable.get(name);
  const isSortable = field?.leaf !== undefined && !field.inList && !entry?.isPrivate;
  if (isSortable && entry && isUnderRule(entry))
    throw new ConfigurationError(
      `${option} names \`${name}\` of ${model}, which not every caller may read: the order would tell of its values.`,
    );
  if (isSortable) return field;
  throw new ConfigurationError(
    `${option} names \`${name}\`, which is not a single value of ${model} that clients may read${didYouMean(name, scopeFields.keys(), '.')}`,
  );
}
