import { type Included, TooMuchIncluded } from '../model/read/included.ts';
import { type Page, shortenPage } from '../mongo/list/build-page.ts';
import { writePage } from '../mongo/list/write-page.ts';
import { readIncluded, type Step } from '../mongo/read-included.ts';
import type { StoredRecord } from '../mongo/stored-record.ts';
import { canAnswer, ofRead } from './parts/can-answer.ts';
import { checkIncludes, type Includes } from './parts/compile-includes.ts';
import { needed, type ResourceMiddleware } from './parts/context.ts';
import { workOf } from './parts/exchange.ts';
import type { GuardedSource } from './parts/relation-targets.ts';
import { type SourceScopes, sourceScopesOf } from './parts/source-scopes.ts';

/**
 * Reads the records to which the relations of `ctx.include`, or of a list's `ctx.listQuery`, lead, and leaves them in `ctx.included` for
 * `record` and `page`. It sends one query for each relation, whatever the size of the page, and does nothing without `include`. The reads
 * are aborted when the client has gone.
 *
 * The guards and the scope of a target decide in every request; each guard is asked once. If a guard does not open, or a scope throws a 4xx
 * or does not reach the record, the client sees no record, as if the id led nowhere. Any other error of a guard or scope is a 500.
 *
 * The included records of a page have at most `maxPageBytes` bytes, and 50,000 records for each relation. A page by cursor ends early to
 * stay within these limits. A page by number is 400, and so is a single record that exceeds them. Failed reads are 503 or 504.
 *
 * @example
 * const includes = compileIncludes(Order, ['customer'], { db, targets: [{ model: Customer }] });
 * router.get('/orders', listQuery(Order, cursorPaging(), { includes }), findPage(Order, { db }), findIncluded(includes), page());
 */
export function findIncluded(includes: Includes): ResourceMiddleware {
  checkIncludes(includes, 'findIncluded');
  const { steps, paths, maxPageBytes } = includes;
  return canAnswer([...ofRead, 'invalid_query'], async function findIncluded(ctx, next) {
    const names = ctx.listQuery?.include ?? ctx.include ?? [];
    if (names.length > 0) {
      const wanted = new Set(names.flatMap((name) => paths.get(name) ?? []));
      const sources = sourceScopesOf(ctx);
      await askSources(sources, steps, wanted);
      const read = (records: readonly StoredRecord[]): Promise<Included> =>
        readIncluded(records, steps, { steps: wanted, scopes: sources.known, maxPageBytes, work: workOf(ctx) });
      if (ctx.page) {
        const [page, included] = await readFitting(ctx.page, read);
        ctx.included = included;
        ctx.page = writePage(page, included); // before the hooks, so that they receive the records that are shown
      } else ctx.included = await read([needed(ctx.record, 'findRecord', 'findIncluded')]);
    }
    await next();
  });
}

/**
 * If a page leads to too many records, reads those of its first half only, and of the half of that, until they fit or one record is left.
 */
async function readFitting(page: Page, read: (records: readonly StoredRecord[]) => Promise<Included>): Promise<[Page, Included]> {
  try {
    return [page, await read(page.records)];
  } catch (error) {
    if (!(error instanceof TooMuchIncluded) || page.records.length < 2) throw error;
    return readFitting(shortenPage(page, Math.ceil(page.records.length / 2)), read);
  }
}

/** Asks the sources of all steps, but not of those behind a source that shows nothing. */
async function askSources(sources: SourceScopes, steps: readonly Step<GuardedSource>[], wanted: ReadonlySet<Step>): Promise<void> {
  for (const step of steps) if (wanted.has(step) && (await sources.of(step.source))) await askSources(sources, step.steps, wanted);
}
