import type { Collection, FindOneOptions } from 'mongodb';
import { Problem, validationFailed } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { asSent } from '../model/value/copy-value.ts';
import type { Changes, StoredCheck } from '../model/write/plan-changes.ts';
import { checkedLater, type LegalOptions } from '../options.ts';
import { bsonOptions } from './driver/bson-options.ts';
import { planCommands } from './driver/commands.ts';
import { asDb, type Database } from './driver/database.ts';
import { isIdTaken } from './driver/outcome.ts';
import { SharedInserts } from './driver/shared-inserts.ts';
import { checkTimeLimit } from './driver/time-limit.ts';
import { type Command, Work } from './driver/work.ts';
import { type ManyInserts, openManyInserts } from './insert-many.ts';
import { type ChildrenReads, openChildren } from './open-children.ts';
import { type Links, openLinks } from './open-links.ts';
import { notFound, openReads, type Reads } from './open-reads.ts';
import { openReferenceCommands, type ReferenceCommands } from './open-references.ts';
import { checkStored, refusedCreations } from './query/apply-changes.ts';
import { both, type Filter } from './query/filter.ts';
import { buildPrecondition, checkPrecondition, preconditionFailed } from './query/precondition.ts';
import { buildUpdate, changesNothing, requireEmbedded } from './query/update-pipeline.ts';
import { StoredRecord } from './stored-record.ts';
import type { Target } from './target.ts';
import type { Viewer } from './viewer.ts';
import { type ManyWrites, openManyWrites } from './write-many.ts';

type Stored = Record<string, unknown>;

/** Options of an insert. */
interface InsertOptions {
  /** Answers 412 instead of 409 if there is a record with this id. @default false */
  readonly ifIdIsFree?: boolean;
  /** Who writes, for checked references. @default the application itself */
  readonly viewer?: Viewer | undefined;
}

/** Options of {@link openCollection}. */
export interface DatabaseOptions {
  readonly db: Database;
  /** How long the database may work for one request, in milliseconds. `maxTimeMS` of a model wins over it. @default 10,000 */
  readonly maxTimeMS?: number;
}

/** The legal names of {@link DatabaseOptions}. `openCollection` checks the values. */
export const databaseOptions: LegalOptions<DatabaseOptions> = { db: checkedLater, maxTimeMS: checkedLater };

interface Settings {
  /** Whether gets and creates that come while others are under way are sent together. @default true */
  readonly shareRoundTrips?: boolean;
  /** Whether to warn about lists that scan the whole collection. @default false */
  readonly warnOnScan?: boolean;
}

/**
 * The commands on the collection of a model. Every operation on one record is one command. Only if a write matches nothing, a second one finds
 * out why.
 * `work` is the work of the request.
 */
export interface ModelCollection extends Reads, ChildrenReads, ManyInserts, ManyWrites, Links, ReferenceCommands {
  insert(stored: Stored, options?: InsertOptions, work?: Work): Promise<StoredRecord>;
  update(target: Target, changes: Changes, work?: Work): Promise<StoredRecord>;
  remove(target: Target, work?: Work): Promise<StoredRecord>;
}

/** Sends one write, and returns the record after it; null if it matched nothing. */
type Write = (command: Command) => Promise<Stored | null>;

const maxRaces = 8;

/** Opens the collection of a model. Errors of the driver are translated into what they mean to the client. */
export function openCollection(
  model: CompiledModel,
  { db: database, maxTimeMS: apiLimit = 10_000, warnOnScan = false, shareRoundTrips = true }: DatabaseOptions & Settings,
): ModelCollection {
  const db = asDb(database);
  const collection: Collection<Stored> = db.collection(model.collection, bsonOptions);
  const maxTimeMS = model.maxTimeMS ?? apiLimit;
  for (const limit of [apiLimit, maxTimeMS]) checkTimeLimit(limit);
  const { readOne, readMany, readLatest, write } = planCommands(model, db, collection, maxTimeMS);

  const inserts = new SharedInserts(db, collection, shareRoundTrips);

  function findFirst(filter: Filter, command: Command, options: FindOneOptions): Promise<Stored | null> {
    return command.count(() => collection.findOne<Stored>(command.handOver(filter), { ...command.options, ...options }));
  }

  function toFilter({ id, scope, precondition }: Target, changes?: Changes): Filter {
    const addressed = both(both({ _id: id }, scope), buildPrecondition(model, precondition));
    return both(addressed, changes && requireEmbedded(changes));
  }

  /** Finds out why a write matched nothing: 404, 412 or 422, in this order. Returns the record if nothing explains it: then it has changed since. */
  async function explainMiss({ id, scope, precondition }: Target, work: Work, changes?: Changes): Promise<Stored> {
    // A secondary may not have the state yet that the write has seen.
    const stored = await readLatest(work, (command) => findFirst(both({ _id: id }, scope), command, { readPreference: 'primary' }));
    if (!stored) throw notFound();
    checkPrecondition(model, precondition, stored);
    const refused = changes ? refusedCreations(changes, stored) : [];
    if (refused.length > 0) throw validationFailed(refused);
    return stored;
  }

  /**
   * Updates a record with checks of stored values that the client may not write, the one operation of two commands. It reads, checks, and writes
   * if nothing has changed since: the revision, or without one the values that were checked.
   */
  async function updateChecked(
    target: Target,
    changes: Changes,
    storedCheck: StoredCheck,
    run: (filter: Filter) => Write,
    work: Work,
  ): Promise<StoredRecord> {
    return retry(async () => {
      const found = await explainMiss(target, work, changes);
      const errors = checkStored(storedCheck, changes, found);
      if (errors.length > 0) throw validationFailed(errors);
      const unchanged = (model.revision ? [model.revision.key] : storedCheck.dependsOn).map((key) => ({
        [key]: { $eq: asSent(found[key]) ?? null },
      }));
      const stored = await write(work, run({ $and: [toFilter(target, changes), ...unchanged] }));
      return stored ? new StoredRecord(model, stored) : undefined;
    });
  }

  /** Writes, and explains a miss. If nothing explains it, the record has changed in between, and the write is tried again. */
  async function writeOrExplain(target: Target, changes: Changes | undefined, run: Write, work: Work): Promise<StoredRecord> {
    return retry(async () => {
      const stored = await write(work, run);
      if (stored) return new StoredRecord(model, stored);
      await explainMiss(target, work, changes);
      return undefined;
    });
  }

  return {
    ...openReads(model, db, collection, { readOne, readMany, maxTimeMS, warnOnScan, shareRoundTrips }),
    ...openChildren(model, db, { readMany }),
    ...openManyInserts(model, db, collection, { write, maxTimeMS }),
    ...openManyWrites(model, db, collection, { readMany, write, maxTimeMS }),
    ...openLinks(model, collection, { write, toFilter, explainMiss, retry }),
    ...openReferenceCommands(model, collection, { readLatest, write }),

    async insert(stored, { ifIdIsFree = false } = {}, work = new Work()) {
      try {
        await write(work, (command) => inserts.insert(stored, command));
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
            ...command.options,
          });
      };
      if (changesNothing(changes)) return new StoredRecord(model, await explainMiss(target, work, changes));
      if (changes.storedCheck) return updateChecked(target, changes, changes.storedCheck, run, work);
      return writeOrExplain(target, changes, run(toFilter(target, changes)), work);
    },

    async remove(target, work = new Work()) {
      const filter = toFilter(target);
      return writeOrExplain(target, undefined, (command) => collection.findOneAndDelete(command.handOver(filter), command.options), work);
    },
  };
}

/** Tries again as long as there is no result, because the record has changed in between. */
async function retry<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let race = 0; race < maxRaces; race++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new Problem({ code: 'overloaded', detail: 'The record is being changed too often at the moment; try again.' });
}
