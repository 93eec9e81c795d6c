import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import { findTarget, type KnownTarget } from '../../middleware/relations/relation-targets.ts';
import { tryAll } from '../../mistakes.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import type { CompiledField } from '../../model/node.ts';
import type { CompiledResource, NestedResource, UnlinkedResource } from '../define/compiled-resource.ts';
import { nestedEndpoints } from '../define/relation-endpoints.ts';
import { makesRecord } from '../define/standard-operations.ts';

/** Finds a linked resource by its path. */
type ResourceAt = (path: string | undefined) => CompiledResource | undefined;

/**
 * Links the resources of `nested`. Throws a {@link ConfigurationError} for one that is no relation by `t.hasMany`, or
 * serves nothing there.
 */
export function linkNested(resource: UnlinkedResource, targets: readonly KnownTarget[], resourceAt: ResourceAt): NestedResource[] {
  return tryAll(resource.nested.map((name) => () => linkOne(name, resource, targets, resourceAt))).flat();
}

function linkOne(name: string, resource: UnlinkedResource, targets: readonly KnownTarget[], resourceAt: ResourceAt): NestedResource[] {
  const { path, model, operations: custom } = resource;
  const where = `\`nested\` of resource \`${path}\` names \`${name}\``;
  if (custom.some((operation) => operation.name === name))
    throw new ConfigurationError(`${where}, which is also the name of an operation in \`operations\`: give the operation another name.`);
  const lists = [...model.many.values()].filter(({ isCount }) => !isCount).map((one) => one.name);
  const relation = lists.includes(name) ? model.many.get(name) : undefined;
  if (!relation)
    throw new ConfigurationError(
      `${where}, which is not a relation of ${model.name} by \`t.hasMany\` without \`count\`${didYouMean(name, lists, '.')}`,
    );
  if (!resource.shownBy)
    throw new ConfigurationError(`${where}, and needs Get or List in \`ops\`: otherwise its records are shown to nobody.`);
  const { path: served } = findTarget(relation, targets, where, 't.hasMany');
  const target = resourceAt(served);
  if (!target) throw new ConfigurationError(`${where}, which leads to ${relation.model}, a model that no resource serves.`);
  if (target.model.held && target.model.fieldTable.get(relation.via)?.isPrivate) return []; // outside the view
  const via = target.model.scopeFields.get(relation.via) as QueryField;
  const isSettable = takesOneId(target.model.root.byName.get(relation.via));
  const operations = nestedEndpoints(name).filter(({ like }) => target.ops.includes(like) && (isSettable || !makesRecord(like)));
  if (operations.length === 0)
    throw new ConfigurationError(
      `${where}, but resource \`${target.path}\` serves neither List, nor a Create that can set \`${relation.via}\`.`,
    );
  return [{ name, via, target, operations }];
}

/**
 * Whether a create can set a field to one id: not within an embedded object, and not in an array that requires several.
 */
function takesOneId(field: CompiledField | undefined): boolean {
  return field !== undefined && !(field.node.kind === 'array' && Number(field.node.keywords.minItems ?? 0) > 1);
}
