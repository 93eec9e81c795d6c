import { type Included, TooMuchIncluded } from '../model/relations/included.ts';
import type { Children } from '../mongo/collection/related.ts';
import { inReadingOrder, type Page, shortenPage } from '../mongo/list/build-page.ts';
import type { Narrowed } from '../mongo/list/parse-include.ts';
import { writePage } from '../mongo/list/write-page.ts';
import { type Measured, measureIncluded } from '../mongo/relations/include/measure-included.ts';
import { type IncludedStep, type Inclusion, type ManyStep, readIncluded } from '../mongo/relations/include/read-included.ts';
import type { StoredRecord } from '../mongo/stored-record.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { workOf } from './exchange/exchange.ts';
import { perSight } from './exchange/in-view.ts';
import { missing } from './exchange/order.ts';
import { ofRead } from './exchange/problem-codes.ts';
import { step } from './exchange/step.ts';
import { type Reach, reachOf } from './reach/reach.ts';
import { recordPath } from './record.ts';
import { checkIncludes, type Includes } from './relations/compile-includes.ts';
import type { NarrowableStep } from './relations/narrowed-includes.ts';
import type { GuardedSource } from './relations/relation-targets.ts';

/**
 * Reads the records to which the relations of `ctx.include`, or of a list's `ctx.listQuery`, lead, and leaves them in
 * `ctx.included` for `record` and `page`. It sends one query for each relation, whatever the size of the page, and does
 * nothing without `include`. The reads are aborted when the client has gone.
 *
 * The guards and the scope of a target decide in every request; each guard is asked once. If a guard does not open, or
 * a scope throws a 4xx or does not reach the record, the client sees no record, as if the id led nowhere. Any other
 * error of a guard or scope is a 500.
 *
 * The included records of a page have at most `maxPageBytes` bytes, and 50,000 records for each relation. A page by
 * cursor ends early to stay within these limits: the database measures what the relations lead to, in one more command
 * for each (two for one with relations of its own), and they are read for the records that fit. A page by number is
 * 400. If a single record leads to more, its relations by `t.hasMany` are cut, and otherwise it is 400. Failed reads
 * are 503 or 504.
 *
 * @example
 * const includes = compileIncludes(Order, ['customer'], { db, targets: [{ model: Customer }] });
 * router.get(
 *   '/orders',
 *   listQuery(Order, cursorPaging(), { includes }),
 *   findPage(Order, { db }),
 *   findIncluded(includes),
 *   page(),
 * );
 */
export function findIncluded(includes: Includes): ResourceMiddleware {
  checkIncludes(includes, 'findIncluded');
  const make = ({ steps, paths, narrowable, maxPageBytes }: Includes) => {
    return step({ problems: [...ofRead, 'invalid_query'] }, async function findIncluded(ctx) {
      const names = ctx.listQuery?.include ?? ctx.include ?? [];
      if (names.length > 0) {
        const wanted = new Set(names.flatMap((name) => paths.get(name) ?? []));
        const reach = reachOf(ctx);
        await askSources(reach, steps, wanted);
        const work = workOf(ctx);
        const bytes = Math.min(maxPageBytes, ctx.pageBytes ?? maxPageBytes);
        const chosen = ctx.listQuery?.includedFields ?? ctx.includedFields;
        const fields = chosen && new Map([...chosen].map(([name, selected]) => [paths.get(name)?.at(-1) as IncludedStep, selected]));
        const asked = ctx.listQuery?.narrowed ?? ctx.narrowed;
        const narrowed = asked && new Map([...asked].map(([path, one]) => narrow(narrowable.get(path) as NarrowableStep, one)));
        const inclusion: Inclusion = {
          steps: wanted,
          scopes: reach.seen,
          maxPageBytes: bytes,
          work,
          apiPath: apiPathOf(ctx),
          ...(fields && { fields }),
          ...(narrowed && { narrowed }),
        };
        const reads: Reads = {
          read: (records, cuts) => readIncluded(records, steps, cuts ? { ...inclusion, cuts } : inclusion),
          measure: (records) => measureIncluded(records, steps, inclusion),
        };
        if (ctx.page) {
          const [page, included] = await readFitting(ctx.page, reads);
          ctx.included = included;
          ctx.page = await writePage(page, work, included); // before the hooks, so that they receive the records that are shown
        } else ctx.included = await readOne(ctx.record ?? missing('record', 'findIncluded'), reads);
      }
    });
  };
  return perSight(make(includes), includes.rules, (held) => make(includes.seenBy(held)));
}

/** What a client asks of a relation. */
function narrow({ step }: NarrowableStep, { limit, sort }: Narrowed): [ManyStep, Partial<Pick<Children, 'max' | 'sort'>>] {
  const order = sort === undefined ? undefined : step.sorts.get(sort);
  return [step, { ...(limit !== undefined && { max: limit }), ...(order && { sort: order }) }];
}

/** Under which path the client has sent its request to an api. Undefined outside of one. */
function apiPathOf(ctx: Context): Inclusion['apiPath'] {
  const route = ctx.operation?.route;
  return route === undefined ? undefined : (prefix) => recordPath(ctx, route.slice(prefix.length), '');
}

/** How the records of relations are read, and measured if they are too many or too large. */
interface Reads {
  read(records: readonly StoredRecord[], cuts?: ReadonlyMap<IncludedStep, number>): Promise<Included>;
  measure(records: readonly StoredRecord[]): Promise<Measured>;
}

/**
 * If a page leads to too much, it ends behind the last record for which everything fits. JSON may take more bytes than
 * are stored and measured: then half of these records are shown, or half of those.
 */
async function readFitting(page: Page, { read, measure }: Reads): Promise<[Page, Included]> {
  const { records } = page;
  const whole = await unlessTooMuch(read(records));
  if (whole) return [page, whole];
  const first = records.length > 1 ? shortenPage(page, 1) : page; // 400 for a page by number
  const measured = await measure(inReadingOrder(page));
  let { count } = measured;
  if (count === records.length) count = Math.ceil(count / 2);
  for (; count > 1; count = Math.ceil(count / 2)) {
    const shorter = shortenPage(page, count);
    const included = await unlessTooMuch(read(shorter.records));
    if (included) return [shorter, included];
  }
  const alone = count === 1 && records.length > 1 ? await unlessTooMuch(read(first.records)) : undefined;
  return [first, alone ?? (await readCut(first.records, measured, read))];
}

async function readOne(record: StoredRecord, { read, measure }: Reads): Promise<Included> {
  return (await unlessTooMuch(read([record]))) ?? readCut([record], await measure([record]), read);
}

/**
 * Cuts the relations by `t.hasMany` of a single record, so that they fit. Throws 400 if the record leads to too much
 * without any of them.
 */
async function readCut(records: readonly StoredRecord[], { ofFirst }: Measured, read: Reads['read']): Promise<Included> {
  let shown = new Map([...ofFirst].map(([step, { fits }]) => [step, fits] as const));
  if ([...ofFirst].every(([, { fits, all }]) => fits === all)) shown = halve(shown);
  for (;;) {
    const cuts = new Map([...shown].filter(([step, fits]) => fits < (ofFirst.get(step)?.all ?? 0)));
    if ([...shown.values()].every((fits) => fits === 0)) return read(records, cuts);
    const included = await unlessTooMuch(read(records, cuts));
    if (included) return included;
    shown = halve(shown);
  }
}

function halve(shown: ReadonlyMap<IncludedStep, number>): Map<IncludedStep, number> {
  return new Map([...shown].map(([step, fits]) => [step, fits >> 1]));
}

async function unlessTooMuch(reading: Promise<Included>): Promise<Included | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof TooMuchIncluded) return undefined;
    throw error;
  }
}

/** Asks the sources of all steps, but not of those behind a source that shows nothing. */
async function askSources(reach: Reach, steps: readonly IncludedStep<GuardedSource>[], wanted: ReadonlySet<IncludedStep>): Promise<void> {
  for (const step of steps) if (wanted.has(step) && (await reach.related(step.source))) await askSources(reach, step.steps, wanted);
}
