import { type Included, TooMuchIncluded } from '../model/read/included.ts';
import { type Page, shortenPage } from '../mongo/list/build-page.ts';
import { writePage } from '../mongo/list/write-page.ts';
import { buildFilter, type Filter, readScope } from '../mongo/query/filter.ts';
import { readIncluded, type Source, type Step } from '../mongo/read-included.ts';
import type { StoredRecord } from '../mongo/stored-record.ts';
import { canAnswer, ofRead } from './parts/can-answer.ts';
import { checkIncludes, type GuardedSource, type Includes } from './parts/compile-includes.ts';
import type { Guard, ScopeFunction } from './parts/context.ts';
import { type Context, needed, type ResourceMiddleware } from './parts/context.ts';
import { workOf } from './parts/exchange.ts';

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
      const answers: Answers = { closed: new Set(), scopes: new Map() };
      await askSources(ctx, steps, wanted, answers);
      const { scopes } = answers;
      const read = (records: readonly StoredRecord[]): Promise<Included> =>
        readIncluded(records, steps, { steps: wanted, scopes, maxPageBytes, work: workOf(ctx) });
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

/** What guards and scopes have answered in this request. */
interface Answers {
  readonly closed: Set<Guard<never>>;
  /** The filter of each source; undefined if the source shows nothing. */
  readonly scopes: Map<Source, Filter | undefined>;
}

/** Asks one source after the other, so that no guard is asked twice. */
async function askSources(ctx: Context, steps: readonly Step<GuardedSource>[], wanted: ReadonlySet<Step>, answers: Answers): Promise<void> {
  for (const step of steps) {
    if (!wanted.has(step)) continue;
    const { source } = step;
    ctx.exchange?.throwIfGivenUp();
    if (!answers.scopes.has(source)) answers.scopes.set(source, await findScope(ctx, source, answers));
    if (answers.scopes.get(source)) await askSources(ctx, step.steps, wanted, answers);
  }
}

async function findScope(ctx: Context, { guards, scope, model }: GuardedSource, answers: Answers): Promise<Filter | undefined> {
  try {
    for (const guard of guards) if (!(await opens(ctx, guard as Guard, answers))) return undefined;
    return scope ? buildFilter(readScope(await (scope as ScopeFunction)(ctx), model.scopeFields)) : {};
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

async function opens(ctx: Context, guard: Guard, { closed }: Answers): Promise<boolean> {
  ctx.openedGuards ??= new Set();
  if (ctx.openedGuards.has(guard)) return true;
  if (closed.has(guard)) return false;
  closed.add(guard);
  if ((await guard(ctx)) !== true) return false;
  closed.delete(guard);
  ctx.openedGuards.add(guard);
  return true;
}

/**
 * Whether an error refuses the client, as `Unauthorized` does. Other errors, such as a database that is down, do not say whether the client
 * may see the record.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('expose' in error) || error.expose !== true || !('status' in error)) return false;
  return typeof error.status === 'number' && error.status >= 400 && error.status < 500;
}
