import { BSON } from 'mongodb';
import { isError } from '../server-error.ts';
import type { Detail } from './detail.ts';

type Members = Readonly<Record<string, unknown>>;

/** What an answer of the driver says of its work, by the names that the driver gives it. */
const counts = ['n', 'nModified', 'insertedCount', 'matchedCount', 'modifiedCount', 'upsertedCount', 'deletedCount'];

/** Shows what a call of the driver has returned: how many documents, and their size as BSON; or what it has counted. */
export function showResult(result: unknown): string {
  if (Array.isArray(result)) return showDocuments(result);
  if (typeof result === 'number') return `${result}`;
  if (typeof result !== 'object' || result === null) return 'no document';
  const { cursor, acknowledged, ok, ...members } = result as Members & { readonly cursor?: { readonly firstBatch?: readonly unknown[] } };
  if (cursor?.firstBatch) return showDocuments(cursor.firstBatch);
  if (acknowledged === undefined && ok === undefined) return showDocuments([result]);
  const told = counts.filter((name) => typeof members[name] === 'number').map((name) => `${name} ${members[name]}`);
  return told.length > 0 ? told.join(', ') : 'done';
}

export function showDocuments(found: readonly unknown[]): string {
  if (found.length === 0) return 'no document';
  const bytes = found.reduce<number>((sum, one) => sum + sizeOf(one), 0);
  return `${found.length} document${found.length === 1 ? '' : 's'}, ${bytes} bytes`;
}

function sizeOf(document: unknown): number {
  return ArrayBuffer.isView(document) ? document.byteLength : BSON.calculateObjectSize(document as BSON.Document);
}

/**
 * Shows why a call has failed. The message of the database may have values of the record, such as those of a duplicate
 * key.
 */
export function showFailure(error: unknown, detail: Detail): string {
  if (!isError(error)) return 'failed';
  const { name, code, codeName, message } = error as Error & { readonly code?: unknown; readonly codeName?: unknown };
  const what = ['failed:', name, code, codeName].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
  return detail === 'values' ? `${what}: ${message}` : what;
}
