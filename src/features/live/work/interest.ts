import { type FoundRecord, type Interest, textOfId } from '../../../mongo/changes/audience.ts';
import type { CollectionChange } from '../../../mongo/changes/change.ts';
import type { StoredRecord } from '../../../mongo/stored-record.ts';
import { type Concern, isBehind, mayChange, singleAt } from '../concern.ts';
import type { LiveSource } from '../live-source.ts';
import type { Outline } from './outline.ts';

/**
 * Of which changes of its collection a state has to hear: all for which {@link isAbout} is true. Undefined if only
 * `isAbout` can tell.
 */
export function interestIn({ model, concern, idText, related, watched }: LiveSource, state: Outline, behind: Behind): Interest | undefined {
  const { collection, id } = model;
  if (related.has(collection) || watched.has(collection)) return undefined;
  const { leaf } = id;
  if (state.kind === 'record') {
    const ids = [idText, state.idText].filter((text) => text !== undefined);
    return { ...nothingOf({ model }), ids, wholes: state.idText === undefined };
  }
  if (!concern?.deciding || state.isCut) return undefined;
  const { deciding: keys, equal, order } = concern;
  const ids = [...state.prints.keys()];
  if (behind === 'unknown') return { leaf, ids, keys, wholes: true, deletes: true, equal: [], further: [] };
  if (behind === undefined) return { leaf, ids, keys, wholes: true, deletes: false, equal, further: [] };
  const further = (order ?? []).map(({ path }) => path);
  return { leaf, ids: [...ids, behind.idText], keys, wholes: true, deletes: false, equal, further };
}

/** Where a page ends that is not the last one. */
interface EndOfPage {
  /**
   * The JSON text of the id of the record behind the page. As long as that one stays in the list, there is a next page,
   * whoever else leaves it.
   */
  readonly idText: string;
  /** The values by which the last record of the page is sorted. */
  readonly last: readonly unknown[];
}

/** Where a page ends. Undefined if it is the last one. */
export type Behind = EndOfPage | 'unknown' | undefined;

/** Where a page ends that has these records, and of which this is the record behind it. */
export function endOfPage(
  records: readonly StoredRecord[],
  behind: StoredRecord | undefined,
  order: Concern['order'],
): EndOfPage | 'unknown' {
  const last = records.at(-1);
  if (!behind || !last) return 'unknown';
  const stored = order && last.pick([...new Set(['_id', ...order.map(({ path }) => path.split('.', 1)[0] as string)])]);
  return { idText: behind.idText, last: (order ?? []).map(({ path }) => singleAt(stored, path)) };
}

/** Whether a record was changed that the page does not show, and that lies behind it now. */
export function isBeyond(
  { model, concern }: LiveSource,
  state: Outline | undefined,
  behind: Behind,
  { id }: CollectionChange,
  { records, paths }: FoundRecord,
): boolean {
  const order = concern?.order;
  if (!order || state?.kind !== 'list' || behind === undefined || behind === 'unknown') return false;
  const text = textOfId(model.id.leaf, id);
  if (text === undefined || text === behind.idText || state.prints.has(text)) return false;
  return order.every(({ path }) => paths.has(path)) && records.every((one) => isBehind(order, behind.last, one));
}

/** What a state that is read again anyway has to hear of its collection. */
export function nothingOf({ model }: Pick<LiveSource, 'model'>): Interest {
  return { leaf: model.id.leaf, ids: [], keys: none, wholes: false, deletes: false, equal: [], further: [] };
}

const none: ReadonlySet<string> = new Set();

/** Whether a change may be one of the state. While it is read, nobody knows which records it will show. */
export function isAbout(source: LiveSource, state: Outline | undefined, isReading: boolean, change: CollectionChange): boolean {
  const { model, concern, idText } = source;
  const { leaf } = model.id;
  if (change.collection !== model.collection) return false;
  if (idText !== undefined) return change.id === undefined || isTheRecord(source, state, isReading, change);
  if (!concern || isReading) return true;
  return mayChange(concern, change, (id) => {
    const text = textOfId(leaf, id);
    return state?.kind !== 'list' || state.isCut || text === undefined || state.prints.has(text);
  });
}

/** Without a record, any new one may have an id that a collation calls equal to the one that is asked for. */
function isTheRecord(
  { model, idText }: LiveSource,
  state: Outline | undefined,
  isReading: boolean,
  { id, keys }: CollectionChange,
): boolean {
  const text = textOfId(model.id.leaf, id);
  const shown = state?.kind === 'record' ? state.idText : undefined;
  if (text === undefined || text === idText || text === shown) return true;
  return shown === undefined && (keys === undefined || isReading);
}
