import { namedInRecords } from './check-references.ts';
import type { Edge } from './references.ts';

/**
 * Arranges new records so that each comes after those of the others that it refers to: groups of their places, one to be written after the other.
 * Records that refer to one another in a circle have no such order. Of them, the first comes alone, before the one that it refers to.
 */
export function* inOrder(edges: readonly Edge[], records: readonly Readonly<Record<string, unknown>>[]): Generator<readonly number[]> {
  const waiting = new Map(findSiblings(edges, records));
  while (waiting.size > 0) {
    const places = [...waiting.keys()];
    const free = places.filter((place) => ![...(waiting.get(place) ?? [])].some((sibling) => waiting.has(sibling)));
    const group = free.length > 0 ? free : places.slice(0, 1);
    for (const place of group) waiting.delete(place);
    yield group;
  }
}

/** The places of the other records that each record refers to, by its own place. */
function findSiblings(edges: readonly Edge[], records: readonly Readonly<Record<string, unknown>>[]): Map<number, Set<number>> {
  const siblings = new Map(records.map((_record, place) => [place, new Set<number>()]));
  for (const { edge, ids } of namedInRecords(edges.filter(isToItself), records, { areOne: false })) {
    const { leaf } = edge.target.model.id;
    for (const [sibling, { _id }] of records.entries())
      for (const path of ids.get(leaf.toJson(_id))?.paths ?? []) {
        const place = Number(path.split('.', 1)[0]);
        if (place !== sibling) siblings.get(place)?.add(sibling);
      }
  }
  return siblings;
}

function isToItself({ holder, target }: Edge): boolean {
  return holder.model.collection === target.model.collection;
}
