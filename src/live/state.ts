import { createHash } from 'node:crypto';
import { isProblem } from '../errors.ts';
import type { Context } from '../middleware/exchange/context.ts';
import { workOf } from '../middleware/exchange/exchange.ts';
import { missing } from '../middleware/exchange/order.ts';
import { withViews } from '../middleware/views/asked-rules.ts';
import { JsonOutput } from '../model/value/json-output.ts';
import { describePage } from '../mongo/list/build-page.ts';
import { writePage } from '../mongo/list/write-page.ts';

/** The first page of a list, as a client was or will be sent it. */
export interface ListState {
  readonly kind: 'list';
  /** A digest of all that it shows. */
  readonly digest: string;
  /** The JSON of its records: an array. */
  readonly json: Buffer;
  /** The JSON of each record by the JSON text of its id, in the order of the list. Records with one text are one. */
  readonly records: ReadonlyMap<string, Buffer>;
  /** Whether every client can tell its records apart by their ids. */
  readonly hasClearIds: boolean;
  /** The JSON of the page without its records. */
  readonly page: string;
  /** Whether it has ended early, so that a smaller record behind its end could be shown. */
  readonly isCut: boolean;
}

/** A record, as a client was or will be sent it. */
export interface RecordState {
  readonly kind: 'record';
  readonly digest: string;
  /** The JSON text of its id, which a collation may call equal to another one that was asked for. */
  readonly idText: string | undefined;
  /** Undefined if there is none that the caller may see. */
  readonly json: Buffer | undefined;
  readonly entityTag: string | undefined;
}

export type State = ListState | RecordState;

/** Makes the state of what a chain has read into a context. */
export async function listStateOf(ctx: Context): Promise<ListState> {
  const { records, written, ...page } = await writePage(ctx.page ?? missing('page', 'live'), workOf(ctx), ctx.included);
  const { json, ends } = written;
  const items = records.map((record, index) => [record.idText, json.subarray((ends[index - 1] ?? 0) + 1, ends[index])] as const);
  const byId = new Map(items);
  const described = JSON.stringify(describePage({ ...page, records }));
  return {
    kind: 'list',
    digest: digestOf(json, described),
    json,
    records: byId,
    hasClearIds: byId.size === items.length && [...byId.keys()].every(isClear),
    page: described,
    isCut: page.hasNext && records.length < page.size,
  };
}

/**
 * Whether a client that reads numbers as doubles can tell an id from all others by its JSON text: JavaScript rounds
 * integers beyond 2^53 to their neighbours.
 */
function isClear(idText: string): boolean {
  const number = Number(idText); // NaN for a string in its quotes
  return !Number.isInteger(number) || Number.isSafeInteger(number);
}

/** The same for a single record: 404 is a state, too. */
export async function recordStateOf(ctx: Context, read: () => Promise<void>): Promise<RecordState> {
  try {
    await read();
  } catch (error) {
    if (!isProblem(error) || error.code !== 'not_found') throw error;
    return { kind: 'record', digest: digestOf('gone'), idText: undefined, json: undefined, entityTag: undefined };
  }
  const given = ctx.record ?? missing('record', 'live');
  const record = given.model.needsView ? await withViews(ctx, (see) => given.in(see(given.model))) : given;
  const output = new JsonOutput();
  record.writeTo(output, ctx.included);
  const json = output.take();
  const { entityTag, idText } = record;
  return { kind: 'record', digest: digestOf(json, entityTag ?? ''), idText, json, entityTag };
}

/** Text of 128 bits: whoever could find two states with one digest would only fool himself. */
function digestOf(...parts: readonly (Buffer | string)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\n');
  return hash.digest('base64url').slice(0, 22);
}
