import { type CompiledModel, compileModel } from '../model/compile/compile-model.ts';
import { entryModel } from '../model/compile/entry-model.ts';
import { defineModel, type Model } from '../model/define/define-model.ts';
import { t } from '../model/define/t.ts';
import { deriveIndexes } from '../mongo/indexes/derive-indexes.ts';
import { type CollectionPlan, compareIndexes, formatFound, formatKey, IndexPlan } from '../mongo/indexes/index-plan.ts';
import { createIndexes, readIndexes } from '../mongo/indexes/indexes.ts';
import type { IndexSource, PlannedIndex, ThroughUse } from '../mongo/indexes/wanted.ts';
import { isManyStep } from '../mongo/relations/include/read-included.ts';
import type { CompiledResource } from '../resource/define/compiled-resource.ts';
import { isList } from '../resource/define/standard-operations.ts';
import type { Api, Indexing } from './api.ts';
import { askDatabase } from './ask-database.ts';
import { checkApi } from './copies.ts';

/** The indexes that `applyIndexes` has created in one collection. */
export interface CreatedIndexes {
  readonly collection: string;
  readonly created: readonly PlannedIndex[];
}

/**
 * Compares the indexes that the lists and unique fields of an api need with those that its database has. It sends one
 * command for each collection, and changes nothing. Throws if the database does not answer within `maxTimeMS` of the
 * api.
 *
 * @example
 * console.log(await planIndexes(api)); // a table of existing, missing, conflicting and unneeded indexes
 */
export async function planIndexes(api: Api): Promise<IndexPlan> {
  checkApi(api, '`planIndexes`');
  const { indexing } = api; // not in the signature: the published types do not have it
  const { db, maxTimeMS } = indexing;
  const collections = [...sourcesOf(indexing)].map(async ([collection, sources]): Promise<CollectionPlan> => {
    const found = await askDatabase('The indexes', maxTimeMS, (signal) => readIndexes(db, collection, signal));
    return { collection, ...compareIndexes(deriveIndexes(sources), found), notes: notesOf(indexing, collection) };
  });
  return new IndexPlan(await Promise.all(collections));
}

/**
 * Creates the indexes that `planIndexes` calls missing, and drops none. It can run again, and in several processes at
 * the same time: then the process that has created an index reports it, and the others wait for it. It sends one
 * command for each collection that lacks indexes, and waits until they are built, which takes long on a large
 * collection.
 *
 * Throws if the database does not answer within `maxTimeMS` of the api, and if stored records break a unique index. If
 * an index has the keys of another one but other options, all others are created first, and then it throws: what the
 * models declare is not enforced.
 *
 * @returns the created indexes by collection
 *
 * @example
 * await applyIndexes(api); // on deployment, before the server listens
 */
export async function applyIndexes(api: Api): Promise<CreatedIndexes[]> {
  const { collections } = await planIndexes(api);
  const { db } = api.indexing;
  const lacking = collections.filter(({ missing }) => missing.length > 0);
  const created: CreatedIndexes[] = [];
  for (const { collection, missing } of lacking)
    if (await createIndexes(db, collection, missing)) created.push({ collection, created: missing });
  const conflicts = collections.flatMap(({ collection, conflicting }) =>
    conflicting.map(({ key, options, existing }) => {
      const wanted = `${formatKey(key)}${options.unique ? ' unique' : ''}`;
      return `\`${collection}\` needs ${wanted}, and has ${formatFound(existing)}`;
    }),
  );
  if (conflicts.length > 0)
    throw new Error(`Indexes are in the way of others; drop them, and call \`applyIndexes\` again: ${conflicts.join('; ')}.`);
  return created;
}

/** Groups models by collection: several models and resources may share one. */
function sourcesOf(indexing: Indexing): Map<string, IndexSource[]> {
  const { resources, models, latches } = indexing;
  const sources = new Map<string, IndexSource[]>();
  const add = (source: IndexSource): void => {
    const { collection } = source.model;
    sources.set(collection, [...(sources.get(collection) ?? []), source]);
  };
  for (const { model, ops, path, scopeFields = [], deletedGuards, filters } of resources) {
    const list = { resource: path, scopeFields, showsDeleted: deletedGuards !== undefined };
    const filtered = filters.flatMap(({ text, shapes }) =>
      shapes.map((shape) => ({ ...shape, scopeFields, reason: `${path}: filter ${text}` })),
    );
    add(ops.some(isList) ? { model, list, filtered } : { model });
  }
  for (const resource of resources) {
    for (const source of reverseReads(resource.includes.steps, resource.path, resources)) add(source);
    for (const source of nestedLists(resource)) add(source);
  }
  const others = [...models, ...(latches ? [latches] : [])];
  const outboxes = outboxModels([...resources.map(({ model }) => model), ...others.map(compileModel)]);
  for (const model of new Set([...others, ...outboxes])) add({ model: compileModel(model) });
  for (const resource of resources) for (const source of throughSources(resource, resources)) add(source);
  for (const model of historiesOf(indexing)) add({ model });
  return sources;
}

/**
 * The models of outboxes, for the plan of their indexes: by the first, due events are found, and dead letters; by the
 * second, the first event of a record that is not delivered, and all of a record that is purged. The third removes what
 * was delivered.
 */
function outboxModels(models: readonly CompiledModel[]): Model[] {
  const collections = new Set(models.flatMap(({ ledger }) => ledger?.outbox?.collection ?? []));
  return Array.from(collections, outboxModelOf);
}

function outboxModelOf(collection: string): Model {
  const indexes = [
    { key: { state: 1, dueAt: 1, _id: 1 }, partialFilterExpression: { deliveredAt: null } },
    { key: { record: 1, collection: 1, life: 1, deliveredAt: 1, revision: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ] as const;
  return defineModel('Outbox', { collection, fields: { id: t.string() }, indexes }) as unknown as Model;
}

/** The models of the entries of all histories. */
function historiesOf({ resources, models }: Indexing): ReadonlySet<CompiledModel> {
  const all = [...resources.map(({ model }) => model), ...models.map(compileModel)];
  return new Set(all.flatMap((model) => entryModel(model) ?? []));
}

/**
 * The reads of the relations by `t.hasMany` that a resource includes, at any step. A model is compiled for each
 * resource that serves it.
 */
function reverseReads(steps: CompiledResource['includes']['steps'], path: string, resources: Indexing['resources']): IndexSource[] {
  return steps.flatMap((step) => {
    const { relation, source, steps: further } = step;
    const { model } = source;
    const scopeFields = resources.find((one) => one.model === model)?.scopeFields ?? [];
    const reason = `${path}: include ${relation.name}`;
    const orders = isManyStep(step)
      ? [{ reason }, ...[...step.sorts].map(([text, sort]) => ({ sort, reason: `${reason} by ${text}` }))]
      : [];
    const own = isManyStep(step) ? [{ model, reverse: orders.map((one) => ({ scopeFields, ...step.children, ...one })) }] : [];
    return [...own, ...reverseReads(further, path, resources)];
  });
}

/** The lists below the records of a resource, in the order by id. */
function nestedLists({ path, nested }: CompiledResource): IndexSource[] {
  const sort = new Map([['_id', 1]] as const);
  return nested.map(({ name, via, target: { model, scopeFields = [] } }) => ({
    model,
    reverse: [{ reason: `${path}: nested ${name}`, scopeFields, path: via.path, sort }],
  }));
}

function notesOf({ resources }: Indexing, collection: string): string[] {
  const unknown = resources.filter(
    (one) => one.model.collection === collection && one.isScoped && !one.scopeFields && one.ops.some(isList),
  );
  return unknown.map(({ path }) => `resource \`${path}\` has a scope and no \`scopeFields\`: planned as if it had none`);
}

/**
 * What the filters of a list through relations need: an index of each field that holds references, by which the list
 * finds the ids of the first query, and one of each field of a related record, by which that query finds the ids. Where
 * many records refer back, it is the field that refers. A sort through a relation needs none, because it looks up
 * related records by their ids.
 */
function throughSources(
  { path, model, ops, scopeFields, through }: CompiledResource,
  resources: readonly CompiledResource[],
): IndexSource[] {
  if (!through || !ops.some(isList)) return [];
  const scopeOf = (resource: string | undefined) => resources.find((one) => one.path === resource)?.scopeFields ?? [];
  const sources: IndexSource[] = [];
  for (const { steps, fields } of through.relations.values()) {
    const filtered = fields.filter(({ operators }) => operators.size > 0);
    if (filtered.length === 0 && !steps.some(({ via }) => via)) continue;
    let from: Holder = { model, scopeFields: scopeFields ?? [] };
    for (const { name, field, via, source } of steps) {
      const target = { model: source.model, scopeFields: scopeOf(source.path) };
      const reason = `${path}: filter through ${via ? name : field}`;
      sources.push(via ? use(target, { field: via.field, isReference: true, reason }) : use(from, { field, isReference: true, reason }));
      from = target;
    }
    for (const { name, ownName } of filtered)
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
