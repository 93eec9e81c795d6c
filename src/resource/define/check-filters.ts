import { ConfigurationError } from '../../errors.ts';
import { namesOf } from '../../middleware/exchange/further-parameters.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { settingNames } from '../../mongo/list/list-settings.ts';
import { deletedName } from '../../mongo/list/parse-deleted.ts';
import { maxAffectedName } from '../../mongo/list/parse-filter-query.ts';
import { addedByDefinition } from './list-of.ts';
import type { ResourceDefinition } from './resource-options.ts';
import { isWriteOfMany, type Operation } from './standard-operations.ts';

/** A list takes `total=true` itself: `total[gte]=5` could still be a filter, but `total=5` could not. */
export function checkFilterNames(model: CompiledModel, ops: readonly Operation[], definition: ResourceDefinition): void {
  const ofMany = ops.some(isWriteOfMany) ? [maxAffectedName] : [];
  const ofDeleted = definition.deleted === undefined ? [] : [deletedName];
  const further = namesOf(addedByDefinition(model, definition));
  for (const name of [...settingNames, ...ofMany, ...further, ...ofDeleted]) {
    if (model.clientFields.get(name)?.operators.has('eq')) {
      throw new ConfigurationError(
        `\`policy.filter\` of \`${name}\` in ${model.name} cannot have \`eq\`: a list's query string uses \`${name}=\` itself. List the other operators.`,
      );
    }
  }
}

/** A write to many records requires a filter. */
export function checkFilters({ clientFields, name }: CompiledModel, ops: readonly Operation[], where: string): void {
  const needing = ops.find(isWriteOfMany);
  if (needing && ![...clientFields.values()].some(({ operators }) => operators.size > 0))
    throw new ConfigurationError(
      `\`ops\` of ${where} has \`${needing}\`, which requires a filter, but no field of ${name} can be filtered: give one a \`policy.filter\`.`,
    );
}
