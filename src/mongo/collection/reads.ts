import type { Abortable, Document as BsonDocument, Collection, Db, EstimatedDocumentCountOptions } from 'mongodb';
import { notFound } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { SelectedFields } from '../../model/read/select-fields.ts';
import type { Commands } from '../driver/commands.ts';
import { needOf } from '../driver/reachability.ts';
import { compileFirstBatch } from '../driver/read-batches.ts';
import { type Get, SharedGets } from '../driver/shared-gets.ts';
import type { Command, Work } from '../driver/work.ts';
import { compileIndexedKeys } from '../indexes/indexed-keys.ts';
import type { watchScans } from '../indexes/watch-scans.ts';
import type { Within } from '../lifecycle/within.ts';
import { buildPage, type Fitting, type Page, type Total } from '../list/build-page.ts';
import type { ListQuery } from '../list/parse-list-query.ts';
import { bytesOfIds, dependsOnIndexes, maxBytesOfIds, planPage } from '../list/plan-page.ts';
import { lookedAt } from '../predicate/conjuncts-of.ts';
import { both, buildFilter, filterOf } from '../predicate/filter-of.ts';
import { all, fulfilling, type Predicate } from '../predicate/predicate.ts';
import type { Bound } from '../query/bound.ts';
import { includePaths } from '../query/include-paths.ts';
import { checkPrecondition } from '../query/precondition.ts';
import { idTextIn, idTextOf, textOf } from '../query/text-of.ts';
import { StoredRecord } from '../stored-record.ts';
import { type Matching, matchFurther } from '../through/plan-through.ts';
import { computeSort } from '../through/sort-through.ts';
import { isThrough, type ThroughReads } from '../through/through-field.ts';
import type { ThroughQuery } from '../through/through-stages.ts';
import { boundOfSort } from './bound-of-sort.ts';
import { forClients } from './hidden-records.ts';
import type { ReadOneOptions, ReadPageOptions, ThroughReadOptions } from './read-options.ts';
import { openPages, type WantedPage } from './read-page.ts';
import { countOf, type Listed, type Summary } from './summary.ts';
import { openThroughReads } from './through-reads.ts';

type Stored = Record<string, unknown>;

/** The reads of a store, one command each. `work` is the work of the request. */
export interface Reads extends ThroughReads {
  findOne(id: unknown, within: Within, options: ReadOneOptions, work: Work): Promise<StoredRecord>;
  findPage(query: ListQuery, within: Within, options: ReadPageOptions, work: Work): Promise<Page>;
  /**
   * Tells something of all records that a list would show.
   *
   * @example collection.summarize({ query, within, through }, countOf(max), work)
   */
  summarize<T>(records: Listed, summary: Summary<T>, work: Work): Promise<T>;
}

interface Settings extends Pick<Commands, 'readOne' | 'readMany' | 'readLatest'> {
  readonly maxTimeMS: number;
  /** Takes notice of lists in development. */
  readonly notice: ReturnType<typeof watchScans> | undefined;
  readonly shareRoundTrips: boolean;
}

/** Opens the reads of a collection. A record stays BSON bytes until more than its JSON is needed. */
export function openReads(
  model: CompiledModel,
  db: Db,
  collection: Collection<Stored>,
  { readOne, readMany, readLatest, maxTimeMS, notice, shareRoundTrips }: Settings,
): Reads {
  const countIndexedKeys = compileIndexedKeys(db, model.collection);
  const readFirstBatch = compileFirstBatch(db, collection);
  const readPage = openPages(model, collection, readFirstBatch);
  const gets = new SharedGets(readFirstBatch);
  const isOfPrimary = needOf(collection.readPreference?.mode) === 'primary';
  const ofPrimary = () => db.collection(model.collection, { readPreference: 'primary' });
  const latestGets = isOfPrimary ? gets : new SharedGets(compileFirstBatch(db, ofPrimary()));
  const revisionPaths = model.revision ? [model.revision.key] : [];

  /**
   * The projection: everything, all but private fields, or the chosen fields and those that the answer always needs.
   */
  function projectionOf(
    seen: CompiledModel,
    fetchPrivate: boolean,
    fields: SelectedFields | undefined,
    needed: readonly string[] = [],
  ): BsonDocument | undefined {
    if (fetchPrivate) return undefined;
    return fields ? includePaths([...fields.paths, ...revisionPaths, ...needed]) : forClients(seen).projection;
  }

  function planGet(id: unknown, scope: Predicate | undefined, projection: BsonDocument | undefined): Get {
    return {
      id,
      get idText() {
        return shareRoundTrips ? idTextOf(id) : undefined;
      },
      isExact: typeof id !== 'string',
      get group() {
        const scoped = textOf(scope && filterOf(scope));
        return scoped && `${scoped} ${textOf(projection)}`;
      },
      idTextIn,
      build: (sought) => ({
        find: model.collection,
        filter: scope ? both({ _id: sought }, scope) : { _id: sought },
        ...(projection && { projection }),
      }),
    };
  }

  async function summarizeMatches<T>(matching: ThroughQuery, summary: Summary<T>, command: Command): Promise<T> {
    const { stages, limit, allowDiskUse } = summary;
    const pipeline = [command.handOver({ $match: filterOf(matching.filter) }), ...matching.stages, ...stages];
    const { maxTimeMS } = command;
    const body = { aggregate: model.collection, pipeline, cursor: { batchSize: limit + 1 }, maxTimeMS };
    const sent = allowDiskUse === undefined ? body : { ...body, allowDiskUse };
    return summary.take(await command.count(() => readFirstBatch(sent, command)));
  }

  async function countAll(total: 'exact' | 'estimate', matching: ThroughQuery, command: Command): Promise<Total> {
    if (total === 'exact') return { count: await summarizeMatches(matching, countOf(), command), isEstimate: false };
    const options: EstimatedDocumentCountOptions & Abortable = command.options; // the driver's type forgets the signal
    return { count: await command.count(() => collection.estimatedDocumentCount(options)), isEstimate: true };
  }

  /**
   * What the records fulfil that a query asks for within a scope: a promise only where it has a `filter` or names
   * related records.
   */
  function match(
    asked: Matching,
    scope: Predicate | undefined,
    { sight, maxIds, maxSorted: maxCounted }: ThroughReadOptions,
    bytes: number,
    work: Work,
  ): ThroughQuery | Promise<ThroughQuery> {
    asked.further?.checkScope?.(scope);
    if (asked.scan && !asksFurther(asked)) return { filter: meaningOf(asked, scope), stages: [] };
    if (!asksFurther(asked)) return { filter: both(both(buildFilter(asked.conditions), asked.further?.within), scope), stages: [] };
    work.limitTo(maxTimeMS); // the first command is one on another collection
    return matchFurther(asked, meaningOf(asked, scope), { model, sight, room: { ids: maxIds, bytes }, maxCounted, work });
  }

  /** Counts the records that a list works with. Throws `too_many_matches` (422) if there are more than its bound. */
  async function countWithin(matching: ThroughQuery, bound: Bound, read: typeof readMany, work: Work): Promise<Total> {
    const count = await read(work, (command) => summarizeMatches(matching, countOf(bound.max + 1), command));
    if (count > bound.max) throw bound.exceeded();
    return { count, isEstimate: false };
  }

  /** Counts the records that are looked at, of which the lookups of `matching` see only those that are found. */
  async function boundScan(scan: Bound, { filter }: ThroughQuery, read: typeof readMany, work: Work): Promise<void> {
    await countWithin({ filter: lookedAt(filter), stages: [] }, scan, read, work);
  }

  /** Reads as {@link readMany} does. The plug-in that finds the records says what an error means. */
  function readerFor({ further }: Matching): typeof readMany {
    const { explain } = further ?? {};
    if (!explain) return readMany;
    return (work, run) =>
      readMany(work, run).catch((error: unknown) => {
        throw explain(error);
      });
  }

  return {
    async findOne(id, within, { fetchPrivate = false, fields, precondition, latest = false }, work) {
      const get = planGet(id, within.predicate, projectionOf(within.model, fetchPrivate, fields));
      const [read, from] = latest ? [readLatest, latestGets] : [readOne, gets];
      const bytes = await read(work, (command) => command.count(() => from.find(get, command)));
      if (!bytes) throw notFound();
      const record = new StoredRecord(within.model, bytes, fields);
      if (precondition) checkPrecondition(model, precondition, record.stored);
      return record;
    },

    async findPage(asked, within, options, work) {
      const scope = within.predicate;
      const {
        fetchPrivate = false,
        maxPageBytes,
        measuresFirst = false,
        countsAll = false,
        projection,
        through = withoutThrough,
        onUnaddressable,
      } = options;
      const { further } = asked;
      const order = further?.order;
      const isByRelated = asked.sort.some(({ field }) => isThrough(field));
      const computed = isByRelated ? computeSort(asked.sort, model, through.sight) : undefined;
      const matched = match(asked, scope, through, bytesOfIds(asked, computed !== undefined), work);
      const matching = matched instanceof Promise ? await matched : matched;
      const query = computed ? { ...asked, sort: computed.sort } : asked;
      const sortPaths = order?.keys ?? query.sort.map(({ field }) => field.path);
      const projected = projection ?? projectionOf(within.model, fetchPrivate, query.fields, sortPaths);
      const where = () => (asksFurther(asked) ? matching.filter : meaningOf(asked, scope));
      const indexed = !computed && dependsOnIndexes(query) ? await countIndexedKeys(where(), sortPaths) : undefined;
      const plan = planPage(query, matching, computed?.stages, indexed);
      const read = readerFor(asked);
      const bound = computed || further ? boundOfSort(asked, through) : undefined;
      if (asked.scan) await boundScan(asked.scan, matching, read, work);
      const known = bound && (await countWithin(matching, bound, read, work));
      const leavesOut = onUnaddressable ? (query.window.mode === 'cursor' ? 'from list' : 'from page') : 'none';
      const wanted: WantedPage = {
        seen: within.model,
        plan,
        projected,
        fields: query.fields,
        maxPageBytes,
        measuresFirst,
        fetchPrivate,
        countsAll,
        leavesOut,
      };
      const [fitting, total] = await read(work, (command): Promise<readonly [Fitting, Total | undefined]> => {
        const found = readPage(wanted, command);
        const recover = order?.recover;
        const fitting = recover ? found.catch((error: unknown) => ({ ...nothing, records: recover(error, model) })) : found;
        if (query.total === undefined) return fitting.then((only) => [only, undefined]);
        return Promise.all([fitting, query.total === 'exact' && known ? known : countAll(query.total, matching, command)]);
      });
      if (notice && !computed && !further) {
        const sort = new Map(query.sort.map(({ field, direction }) => [field.path, direction]));
        notice({ where: where(), sort, limit: plan.limit });
      }
      if (fitting.unaddressable) onUnaddressable?.(new StoredRecord(model, fitting.unaddressable).storedId);
      return buildPage(query, fitting, { total, maxPageBytes, fetchPrivate });
    },

    async summarize({ query, within, through = withoutThrough }, summary, work) {
      const matching = await match(query, within.predicate, through, maxBytesOfIds, work);
      const read = readerFor(query);
      if (query.scan) await boundScan(query.scan, matching, read, work);
      return read(work, (command) => summarizeMatches(matching, summary, command));
    },

    ...openThroughReads(model, readFirstBatch, readMany),
  };
}

/** Whether a query asks for more than records of its own collection can say: then the tree is planned. */
function asksFurther({ through, filter }: Matching): boolean {
  return through.length > 0 || filter !== undefined;
}

/** What the records fulfil that a query asks for within a scope, without what related records and `filter` say. */
function meaningOf(asked: Matching, scope: Predicate | undefined): Predicate {
  return all(all(fulfilling(asked.conditions), asked.further?.within), scope);
}

const nothing: Fitting = { records: [], goesOn: false, isCutShort: false };

const withoutThrough: ThroughReadOptions = { sight: new Map(), maxIds: 0, maxSorted: 0 };
