import { asCompiled, type ModelInput } from '../../model/compile/compile-model.ts';
import { idOf, openReadById, type PlaceById } from '../../mongo/collection/read-by-id.ts';
import { openValueWrites, type ValueWrite } from '../../mongo/collection/write-values.ts';
import { decode } from '../../mongo/driver/bson-options.ts';
import type { Database } from '../../mongo/driver/database.ts';
import { checkedLater, checkOptions, type LegalOptions } from '../../options.ts';
import { findWrongFolds, type WrongFold } from './find-folds.ts';

/** Options of {@link applyFolds}. */
export interface FoldOptions {
  /** The database of the collections. */
  readonly db: Database;
  /**
   * How long the database may take to read or write some records, in milliseconds. `maxTimeMS` of a model wins over it.
   *
   * @default 10,000
   */
  readonly maxTimeMS?: number | undefined;
}

const legal: LegalOptions<FoldOptions> = { db: checkedLater, maxTimeMS: checkedLater };

/** How far {@link applyFolds} is. It is plain JSON. */
export interface AppliedFolds {
  readonly model: string;
  readonly collection: string;
  /** Whether all records were read. */
  readonly isComplete: boolean;
  /** How many records were read. */
  readonly records: number;
  /** About how many records the collection had at the beginning. */
  readonly estimate: number;
  /** How many of them were written. */
  readonly written: number;
  /** How many could not be written, because they cannot be decoded, or were changed again and again. */
  readonly skipped: number;
}

const batchSize = 500;

/** How often the same records are read again, if other programs have changed some of them meanwhile. */
const mostAttempts = 5;

/**
 * Stores the folded values that records of a collection lack, or that do not belong to their texts: those of an older
 * program, of a script, or from the time before a field was `caseless`. Yields how far it is after each batch, and at
 * the end. Clients do not notice: neither the revision nor `updatedAt` changes. A record is written only if its texts
 * are still those that were read. It can be left after each value, and be run again.
 *
 * Throws a `Problem` if the database cannot be read or written, as a store does: 409 if two records have folded values
 * that a unique index does not allow.
 *
 * @example
 * for await (const { records, estimate, written } of applyFolds(Order, { db }))
 *   console.log(`${records} of about ${estimate}, ${written} written`);
 */
export async function* applyFolds(given: ModelInput, options: FoldOptions): AsyncGenerator<AppliedFolds, void, undefined> {
  checkOptions(options, legal, '`applyFolds`');
  const { db, maxTimeMS } = options;
  const model = asCompiled(given);
  const { folds, name, collection } = model;
  const database = { db, ...(maxTimeMS !== undefined && { maxTimeMS }) };
  const { estimate: readEstimate, readNext } = openReadById(model, database);
  const writeValues = openValueWrites(model, database);
  const estimate = await readEstimate();
  let [records, written, skipped] = [0, 0, 0];
  let position: PlaceById | undefined;

  for (let isComplete = folds === undefined; ; ) {
    if (isComplete || !folds) return yield { model: name, collection, isComplete: true, records, estimate, written, skipped };
    const found = await readAndWrite();
    records += found;
    isComplete = found === 0;
    if (!isComplete) yield { model: name, collection, isComplete, records, estimate, written, skipped };
  }

  /** Reads the next records, and again those that have changed before they were written. Returns their number. */
  async function readAndWrite(): Promise<number> {
    const begin = position;
    for (let attempt = 1; ; attempt++) {
      const batch = await readNext(begin, batchSize);
      const writes = batch.found.map(planWrite);
      const planned = writes.filter((one) => one !== undefined && one !== unreadable);
      const matched = await writeValues(planned);
      written += matched;
      if (matched < planned.length && attempt < mostAttempts) continue;
      skipped += planned.length - matched + writes.filter((one) => one === unreadable).length;
      position = batch.position;
      return batch.found.length;
    }
  }

  function planWrite(bytes: Uint8Array): ValueWrite | typeof unreadable | undefined {
    let wrong: readonly WrongFold[];
    try {
      wrong = folds ? findWrongFolds(decode(bytes), folds.root) : [];
    } catch {
      return unreadable;
    }
    if (wrong.length === 0) return undefined;
    const filter = Object.fromEntries(wrong.map(({ source: { path, value } }) => [path, asRead(value)]));
    return { id: idOf(bytes), filter, values: new Map(wrong.map(({ path, value }) => [path, value])) };
  }
}

const unreadable = Symbol('unreadable');

/** The condition that a value is still what was read. Of values without folds, only that no text has come. */
function asRead(value: unknown): object {
  return typeof value === 'string' || Array.isArray(value) ? { $eq: value } : { $not: { $type: 'string' } };
}
