import type { ClientSession, Collection, Db } from 'mongodb';
import { ConfigurationError, Problem, validationFailed } from '../errors.ts';
import type { EntityTags } from '../http/entity-tag.ts';
import type { CompiledModel } from '../model/compile-model.ts';
import type { Changes, StoredCheck } from '../model/plan-changes.ts';
import { checkStored } from './apply-changes.ts';
import { behind, formatCursor, isOfField } from './cursor.ts';
import { toDatabaseProblem } from './database-problem.ts';
import { checkTimeLimit, withDeadline } from './deadline.ts';
import { both, buildFilter, type Filter } from './filter.ts';
import type { ListQuery } from './list-query.ts';
import { missingKeys, valueAt } from './miss.ts';
import { buildPrecondition, fulfils } from './precondition.ts';
import { watchReachability } from './reachability.ts';
import { StoredRecord } from './stored-record.ts';
import { buildUpdate, changesNothing, requireEmbedded } from './update-pipeline.ts';

type Stored = Record<string, unknown>;

/** One page of a list. */
export interface Page {
  readonly records: readonly StoredRecord[];
  readonly size: number;
  /** The cursor of the next page; null on the last. */
  readonly nextCursor: string | null;
  /** The number of all matches, when it was asked for. */
  readonly total: number | undefined;
}

/** Which record a write addresses: id, row scope and precondition stand together in its filter. */
export interface Target {
  readonly id: unknown;
  readonly scope: Filter | undefined;
  readonly precondition: EntityTags | undefined;
}

/** Options of {@link openStore}. */
export interface StoreOptions {
  readonly db: Db;
  /** Time limit of the database for one command, in milliseconds, where the model has none. @default 10,000 */
  readonly maxTimeMS?: number;
}

/** The commands on one model's collection: each operation is one command, and only a miss pays for a second to find out why. */
export interface Store {
  findOne(id: unknown, scope: Filter | undefined, fetchPrivate: boolean): Promise<StoredRecord>;
  findPage(query: ListQuery, scope: Filter | undefined, fetchPrivate: boolean): Promise<Page>;
  /** Those of these ids that there are, in no order, without private fields: for records that `include` embeds. */
  findMany(ids: readonly unknown[], scope: Filter | undefined): Promise<StoredRecord[]>;
  insert(stored: Stored): Promise<StoredRecord>;
  update(target: Target, changes: Changes): Promise<StoredRecord>;
  remove(target: Target): Promise<StoredRecord>;
}

const maxRaces = 8;

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
export function openStore(model: CompiledModel, { db, maxTimeMS: apiLimit = 10_000 }: StoreOptions): Store {
  if (typeof db?.collection !== 'function')
    throw new ConfigurationError("`db` must be a database of the MongoDB driver, such as `client.db('shop')`.");
  const collection: Collection<Stored> = db.collection(model.collection, bsonOptions);
  const maxTimeMS = model.maxTimeMS ?? apiLimit;
  for (const limit of [apiLimit, maxTimeMS]) checkTimeLimit(limit);
  const reachability = watchReachability(db.client);
  const unread = model.privatePaths.filter((path) => path !== model.revision?.key); // the ETag needs it, private or not
  const withoutPrivate = unread.length > 0 ? { projection: Object.fromEntries(unread.map((path) => [path, 0])) } : {};

  async function read<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(maxTimeMS, run);
    } catch (error) {
      throw toDatabaseProblem(error, model, 'read', reachability.awaySpell() !== undefined);
    }
  }

  /** A session remembers that a connection broke under it, where the last error of a retried write says only that no server is left. */
  async function write<T>(run: (session: ClientSession) => Promise<T>): Promise<T> {
    const session = db.client.startSession({ causalConsistency: false });
    const awayAtFirst = reachability.awaySpell();
    try {
      return await withDeadline(maxTimeMS, () => run(session).finally(() => session.endSession()));
    } catch (error) {
      const wasAway = awayAtFirst !== undefined && awayAtFirst === reachability.awaySpell();
      throw toDatabaseProblem(error, model, session.serverSession.isDirty ? 'broken write' : 'write', wasAway);
    }
  }

  function readOptions(signal: AbortSignal, fetchPrivate: boolean) {
    return { maxTimeMS, signal, ...(fetchPrivate ? {} : withoutPrivate) };
  }

  function toFilter({ id, scope, precondition }: Target, changes?: Changes): Filter {
    const addressed = both(both({ _id: id }, scope), buildPrecondition(model, precondition));
    return both(addressed, changes && requireEmbedded(changes));
  }

  /** Why a write matched nothing: 404, 412 or 422 in this order; returns when there is no reason left, because the record changed since. */
  async function explainMiss({ id, scope, precondition }: Target, changes?: Changes): Promise<Stored> {
    const filter = both({ _id: id }, scope);
    // A secondary may not know yet what the write has seen.
    const stored = await read((signal) => collection.findOne<Stored>(filter, { ...readOptions(signal, true), readPreference: 'primary' }));
    if (!stored) throw notFound();
    if (!fulfils(model, precondition, stored))
      throw new Problem('precondition_failed', 'The record has changed since, or has no revision to compare; read it again.');
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
        [key]: { $eq: found[key] ?? null },
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
    async findOne(id, scope, fetchPrivate) {
      const stored = await read((signal) => collection.findOne<Stored>(both({ _id: id }, scope), readOptions(signal, fetchPrivate)));
      if (!stored) throw notFound();
      return new StoredRecord(model, stored);
    },

    async findPage(query, scope, fetchPrivate) {
      const matching = both(buildFilter(query.conditions), scope);
      const filter = query.after ? { $and: [matching, behind(query.sort, query.after)] } : matching;
      const order = new Map(query.sort.map(({ field, direction }) => [field.path, direction])); // an object would put a field `1` first
      const [found, total] = await Promise.all([
        read((signal) =>
          collection
            .find<Stored>(filter, readOptions(signal, fetchPrivate))
            .sort(order)
            .limit(query.limit + 1)
            .toArray(),
        ),
        query.total ? read((signal) => collection.countDocuments(matching, { maxTimeMS, signal })) : undefined,
      ]);
      const page = found.slice(0, query.limit);
      const last = found.length > query.limit ? page.at(-1) : undefined;
      return {
        records: page.map((stored) => new StoredRecord(model, stored)),
        size: query.limit,
        nextCursor: last ? cursorOf(last, query) : null,
        total,
      };
    },

    async findMany(ids, scope) {
      const filter = both({ _id: { $in: ids } }, scope);
      const batchSize = ids.length + 1; // all in the first batch; one more tells the database that there is no second
      const found = await read((signal) => collection.find<Stored>(filter, { ...readOptions(signal, false), batchSize }).toArray());
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

function cursorOf(stored: Stored, { digest, sort }: ListQuery): string {
  const values = sort.map((key) => {
    const value = valueAt(stored, key.field.path) ?? null;
    if (isOfField(value, key)) return value;
    throw new Error(
      `A record holds a value in \`${key.field.name}\` that is not of its field's type, so the list cannot be continued behind it.`,
    );
  });
  return formatCursor(digest, values);
}
