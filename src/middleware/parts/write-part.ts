import type { StoredRecord } from '../../mongo/stored-record.ts';
import type { Context, ResourceMiddleware } from './context.ts';

/** What a middleware that writes one record knows of it, for `withinTransaction`. */
export interface WritePart {
  readonly kind: 'insert' | 'update' | 'remove';
  /** Reads the record that an update is about to change: 404 or 412 if it cannot be changed. */
  readonly findBefore?: (ctx: Context) => Promise<StoredRecord>;
}

interface Writes {
  readonly writePart?: WritePart;
}

/** Attaches to a middleware what it knows of the record that it writes. */
export function withWritePart(writePart: WritePart, middleware: ResourceMiddleware): ResourceMiddleware {
  return Object.assign(middleware, { writePart } satisfies Writes);
}

/** What a middleware knows of the record that it writes; undefined if it is not `insert`, `update`, `remove` or `restore`. */
export function writePartOf(middleware: ResourceMiddleware): WritePart | undefined {
  return (middleware as Writes).writePart;
}
