import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import { findTarget, type GuardedSource, type KnownTarget, openSource } from '../../middleware/relations/relation-targets.ts';
import { tryAll } from '../../mistakes.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import type { ArrayNode, Slot } from '../../model/node.ts';
import { compileRelations, type Relation } from '../../model/relations/includable.ts';
import { compileShownValue } from '../../model/shown-value.ts';
import { patchAccess } from '../../model/write/access.ts';
import type { DatabaseOptions } from '../../mongo/collection/collection.ts';
import { checkIdType } from '../../mongo/relations/check-id-type.ts';
import type { UnlinkedResource } from '../../resource/define/compiled-resource.ts';
import { facetOf } from '../../resource/define/facet.ts';
import type { ResourceParts } from '../../resource/define/resource-parts.ts';
import type { Operation } from '../../resource/define/standard-operations.ts';
import type { Invalid } from '../../rules.ts';
import type { Elements } from './plan-element.ts';

/** An array of references of which clients may write single elements, and the records to which they may lead. */
export interface LinkedArray extends Elements {
  /** The name of the relation, and the segment of the path. */
  readonly name: string;
  /** The place of an id in the array. */
  readonly slot: Slot;
  /** The error of a caller who may read the array and not write it. */
  readonly refusal: Invalid | undefined;
  /** The records that may be added. */
  readonly source: GuardedSource;
}

/** The operation whose guards and hooks apply: a link is a change of a record, as every patch is. */
export const guardedAs: Operation = 'patch';

/** The names in `links`. What the app does to its array later changes none. */
export function namesOfLinks({ given }: ResourceParts): readonly string[] {
  return [...(given('links').links ?? [])];
}

/**
 * Links the arrays of `links`. Throws a {@link ConfigurationError} for one of which clients cannot write single
 * elements.
 */
export function linkArrays(resource: UnlinkedResource, targets: readonly KnownTarget[], options: DatabaseOptions): LinkedArray[] {
  const { path, ops, beforeOf } = resource;
  const links = facetOf(resource, namesOfLinks);
  if (links.length === 0) return [];
  const where = `\`links\` of resource \`${path}\``;
  if (!ops.includes(guardedAs)) throw new ConfigurationError(`${where} needs Patch in \`ops\`: its guards and hooks apply.`);
  if (beforeOf(guardedAs).length > 0)
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
  return [{ name, slot: relation.slot, source, refusal, ...elements }];
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
