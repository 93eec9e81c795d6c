import type { Collection, Db } from 'mongodb';
import { Problem, validationFailed } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { idToJson } from '../../model/value/number-in-path.ts';
import { KeyMerge } from '../../model/write/key-merge.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import { aWholeNumber, byDefault } from '../../options.ts';
import { type FieldError, placeError } from '../../rules.ts';
import type { Commands } from '../driver/commands.ts';
import { inParts } from '../driver/in-parts.ts';
import { compileFirstBatch, type FirstBatch } from '../driver/read-batches.ts';
import type { Transact } from '../driver/run-transaction.ts';
import { Turn } from '../driver/turn.ts';
import type { Work } from '../driver/work.ts';
import { type Deletion, marking, newDeletion } from '../lifecycle/lifecycle.ts';
import { seeing, type Within } from '../lifecycle/within.ts';
import { both, buildFilter } from '../predicate/filter-of.ts';
import type { Condition, Filter } from '../predicate/predicate.ts';
import { checkStored, refusalsBy } from '../query/apply-changes.ts';
import { buildUpdate, changesNothing, requireMergeable } from '../query/update-pipeline.ts';
import { StoredRecord, spellId } from '../stored-record.ts';
import { mostHookBytes, type Writer } from './writer.ts';

type Stored = Record<string, unknown>;

/** The records that a write to many addresses. */
export interface Targets {
  readonly conditions: readonly Condition[];
  readonly within: Within;
  /** The most records that may match. If more do, it is 422, and nothing is written. */
  readonly max: number;
  /** @default the application itself */
  readonly writer?: Writer | undefined;
}

/** The result of a write to many records. */
export interface Affected {
  readonly matched: number;
  /**
   * How many records the write has changed, or deleted. It is less than `matched` if some were already as the write
   * would leave them.
   */
  readonly modified: number;
  /** The ids of the records that matched, in stored form. */
  readonly ids: readonly unknown[];
}

/**
 * The writes to many records at once. Each is one transaction, all or nothing; within another transaction it becomes a
 * part of that one.
 */
export interface ManyWrites {
  /** Applies the same changes to every record that matches. A record that cannot take them is named by its id: 422. */
  updateMany(targets: Targets, changes: Changes, work: Work): Promise<Affected>;
  /**
   * Removes every record that matches, or marks it as deleted if its model has `t.deletedAt()`.
   *
   * @default a deletion of its own
   */
  removeMany(targets: Targets, work: Work, deletion?: Deletion): Promise<Affected>;
  /**
   * Reads the records that a write to many addresses, whole: for hooks. 422 if they are more than the targets allow, or
   * more than 16 MiB.
   */
  findTargets(targets: Targets, work: Work): Promise<readonly StoredRecord[]>;
  /** Reads the same records again, after the write. 422 if they are more than 16 MiB. */
  findWritten(before: readonly StoredRecord[], work: Work): Promise<StoredRecord[]>;
  /** Reads records whole, in parts that fit into memory. */
  readParts(ids: readonly unknown[], within: Within, work: Work): AsyncIterable<readonly StoredRecord[]>;
}

interface Settings extends Pick<Commands, 'readMany' | 'write'> {
  readonly transact: Transact;
}

/** The most records that an error names. */
const mostNamed = 20;

/** The most records that are read whole at once. */
const mostAtOnce = 500;

/** The most bytes of records that are decoded, compared and written at once: an object takes several times as many. */
const bytesOfPart = { most: 524_288, of: ({ byteLength }: Uint8Array) => byteLength };

/** The most records that a write to many may match. */
export const aMaxAffected = byDefault(1_000, aWholeNumber(1, 100_000, ' of records'));

/** Opens the writes to many records of a collection. */
export function openManyWrites(
  model: CompiledModel,
  db: Db,
  collection: Collection<Stored>,
  { readMany, write, transact }: Settings,
): ManyWrites {
  const readFirstBatch = compileFirstBatch(db, collection);

  function find(filter: Filter, projection: Readonly<Record<string, 1>>, limit: number, work: Work): Promise<Stored[]> {
    return readMany(work, (command) =>
      command.count(() =>
        collection.find(command.handOver(filter), { ...command.options, projection, limit, batchSize: limit + 1 }).toArray(),
      ),
    );
  }

  async function findIds(filter: Filter, max: number, work: Work): Promise<unknown[]> {
    const found = await find(filter, { _id: 1 }, max + 1, work);
    if (found.length > max) throw tooManyMatches(max);
    return found.map(({ _id }) => _id);
  }

  /** Writes to all records or none. `run` returns how many it has changed. */
  function writeAll(
    { conditions, within, max }: Targets,
    work: Work,
    run: (ids: readonly unknown[], filter: Filter) => Promise<number>,
  ): Promise<Affected> {
    const filter = both(buildFilter(conditions), within.predicate);
    return transact(work, async (transaction) => {
      const ids = await findIds(filter, max, work);
      return { matched: ids.length, modified: await transaction.join(() => run(ids, filter)), ids };
    });
  }

  /** Throws 422 if some of the records lack an embedded object that the changes cannot create. */
  async function refuseIncomplete(ids: readonly unknown[], changes: Changes, work: Work): Promise<void> {
    const required = requireMergeable(changes);
    if (!required) return;
    const merged = changes.assignments.filter(({ value }) => value instanceof KeyMerge);
    const projection = Object.fromEntries([...changes.embedded, ...merged].map(({ path }) => [path.split('.')[0] as string, 1 as const]));
    for (const some of inParts(ids)) {
      const refused = await find({ _id: { $in: some }, $nor: [required] }, projection, mostNamed, work);
      const errors = refused.flatMap((stored) => refusalsBy(stored, changes).map((error) => ofRecord(model, stored, error)));
      if (errors.length > 0) throw validationFailed(errors);
    }
  }

  /** Throws 422 if some of the records would not pass a check of what the changes leave in them: before the write. */
  async function refuseUnchecked(ids: readonly unknown[], changes: Changes, work: Work): Promise<void> {
    const { storedCheck } = changes;
    if (!storedCheck) return;
    const refused: FieldError[][] = [];
    const turn = new Turn();
    for await (const some of readParts(ids, seeing(model, 'with', undefined), work)) {
      for (const { stored } of some) {
        await turn.pass();
        const missing = refusalsBy(stored, changes);
        const errors = missing.length > 0 ? missing : checkStored(storedCheck, changes, stored);
        if (errors.length > 0) refused.push(errors.map((error) => ofRecord(model, stored, error)));
      }
      if (refused.length >= mostNamed) break;
    }
    if (refused.length > 0) throw validationFailed(refused.slice(0, mostNamed).flat());
  }

  /**
   * Writes to the records with these ids. The rest of the filter must hold, too: other steps of the same transaction
   * may have come between.
   */
  async function writeTo(ids: readonly unknown[], filter: Filter, send: (some: Filter) => Promise<number>): Promise<number> {
    let count = 0;
    for (const some of inParts(ids)) count += await send(both({ _id: { $in: some } }, filter));
    return count;
  }

  function remove(ids: readonly unknown[], filter: Filter, work: Work): Promise<number> {
    return writeTo(ids, filter, async (some) => {
      const done = await write(work, (command) => collection.deleteMany(command.handOver(some), command.options));
      return done.deletedCount;
    });
  }

  function mark(ids: readonly unknown[], filter: Filter, marked: Changes, { at }: Deletion, work: Work): Promise<number> {
    const pipeline = buildUpdate(model, marked, at);
    return writeTo(ids, filter, async (some) => {
      const done = await write(work, (command) => collection.updateMany(command.handOver(some), pipeline, command.options));
      return done.modifiedCount;
    });
  }

  /** Throws 422 if some of the records cannot take the changes. Other records have been written by then. */
  async function updateAll(
    ids: readonly unknown[],
    filter: Filter,
    changes: Changes,
    writer: Writer | undefined,
    work: Work,
  ): Promise<number> {
    await refuseUnchecked(ids, changes, work);
    const pipeline = buildUpdate(model, changes, new Date());
    let [matched, modified] = [0, 0];
    if (!changesNothing(changes))
      modified = await writeTo(ids, both(filter, requireMergeable(changes)), async (some) => {
        const done = await write(work, (command) => collection.updateMany(command.handOver(some), pipeline, command.options), writer);
        matched += done.matchedCount;
        return done.modifiedCount;
      });
    if (matched < ids.length) await refuseIncomplete(ids, changes, work);
    return modified;
  }

  /** Reads whole records in one reply of the database, which has at most 16 MiB. */
  async function readWhole(seen: CompiledModel, filter: Filter, limit: number, work: Work): Promise<readonly StoredRecord[]> {
    const { found, isCut } = await readReply(filter, limit, work);
    if (isCut) throw tooLargeMatches();
    return found.map((bytes) => new StoredRecord(seen, bytes));
  }

  /** Reads as many records as fit into one reply: at least one, and not all if it `isCut`. */
  function readReply(filter: Filter, limit: number, work: Work): Promise<FirstBatch> {
    return readMany(work, (command) => {
      const body = { find: model.collection, filter: command.handOver(filter), limit, batchSize: limit + 1, maxTimeMS: command.maxTimeMS };
      return command.count(() => readFirstBatch(body, command));
    });
  }

  function asRecord(bytes: Uint8Array): StoredRecord {
    return new StoredRecord(model, bytes);
  }

  async function* readParts(ids: readonly unknown[], within: Within, work: Work): AsyncGenerator<readonly StoredRecord[]> {
    for (let left = ids; left.length > 0; ) {
      const some = left.slice(0, mostAtOnce);
      const { found, isCut } = await readReply(both({ _id: { $in: some } }, within.predicate), some.length, work);
      for (const part of inParts(found, mostAtOnce, bytesOfPart)) yield part.map(asRecord); // what is decoded of it is let go with it
      const read = new Set(isCut ? found.map((bytes) => asRecord(bytes).idText) : []);
      left = isCut ? left.filter((id) => !read.has(idToJson(model.id.leaf, id))) : left.slice(mostAtOnce);
    }
  }

  return {
    async findTargets({ conditions, within, max }, work) {
      const found = await readWhole(within.model, both(buildFilter(conditions), within.predicate), max + 1, work);
      if (found.length > max) throw tooManyMatches(max);
      return found;
    },

    async findWritten(before, work) {
      const seen = before[0]?.model ?? model;
      const written: StoredRecord[] = [];
      let bytes = 0;
      for (const some of inParts(before.map(({ stored }) => stored._id))) {
        for (const record of await readWhole(seen, { _id: { $in: some } }, some.length, work)) {
          written.push(record);
          bytes += record.size;
        }
        if (bytes > mostHookBytes) throw tooLargeMatches();
      }
      return written;
    },

    readParts,

    updateMany(targets, changes, work) {
      return writeAll(targets, work, (ids, filter) => updateAll(ids, filter, changes, targets.writer, work));
    },

    removeMany(targets, work, deletion = newDeletion()) {
      const marked = marking(model, deletion);
      return writeAll(targets, work, (ids, filter) => (marked ? mark(ids, filter, marked, deletion, work) : remove(ids, filter, work)));
    },
  };
}

/** The same error, with the id of its record in front of the path. */
function ofRecord(model: CompiledModel, { _id }: Stored, error: FieldError): FieldError {
  return placeError(error, spellId(model, _id));
}

function tooManyMatches(max: number): Problem {
  const records = max === 1 ? 'one record matches' : `${max} records match`;
  return new Problem({ code: 'too_many_matches', detail: `More than ${records}: nothing was written. Narrow the filter, or allow more.` });
}

function tooLargeMatches(): Problem {
  const detail = 'The records that match have more than 16 MiB: nothing was written. Narrow the filter.';
  return new Problem({ code: 'too_many_matches', detail });
}
