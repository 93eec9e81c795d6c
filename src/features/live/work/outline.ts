import { createHash, type Hash, hash } from 'node:crypto';
import type { Kept } from '../kept-bytes.ts';

/** What is kept of a list that a client was sent: enough to tell what another state changes in it. */
export interface ListOutline extends Kept {
  readonly kind: 'list';
  /** A digest of all that it shows. */
  readonly digest: string;
  /**
   * A print of each record by the JSON text of its id, in the order of the list: equal prints, equal JSON. Records with
   * one text are one.
   */
  readonly prints: ReadonlyMap<string, string>;
  /** Whether every client can tell its records apart by their ids. */
  readonly hasClearIds: boolean;
  /** The JSON of the page without its records. */
  readonly page: string;
  /** Whether it has ended early, so that a smaller record behind its end could be shown. */
  readonly isCut: boolean;
}

/** What is kept of a record that a client was sent. */
export interface RecordOutline extends Kept {
  readonly kind: 'record';
  readonly digest: string;
  /**
   * The JSON text of its id, which a collation may call equal to another one that was asked for. Undefined if there is
   * no record that the caller may see.
   */
  readonly idText: string | undefined;
}

export type Outline = ListOutline | RecordOutline;

/** The outline of a list whose records have these ids and prints. */
export function outlineOfList(
  entries: readonly (readonly [idText: string, print: string])[],
  shown: Pick<ListOutline, 'digest' | 'page' | 'isCut'>,
): ListOutline {
  const { digest, page, isCut } = shown;
  const prints = new Map(entries);
  let bytes = bytesOfOutline + page.length;
  for (const [idText, print] of prints) bytes += bytesOfRecord + idText.length + print.length;
  return {
    kind: 'list',
    digest,
    prints,
    hasClearIds: prints.size === entries.length && [...prints.keys()].every(isClear),
    page,
    isCut,
    bytes,
  };
}

/** The outline of a record, of which `digested` is all that is shown. */
export function outlineOfRecord(idText: string | undefined, ...digested: readonly (Buffer | string)[]): RecordOutline {
  const made = createHash('sha256');
  for (const part of digested) made.update(part).update('\n');
  return { kind: 'record', digest: digestBy(made), idText, bytes: bytesOfOutline };
}

/** About how many bytes of memory an outline takes, and each record in it, beside its texts: measured. */
const [bytesOfOutline, bytesOfRecord] = [1_000, 300];

/**
 * A text for the JSON of a record, to compare it by. A digest is shorter than a long one, but takes longer to make than
 * it takes to copy a short one. No digest begins as the JSON of a record does.
 */
export function printOf(json: Buffer): string {
  return json.length <= shortBytes ? json.toString('latin1') : hash('sha256', json, 'base64');
}

const shortBytes = 256;

/**
 * Whether a client that reads numbers as doubles can tell an id from all others by its JSON text: JavaScript rounds
 * integers beyond 2^53 to their neighbours.
 */
function isClear(idText: string): boolean {
  const number = Number(idText); // NaN for a string in its quotes
  return !Number.isInteger(number) || Number.isSafeInteger(number);
}

/** The digest of a state, as text, once all that it shows has gone into the hash. */
export function digestBy(made: Hash): string {
  return made.digest('base64url').slice(0, 22); // 128 bits: whoever could find two states with one would only fool himself
}
