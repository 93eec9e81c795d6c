import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import { findTarget, type KnownTarget, openSource } from '../../middleware/relations/relation-targets.ts';
import { tryAll } from '../../mistakes.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import type { ArrayNode } from '../../model/node.ts';
import { compileRelations, type Relation } from '../../model/relations/includable.ts';
import { compileShownValue } from '../../model/shown-value.ts';
import { patchAccess } from '../../model/write/access.ts';
import type { DatabaseOptions } from '../../mongo/collection/collection.ts';
import type { Elements } from '../../mongo/collection/plan-element.ts';
import { checkIdType } from '../../mongo/relations/check-id-type.ts';
import type { LinkedArray, UnlinkedResource } from '../define/compiled-resource.ts';
import { linkEndpoints } from '../define/relation-endpoints.ts';

/**
 * Links the arrays of `links`. Throws a {@link ConfigurationError} for one of which clients cannot write single
 * elements.
 */
export function linkArrays(resource: UnlinkedResource, targets: readonly KnownTarget[], options: DatabaseOptions): LinkedArray[] {
  const { path, links, ops, beforeOf } = resource;
  if (links.length === 0) return [];
  const where = `\`links\` of resource \`${path}\``;
  if (!ops.includes('patch')) throw new ConfigurationError(`${where} needs Patch in \`ops\`: its guards and hooks apply.`);
  if (beforeOf('patch').length > 0)
    throw new ConfigurationError(
      `${where} cannot be served beside hooks of \`before.patch\` or of a group with it, which would not see the change: use \`within\`.`,
    );
  return tryAll(links.map((name) => () => linkOne(name, resource, targets, options))).flat();
}

function linkOne(
  name: string,
  resource: UnlinkedResource,
  targets: readonly KnownTarget[],
  { db, maxTimeMS }: DatabaseOptions,
): LinkedArray[] {
  const { model } = resource;
  const where = `\`links\` of resource \`${resource.path}\` names \`${name}\``;
  const arrays = new Map([...compileRelations(model.fieldTable).values()].flatMap((one) => asArray(one, resource)));
  const found = arrays.get(name);
  if (!found && model.held) return []; // outside the view
  if (!found)
    throw new ConfigurationError(
      `${where}, which is not a relation of ${model.name} in an array, outside of embedded objects${didYouMean(name, arrays.keys(), '.')}`,
    );
  const { relation, elements } = found;
  const refusal = patchAccess(resource).refusal(elements.field);
  if (refusal && !model.held) throw new ConfigurationError(`${where}, but clients may not update \`${relation.field}\` of ${model.name}.`);
  const source = openSource(findTarget(relation.ref, targets, where), { db, ...(maxTimeMS === undefined ? {} : { maxTimeMS }) });
  checkIdType(relation, source.model, where);
  return [{ name, slot: relation.slot, source, refusal, operations: linkEndpoints(name), ...elements }];
}

function asArray(
  relation: Relation,
  { model }: UnlinkedResource,
): [string, { readonly relation: Relation; readonly elements: Elements }][] {
  const field = model.root.byName.get(relation.field);
  if (field?.node.kind !== 'array' || field.node.items.node.kind !== 'leaf') return [];
  const elements = {
    field: field as Elements['field'] & { readonly node: ArrayNode },
    query: model.scopeFields.get(field.name) as QueryField,
    show: compileShownValue(field),
  };
  return [[relation.name, { relation, elements }]];
}
