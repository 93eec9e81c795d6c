import { idToJson } from '../../../model/value/number-in-path.ts';
import type { Changes, EmbeddedMerge } from '../../../model/write/plan-changes.ts';
import type { ModelCollection } from '../../collection/collection.ts';
import { idsOnly, partsInOneReply } from '../../collection/find.ts';
import type { Targets } from '../../collection/writer.ts';
import { inParts } from '../../driver/in-parts.ts';
import type { Work } from '../../driver/work.ts';
import { type Filter, fulfilling } from '../../predicate/predicate.ts';
import { type Ids, mayTell, mostErrors, type Named, namedInChanges } from './check-references.ts';

/** The most ids of one filter. */
const idsPerFilter = 1_000;

/**
 * Finds out which of the missing references are new in one of the records that a write to many addresses. It asks for
 * records that lack some of them, until there are none, or until the references are enough for an error.
 */
export async function findNewInMany(
  collection: Pick<ModelCollection, 'find'>,
  missing: readonly Named[],
  { assignments, embedded }: Changes,
  { conditions, within, writer }: Targets,
  work: Work,
): Promise<Named[]> {
  const matching = within.and(fulfilling(conditions));
  const found: Named[] = [];

  const isThere = async (condition: Filter) =>
    (await collection.find({ within: matching.and(condition), limit: 1 }, idsOnly, work)).length > 0;

  /** The ids that a record gets with an embedded object that it does not have. */
  async function findCreated({ edge, ids }: Named, merge: EmbeddedMerge): Promise<readonly string[]> {
    const named = keysIn({ edge, ids }, { assignments: [], embedded: [merge] });
    return named.length > 0 && (await isThere({ [merge.path]: { $not: { $type: 'object' } } })) ? named : [];
  }

  /** The assigned ids that at least one of the records does not have yet. */
  async function findAssigned(one: Named): Promise<readonly string[]> {
    const named = keysIn(one, { assignments, embedded: [] });
    const added: string[] = [];
    for (const some of inParts(named, idsPerFilter)) if (added.length < mostErrors) added.push(...(await findLacking(one, some)));
    return added;
  }

  /** The ids that at least one of the records lacks, about as many as an error names. */
  async function findLacking({ edge: { field }, ids }: Named, keys: readonly string[]): Promise<readonly string[]> {
    const left = new Map(keys.map((key) => [key, ids.get(key)?.id]));
    while (left.size > 0 && keys.length - left.size < mostErrors) {
      const lacksSome = { [field.path]: { $not: { $all: [...left.values()] } } };
      const sought = [...left.keys()];
      const which = { within: matching.and(lacksSome), limit: Math.min(left.size, mostErrors) };
      const records = await collection.find(which, partsInOneReply([field.path]), work);
      if (records.length === 0) break;
      for (const record of records) {
        const had = new Set<string>();
        field.visit(record, (other) => had.add(idToJson(field.leaf, other)));
        for (const key of sought) if (!had.has(key)) left.delete(key);
      }
      if (left.size === sought.length) left.clear(); // they have ids of another type with equal texts
    }
    return keys.filter((key) => !left.has(key));
  }

  for (const one of missing) {
    const added = new Set((await mayTell(one.edge, writer)) ? await findAssigned(one) : one.ids.keys());
    for (const merge of embedded) for (const key of await findCreated(one, merge)) added.add(key);
    const ids: Ids = new Map([...one.ids].filter(([key]) => added.has(key)));
    if (ids.size > 0) found.push({ edge: one.edge, ids });
  }
  return found;
}

/** The ids that a part of the changes sets. */
function keysIn({ edge, ids }: Named, changes: Pick<Changes, 'assignments' | 'embedded'>): string[] {
  return namedInChanges([edge], changes).flatMap(({ ids: named }) => [...named.keys()].filter((key) => ids.has(key)));
}
