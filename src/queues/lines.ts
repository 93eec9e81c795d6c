import { BSON } from 'mongodb';
import type { DueRow, Line } from './queue-rows.ts';

/** A line with due rows. */
export interface Candidate {
  /** The same text for the same line. */
  readonly key: string;
  readonly line: Line;
  readonly ids: unknown[];
}

/** A line that a worker handles. */
export interface Busy {
  /** Puts off others of its rows, which were found meanwhile. */
  parking?: Promise<unknown>;
}

/** Why a worker leaves a line: no row is left that it could have, or the first one waits, or others have their turn. */
export type Left = 'done' | 'waiting' | 'turn over';

/**
 * The lines of due rows, each with its rows in order. Workers try them in different orders, so that they rarely meet.
 */
export function linesOf(due: readonly DueRow[]): Candidate[] {
  const lines = new Map<string, Candidate>();
  for (const { id, line } of due.toSorted((one, other) => (one.place < other.place ? -1 : 1))) {
    const key = BSON.EJSON.stringify(Object.values(line), { relaxed: false });
    const candidate = lines.get(key) ?? { key, line, ids: [] };
    lines.set(key, candidate);
    candidate.ids.push(id);
  }
  return shuffle([...lines.values()]);
}

/** Whether two ids of rows are equal. */
export function isSame(one: unknown, other: unknown): boolean {
  return BSON.EJSON.stringify([one]) === BSON.EJSON.stringify([other]);
}

function shuffle<T>(items: T[]): T[] {
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items;
}
