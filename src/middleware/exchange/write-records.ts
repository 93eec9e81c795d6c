import { invalidQuery } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isObject } from '../../model/value/plain-object.ts';
import type { Page } from '../../mongo/list/build-page.ts';
import { writePage } from '../../mongo/list/write-page.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import { Invalid } from '../../rules.ts';
import { withViews } from '../views/asked-rules.ts';
import type { Context } from './context.ts';
import { exchangeOf } from './exchange.ts';
import { recordOf } from './write-result.ts';

/** A page of records, as a handler with `answer: 'page'` returns it. */
export interface RecordsPage<Doc = unknown> {
  /** The records of the page, in their order. */
  readonly records: readonly Doc[];
  /** The cursor of the next page: `next_cursor` of the answer. @default null: this page is the last */
  readonly next?: string | null;
  /** How many records were asked for: `size` of the answer. @default the number of records */
  readonly size?: number;
  /** The number of all matches. @default not known: the answer has no `total` */
  readonly total?: number;
}

/**
 * Compiles how the records that a handler returned are written, as the caller may see them: `{"data": […]}`, and with
 * `answer: 'page'` also `"page": {…}`. It throws an Error if they are something else, and `invalid_query` (400) if they
 * have too many bytes. Without `model`, they may be of any model.
 */
export function compileWriteRecords(
  model: CompiledModel | undefined,
  answer: 'records' | 'page',
  maxPageBytes: number,
): (value: unknown, ctx: Context) => Promise<Buffer> {
  return async function writeRecords(value, ctx) {
    const { records: given, ...page } = answer === 'page' ? readPage(value) : { records: value };
    const found = readRecords(given, answer, model);
    for (const record of found) ctx.noted?.add(record);
    const records = await withViews(ctx, (see) => found.map((record) => record.in(see(record.model))));
    const json = await writeArray(records, Math.min(maxPageBytes, ctx.pageBytes ?? maxPageBytes), ctx);
    const end = answer === 'page' ? `,"page":${describePage(page, records.length)}}` : '}';
    return Buffer.concat([beforeData, json, Buffer.from(end)]);
  };
}

/** A page of a list would end early. Here only the handler knows what comes next. */
async function writeArray(records: readonly StoredRecord[], maxPageBytes: number, ctx: Context): Promise<Buffer> {
  const page: Page = {
    records,
    maxPageBytes,
    size: records.length,
    total: undefined,
    direction: 1,
    hasNext: false,
    place: { mode: 'offset', number: 1 },
    endAt: () => refuseBytes(maxPageBytes),
  };
  const { written } = await writePage(page, exchangeOf(ctx).work);
  return written.json;
}

const beforeData = Buffer.from('{"data":');

function refuseBytes(limit: number): never {
  const tooLarge = new Invalid('page_too_large', `leads to an answer of more than ${limit} bytes: ask for fewer records`, { limit });
  throw invalidQuery([tooLarge.at('')], `The answer would have more than ${limit} bytes: ask for fewer records.`);
}

function readRecords(given: unknown, answer: 'records' | 'page', model: CompiledModel | undefined): readonly StoredRecord[] {
  if (!Array.isArray(given)) throw new Error(`An operation with \`answer: '${answer}'\` must return an array of records${inPage(answer)}.`);
  return Array.from(given, (one: unknown, index) => {
    const record = recordOf(one);
    if (record && (!model || (record.isOf(model) && record.model.name === model.name))) return record;
    const ofModel = model ? ` of ${model.name}` : '';
    throw new Error(
      `An operation with \`answer: '${answer}'\` must return records${ofModel} that \`ctx.load()\`, \`ctx.save()\` or a store gave${inPage(answer)}: item ${index} is not one, or is a copy of one.`,
    );
  });
}

function inPage(answer: 'records' | 'page'): string {
  return answer === 'page' ? ' as `records`' : '';
}

const members = ['records', 'next', 'size', 'total'] as const;

/** Refuses other members, which would be lost. */
function readPage(value: unknown): RecordsPage & { readonly records: unknown } {
  const page = isObject(value) ? value : {};
  const { next = null, size = 0, total = 0 } = page as { next?: unknown; size?: unknown; total?: unknown };
  const isPage =
    Object.keys(page).every((name) => (members as readonly string[]).includes(name)) &&
    'records' in page &&
    (next === null || (typeof next === 'string' && next.isWellFormed())) &&
    [size, total].every((count) => Number.isSafeInteger(count) && (count as number) >= 0);
  if (isPage) return page as unknown as RecordsPage;
  throw new Error(
    "An operation with `answer: 'page'` must return { records, next, size, total }: `next` is a text or null, and the others are numbers.",
  );
}

function describePage({ next = null, size, total }: Omit<RecordsPage, 'records'>, count: number): string {
  return JSON.stringify({ size: size ?? count, has_next: next !== null, next_cursor: next, ...(total === undefined ? {} : { total }) });
}
