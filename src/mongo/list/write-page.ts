import { type Included, TooMuchIncluded } from '../../model/read/included.ts';
import type { StoredRecord } from '../stored-record.ts';
import { inReadingOrder, type Page, shortenPage, type WrittenRecords } from './build-page.ts';

/** A page with the JSON of its records. */
export type WrittenPage = Page & { readonly written: WrittenRecords };

/**
 * Writes the records of a page, each once, as many as there is room for: from where the page begins, and always one.
 * The page then ends behind the last of them. A page that has been written already is left as it is.
 *
 * Throws `invalid_query` (400) where a page by number would have to end early, and where the records that `include` embeds in the first one
 * are too large alone.
 */
export function writePage(page: Page, included?: Included): WrittenPage {
  const { written, records, direction, maxPageBytes } = page;
  if (written?.of === records) return { ...page, written };
  const texts = writeFitting(inReadingOrder(page), included, maxPageBytes);
  const shown = texts.length < records.length ? shortenPage(page, texts.length) : page;
  if (direction === -1) texts.reverse();
  return { ...shown, written: { of: shown.records, text: `[${texts.join(',')}]` } };
}

function writeFitting(records: readonly StoredRecord[], included: Included | undefined, maxPageBytes: number): string[] {
  const texts: string[] = [];
  let left = maxPageBytes - '[]'.length + ','.length; // one comma less than there are records
  for (const record of records) {
    const text = texts.length === 0 ? record.toText(included?.within(maxPageBytes)) : writeWithin(record, included, left);
    if (text === undefined) break;
    left -= Buffer.byteLength(text) + ','.length;
    if (left < 0 && texts.length > 0) break;
    texts.push(text);
  }
  return texts;
}

/** Undefined where what is included in it takes all the room: it would be written in vain. */
function writeWithin(record: StoredRecord, included: Included | undefined, left: number): string | undefined {
  try {
    return record.toText(included?.within(left));
  } catch (error) {
    if (error instanceof TooMuchIncluded) return undefined;
    throw error;
  }
}
