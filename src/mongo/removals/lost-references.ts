import { own } from '../../model/value/plain-object.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import { partsAt } from '../collection/find.ts';
import type { Work } from '../driver/work.ts';
import { seeing } from '../lifecycle/within.ts';
import type { Edge, ReferenceEnd, References } from '../relations/references.ts';
import { isClearing } from './edges.ts';
import type { RemovalRow, RemovalRows, RemovalStep } from './removal-rows.ts';

/** The ids of records that are gone, and a reference that is taken away where it leads to one of them. */
export interface Lost {
  readonly edge: Edge;
  readonly ids: readonly unknown[];
}

/** The removal in which they are lost. */
interface Losing {
  readonly row: RemovalRow;
  readonly rows: RemovalRows;
  readonly references: References;
  readonly work: Work;
  /** Finds those of some records that are still gone. */
  findGone(end: ReferenceEnd, ids: readonly unknown[]): Promise<unknown[]>;
}

/**
 * The references that some records lose together, because they have this one: also those to records that other steps of
 * the removal would come to. So a record makes one step of its revision, and its history has one entry.
 */
export async function lostTogether(
  first: Lost,
  holders: readonly unknown[],
  { collection }: RemovalStep,
  { row, rows, references, work, findGone }: Losing,
): Promise<readonly Lost[]> {
  const { holder } = first.edge;
  const others = references.heldBy(holder.model).filter((edge) => isClearing(edge) && edge !== first.edge);
  if (others.length === 0) return [first];
  const paths = others.map(({ field }) => field.path);
  const stored = await holder.collection.find({ among: holders, within: seeing(holder.model, 'with', undefined) }, partsAt(paths), work);
  const lost = [first];
  for (const edge of others) {
    const keys = edge.field.path.split('.');
    const named = stored.flatMap((one) => idsAt(one, keys));
    const { target } = edge;
    const ofStep = target.model.collection === collection ? first.ids : [];
    const removed = await rows.findRemoved(row, target.model.collection, named, work);
    const ids = [...ofStep, ...(removed.length > 0 ? await findGone(target, removed) : [])];
    if (ids.length > 0) lost.push({ edge, ids });
  }
  return lost;
}

/** What stands at a path, in arrays too. */
function idsAt(value: unknown, keys: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => idsAt(item, keys));
  const [key, ...rest] = keys;
  if (key === undefined) return value === undefined || value === null ? [] : [value];
  return isStoredObject(value) ? idsAt(own(value, key), rest) : [];
}
