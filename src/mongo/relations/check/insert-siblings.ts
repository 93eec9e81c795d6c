import type { Edge } from '../references.ts';
import { type Named, namedInRecords, splitPlace } from './check-references.ts';

type Stored = Readonly<Record<string, unknown>>;

/** The outcome of the inserts, by the places of their records. A record without an error is stored. */
export interface Inserted {
  readonly errors: ReadonlyMap<number, Error>;
  /** The missing references of the records that were therefore not sent. */
  readonly refused: ReadonlyMap<number, readonly Named[]>;
}

/**
 * Inserts records that may refer to one another: each after those that it refers to, in as few calls of `insert` as
 * that allows. A record whose references are not among the others, or that is part of a circle, is tried last, because
 * records with these ids may be stored already. It is tried once more if some of the missing ones were stored after
 * all, so that its error names only what is missing in the end. So the order of the records does not matter. Returns
 * the errors by their places.
 */
export async function insertSiblings(
  edges: readonly Edge[],
  records: ReadonlyMap<number, Stored>,
  idOf: (record: Stored) => string,
  insert: (records: ReadonlyMap<number, Stored>) => Promise<Inserted>,
): Promise<ReadonlyMap<number, Error>> {
  const { waits, waiting } = findWaiting(edges.filter(isToItself), records, idOf);
  const errors = new Map<number, Error>();
  const untried = new Set(records.keys());
  /** Refused records that lack less by now: their errors name too much. */
  const outdated = new Set<number>();
  let ready = [...untried].filter((place) => !waits.has(place));
  while (ready.length > 0 || untried.size > 0 || outdated.size > 0) {
    const next = [ready, [...untried], [...outdated]].find(({ length }) => length > 0) ?? [];
    const some = new Map(next.map((place) => [place, records.get(place) as Stored]));
    for (const place of some.keys()) for (const found of [untried, outdated, waits, errors]) found.delete(place);
    const inserted = await insert(some);
    for (const [place, missing] of inserted.refused) {
      const awaited = missing.flatMap(awaitedOf);
      if (awaited.length > 0) waits.set(place, new Set(awaited));
    }
    ready = [];
    for (const [place, record] of some) {
      const error = inserted.errors.get(place);
      if (error) errors.set(place, error);
      else ready.push(...release(idOf(record)));
    }
  }
  return errors;

  /** The ids of which records may still come. */
  function awaitedOf({ edge, ids }: Named): string[] {
    return isToItself(edge) ? [...ids.keys()].filter((id) => waiting.has(id)) : [];
  }

  /** The places of the records that waited for nothing but one with this id. */
  function release(id: string): number[] {
    const places = [...(waiting.get(id) ?? [])];
    waiting.delete(id);
    return places.filter((place) => {
      const lacking = waits.get(place);
      if (!lacking?.delete(id)) return false;
      if (lacking.size > 0 && !untried.has(place)) outdated.add(place);
      return lacking.size === 0;
    });
  }
}

/** For which ids of the other records each record waits, by its place, and the places that wait for an id. */
function findWaiting(edges: readonly Edge[], records: ReadonlyMap<number, Stored>, idOf: (record: Stored) => string) {
  const places = [...records.keys()];
  const ids = new Set([...records.values()].map(idOf));
  const waits = new Map<number, Set<string>>();
  const waiting = new Map<string, Set<number>>();
  for (const { ids: named } of namedInRecords(edges, [...records.values()], { areOne: false }))
    for (const [id, { paths }] of named) {
      if (!ids.has(id)) continue;
      for (const path of paths) {
        const place = places[splitPlace(path).index] as number;
        entryOf(waits, place).add(id);
        entryOf(waiting, id).add(place);
      }
    }
  return { waits, waiting };
}

function entryOf<Key, Item>(sets: Map<Key, Set<Item>>, key: Key): Set<Item> {
  const entry = sets.get(key) ?? new Set<Item>();
  sets.set(key, entry);
  return entry;
}

function isToItself({ holder, target }: Edge): boolean {
  return holder.model.collection === target.model.collection;
}
