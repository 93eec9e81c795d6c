import { isObject } from './is-object.ts';

/** A record as the api answers it. */
export interface ListedRecord {
  readonly id: string | number;
  readonly [field: string]: unknown;
}

/** The answer of a read or a write of one record. */
export interface RecordAnswer {
  readonly data: ListedRecord;
}

/** A page as a list answers it. */
export interface Page {
  readonly data: readonly ListedRecord[];
  readonly page: {
    readonly size: number;
    readonly has_next: boolean;
    readonly next_cursor?: string | null;
    readonly total?: number;
  };
}

/** The caller says what type the records have; nothing checks it. */
export function answer<Result>(data: unknown): { data: Result } {
  return { data: data as Result };
}

/** Whether JSON is what the api answers, and not what a proxy or a server of pages does. */
export function isRecordAnswer(json: unknown): json is RecordAnswer {
  return isObject(json) && isRecord(json.data);
}

/** Whether JSON is a page of a list by number. */
export function isPage(json: unknown): json is Page {
  if (!isObject(json) || !Array.isArray(json.data) || !json.data.every(isRecord) || !isObject(json.page)) return false;
  const { size, has_next, total = 0 } = json.page;
  return typeof size === 'number' && Number.isInteger(size) && size >= 1 && typeof has_next === 'boolean' && typeof total === 'number';
}

/** Whether JSON is a page of a list by cursor: without the next cursor, the list would begin anew. */
export function isCursorPage(json: unknown): json is Page {
  return isPage(json) && (!json.page.has_next || (typeof json.page.next_cursor === 'string' && json.page.next_cursor !== ''));
}

/** Whether there is no body, as after a delete. */
export function isNothing(json: unknown): json is undefined {
  return json === undefined;
}

function isRecord(value: unknown): value is ListedRecord {
  return isObject(value) && (typeof value.id === 'string' || typeof value.id === 'number');
}
