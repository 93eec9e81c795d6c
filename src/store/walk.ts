import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { QueryField } from '../model/compile/query-fields.ts';
import type { Reads } from '../mongo/collection/reads.ts';
import type { Work } from '../mongo/driver/work.ts';
import type { Within } from '../mongo/lifecycle/within.ts';
import { parseCursor } from '../mongo/list/cursor.ts';
import { aPageBound } from '../mongo/list/page-bytes.ts';
import type { ListQuery } from '../mongo/list/parse-list-query.ts';
import { endWithId } from '../mongo/list/parse-sort.ts';
import type { Condition } from '../mongo/predicate/predicate.ts';
import type { Position, SortKey } from '../mongo/query/position.ts';
import type { StoredRecord } from '../mongo/stored-record.ts';
import { defaultOf } from '../options.ts';

/** The most records that one command reads. */
const pageSize = 500;

const everyField = { fetchPrivate: true, countsAll: true, maxPageBytes: defaultOf(aPageBound) } as const;

/** Which records are read, and in which order. */
export interface Walk {
  readonly conditions: readonly Condition[];
  readonly sort: readonly SortKey[];
  readonly within: Within;
  readonly limit: number;
}

/**
 * Reads records in pages by key, as lists do: no cursor stays open in the database in between, so that a walk may take
 * any time, and survives a new primary. `work` is called before each page, and told whether it is the first.
 */
export async function* walk(
  collection: Pick<Reads, 'findPage'>,
  { conditions, sort, within, limit }: Walk,
  work: (isFirst: boolean) => Work,
): AsyncGenerator<readonly StoredRecord[]> {
  let from: Position | undefined;
  for (let left = limit; left > 0; ) {
    const window = { mode: 'cursor', from, direction: 1, list: '' } as const;
    const size = Math.min(left, pageSize);
    const query: ListQuery = {
      conditions,
      through: [],
      sort,
      limit: size,
      window,
      total: undefined,
      fields: undefined,
      isSelectable: false,
      include: [],
    };
    const { records, place } = await collection.findPage(query, within, everyField, work(from === undefined));
    yield records;
    left -= records.length;
    if (place.mode !== 'cursor' || place.next === null) return;
    from = parseCursor(place.next, '', sort);
  }
}

/** Reads the sort of a walk. Throws a plain Error for a field that has no order, or is named twice. */
export function readSort({ scopeFields, name }: CompiledModel, given: readonly string[]): SortKey[] {
  const keys = given.map((text): SortKey => {
    const isDescending = text.startsWith('-');
    const field = scopeFields.get(isDescending ? text.slice(1) : text);
    if (!field?.leaf || field.inList)
      throw new Error(`\`sort\` of a store of ${name} names \`${text}\`, which is not a field with a single value.`);
    return { field, direction: isDescending ? -1 : 1 };
  });
  const twice = keys.find(({ field }, index) => keys.findIndex((other) => other.field === field) < index);
  if (twice) throw new Error(`\`sort\` of a store of ${name} names \`${twice.field.name}\` twice.`);
  return endWithId(keys, scopeFields.get('id') as QueryField);
}
