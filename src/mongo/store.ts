import type {
  Abortable,
  AbstractCursor,
  Collection,
  EstimatedDocumentCountOptions,
  FindOneAndDeleteOptions,
  FindOneOptions,
  InsertOneOptions,
  OptionalUnlessRequiredId,
} from 'mongodb';
import { Problem, validationFailed } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { Room } from '../model/read/included.ts';
import type { SelectedFields } from '../model/read/select-fields.ts';
import { asSent } from '../model/value/copy-value.ts';
import type { Changes, StoredCheck } from '../model/write/plan-changes.ts';
import { checkedLater, type LegalOptions } from '../options.ts';
import { planCommands } from './driver/commands.ts';
import { asDb, type Database } from './driver/database.ts';
import { isIdTaken } from './driver/outcome.ts';
import { asBytes, type Batch, bsonOptions, readAll, readFirstBatch } from './driver/read-batches.ts';
import { checkTimeLimit } from './driver/time-limit.ts';
import { type Command, Work } from './driver/work.ts';
import { watchScans } from './indexes/watch-scans.ts';
import { buildPage, type Page, type Total } from './list/build-page.ts';
import type { ListQuery } from './list/parse-list-query.ts';
import { buildUnion, type PagePlan, planPage } from './list/plan-page.ts';
import { checkStored, refusedCreations } from './query/apply-changes.ts';
import { both, buildFilter, type Filter } from './query/filter.ts';
import { buildPrecondition, checkPrecondition, type Precondition, preconditionFailed } from './query/precondition.ts';
import { buildUpdate, changesNothing, requireEmbedded } from './query/update-pipeline.ts';
import { StoredRecord } from './stored-record.ts';

type Stored = Record<string, unknown>;

/** Which record a write addresses: id, row scope and precondition stand together in its filter. */
export interface Target {
  readonly id: unknown;
  readonly scope: Filter | undefined;
  readonly precondition: Precondition | undefined;
}

/** How records are read. */
interface ReadOptions {
  /** Records are fetched whole, the private fields too, for hooks and handlers. @default false */
  readonly fetchPrivate?: boolean;
}

/** How a page is read. */
interface ReadPageOptions extends ReadOptions {
  /** How many bytes the page may have: of what is read of it, and of its JSON. */
  readonly maxPageBytes: number;
}

/** How one record is read. */
interface ReadOneOptions extends ReadOptions {
  /** What the client chose to read. @default every readable field */
  readonly fields?: SelectedFields | undefined;
  /** What the record must fulfil; it is 412 otherwise. */
  readonly precondition?: Precondition | undefined;
}

/** How a record is inserted. */
interface InsertOptions {
  /** Another record with this id is 412, and not 409. @default false */
  readonly ifIdIsFree?: boolean;
}

/** Options of {@link openStore}. */
export interface StoreOptions {
  readonly db: Database;
  /** How long the database may work for one request, in milliseconds, where the model does not say. @default 10,000 */
  readonly maxTimeMS?: number;
}

/** What is legal for them; their values are checked where the store is opened. */
export const storeOptions: LegalOptions<StoreOptions> = { db: checkedLater, maxTimeMS: checkedLater };

interface WatchOptions {
  /** Warns of lists that look through the collection. @default false */
  readonly warnOnScan?: boolean;
}

/**
 * The commands on one model's collection: each operation is one command, and only a miss pays for a second to find out why. `work` is that of
 * the request that they are for.
 */
export interface Store {
  findOne(id: unknown, scope: Filter | undefined, options: ReadOneOptions, work?: Work): Promise<StoredRecord>;
  findPage(query: ListQuery, scope: Filter | undefined, options: ReadPageOptions, work?: Work): Promise<Page>;
  /** Those of these ids that there are, in no order, without private fields, as far as there is room: for records that `include` embeds. */
  findMany(ids: readonly unknown[], scope: Filter | undefined, room: Room, work?: Work): Promise<StoredRecord[]>;
  insert(stored: Stored, options?: InsertOptions, work?: Work): Promise<StoredRecord>;
  update(target: Target, changes: Changes, work?: Work): Promise<StoredRecord>;
  remove(target: Target, work?: Work): Promise<StoredRecord>;
}

/** Sends one write, and gives what it left; null where it matched nothing. */
type Write = (command: Command) => Promise<Stored | null>;

const maxRaces = 8;

interface Projected {
  readonly projection?: Readonly<Record<string, 0 | 1>>;
}

/** Opens the collection of a model. Every error of the driver leaves as what it means to the client. */
export function openStore(
  model: CompiledModel,
  { db: database, maxTimeMS: apiLimit = 10_000, warnOnScan = false }: StoreOptions & WatchOptions,
): Store {
  const db = asDb(database);
  const collection: Collection<Stored> = db.collection(model.collection, bsonOptions);
  const maxTimeMS = model.maxTimeMS ?? apiLimit;
  for (const limit of [apiLimit, maxTimeMS]) checkTimeLimit(limit);
  const notice = warnOnScan ? watchScans(model, db, maxTimeMS) : undefined;
  const { readOne, readMany, readLatest, write } = planCommands(model, db, collection, maxTimeMS);
  const { privatePaths } = model;
  const withoutPrivate: Projected =
    privatePaths.length > 0 ? { projection: Object.fromEntries(privatePaths.map((path) => [path, 0])) } : {};
  const revisionPaths = model.revision ? [model.revision.key] : [];

  /** What is fetched of a record: all, all that is not private, or what was chosen and what the answer cannot do without. */
  function projectionOf(fetchPrivate: boolean, fields: SelectedFields | undefined, needed: readonly string[] = []): Projected {
    if (fetchPrivate) return {};
    return fields ? { projection: includePaths([...fields.paths, ...revisionPaths, ...needed]) } : withoutPrivate;
  }

  function openPage(plan: PagePlan, { projection }: Projected, command: Command): AbstractCursor<Stored> {
    const { ranges, sort, skip, limit } = plan;
    const { maxTimeMS, signal } = command;
    const options = { maxTimeMS, signal, batchSize: limit + 1, ...asBytes }; // one batch: the driver would fetch a hundred records first
    if (ranges.length > 1) {
      const project = projection ? [{ $project: projection }] : [];
      const [first = {}, ...others] = [...buildUnion(plan, model.collection), ...project];
      return collection.aggregate<Stored>([command.handOver(first), ...others], options);
    }
    return collection.find<Stored>(command.handOver(ranges[0]), { ...options, ...(projection && { projection }), sort, skip, limit });
  }

  async function countAll({ total }: ListQuery, matching: Filter, command: Command): Promise<Total | undefined> {
    if (total === undefined) return undefined;
    const { maxTimeMS, signal } = command;
    const options: EstimatedDocumentCountOptions & Abortable = { maxTimeMS, signal }; // the driver's type forgets the signal
    if (total === 'exact') return { count: await command.count(() => collection.countDocuments(matching, options)), isEstimate: false };
    return { count: await command.count(() => collection.estimatedDocumentCount(options)), isEstimate: true };
  }

  function findFirst(filter: Filter, command: Command, options: FindOneOptions): Promise<Stored | null> {
    const { maxTimeMS, signal } = command;
    return command.count(() => collection.findOne<Stored>(command.handOver(filter), { maxTimeMS, signal, ...options }));
  }

  function toFilter({ id, scope, precondition }: Target, changes?: Changes): Filter {
    const addressed = both(both({ _id: id }, scope), buildPrecondition(model, precondition));
    return both(addressed, changes && requireEmbedded(changes));
  }

  /** Why a write matched nothing: 404, 412 or 422 in this order; returns when there is no reason left, because the record changed since. */
  async function explainMiss({ id, scope, precondition }: Target, work: Work, changes?: Changes): Promise<Stored> {
    // A secondary may not know yet what the write has seen.
    const stored = await readLatest(work, (command) => findFirst(both({ _id: id }, scope), command, { readPreference: 'primary' }));
    if (!stored) throw notFound();
    checkPrecondition(model, precondition, stored);
    const refused = changes ? refusedCreations(changes, stored) : [];
    if (refused.length > 0) throw validationFailed(refused);
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
    run: (filter: Filter) => Write,
    work: Work,
  ): Promise<StoredRecord> {
    for (let race = 0; race < maxRaces; race++) {
      const found = await explainMiss(target, work, changes);
      const errors = checkStored(storedCheck, changes, found);
      if (errors.length > 0) throw validationFailed(errors);
      const unchanged = (model.revision ? [model.revision.key] : storedCheck.dependsOn).map((key) => ({
        [key]: { $eq: asSent(found[key]) ?? null },
      }));
      const stored = await write(work, run({ $and: [toFilter(target, changes), ...unchanged] }));
      if (stored) return new StoredRecord(model, stored);
    }
    throw changedTooOften();
  }

  /** Writes, and explains a miss; where nothing explains it the record changed in between, and the write is tried again. */
  async function writeOrExplain(target: Target, changes: Changes | undefined, run: Write, work: Work): Promise<StoredRecord> {
    for (let race = 0; race < maxRaces; race++) {
      const stored = await write(work, run);
      if (stored) return new StoredRecord(model, stored);
      await explainMiss(target, work, changes);
    }
    throw changedTooOften();
  }

  /** How the driver takes a write: its types forget the signal, without which it would go on looking for a server after the answer. */
  const writeOptions = ({ maxTimeMS, signal }: Command): InsertOneOptions & FindOneAndDeleteOptions & Abortable => ({ maxTimeMS, signal });

  return {
    async findOne(id, scope, { fetchPrivate = false, fields, precondition }, work = new Work()) {
      const projection = projectionOf(fetchPrivate, fields);
      const stored = await readOne(work, (command) => findFirst(both({ _id: id }, scope), command, projection));
      if (!stored) throw notFound();
      checkPrecondition(model, precondition, stored);
      return new StoredRecord(model, stored, fields);
    },

    async findPage(query, scope, { fetchPrivate = false, maxPageBytes }, work = new Work()) {
      const matching = both(buildFilter(query.conditions), scope);
      const sortPaths = query.sort.map(({ field }) => field.path);
      const projection = projectionOf(fetchPrivate, query.fields, sortPaths);
      const plan = planPage(query, matching);
      const find = (command: Command): Promise<Batch> =>
        command.count(() => readFirstBatch(openPage(plan, projection, command), query.limit, maxPageBytes));
      const [batch, total] = await readMany(work, (command) => Promise.all([find(command), countAll(query, matching, command)]));
      notice?.({ filter: matching, sort: new Map(query.sort.map(({ field, direction }) => [field.path, direction])), limit: plan.limit });
      return buildPage(model, query, batch, { total, maxPageBytes, fetchPrivate });
    },

    async findMany(ids, scope, room, work = new Work()) {
      const filter = both({ _id: { $in: ids } }, scope);
      const batchSize = ids.length + 1; // all in the first batch; one more tells the database that there is no second
      const found = await readMany(work, (command) => {
        const { maxTimeMS, signal } = command;
        const options = { maxTimeMS, signal, batchSize, ...withoutPrivate, ...asBytes };
        return command.count(() => readAll(collection.find<Stored>(command.handOver(filter), options), room));
      });
      return found.map((stored) => new StoredRecord(model, stored));
    },

    async insert(stored, { ifIdIsFree = false } = {}, work = new Work()) {
      try {
        await write(work, async (command) => {
          await collection.insertOne(command.handOver(stored) as OptionalUnlessRequiredId<Stored>, writeOptions(command));
          return stored;
        });
      } catch (error) {
        throw ifIdIsFree && isIdTaken(error) ? preconditionFailed('There is a record with this id already.') : error;
      }
      return new StoredRecord(model, stored);
    },

    async update(target, changes, work = new Work()) {
      const run = (filter: Filter): Write => {
        return (command) =>
          collection.findOneAndUpdate(command.handOver(filter), buildUpdate(model, changes, new Date()), {
            returnDocument: 'after',
            ...writeOptions(command),
          });
      };
      if (changesNothing(changes)) return new StoredRecord(model, await explainMiss(target, work, changes));
      if (changes.storedCheck) return updateChecked(target, changes, changes.storedCheck, run, work);
      return writeOrExplain(target, changes, run(toFilter(target, changes)), work);
    },

    async remove(target, work = new Work()) {
      const filter = toFilter(target);
      return writeOrExplain(
        target,
        undefined,
        (command) => collection.findOneAndDelete(command.handOver(filter), writeOptions(command)),
        work,
      );
    },
  };
}

function changedTooOften(): Problem {
  return new Problem({ code: 'overloaded', detail: 'The record is being changed too often at the moment; try again.' });
}

function notFound(): Problem {
  return new Problem({ code: 'not_found', detail: 'There is no such record.' });
}

/** A projection of these paths. One that lies below another is in it already, and would be a conflict. */
function includePaths(paths: readonly string[]): Record<string, 1> {
  const all = new Set(paths);
  const isBelow = (path: string): boolean =>
    path.split('.').some((_key, index, keys) => index > 0 && all.has(keys.slice(0, index).join('.')));
  return Object.fromEntries([...all].filter((path) => !isBelow(path)).map((path) => [path, 1]));
}
