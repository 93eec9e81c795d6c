import type { ServerResponse } from 'node:http';
import { Problem, type ProblemDocument } from '../../../errors.ts';
import { cutOff } from '../../../middleware/exchange/cut-off.ts';
import type { Exchange } from '../../../middleware/exchange/exchange.ts';
import type { Page } from '../../../mongo/list/build-page.ts';
import { parseCursor } from '../../../mongo/list/cursor.ts';
import type { ListQuery } from '../../../mongo/list/parse-list-query.ts';
import type { ExportFormat } from './format.ts';

/** The list that is exported, as the request sees it. */
export interface ExportSource {
  /** How long the database may work for one batch, in milliseconds. */
  readonly maxTimeMS: number;
  /**
   * Asks again which records the caller may see, and whether it sees the same fields: both may change while an export
   * lasts.
   */
  ask(): Promise<boolean>;
  /** Counts the matches, and no further than `max`. */
  count(query: ListQuery, max: number): Promise<number>;
  /** Reads a part of the list: at most as many bytes as `maxBytes`, and at least one record. */
  read(query: ListQuery, maxBytes: number): Promise<Page>;
  /** Reports an error, and returns the problem that it means to the client. */
  noteProblem(error: unknown): ProblemDocument;
}

/** The most records of an export. */
export function tooManyToExport(max: number): Problem {
  const records = max === 1 ? 'one record matches' : `${max} records match`;
  return new Problem({
    code: 'too_many_matches',
    detail: `More than ${records}, which is the most that an export may have. Narrow the list by filters.`,
  });
}

const firstBatch = 100;
const largestBatch = 2_000;
const batchBytes = 1_048_576;

/** Small enough that a client which reads slowly is seen to read: see `answerTimeout`. */
const sliceBytes = 16_384;

/**
 * The walk through a list, from batch to batch: each begins behind the last record of the one before it, and is read
 * when that has been sent. Only one batch is in memory.
 */
export class ExportWalk {
  readonly #source: ExportSource;
  readonly #query: ListQuery;
  readonly #exchange: Exchange;
  readonly #res: ServerResponse;
  #page: Page | undefined;
  #limit = firstBatch;
  #ended: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(source: ExportSource, query: ListQuery, exchange: Exchange, res: ServerResponse) {
    this.#source = source;
    this.#query = query;
    this.#exchange = exchange;
    this.#res = res;
    exchange.whenOver(() => this.#wake?.());
  }

  /** Ends the walk before its next batch, with this reason. */
  end(reason: Error): void {
    this.#ended ??= reason;
    this.#exchange.work.giveUp(reason);
    this.#wake?.();
  }

  /** Reads the first batch. */
  async begin(): Promise<void> {
    this.#page = await this.#read(this.#query.window);
  }

  /** Writes everything from the first batch on. */
  async *run(format: ExportFormat, max: number): AsyncGenerator<Buffer, void, void> {
    let count = 0;
    let cursor: string | null = null;
    try {
      yield* slices(format.begin());
      for (let page = this.#page; page; page = await this.#next(page)) {
        this.#page = undefined;
        if (count + page.records.length > max) throw tooManyToExport(max);
        const bytes = format.writeRecords(page.records);
        this.#measure(page.records.length, bytes.length);
        yield* slices(bytes);
        count += page.records.length;
        cursor = nextOf(page);
      }
      yield* slices(format.end(count));
    } catch (error) {
      if (this.#exchange.isOver) return;
      this.#cutAtEnd();
      const problem = this.#source.noteProblem(error);
      yield* slices(format.breakOff({ count, problem, cursor: error instanceof ViewChanged ? null : cursor }));
    }
  }

  async #next(page: Page): Promise<Page | undefined> {
    const cursor = nextOf(page);
    const { window, sort } = this.#query;
    if (cursor === null || window.mode !== 'cursor') return undefined;
    await this.#drained();
    if (this.#ended) throw this.#ended;
    this.#exchange.throwIfOver();
    this.#exchange.renewWork();
    this.#exchange.work.limitTo(this.#source.maxTimeMS);
    if (!(await this.#source.ask())) throw new ViewChanged();
    return this.#read({ ...window, from: parseCursor(cursor, window.list, sort) });
  }

  #read(window: ListQuery['window']): Promise<Page> {
    return this.#source.read({ ...this.#query, window, limit: this.#limit }, batchBytes);
  }

  /**
   * The next batch has as many records as fit by the bytes that were written of the last one. What was read of them
   * would tell how large the sources of computed fields are, which the caller may not see: an export that breaks off
   * says where its last batch ended.
   */
  #measure(records: number, bytes: number): void {
    if (bytes > 0) this.#limit = Math.min(Math.max(Math.floor((batchBytes * records) / bytes), 1), largestBatch);
  }

  /** Resolves when the client has taken what was sent, or the walk has to end. */
  async #drained(): Promise<void> {
    const res = this.#res;
    if (!res.writableNeedDrain || this.#ended || this.#exchange.isOver) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      res.once('drain', resolve);
    });
    this.#wake = undefined;
  }

  /** The answer must not look complete: its connection is cut when everything has been sent. */
  #cutAtEnd(): void {
    const res = this.#res;
    res.end = function end(this: ServerResponse) {
      this.write('', () => cutOff(this));
      return this;
    } as ServerResponse['end'];
  }
}

/** Other rules hold for the caller than before: its cursors belong to a view that it no longer has. */
class ViewChanged extends Problem {
  constructor() {
    super({ code: 'forbidden', detail: 'What this caller may see has changed during the export; begin again.' });
  }
}

function nextOf({ place }: Page): string | null {
  return place.mode === 'cursor' ? place.next : null;
}

function* slices(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
}
