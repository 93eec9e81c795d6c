import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { keyOfId } from '../../model/value/digest-of-id.ts';
import { idsOnly } from '../../mongo/collection/find.ts';
import type { Operations } from '../../mongo/collection/operations.ts';
import type { Work } from '../../mongo/driver/work.ts';
import { living } from '../../mongo/lifecycle/within.ts';
import { filterOf } from '../../mongo/predicate/filter-of.ts';
import type { Predicate } from '../../mongo/predicate/predicate.ts';
import { spellFilter } from '../../mongo/shown-record.ts';

/** Records that an answer shows: they have to be within the filter, or the answer is not sent. */
export interface Sought {
  readonly model: CompiledModel;
  readonly collection: Pick<Operations, 'find'>;
  readonly filter: Predicate;
  /** In stored form. */
  readonly ids: readonly unknown[];
  /** The problem if one of them is not there. */
  refuse(): Error;
}

/**
 * Finds all records that answers show, by one command for each model and filter, however many operations of a batch
 * show them. Throws the problem of the first ones that are not there.
 */
export async function requireSeen(all: readonly Sought[], work: Work): Promise<void> {
  const refused = new Set<Sought>();
  for (const group of groupByQuery(all)) {
    const seen = await findSeen({ ...group[0], ids: group.flatMap(({ ids }) => ids) }, work);
    for (const one of group) if (!one.ids.every((id) => seen.has(keyOfId(id)))) refused.add(one);
  }
  const first = all.find((one) => refused.has(one));
  if (first) throw first.refuse();
}

/** Finds the records that are within the filter, and returns the keys of their ids. */
export async function findSeen({ model, collection, filter, ids }: Omit<Sought, 'refuse'>, work: Work): Promise<ReadonlySet<string>> {
  const different = new Map(ids.map((id): [string, unknown] => [keyOfId(id), id]));
  const found = await collection.find({ among: [...different.values()], within: living(model, filter) }, idsOnly, work);
  return new Set(found.map(keyOfId));
}

/** Filters of operations of their own are equal if the database gets the same of them. */
function groupByQuery(all: readonly Sought[]): readonly [Sought, ...Sought[]][] {
  const byModel = new Map<CompiledModel, Map<string, [Sought, ...Sought[]]>>();
  for (const one of all) {
    const groups = byModel.get(one.model) ?? new Map<string, [Sought, ...Sought[]]>();
    byModel.set(one.model, groups);
    const text = spellFilter(filterOf(one.filter));
    const group = groups.get(text);
    if (group) group.push(one);
    else groups.set(text, [one]);
  }
  return [...byModel.values()].flatMap((groups) => [...groups.values()]);
}
