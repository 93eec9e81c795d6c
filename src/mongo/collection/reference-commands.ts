import type { Document as BsonDocument, Collection, FindCursor, FindOptions } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { Room } from '../../model/relations/included.ts';
import { referencesKey } from '../../model/value/own-keys.ts';
import type { Commands } from '../driver/commands.ts';
import type { Told } from '../driver/duplicate-key.ts';
import { inParts } from '../driver/in-parts.ts';
import { asBytes, readAll } from '../driver/read-batches.ts';
import type { Command, Work } from '../driver/work.ts';
import { type Deletion, marking } from '../query/deleted.ts';
import { both, type Filter } from '../query/filter.ts';
import { includePaths } from '../query/include-paths.ts';
import { buildUpdate } from '../query/update-pipeline.ts';
import { StoredRecord } from '../stored-record.ts';

type Stored = Record<string, unknown>;

/** The commands that checked references need. One that is given ids is sent once for every 5,000 of them. */
export interface ReferenceCommands {
  /** The ids of records that match, as the primary knows them; at most `limit`. */
  findIds(filter: Filter, limit: number, work: Work): Promise<unknown[]>;
  /**
   * The ids of records whose value at a stored path is one of these, some twice; at least `limit` if there are so many.
   */
  findIdsBy(path: string, values: readonly unknown[], scope: Filter | undefined, limit: number, work: Work): Promise<unknown[]>;
  /**
   * Writes into each of these records, within the scope, because the transaction that this is a part of makes a latch
   * of it: a delete of the record conflicts with it. Neither the revision nor `updatedAt` moves. Returns how many
   * records there are.
   */
  holdAll(ids: readonly unknown[], scope: Filter | undefined, work: Work): Promise<number>;
  /**
   * What records that match have at some stored paths, as the primary knows them: at most `limit` of them, and no more
   * than one answer of the database has room for.
   */
  findPaths(filter: Filter, paths: readonly string[], limit: number, work: Work): Promise<Stored[]>;
  /** Reads the ids of these records and what they have at some stored paths, within the scope. */
  readPaths(ids: readonly unknown[], paths: readonly string[], scope: Filter | undefined, work: Work): Promise<Stored[]>;
  /** Reads these records whole, within the scope, as far as there is room. */
  readAll(ids: readonly unknown[], scope: Filter | undefined, work: Work, room?: Room): Promise<StoredRecord[]>;
  /** Deletes these records, within the scope: removes them, or marks them if their model has `t.deletedAt()`. */
  removeAll(ids: readonly unknown[], scope: Filter | undefined, deletion: Deletion, work: Work): Promise<void>;
  /** Removes these records for good, within the scope, whether they are deleted or not. */
  purgeAll(ids: readonly unknown[], scope: Filter | undefined, work: Work): Promise<void>;
  /** Applies update pipelines to these records, one after the other, as one change within the scope. */
  rewriteAll(ids: readonly unknown[], scope: Filter | undefined, pipelines: readonly BsonDocument[][], work: Work): Promise<void>;
}

const countReference: BsonDocument = { $inc: { [referencesKey]: 1 } };

/** Opens the commands of checked references on a collection. */
export function openReferenceCommands(
  model: CompiledModel,
  collection: Collection<Stored>,
  { readLatest, write }: Pick<Commands, 'readLatest' | 'write'>,
): ReferenceCommands {
  function open(filter: Filter, options: FindOptions & { readonly limit: number }, command: Command): FindCursor<Stored> {
    const batchSize = options.limit + 1;
    return collection.find(command.handOver(filter), { ...command.options, ...options, batchSize, readPreference: 'primary' });
  }

  function find(filter: Filter, options: FindOptions & { readonly limit: number }, work: Work): Promise<Stored[]> {
    return readLatest(work, (command) => command.count(() => open(filter, options, command).toArray()));
  }

  async function findIds(filter: Filter, limit: number, work: Work): Promise<unknown[]> {
    const found = await find(filter, { projection: { _id: 1 }, limit }, work);
    return found.map(({ _id }) => _id);
  }

  const rewriteAll: ReferenceCommands['rewriteAll'] = async (ids, scope, pipelines, work) => {
    for (const some of inParts(ids)) {
      const filter = both(withIds(some), scope);
      for (const pipeline of pipelines)
        await write(work, (command) => collection.updateMany(command.handOver(filter), pipeline, command.options), serverItself);
    }
  };

  async function purgeAll(ids: readonly unknown[], scope: Filter | undefined, work: Work): Promise<void> {
    for (const some of inParts(ids)) {
      const filter = both(withIds(some), scope);
      await write(work, (command) => collection.deleteMany(command.handOver(filter), command.options));
    }
  }

  return {
    findIds,

    async findIdsBy(path, values, scope, limit, work) {
      const ids: unknown[] = [];
      for (const some of inParts(values)) {
        for (const id of await findIds(both({ [path]: { $in: some } }, scope), limit, work)) ids.push(id);
      }
      return ids;
    },

    async holdAll(ids, scope, work) {
      let held = 0;
      for (const some of inParts(ids)) {
        const filter = both(withIds(some), scope);
        const done = await write(work, (command) => collection.updateMany(command.handOver(filter), countReference, command.options));
        held += done.matchedCount;
      }
      return held;
    },

    findPaths(filter, paths, limit, work) {
      const projection = includePaths(paths);
      return readLatest(work, (command) => command.count(() => readFirst(open(filter, { projection, limit }, command))));
    },

    async readPaths(ids, paths, scope, work) {
      const projection = includePaths(['_id', ...paths]);
      const records: Stored[] = [];
      for (const some of inParts(ids)) {
        for (const one of await find(both(withIds(some), scope), { projection, limit: some.length }, work)) records.push(one);
      }
      return records;
    },

    async readAll(ids, scope, work, room = new Room(Number.POSITIVE_INFINITY)) {
      const records: StoredRecord[] = [];
      for (const some of inParts(ids)) {
        const found = await readLatest(work, (command) =>
          command.count(() => readAll(open(both(withIds(some), scope), { limit: some.length, ...asBytes }, command), room)),
        );
        for (const one of found) records.push(new StoredRecord(model, one));
      }
      return records;
    },

    async removeAll(ids, scope, deletion, work) {
      if (!model.deletedAt) return purgeAll(ids, scope, work);
      const marked = buildUpdate(model, marking(model, deletion), deletion.writtenAt ?? deletion.at);
      return rewriteAll(ids, scope, [marked], work);
    },

    purgeAll,
    rewriteAll,
  };
}

/** Reads the first batch of a cursor. */
async function readFirst(cursor: FindCursor<Stored>): Promise<Stored[]> {
  try {
    await cursor.hasNext();
    return cursor.readBufferedDocuments();
  } finally {
    await cursor.close(); // before the next command of a transaction
  }
}

/** The request has no field for what a delete or restore does to further records. */
const serverItself: Told = { mayName: () => false };

function withIds(ids: readonly unknown[]): Filter {
  return { _id: { $in: ids } };
}
