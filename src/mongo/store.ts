import type { Abortable, ClientSession, Collection, Db, EstimatedDocumentCountOptions } from 'mongodb';
import { ConfigurationError, Problem, validationFailed } from '../errors.ts';
import type { EntityTags } from '../http/entity-tag.ts';
import type { CompiledModel } from '../model/compile-model.ts';
import { asSent } from '../model/copy-value.ts';
import type { Changes, StoredCheck } from '../model/plan-changes.ts';
import type { SelectedFields } from '../model/select-fields.ts';
import { checkStored } from './apply-changes.ts';
import { toDatabaseProblem } from './database-problem.ts';
import { countCommand } from './database-use.ts';
import { checkTimeLimit, withDeadline } from './deadline.ts';
import { both, buildFilter, type Filter } from './filter.ts';
import type { ListQuery } from './list-query.ts';
import { missingKeys } from './miss.ts';
import { buildPage, buildUnion, type Page, type PagePlan, planPage, type Total } from './page.ts';
import { buildPrecondition, fulfils } from './precondition.ts';
import { watchReachability } from './reachability.ts';
import { StoredRecord } from './stored-record.ts';
import { buildUpdate, changesNothing, requireEmbedded } from './update-pipeline.ts';
import { watchScans } from './watch-scans.ts';

type Stored = Record<string, unknown>;

/** Which record a write addresses: id, row scope and precondition stand together in its filter. */
export interface Target {
  readonly id: unknown;
  readonly scope: Filter | undefined;
  readonly precondition: EntityTags | undefined;
}

/** How records are read. */
interface ReadOptions {
  /** Records are fetched whole, the private fields too, for hooks and handlers. @default false */
  readonly fetchPrivate?: boolean;
  /** Aborted when nobody waits for the answer any more: the read then ends, and throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How one record is read. */
interface ReadOneOptions extends ReadOptions {
  /** What the client chose to read. @default every readable field */
  readonly fields?: SelectedFields | undefined;
  /** What the record must fulfil; it is 412 otherwise. */
  readonly precondition?: EntityTags | undefined;
}

/** Options of {@link openStore}. */
export interface StoreOptions {
  readonly db: Db;
  /** Time limit of the database for one command, in milliseconds, where the model has none. @default 10,000 */
  readonly maxTimeMS?: number;
}

interface WatchOptions {
  /** Warns of lists that look through the collection. @default false */
  readonly warnOnScan?: boolean;
}

/** The commands on one model's collection: each operation is one command, and only a miss pays for a second to find out why. */
export interface Store {
  findOne(id: unknown, scope: Filter | undefined, options: ReadOneOptions): Promise<StoredRecord>;
  findPage(query: ListQuery, scope: Filter | undefined, options: ReadOptions): Promise<Page>;
  /** Those of these ids that there are, in no order, without private fields: for records that `include` embeds. */
  findMany(ids: readonly unknown[], scope: Filter | undefined, signal?: AbortSignal): Promise<StoredRecord[]>;
  insert(stored: Stored): Promise<StoredRecord>;
  update(target: Target, changes: Changes): Promise<StoredRecord>;
  remove(target: Target): Promise<StoredRecord>;
}

const maxRaces = 8;

interface Projected {
  readonly projection?: Readonly<Record<string, 0 | 1>>;
}

/**
 * 64-bit integers as bigint, binary and regular expressions as BSON types: nothing is rounded or guessed on the way. Defaults are named too,
 * because a collection inherits what its client was opened with.
 */
const bsonOptions = {
  useBigInt64: true,
  promoteLongs: true,
  promoteValues: true,
  promoteBuffers: false,
  bsonRegExp: true,
  raw: false,
  ignoreUndefined: false,
} as const;

/** Opens the collection of a model. Every error of the driver leaves as what it means to the client. */
export function openStore(
  model: CompiledModel,
  { db, maxTimeMS: apiLimit = 10_000, warnOnScan = false }: StoreOptions & WatchOptions,
): Store {
  if (typeof db?.collection !== 'function')
    throw new ConfigurationError("`db` must be a database of the MongoDB driver, such as `client.db('shop')`.");
  const collection: Collection<Stored> = db.collection(model.collection, bsonOptions);
  const maxTimeMS = model.maxTimeMS ?? apiLimit;
  for (const limit of [apiLimit, maxTimeMS]) checkTimeLimit(limit);
  const notice = warnOnScan ? watchScans(model, db, maxTimeMS) : undefined;
  const reachability = watchReachability(db.client);
  const unread = model.privatePaths.filter((path) => path !== model.revision?.key); // the ETag needs it, private or not
  const withoutPrivate: Projected = unread.length > 0 ? { projection: Object.fromEntries(unread.map((path) => [path, 0])) } : {};
  const revisionPaths = model.revision ? [model.revision.key] : [];

  async function read<T>(run: (signal: AbortSignal) => Promise<T>, gone?: AbortSignal): Promise<T> {
    try {
      return await withDeadline(maxTimeMS, run, gone);
    } catch (error) {
      throw toDatabaseProblem(error, model, 'read', reachability.awaySpell() !== undefined);
    }
  }

  /** A session remembers that a connection broke under it, where the last error of a retried write says only that no server is left. */
  async function write<T>(run: (session: ClientSession) => Promise<T>): Promise<T> {
    const session = db.client.startSession({ causalConsistency: false });
    const awayAtFirst = reachability.awaySpell();
    try {
      return await countCommand(() => withDeadline(maxTimeMS, () => run(session).finally(() => session.endSession())));
    } catch (error) {
      const wasAway = awayAtFirst !== undefined && awayAtFirst === reachability.awaySpell();
      throw toDatabaseProblem(error, model, session.serverSession.isDirty ? 'broken write' : 'write', wasAway);
    }
  }

  /** What is fetched of a record: all, all that is not private, or what was chosen and what the answer cannot do without. */
  function projectionOf(fetchPrivate: boolean, fields: SelectedFields | undefined, needed: readonly string[] = []): Projected {
    if (fetchPrivate) return {};
    return fields ? { projection: includePaths([...fields.paths, ...revisionPaths, ...needed]) } : withoutPrivate;
  }

  function findPlanned(plan: PagePlan, { projection }: Projected, signal: AbortSignal): Promise<Stored[]> {
    const { ranges, sort, skip, limit } = plan;
    const options = { maxTimeMS, signal, batchSize: limit + 1 }; // one batch holds the page: the driver would fetch a hundred records first
    if (ranges.length > 1) {
      const project = projection ? [{ $project: projection }] : [];
      return collection.aggregate<Stored>([...buildUnion(plan, model.collection), ...project], options).toArray();
    }
    return collection.find<Stored>(ranges[0], { ...options, ...(projection && { projection }), sort, skip, limit }).toArray();
  }

  async function countAll({ total }: ListQuery, matching: Filter, signal: AbortSignal): Promise<Total | undefined> {
    if (total === undefined) return undefined;
    const options: EstimatedDocumentCountOptions & Abortable = { maxTimeMS, signal }; // the driver's type forgets the signal
    if (total === 'exact') return { count: await countCommand(() => collection.countDocuments(matching, options)), isEstimate: false };
    return { count: await countCommand(() => collection.estimatedDocumentCount(options)), isEstimate: true };
  }

  function toFilter({ id, scope, precondition }: Target, changes?: Changes): Filter {
    const addressed = both(both({ _id: id }, scope), buildPrecondition(model, precondition));
    return both(addressed, changes && requireEmbedded(changes));
  }

  /** Why a write matched nothing: 404, 412 or 422 in this order; returns when there is no reason left, because the record changed since. */
  async function explainMiss({ id, scope, precondition }: Target, changes?: Changes): Promise<Stored> {
    const filter = both({ _id: id }, scope);
    // A secondary may not know yet what the write has seen.
    const options = { maxTimeMS, readPreference: 'primary' } as const;
    const stored = await read((signal) => countCommand(() => collection.findOne<Stored>(filter, { ...options, signal })));
    if (!stored) throw notFound();
    if (!fulfils(model, precondition, stored)) throw preconditionFailed();
    const missing = changes ? missingKeys(changes, stored) : [];
    if (missing.length > 0) throw validationFailed(missing);
    return stored;
  }

  /**
   * The one exception to one command: checks that see stored values the client may not write. Reads, checks, and writes if the record, or
   * without a revision those values, are still as they were checked.
   */
  async function updateChecked(
    target: Target,
    changes: Changes,
    storedCheck: StoredCheck,
    run: (filter: Filter, session: ClientSession) => Promise<Stored | null>,
  ): Promise<StoredRecord> {
    for (let race = 0; race < maxRaces; race++) {
      const found = await explainMiss(target, changes);
      const errors = checkStored(storedCheck, changes, found);
      if (errors.length > 0) throw validationFailed(errors);
      const unchanged = (model.revision ? [model.revision.key] : storedCheck.dependsOn).map((key) => ({
        [key]: { $eq: asSent(found[key]) ?? null },
      }));
      const stored = await write((session) => run({ $and: [toFilter(target, changes), ...unchanged] }, session));
      if (stored) return new StoredRecord(model, stored);
    }
    throw changedTooOften();
  }

  /** Writes, and explains a miss; where nothing explains it the record changed in between, and the write is tried again. */
  async function writeOrExplain(
    target: Target,
    changes: Changes | undefined,
    run: (session: ClientSession) => Promise<Stored | null>,
  ): Promise<StoredRecord> {
    for (let race = 0; race < maxRaces; race++) {
      const stored = await write(run);
      if (stored) return new StoredRecord(model, stored);
      await explainMiss(target, changes);
    }
    throw changedTooOften();
  }

  return {
    async findOne(id, scope, { fetchPrivate = false, fields, precondition, signal: gone }) {
      const projection = projectionOf(fetchPrivate, fields);
      const stored = await read(
        (signal) => countCommand(() => collection.findOne<Stored>(both({ _id: id }, scope), { maxTimeMS, signal, ...projection })),
        gone,
      );
      if (!stored) throw notFound();
      if (!fulfils(model, precondition, stored)) throw preconditionFailed();
      return new StoredRecord(model, stored, fields);
    },

    async findPage(query, scope, { fetchPrivate = false, signal: gone }) {
      const matching = both(buildFilter(query.conditions), scope);
      const sortPaths = query.sort.map(({ field }) => field.path);
      const projection = projectionOf(fetchPrivate, query.fields, sortPaths);
      const plan = planPage(query, matching);
      const [found, total] = await read(
        (signal) => Promise.all([countCommand(() => findPlanned(plan, projection, signal)), countAll(query, matching, signal)]),
        gone,
      );
      notice?.({ filter: matching, sort: new Map(query.sort.map(({ field, direction }) => [field.path, direction])), limit: plan.limit });
      return buildPage(model, query, found, total);
    },

    async findMany(ids, scope, gone) {
      const filter = both({ _id: { $in: ids } }, scope);
      const batchSize = ids.length + 1; // all in the first batch; one more tells the database that there is no second
      const options = { maxTimeMS, batchSize, ...withoutPrivate };
      const found = await read((signal) => countCommand(() => collection.find<Stored>(filter, { ...options, signal }).toArray()), gone);
      return found.map((stored) => new StoredRecord(model, stored));
    },

    async insert(stored) {
      await write((session) => collection.insertOne(stored as Parameters<typeof collection.insertOne>[0], { session }));
      return new StoredRecord(model, stored);
    },

    async update(target, changes) {
      const run = (filter: Filter, session: ClientSession): Promise<Stored | null> =>
        collection.findOneAndUpdate(filter, buildUpdate(model, changes, new Date()), { returnDocument: 'after', maxTimeMS, session });
      if (changesNothing(model, changes)) return new StoredRecord(model, await explainMiss(target, changes));
      if (changes.storedCheck) return updateChecked(target, changes, changes.storedCheck, run);
      const filter = toFilter(target, changes);
      return writeOrExplain(target, changes, (session) => run(filter, session));
    },

    async remove(target) {
      return writeOrExplain(target, undefined, (session) => collection.findOneAndDelete(toFilter(target), { maxTimeMS, session }));
    },
  };
}

function changedTooOften(): Problem {
  return new Problem('overloaded', 'The record is being changed too often at the moment; try again.', { headers: { 'retry-after': '1' } });
}

function notFound(): Problem {
  return new Problem('not_found', 'There is no such record.');
}

function preconditionFailed(): Problem {
  return new Problem('precondition_failed', 'The record has changed since, or has no revision to compare; read it again.');
}

/** A projection of these paths. One that lies below another is in it already, and would be a conflict. */
function includePaths(paths: readonly string[]): Record<string, 1> {
  const all = new Set(paths);
  const isBelow = (path: string): boolean =>
    path.split('.').some((_key, index, keys) => index > 0 && all.has(keys.slice(0, index).join('.')));
  return Object.fromEntries([...all].filter((path) => !isBelow(path)).map((path) => [path, 1]));
}
