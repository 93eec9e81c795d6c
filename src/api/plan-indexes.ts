import { compileModel } from '../model/compile/compile-model.ts';
import { askWithin } from '../mongo/driver/ask-within.ts';
import { isServerError } from '../mongo/driver/server-error.ts';
import { deriveIndexes, type IndexSource, type PlannedIndex } from '../mongo/indexes/derive-indexes.ts';
import { type CollectionPlan, compareIndexes, formatFound, formatKey, IndexPlan } from '../mongo/indexes/index-plan.ts';
import { createIndexes, readIndexes } from '../mongo/indexes/indexes.ts';
import type { Api, Indexing } from './api.ts';

/** The indexes that `applyIndexes` has created in one collection. */
export interface CreatedIndexes {
  readonly collection: string;
  readonly created: readonly PlannedIndex[];
}

/**
 * Finds out which indexes the lists and the unique fields of an api need, and which of them its database has. It reads, and changes
 * nothing. One command for each collection. Throws where the database has not answered within `maxTimeMS` of the api.
 *
 * @example
 * console.log(await planIndexes(api)); // a table of what exists, what is missing, what conflicts and what nothing here needs
 */
export async function planIndexes(api: Api): Promise<IndexPlan> {
  const { indexing } = api; // not in the signature: the published types do not have it
  const { db, maxTimeMS } = indexing;
  const collections = [...sourcesOf(indexing)].map(async ([collection, sources]): Promise<CollectionPlan> => {
    const found = await ask(maxTimeMS, (signal) => readIndexes(db, collection, signal));
    return { collection, ...compareIndexes(deriveIndexes(sources), found), notes: notesOf(indexing, collection) };
  });
  return new IndexPlan(await Promise.all(collections));
}

/**
 * Creates the indexes that `planIndexes` calls missing, and nothing else: it drops none. It may run again, and in several processes at
 * once: then each index is reported by the one that has created it, and the others wait for it. One command for each collection that lacks some;
 * it waits until they are built, which takes its time on a large collection.
 *
 * Throws where the database has not answered within `maxTimeMS` of the api, where records that are there already break a unique index, and, after all others are created, where an index with the same keys
 * and other options is in the way: then what the models declare does not hold.
 *
 * @returns what was created, by collection
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

async function ask<T>(maxTimeMS: number, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await askWithin(maxTimeMS, read);
  } catch (cause) {
    if (isServerError(cause)) throw cause; // it is there, and says no
    const why = cause instanceof Error ? `: ${cause.message}` : '.';
    throw new Error(`The indexes cannot be read, because the database does not answer${why}`, { cause });
  }
}

/** By collection, because several models and resources may have one. */
function sourcesOf({ resources, models }: Indexing): Map<string, IndexSource[]> {
  const sources = new Map<string, IndexSource[]>();
  const add = (source: IndexSource): void => {
    const { collection } = source.model;
    sources.set(collection, [...(sources.get(collection) ?? []), source]);
  };
  for (const { model, ops, path, scopeFields = [] } of resources) {
    add(ops.includes('list') ? { model, list: { resource: path, scopeFields } } : { model });
  }
  for (const model of new Set(models)) add({ model: compileModel(model) });
  return sources;
}

function notesOf({ resources }: Indexing, collection: string): string[] {
  const unknown = resources.filter(
    (one) => one.model.collection === collection && one.isScoped && !one.scopeFields && one.ops.includes('list'),
  );
  return unknown.map(({ path }) => `resource \`${path}\` has a scope and no \`scopeFields\`: planned as if it had none`);
}
