import { createHash } from 'node:crypto';
import { isProblem } from '../../../errors.ts';
import type { Context } from '../../../middleware/exchange/context.ts';
import { workOf } from '../../../middleware/exchange/exchange.ts';
import { missing } from '../../../middleware/exchange/order.ts';
import { withViews } from '../../../middleware/views/asked-rules.ts';
import { JsonOutput } from '../../../model/value/json-output.ts';
import { Turn } from '../../../mongo/driver/turn.ts';
import { describePage } from '../../../mongo/list/build-page.ts';
import { writePage } from '../../../mongo/list/write-page.ts';
import type { Kept } from '../kept-bytes.ts';
import type { Behind } from './interest.ts';
import { digestBy, type ListOutline, type Outline, outlineOfList, outlineOfRecord, printOf, type RecordOutline } from './outline.ts';

/** The first page of a list, as a chain has read it. */
export interface ListState extends Kept {
  readonly kind: 'list';
  readonly outline: ListOutline;
  /** The JSON of its records: an array. */
  readonly json: Buffer;
  /** The ends of the records in it. */
  readonly ends: readonly number[];
  readonly behind: Behind;
}

/** A record, as a chain has read it. */
export interface RecordState extends Kept {
  readonly kind: 'record';
  readonly outline: RecordOutline;
  /** Undefined if there is none that the caller may see. */
  readonly json: Buffer | undefined;
  readonly entityTag: string | undefined;
}

/** What a chain has read. It may be large: what is kept of it is its outline. */
export type State = ListState | RecordState;

/**
 * Makes the state of what a chain has read into a context. Other requests run between the records of a large one.
 * `known` is the outline of the state before, which is kept if the new one is the same.
 */
export async function listStateOf(ctx: Context, known: Outline | undefined): Promise<ListState> {
  const read = ctx.page ?? missing('page', 'live');
  const isAsRead = read.written?.of === read.records; // no hook has put others there
  const { records, written, ...page } = await writePage(read, workOf(ctx), ctx.included);
  const { json, ends } = written;
  const turn = new Turn();
  const entries: [string, string][] = [];
  const made = createHash('sha256');
  let hashed = 0;
  for (const [index, { idText }] of records.entries()) {
    entries.push([idText, printOf(itemOf(json, ends, index))]);
    const end = ends[index] as number;
    if (end - hashed < stepBytes) continue;
    made.update(json.subarray(hashed, end));
    hashed = end;
    await turn.pass();
  }
  const described = JSON.stringify(describePage({ ...page, records }));
  const digest = digestBy(made.update(json.subarray(hashed)).update(`\n${described}\n`));
  const outline = outlineOfList(entries, { digest, page: described, isCut: page.hasNext && records.length < page.size });
  const ofNext = page.hasNext ? (page.behind?.idText ?? 'unknown') : undefined;
  const behind = isAsRead ? ofNext : 'unknown';
  return { kind: 'list', outline: theSame(known, outline), json, ends, behind, bytes: json.length };
}

/** At least so many bytes go into a digest at a time. */
const stepBytes = 65_536;

/** The JSON of one of the records of a list. */
export function itemOf(json: Buffer, ends: readonly number[], index: number): Buffer {
  return json.subarray((ends[index - 1] ?? 0) + 1, ends[index]);
}

/** The same for a single record: 404 is a state, too. */
export async function recordStateOf(ctx: Context, known: Outline | undefined, read: () => Promise<void>): Promise<RecordState> {
  try {
    await read();
  } catch (error) {
    if (!isProblem(error) || error.code !== 'not_found') throw error;
    return { kind: 'record', outline: theSame(known, outlineOfRecord(undefined, 'gone')), json: undefined, entityTag: undefined, bytes: 0 };
  }
  const given = ctx.record ?? missing('record', 'live');
  const record = given.model.needsView ? await withViews(ctx, (see) => given.in(see(given.model))) : given;
  const output = new JsonOutput();
  record.writeTo(output, ctx.included);
  const json = output.take();
  const { entityTag, idText } = record;
  const outline = outlineOfRecord(idText, json, entityTag ?? '');
  return { kind: 'record', outline: theSame(known, outline), json, entityTag, bytes: json.length };
}

/** An outline is kept once: those of a state that was read again are equal. */
function theSame<Some extends Outline>(known: Outline | undefined, outline: Some): Some {
  return known?.digest === outline.digest ? (known as Some) : outline;
}
