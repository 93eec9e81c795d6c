import type { Document as BsonDocument, Collection } from 'mongodb';
import { decode, recordAsBytes } from '../driver/bson-options.ts';
import type { Commands } from '../driver/commands.ts';
import { isIdTaken } from '../driver/outcome.ts';
import type { Command, Work } from '../driver/work.ts';
import { filterOf } from '../predicate/filter-of.ts';
import type { Filter } from '../predicate/predicate.ts';
import { StoredRecord } from '../stored-record.ts';
import type { WritePlan } from './write-plan.ts';
import type { Target } from './writer.ts';

type Stored = Record<string, unknown>;

/** The collection, as it returns the BSON of the record and of what has become of it. */
interface UpsertsAsBytes {
  findOneAndUpdate(
    filter: object,
    update: readonly object[],
    options: object,
  ): Promise<{ readonly value: Uint8Array; readonly lastErrorObject: Uint8Array }>;
}

/**
 * A key that the filter has, so that the database gives it to a new record before the update runs: there it tells a new
 * record from one that has nothing but an id. The update must remove it. No field has a bracket in its name.
 */
export const newKey = '[new]';

/** The expression of an update that the record is a new one. */
export const isNew: BsonDocument = { $eq: [{ $type: `$${newKey}` }, 'null'] };

/** Sends a write that inserts its record if there is none with its id. Undefined if another one has come between. */
export function openWriteOrInsert(
  collection: Collection<Stored>,
  { readLatest, write }: Pick<Commands, 'readLatest' | 'write'>,
): (plan: WritePlan, build: (now: Date) => BsonDocument[], work: Work) => Promise<StoredRecord | undefined> {
  const asBytes = collection as object as UpsertsAsBytes;

  /** Whether a record with this id is there that the write must not see. */
  async function isHidden({ id, within }: Target, work: Work): Promise<boolean> {
    const scope = within.predicate;
    if (!scope) return false;
    const filter: Filter = { _id: id, $nor: [filterOf(scope)] };
    const settings = { projection: { _id: 1 }, readPreference: 'primary' } as const;
    const found = await readLatest(work, (command) =>
      command.count(() => collection.findOne(command.handOver(filter), { ...command.options, ...settings })),
    );
    return found !== null;
  }

  return async function writeOrInsert({ target }, build, work) {
    const send = (command: Command) =>
      asBytes.findOneAndUpdate(command.handOver(toFilter(target)), build(new Date()), {
        ...command.options,
        ...recordAsBytes,
        upsert: true,
        returnDocument: 'after',
        includeResultMetadata: true,
      });
    try {
      const { value, lastErrorObject } = await write(work, send, target.writer);
      const { model } = target.within;
      const wasThere = decode(lastErrorObject).updatedExisting === true;
      return wasThere ? new StoredRecord(model, value) : StoredRecord.inserted(model, value);
    } catch (error) {
      // Another write has made the record meanwhile, unless it is one that must not be seen.
      if (!isIdTaken(error) || work.transaction || (await isHidden(target, work))) throw error;
      return undefined;
    }
  };
}

/** The database would give a new record every value that the filter compares with, but not those in a `$nor`. */
function toFilter({ id, within }: Target): Filter {
  const scope = within.predicate;
  return { _id: id, [newKey]: null, ...(scope && { $nor: [{ $nor: [filterOf(scope)] }] }) };
}
