import type { Collection, Db } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { checkedLater, type LegalOptions } from '../../options.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { asDb, type Database } from '../driver/database.ts';
import { compileTransact } from '../driver/run-transaction.ts';
import { SharedInserts } from '../driver/shared-inserts.ts';
import { timeLimitFor } from '../driver/time-limit.ts';
import { watchScans } from '../indexes/watch-scans.ts';
import { openFind } from './find.ts';
import { openManyInserts } from './insert-many.ts';
import type { Operations } from './operations.ts';
import { openReads } from './reads.ts';
import { recordWrites } from './recorded.ts';
import { openRelated } from './related.ts';
import { openWriteMany } from './write-many.ts';
import { openWriteOne } from './write-one.ts';

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
 * nothing, a second one finds out why. Each reaches the records of its `Within` (`mongo/lifecycle/within.ts`), and no
 * others. `work` is the work of the request.
 */
export type ModelCollection = Operations;

/** The collections that are open, by their database, their model and their settings. */
const opened = new WeakMap<Db, WeakMap<CompiledModel, Map<string, ModelCollection>>>();

/**
 * Opens the collection of a model, once for all that have the same database, model and settings, whatever they see of
 * the records: that is a part of each `Within`. Errors of the driver are translated into what they mean to the client.
 */
export function openCollection(
  { whole: model }: CompiledModel,
  { db: database, warnOnScan = false, shareRoundTrips = true, ...options }: DatabaseOptions & Settings,
): ModelCollection {
  const db = asDb(database);
  const maxTimeMS = timeLimitFor(model, options);
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
  const { readOne, readMany, readLatest, searchLatest, write } = planCommands(model, db, collection, maxTimeMS);

  const notice = warnOnScan ? watchScans(model, db, maxTimeMS) : undefined;
  const transact = compileTransact(db, maxTimeMS);
  const shared = new SharedInserts(db, collection, shareRoundTrips);
  // `Object.assign`: a literal that spreads so many members would become a hash table, which is slow to make and read.
  const ofLibrary = openFind(collection, { readLatest, searchLatest });
  const reads = Object.assign(
    openReads(model, db, collection, { readOne, readMany, readLatest, maxTimeMS, notice, shareRoundTrips }),
    openRelated(model, db, collection, { readMany, notice }),
    ofLibrary,
  );
  const ofMany = Object.assign(
    openManyInserts(model, db, collection, { write, transact }),
    openWriteMany(model, collection, { ...ofLibrary, write, transact }),
    openWriteOne(model, collection, { readLatest, write, shared }),
  );
  const plain: Operations = Object.assign(reads, ofMany);
  return model.ledger ? Object.assign({}, plain, recordWrites(model, plain, transact, { db, maxTimeMS })) : plain;
}
