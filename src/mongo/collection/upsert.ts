import type { Document as BsonDocument, Collection } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { absent } from '../../model/node.ts';
import { ownKeys } from '../../model/value/own-keys.ts';
import { decode, recordAsBytes } from '../driver/bson-options.ts';
import type { Commands } from '../driver/commands.ts';
import { isIdTaken } from '../driver/outcome.ts';
import type { Command, Work } from '../driver/work.ts';
import { filterOf } from '../predicate/filter-of.ts';
import type { Filter } from '../predicate/predicate.ts';
import { noteSwitch } from '../query/switch-times.ts';
import { countWrite, literal } from '../query/update-pipeline.ts';
import { StoredRecord } from '../stored-record.ts';
import type { Operations, UpsertTarget } from './operations.ts';
import { retry } from './write-one.ts';

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
 * record from one that has nothing but an id. The update removes it. No field has a bracket in its name.
 */
const newKey = '[new]';

const isNew: BsonDocument = { $eq: [{ $type: `$${newKey}` }, 'null'] };

/** Opens the write that creates a record, or replaces what the application may set of the one with its id. */
export function openUpsert(
  model: CompiledModel,
  collection: Collection<Stored>,
  { readLatest, write }: Pick<Commands, 'readLatest' | 'write'>,
): Operations['upsert'] {
  const asBytes = collection as object as UpsertsAsBytes;

  /** Whether a record with this id is there that the write must not see. */
  async function isHidden({ id, within }: UpsertTarget, work: Work): Promise<boolean> {
    const scope = within.predicate;
    if (!scope) return false;
    const filter: Filter = { _id: id, $nor: [filterOf(scope)] };
    const settings = { projection: { _id: 1 }, readPreference: 'primary' } as const;
    const found = await readLatest(work, (command) =>
      command.count(() => collection.findOne(command.handOver(filter), { ...command.options, ...settings })),
    );
    return found !== null;
  }

  return function upsert(target, record, work) {
    const pipeline = buildUpsert(model, record, new Date());
    const send = (command: Command) =>
      asBytes.findOneAndUpdate(command.handOver(toFilter(target)), pipeline, {
        ...command.options,
        ...recordAsBytes,
        upsert: true,
        returnDocument: 'after',
        includeResultMetadata: true,
      });
    return retry(async () => {
      try {
        const { value, lastErrorObject } = await write(work, send, target.writer);
        return { record: new StoredRecord(target.within.model, value), created: decode(lastErrorObject).updatedExisting !== true };
      } catch (error) {
        // Another write has made the record meanwhile, unless it is one that must not be seen.
        if (!isIdTaken(error) || work.transaction || (await isHidden(target, work))) throw error;
        return undefined;
      }
    });
  };
}

/** The database would give a new record every value that the filter compares with, but not those in a `$nor`. */
function toFilter({ id, within }: UpsertTarget): Filter {
  const scope = within.predicate;
  return { _id: id, [newKey]: null, ...(scope && { $nor: [{ $nor: [filterOf(scope)] }] }) };
}

/**
 * Builds the update that sets every field as `record`, which is a new one, has it. What the service itself has set in a
 * record that is there stays or counts on, and so do keys that are no fields.
 */
function buildUpsert(model: CompiledModel, record: Stored, now: Date): BsonDocument[] {
  const { root, folds } = model;
  const fields = root.fields.filter(({ isId, maintained }) => !isId && !maintained);
  const changes = { assignments: fields.map(({ key }) => ({ path: key, value: valueIn(record, key) })), embedded: [] };
  const next = countWrite(model, now);
  const set: BsonDocument = { [newKey]: '$$REMOVE' };
  for (const { path, value } of (folds?.extend(changes) ?? changes).assignments) set[path] = literal(value);
  const switched = Object.entries(noteSwitch(model, changes.assignments, now));
  for (const [key, times] of switched) set[key] = { $cond: [isNew, '$$REMOVE', times] };
  const kept = root.fields.filter(({ maintained }) => maintained).map(({ key }) => key);
  const ours = [...ownKeys].filter((own) => root.fields.every(({ key }) => key !== own));
  for (const key of [...kept, ...ours]) set[key] = { $cond: [isNew, literal(valueIn(record, key)), next[key] ?? `$${key}`] };
  return [{ $set: set }];
}

function valueIn(record: Stored, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : absent;
}
