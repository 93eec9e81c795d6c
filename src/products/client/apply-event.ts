/** A record, as JSON has it. */
export interface AnyRecord {
  readonly id?: unknown;
  readonly [field: string]: unknown;
}

/** The page of a list. */
export interface Page {
  readonly size: number;
  readonly has_next: boolean;
}

/** The state of a list: what its JSON answer would be now. */
export interface LiveList<Record = AnyRecord, PageOf = Page> {
  readonly data: readonly Record[];
  readonly page: PageOf;
}

/** The state of a record. `data` is null while it is not there for this caller. */
export interface LiveRecord<Record = AnyRecord> {
  readonly data: Record | null;
  /** For `If-Match`. Absent if the model has no revision. */
  readonly etag?: string;
}

/** The state of a list or a record. */
export type LiveState = LiveList | LiveRecord;

interface Change {
  readonly put?: readonly AnyRecord[];
  readonly remove?: readonly unknown[];
  readonly order?: readonly unknown[];
  readonly page?: Page;
}

/**
 * The state after an event. Nothing is changed in place, and what is the same as before is the same object: a component
 * that shows a record is not drawn again because another one has changed. Undefined for an event that it does not know;
 * throws if the event does not fit the state, and for a change of a list whose ids do not tell its records apart, which
 * the service sends as a page.
 */
export function applyEvent(state: LiveState | undefined, name: string, data: unknown): LiveState | undefined {
  if (name === 'gone') return keep(state, { data: null });
  if (name === 'record') {
    const record = data as LiveRecord;
    return keep(state, { ...record, data: keep(state?.data as AnyRecord, record.data) });
  }
  if (name === 'same') return state;
  if (name !== 'page' && name !== 'change') return undefined;
  const list = state as LiveList | undefined;
  const before = new Map(list?.data.map((record) => [record.id, record]));
  const known = (record: AnyRecord) => keep(before.get(record.id), record);
  if (name === 'page') {
    const { data: records, page } = data as LiveList;
    return keep(state, { data: records.map(known), page: keep(list?.page, page) });
  }
  if (!list) return undefined;
  const { put = [], remove = [], order, page } = data as Change;
  const after = new Map(before); // in the order of the list: a known id keeps its place, and a new one comes last
  for (const id of remove) after.delete(id);
  for (const record of put) after.set(record.id, known(record));
  if (before.size < list.data.length || [...before.keys(), ...after.keys()].some(isRounded))
    throw new Error('The records of the list cannot be told apart by their ids.');
  const records = order ? order.map((id) => after.get(id)) : [...after.values()];
  if (records.length !== after.size || records.includes(undefined))
    throw new Error('The order of the list names other records than the list has.');
  return { data: records as AnyRecord[], page: keep(list.page, page ?? list.page) };
}

/** Whether the id may be one of several: `JSON.parse` rounds integers beyond 2^53. */
function isRounded(id: unknown): boolean {
  return Number.isInteger(id) && !Number.isSafeInteger(id);
}

/** The value as it was, if it is the same JSON. */
function keep<Value>(before: Value | undefined, value: Value): Value {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(value) ? before : value;
}
