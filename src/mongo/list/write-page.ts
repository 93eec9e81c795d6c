import { type Included, TooMuchIncluded } from '../../model/relations/included.ts';
import { JsonOutput } from '../../model/value/json-output.ts';
import { Lane, pause } from '../driver/turn.ts';
import type { Work } from '../driver/work.ts';
import type { StoredRecord } from '../stored-record.ts';
import { describePage, inReadingOrder, type Page, shortenPage, type WrittenRecords } from './build-page.ts';

/** How many bytes of records are written without a pause. */
const mostBytes = 1_048_576;

/** A page with the JSON of its records. */
export type WrittenPage = Page & { readonly written: WrittenRecords };

/**
 * Writes the records of a page in the order in which they were read: as many as fit, and at least one. The page then
 * ends behind the last of them. A page that is already written is returned as it is.
 *
 * Other requests run between the records of a large page. Of several large pages, one is written at a time: if they
 * took turns, each would stay in memory for as long as all of them take.
 *
 * Throws `invalid_query` (400) if a page by number would have to end early, and if the included records of the first
 * record are too large. Throws the reason behind a pause if the client has gone, or the request was given up.
 */
export function writePage(page: Page, work: Work, included?: Included): WrittenPage | Promise<WrittenPage> {
  const { written, records } = page;
  return written?.of === records ? (page as WrittenPage) : writeAnew(page, work, included);
}

async function writeAnew(page: Page, work: Work, included: Included | undefined): Promise<WrittenPage> {
  const { records, direction } = page;
  const output = spare.pop() ?? new JsonOutput();
  let leave: (() => void) | undefined;
  async function rest(): Promise<void> {
    if (output.length > mostBytes) leave ??= await large.enter();
    await pause();
    work.refuseIfGone();
  }
  try {
    const ends = await writeFitting(output, page, included, rest);
    const end = output.length;
    const shown = ends.length < records.length ? shortenPage(page, ends.length) : page;
    const after = textAfter(shown);
    output.text(after);
    if (output.length > mostBytes) await rest(); // taking it copies it
    const body = direction === 1 ? output.take() : reverseItems(output.take(), ends, end);
    if (body.length > mostBytes) await rest();
    const json = body.subarray(before.length, end);
    return Object.assign({}, shown, { written: { of: shown.records, json, ends, body, after } }); // no spread, as in `both`
  } finally {
    leave?.();
    output.clear();
    if (spare.length === 0) spare.push(output);
  }
}

/**
 * The answer with a page. It was written together with the records: a second buffer of their size for each answer would
 * let V8 collect its whole heap more often, because it counts buffers that nobody holds any more until it looks.
 */
export function bodyOf(page: WrittenPage): Buffer {
  const { written } = page;
  const after = textAfter(page);
  return after === written.after ? written.body : Buffer.concat([before, written.json, Buffer.from(after)]);
}

function textAfter(page: Page): string {
  return `,"page":${JSON.stringify(describePage(page))}}`;
}

/** Where large pages wait for one another. */
const large = new Lane();

/** The output of the last page. A page takes it, because another one may be written while it pauses. */
const spare: JsonOutput[] = [];

/** Writes {@link before} and an array of the first records, as many as fit. Returns the end of each in the array. */
async function writeFitting(output: JsonOutput, page: Page, included: Included | undefined, rest: () => Promise<void>): Promise<number[]> {
  const ends: number[] = [];
  let sincePause = 0;
  output.clear();
  output.raw(before);
  output.byte(openBracket);
  for (const record of inReadingOrder(page)) {
    if (sincePause >= mostBytes) {
      await rest();
      sincePause = 0;
    }
    const begin = output.length;
    if (!writeNext(output, record, included, page.maxPageBytes)) {
      output.length = begin;
      break;
    }
    ends.push(written(output));
    sincePause += record.size + output.length - begin;
  }
  output.byte(closeBracket);
  return ends;
}

/** How many bytes of the array are written. */
function written({ length }: JsonOutput): number {
  return length - before.length;
}

/** Writes a record, and returns false if it is not the first and does not fit. */
function writeNext(output: JsonOutput, record: StoredRecord, included: Included | undefined, maxPageBytes: number): boolean {
  if (written(output) === 1) {
    record.writeTo(output, included?.within(maxPageBytes));
    return true;
  }
  output.byte(comma);
  try {
    record.writeTo(output, included?.within(maxPageBytes - written(output) - 1)); // the bracket at the end
  } catch (error) {
    if (error instanceof TooMuchIncluded) return false;
    throw error;
  }
  return written(output) + 1 <= maxPageBytes;
}

/** Reverses the array, which ends at `end`. `ends` are the ends of its items in it. */
function reverseItems(body: Buffer, ends: readonly number[], end: number): Buffer {
  const json = body.subarray(before.length, end);
  const items = ends.map((itemEnd, index) => json.subarray((ends[index - 1] ?? 0) + 1, itemEnd)).reverse();
  return Buffer.concat([
    before,
    brackets.subarray(0, 1),
    ...items.flatMap((item, index) => (index > 0 ? [between, item] : [item])),
    brackets.subarray(1),
    body.subarray(end),
  ]);
}

const before = Buffer.from('{"data":');
const openBracket = 0x5b;
const comma = 0x2c;
const closeBracket = 0x5d;
const brackets = Buffer.of(openBracket, closeBracket);
const between = Buffer.of(comma);
