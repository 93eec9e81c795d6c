import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { IndexSource, ThroughUse } from '../mongo/indexes/wanted-indexes.ts';
import type { CompiledResource } from '../resource/define/compiled-resource.ts';

/**
 * What the filters of a list through relations need: an index of each field that holds references, by which the list
 * finds the ids of the first query, and one of each field of a related record, by which that query finds the ids. A
 * sort through a relation needs none, because it looks up related records by their ids.
 */
export function throughSources(
  { path, model, ops, scopeFields, through }: CompiledResource,
  resources: readonly CompiledResource[],
): IndexSource[] {
  if (!through || !ops.includes('list')) return [];
  const scopeOf = (resource: string | undefined) => resources.find((one) => one.path === resource)?.scopeFields ?? [];
  const sources: IndexSource[] = [];
  for (const { name, ownName, steps, operators } of through.fields.values()) {
    if (operators.size === 0) continue;
    let from: Holder = { model, scopeFields: scopeFields ?? [] };
    for (const { field, source } of steps) {
      sources.push(use(from, { field, isReference: true, reason: `${path}: filter through ${field}` }));
      from = { model: source.model, scopeFields: scopeOf(source.path) };
    }
    sources.push(use(from, { field: ownName, isReference: false, reason: `${path}: filter by ${name}` }));
  }
  return sources;
}

/** Records that are found by a query, within a scope. */
interface Holder {
  readonly model: CompiledModel;
  readonly scopeFields: readonly string[];
}

function use({ model, scopeFields }: Holder, { field, isReference, reason }: Omit<ThroughUse, 'scopeFields'>): IndexSource {
  return { model, through: [{ field, scopeFields, isReference, reason }] };
}
