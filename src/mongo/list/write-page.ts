import { type Included, TooMuchIncluded } from '../../model/read/included.ts';
import { JsonOutput } from '../../model/value/json-output.ts';
import type { StoredRecord } from '../stored-record.ts';
import { inReadingOrder, type Page, shortenPage, type WrittenRecords } from './build-page.ts';

/** A page with the JSON of its records. */
export type WrittenPage = Page & { readonly written: WrittenRecords };

/**
 * Writes the records of a page in the order in which they were read: as many as fit, and at least one. The page then ends behind the last of
 * them. A page that is already written is returned as it is.
 *
 * Throws `invalid_query` (400) if a page by number would have to end early, and if the included records of the first record are too large.
 */
export function writePage(page: Page, included?: Included): WrittenPage {
  const { written, records, direction, maxPageBytes } = page;
  if (written?.of === records) return { ...page, written };
  const ends = writeFitting(inReadingOrder(page), included, maxPageBytes);
  const json = direction === 1 ? output.take() : reverseItems(output.take(), ends);
  const shown = ends.length < records.length ? shortenPage(page, ends.length) : page;
  return { ...shown, written: { of: shown.records, json } };
}

/** Shared by all pages, because a page is written synchronously. */
const output = new JsonOutput();

/** Writes an array of the first records, as many as fit, and returns the end of each of them. */
function writeFitting(records: readonly StoredRecord[], included: Included | undefined, maxPageBytes: number): number[] {
  const ends: number[] = [];
  output.clear();
  output.byte(openBracket);
  for (const record of records) {
    const before = output.length;
    if (ends.length > 0) output.byte(comma);
    const left = maxPageBytes - output.length - 1; // the bracket at the end
    const fits = ends.length === 0 ? write(record, included?.within(maxPageBytes)) : writeWithin(record, included, left);
    if (ends.length > 0 && (!fits || output.length + 1 > maxPageBytes)) {
      output.length = before;
      break;
    }
    ends.push(output.length);
  }
  output.byte(closeBracket);
  return ends;
}

function write(record: StoredRecord, included: Included | undefined): boolean {
  record.writeTo(output, included);
  return true;
}

/** Writes a record, and returns false if the records that are included in it leave no room. */
function writeWithin(record: StoredRecord, included: Included | undefined, left: number): boolean {
  try {
    return write(record, included?.within(left));
  } catch (error) {
    if (error instanceof TooMuchIncluded) return false;
    throw error;
  }
}

/** Reverses a JSON array. `ends` are the ends of its items. */
function reverseItems(json: Buffer, ends: readonly number[]): Buffer {
  const items = ends.map((end, index) => json.subarray((ends[index - 1] ?? 0) + 1, end)).reverse();
  return Buffer.concat([
    brackets.subarray(0, 1),
    ...items.flatMap((item, index) => (index > 0 ? [between, item] : [item])),
    brackets.subarray(1),
  ]);
}

const openBracket = 0x5b;
const comma = 0x2c;
const closeBracket = 0x5d;
const brackets = Buffer.of(openBracket, closeBracket);
const between = Buffer.of(comma);
