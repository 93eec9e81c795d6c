import type { ListedRecord, Page } from './answers.ts';
import type { Query } from './client.ts';

/** Which records of a list are asked for. */
export interface Range {
  readonly offset: number;
  readonly count: number;
}

/** Records of a list, and whether there are more behind them. */
export interface Rows {
  readonly data: readonly ListedRecord[];
  readonly hasNext: boolean;
  /** If it was asked for. */
  readonly total?: number | undefined;
}

/** Asks for one page, with these parameters besides those of the list. */
export type AskPage = (query: Query) => Promise<Page>;

/** The cursors of a list that are known, by the number of records before them. */
export type Positions = Map<number, string>;

/**
 * How many records a list by cursor skips at most to reach a page: one request skips as many as the largest page has.
 */
const maxSkip = 10_000;

/**
 * Reads a range of a list by cursor. It begins at the nearest cursor before it, and keeps the cursors that it passes.
 * The pages of the api may be smaller than what is asked for; then it asks again.
 */
export async function readByCursor(ask: AskPage, positions: Positions, { offset, count }: Range): Promise<Rows> {
  let at = Math.max(0, ...[...positions.keys()].filter((known) => known <= offset));
  if (offset - at > maxSkip)
    throw new RangeError(`This page is too far away: a list by cursor skips at most ${maxSkip} records. Filter it.`);
  const data: ListedRecord[] = [];
  let total: number | undefined;
  let hasNext = true;
  while (hasNext && at < offset + count) {
    const cursor = positions.get(at);
    const limit = at < offset ? offset - at : offset + count - at;
    const answer = await ask([['limit', String(limit)], ...(cursor === undefined ? [] : [['after', cursor] as const])]);
    if (at >= offset) data.push(...answer.data);
    at += answer.data.length;
    total ??= answer.page.total;
    const next = answer.page.has_next && answer.data.length > 0 ? answer.page.next_cursor : undefined;
    hasNext = typeof next === 'string';
    if (typeof next === 'string') remember(positions, at, next);
  }
  return { data, hasNext, total };
}

/** A new cursor at a known place means that records have come or gone before it: later ones do not fit any more. */
function remember(positions: Positions, at: number, cursor: string): void {
  if (positions.get(at) === cursor) return;
  for (const known of [...positions.keys()]) if (known > at) positions.delete(known);
  positions.set(at, cursor);
}

/**
 * Reads a range of a list by number. Where the largest page of the api is smaller than what is asked for, it reads
 * several. That size may show once: if it changed with each answer, no number would lead anywhere.
 */
export async function readByNumber(ask: AskPage, { offset, count }: Range): Promise<Rows> {
  let size = count;
  let at = offset;
  let total: number | undefined;
  let hasNext = true;
  const data: ListedRecord[] = [];
  while (hasNext && data.length < count) {
    const number = Math.floor(at / size) + 1;
    const answer = await ask([
      ['limit', String(size)],
      ['page', String(number)],
    ]);
    total ??= answer.page.total;
    if (answer.page.size !== size && size !== count) throw new Error('This list cannot be read: the size of its pages changes.');
    const isAsItWasAsked = answer.page.size === size || number === 1;
    size = answer.page.size;
    if (!isAsItWasAsked) continue;
    const first = at - (number - 1) * size;
    const rows = answer.data.slice(first, first + count - data.length);
    data.push(...rows);
    at += rows.length;
    hasNext = rows.length > 0 && (answer.page.has_next || first + rows.length < answer.data.length);
  }
  return { data, hasNext, total };
}
