import { textOfId } from '../../../mongo/changes/audience.ts';
import type { Interest } from '../../../mongo/changes/by-values.ts';
import type { CollectionChange } from '../../../mongo/changes/change.ts';
import type { LiveSource } from '../live-source.ts';
import { mayChange } from './concern.ts';
import type { Outline } from './outline.ts';

/**
 * Of which changes of its collection a state has to hear: all for which {@link isAbout} is true. Undefined if only
 * `isAbout` can tell.
 */
export function interestIn(source: LiveSource, state: Outline, behind: Behind): Interest | undefined {
  const { model, concern, idText, related, isShared } = source;
  const { collection, id } = model;
  if (related.has(collection)) return undefined;
  const { leaf } = id;
  if (state.kind === 'record') {
    const ids = [idText, state.idText].filter((text) => text !== undefined);
    return { ...nothingOf({ model }), ids, wholes: state.idText === undefined };
  }
  if (!concern?.deciding || state.isCut) return undefined;
  const { deciding: keys, equal } = concern;
  const ids = [...state.prints.keys()];
  // What is not shared may depend on more than the database is asked for, as what hooks show.
  if (behind === 'unknown' || !isShared) return { leaf, ids, keys, wholes: true, equal: [], former: true };
  return { leaf, ids: behind === undefined ? ids : [...ids, behind], keys, wholes: true, equal, former: false };
}

/**
 * The JSON text of the id of the record behind the page. As long as that one stays in the list, there is a next page,
 * whoever else leaves it. Undefined if the page is the last one.
 */
export type Behind = string | 'unknown' | undefined;

/** What a state that is read again anyway has to hear of its collection. */
export function nothingOf({ model }: Pick<LiveSource, 'model'>): Interest {
  return { leaf: model.id.leaf, ids: [], keys: none, wholes: false, equal: [], former: false };
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
