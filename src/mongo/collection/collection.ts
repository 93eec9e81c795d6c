import type { Document as BsonDocument, Collection, Db, FindOneOptions } from 'mongodb';
import { notFound, Problem, validationFailed } from '../../errors.ts';
import { once } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { asSent } from '../../model/value/copy-value.ts';
import type { Changes, StoredCheck } from '../../model/write/plan-changes.ts';
import { checkedLater, type LegalOptions } from '../../options.ts';
import { bsonOptions, recordAsBytes, type WritesAsBytes } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { asDb, type Database } from '../driver/database.ts';
import { isIdTaken } from '../driver/outcome.ts';
import { runLoaded } from '../driver/run-transaction.ts';
import { SharedInserts } from '../driver/shared-inserts.ts';
import { checkTimeLimit } from '../driver/time-limit.ts';
import type { Command, Work } from '../driver/work.ts';
import { checkStored, refusalsBy } from '../query/apply-changes.ts';
import { type Deletion, marking, narrow, newDeletion, unmarking, type Visible } from '../query/deleted.ts';
import { both, type Filter } from '../query/filter.ts';
import { buildPrecondition, checkPrecondition, preconditionFailed } from '../query/precondition.ts';
import { buildUpdate, changesNothing, requireMergeable } from '../query/update-pipeline.ts';
import { StoredRecord } from '../stored-record.ts';
import { openChildren } from './children.ts';
import { openLinks } from './elements.ts';
import { openFind } from './find.ts';
import { hideDeleted } from './hide-deleted.ts';
import { openManyInserts } from './insert-many.ts';
import type { CollectionWork, Operations, PlainOperations, Restores } from './operations.ts';
import { openPurges, type Purges } from './purges.ts';
import { openReads } from './reads.ts';
import { recordWrites } from './recorded.ts';
import { openReferenceCommands } from './reference-commands.ts';
import { openManyWrites } from './write-many.ts';
import type { Target } from './writer.ts';

type Stored = Record<string, unknown>;

/** Options of {@link openCollection}. */
export interface DatabaseOptions {
  /** The database of the collections. */
  readonly db: Database;
  /**
   * How long the database may work for one request, in milliseconds. `maxTimeMS` of a model wins over it.
   *
   * @default 10,000
   */
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
 * The commands on the collection of a model. Every operation on one record is one command. Only if a write matches
 * nothing, a second one finds out why. Deleted records of a model with `t.deletedAt()` do not exist for them, except
 * for the reads of {@link ModelCollection.seeing}, for {@link ModelCollection.restore} and for the purge. `work` is the
 * work of the request.
 */
export interface ModelCollection extends Operations, Purges, Restores {
  /**
   * Operations that see other records than the living ones. They do not include the writes of clients, which check
   * references by themselves.
   */
  readonly seeing: Readonly<Record<Visible, PlainOperations>>;
}

/** Sends one write, and returns the BSON of its record; null if it matched nothing. */
type Write = (command: Command) => Promise<Uint8Array | null>;

const maxRaces = 8;

/** The collections that are open, by their database, their model and their settings. */
const opened = new WeakMap<Db, WeakMap<CompiledModel, Map<string, ModelCollection>>>();

/**
 * Opens the collection of a model, once for all that have the same database, model and settings. Errors of the driver
 * are translated into what they mean to the client.
 */
export function openCollection(
  model: CompiledModel,
  { db: database, maxTimeMS: apiLimit = 10_000, warnOnScan = false, shareRoundTrips = true }: DatabaseOptions & Settings,
): ModelCollection {
  const db = asDb(database);
  checkTimeLimit(apiLimit);
  const maxTimeMS = model.maxTimeMS ?? apiLimit;
  const ofDatabase = opened.get(db) ?? new WeakMap<CompiledModel, Map<string, ModelCollection>>();
  const ofModel = ofDatabase.get(model) ?? new Map<string, ModelCollection>();
  const settings = `${maxTimeMS} ${warnOnScan} ${shareRoundTrips}`;
  const known = ofModel.get(settings) ?? open(model, db, { maxTimeMS, warnOnScan, shareRoundTrips });
  opened.set(db, ofDatabase.set(model, ofModel.set(settings, known)));
  return known;
}

function open(
  model: CompiledModel,
  db: Db,
  { maxTimeMS, warnOnScan, shareRoundTrips }: Required<Settings> & { readonly maxTimeMS: number },
): ModelCollection {
  const collection: Collection<Stored> = db.collection(model.collection, bsonOptions);
  const { readOne, readMany, readLatest, write } = planCommands(model, db, collection, maxTimeMS);

  const asBytes = collection as object as WritesAsBytes;

  const inserts = new SharedInserts(db, collection, shareRoundTrips);

  function findFirst(filter: Filter, command: Command, options: FindOneOptions): Promise<Stored | null> {
    return command.count(() => collection.findOne<Stored>(command.handOver(filter), { ...command.options, ...options }));
  }

  function toFilter({ id, scope, precondition }: Target, changes?: Changes): Filter {
    const further = [scope, precondition && buildPrecondition(model, precondition), changes && requireMergeable(changes)];
    return further.reduce<Filter>((filter, one) => (one ? both(filter, one) : filter), { _id: id });
  }

  /**
   * Finds out why a write matched nothing: 404, 412 or 422, in this order. Returns the record if nothing explains it:
   * then it has changed since.
   */
  async function explainMiss({ id, scope, precondition }: Target, work: Work, changes?: Changes): Promise<Stored> {
    // A secondary may not have the state yet that the write has seen.
    const stored = await readLatest(work, (command) => findFirst(both({ _id: id }, scope), command, { readPreference: 'primary' }));
    if (!stored) throw notFound();
    checkPrecondition(model, precondition, stored);
    const refused = changes ? refusalsBy(stored, changes) : [];
    if (refused.length > 0) throw validationFailed(refused);
    return stored;
  }

  /**
   * Updates a record with checks of stored values that the client may not write, the one operation of two commands. It
   * reads, checks, and writes if nothing has changed since: the revision, or without one the values that were checked.
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
      const stored = await write(work, run({ $and: [toFilter(target, changes), ...unchanged] }), target.writer);
      return stored ? new StoredRecord(model, stored) : undefined;
    });
  }

  /**
   * Writes, and explains a miss. If nothing explains it, the record has changed in between, and the write is tried
   * again.
   */
  async function writeOrExplain(target: Target, changes: Changes | undefined, run: Write, work: Work): Promise<StoredRecord> {
    for (let race = 0; race < maxRaces; race++) {
      const stored = await write(work, run, target.writer);
      if (stored) return new StoredRecord(model, stored);
      await explainMiss(target, work, changes);
    }
    throw changedTooOften();
  }

  function applying(filter: Filter, changes: Changes): Write {
    return updating(filter, () => buildUpdate(model, changes, new Date()));
  }

  function updating(filter: Filter, build: () => BsonDocument[]): Write {
    return (command) => asBytes.findOneAndUpdate(command.handOver(filter), build(), asRecord('after', command));
  }

  function marked(filter: Filter, { at, id }: Deletion): Write {
    const pipeline = buildUpdate(model, marking(model, { at, id }), at);
    return (command) => asBytes.findOneAndUpdate(command.handOver(filter), pipeline, asRecord('before', command));
  }

  const upserting = once(async () => (await import('./upsert.ts')).openUpsert(model, collection, { readLatest, write, retry }));
  const stepping = once(async () => (await import('./step.ts')).openStep(model, asBytes, { write, toFilter, explainMiss, retry }));

  const ofOne: Pick<CollectionWork, 'insert' | 'update' | 'step' | 'upsert' | 'remove' | 'restore'> = {
    async insert(stored, work, { ifIdIsFree = false, writer } = {}) {
      model.folds?.addTo(stored);
      try {
        await write(work, (command) => inserts.insert(stored, command), writer);
      } catch (error) {
        throw ifIdIsFree && isIdTaken(error) ? preconditionFailed('There is a record with this id already.') : error;
      }
      return new StoredRecord(model, stored);
    },

    async update(target, changes, work) {
      const run = (filter: Filter) => applying(filter, changes);
      if (changesNothing(changes)) return new StoredRecord(model, await explainMiss(target, work, changes));
      if (changes.storedCheck) return updateChecked(target, changes, changes.storedCheck, run, work);
      return await writeOrExplain(target, changes, run(toFilter(target, changes)), work);
    },

    step: (target, change, work) => runLoaded(work, stepping, (step) => step(target, change, work)),

    upsert: (target, stored, work) => runLoaded(work, upserting, (upsert) => upsert(target, stored, work)),

    async remove(target, work, deletion = newDeletion()) {
      const filter = toFilter(target);
      const run: Write = model.deletedAt
        ? marked(filter, deletion)
        : (command) => asBytes.findOneAndDelete(command.handOver(filter), asRecord('before', command));
      return await writeOrExplain(target, undefined, run, work);
    },

    async restore(target, work, clearing = []) {
      const deleted = { ...target, scope: narrow(model, 'only', target.scope) };
      const build = () => [...clearing, ...buildUpdate(model, unmarking(model), new Date())];
      return await writeOrExplain(deleted, undefined, updating(toFilter(deleted), build), work);
    },
  };
  const find = openFind(model, collection, { readLatest });
  // `Object.assign`: a literal that spreads so many members would become a hash table, which is slow to make and read.
  const reads: PlainOperations = Object.assign(
    openReads(model, db, collection, { readOne, readMany, readLatest, maxTimeMS, warnOnScan, shareRoundTrips }),
    openChildren(model, db, { readMany }),
    openReferenceCommands(model, collection, { write }),
    find,
  );
  const ofMany = Object.assign(
    openManyInserts(model, db, collection, { write, maxTimeMS }),
    openManyWrites(model, db, collection, { readMany, write, maxTimeMS }),
    openLinks(model, asBytes, { write, toFilter, explainMiss, retry }),
    openPurges(model, collection, find, { write }),
  );
  const plain: CollectionWork = Object.assign(reads, ofMany, ofOne);
  const used = model.ledger ? Object.assign({}, plain, recordWrites(model, plain, { db, maxTimeMS })) : plain;
  const hidden = model.deletedAt && { live: hideDeleted(model, used, 'live'), only: hideDeleted(model, used, 'only') };
  const seeing = { live: used, only: used, with: used, ...hidden };
  return Object.assign({}, used, hidden?.live, { seeing });
}

/** The options of a write that returns its record. Each spread of a literal would cost as much as the rest of it. */
function asRecord(returnDocument: 'before' | 'after', { maxTimeMS, signal, session }: Command): object {
  const { raw, documentsReturnedIn } = recordAsBytes;
  const options = { returnDocument, raw, documentsReturnedIn, maxTimeMS, signal };
  return session ? { ...options, session } : options;
}

/** Tries again as long as there is no result, because the record has changed in between. */
async function retry<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let race = 0; race < maxRaces; race++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw changedTooOften();
}

function changedTooOften(): Problem {
  const detail = `The record was changed by others at each of ${maxRaces} attempts, and nothing was written. Try again.`;
  return new Problem({ code: 'write_conflict', detail });
}
