import type { Abortable, Collection, FindOneAndDeleteOptions, FindOneOptions, InsertOneOptions, OptionalUnlessRequiredId } from 'mongodb';
import { Problem, validationFailed } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { asSent } from '../model/value/copy-value.ts';
import type { Changes, StoredCheck } from '../model/write/plan-changes.ts';
import { checkedLater, type LegalOptions } from '../options.ts';
import { bsonOptions } from './driver/bson-options.ts';
import { planCommands } from './driver/commands.ts';
import { asDb, type Database } from './driver/database.ts';
import { isIdTaken } from './driver/outcome.ts';
import { checkTimeLimit } from './driver/time-limit.ts';
import { type Command, Work } from './driver/work.ts';
import { notFound, openReads, type Reads } from './open-reads.ts';
import { checkStored, refusedCreations } from './query/apply-changes.ts';
import { both, type Filter } from './query/filter.ts';
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

interface ReadSettings {
  /** Whether gets that come while others are under way are sent together. @default true */
  readonly shareRoundTrips?: boolean;
  /** Warns of lists that look through the collection. @default false */
  readonly warnOnScan?: boolean;
}

/**
 * The commands on one model's collection: each operation is one command, and only a miss pays for a second to find out why. `work` is that of
 * the request that they are for.
 */
export interface Store extends Reads {
  insert(stored: Stored, options?: InsertOptions, work?: Work): Promise<StoredRecord>;
  update(target: Target, changes: Changes, work?: Work): Promise<StoredRecord>;
  remove(target: Target, work?: Work): Promise<StoredRecord>;
}

/** Sends one write, and gives what it left; null where it matched nothing. */
type Write = (command: Command) => Promise<Stored | null>;

const maxRaces = 8;

/** Opens the collection of a model. Every error of the driver leaves as what it means to the client. */
export function openStore(
  model: CompiledModel,
  { db: database, maxTimeMS: apiLimit = 10_000, warnOnScan = false, shareRoundTrips = true }: StoreOptions & ReadSettings,
): Store {
  const db = asDb(database);
  const collection: Collection<Stored> = db.collection(model.collection, bsonOptions);
  const maxTimeMS = model.maxTimeMS ?? apiLimit;
  for (const limit of [apiLimit, maxTimeMS]) checkTimeLimit(limit);
  const { readOne, readMany, readLatest, write } = planCommands(model, db, collection, maxTimeMS);

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
    ...openReads(model, db, collection, { readOne, readMany, maxTimeMS, warnOnScan, shareRoundTrips }),

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
