import { asCompiled, type CompiledModel, type ModelInput } from '../../model/compile/compile-model.ts';
import { typeNames } from '../../model/value/bson-bytes.ts';
import { compileFindMisfits } from '../../model/write/find-misfits.ts';
import { idOf, openReadById, type PlaceById } from '../../mongo/collection/read-by-id.ts';
import { decode } from '../../mongo/driver/bson-options.ts';
import type { Database } from '../../mongo/driver/database.ts';
import { isError } from '../../mongo/driver/server-error.ts';
import { spellId } from '../../mongo/stored-record.ts';
import { aWholeNumber, byDefault, checkedLater, checkOptions, orUndefined } from '../../options.ts';
import type { Audit } from './audit.ts';
import { findWrongFolds } from './find-folds.ts';
import { compileFindUnknownKeys } from './find-unknown-keys.ts';
import { type AuditedMisfit, Tally, type UnknownKey } from './tally.ts';

export { type AppliedFolds, applyFolds, type FoldOptions } from './apply-folds.ts';
export type { Audit, AuditedMisfit, UnknownKey };

/** Options of {@link auditCollection}. */
export interface AuditOptions {
  /** The database of the collections. */
  readonly db: Database;
  /**
   * How long the database may take to read some records, in milliseconds. `maxTimeMS` of a model wins over it.
   *
   * @default 10,000
   */
  readonly maxTimeMS?: number | undefined;
  /** The most records to compare. @default all */
  readonly limit?: number | undefined;
  /** How many ids to keep of each kind of misfit. @default 5 */
  readonly samples?: number | undefined;
}

const legal = {
  db: checkedLater,
  maxTimeMS: checkedLater,
  limit: orUndefined(aWholeNumber(1, undefined, ' of records')),
  samples: byDefault(5, aWholeNumber(0, 1_000, ' of ids')),
};

/** The most records that one command reads. */
const batchSize = 500;

/** The most texts of one record whose folded values are misfits. */
const mostWrongFolds = 100;

/**
 * Compares the stored records of a collection with its model, and yields what was found so far: after each batch of
 * records, and at the end. What does not fit is what the model would complain about if the record were read and written
 * again: types, missing values, constraints, and checks, of private fields too. A missing value that reads as a default
 * fits. Of one record, the first 100 misfits count.
 *
 * It reads in the order of the ids, keeps no cursor open, and its memory is bounded. It can be left after each value.
 * Records that are written meanwhile may be compared or not.
 *
 * Throws a `Problem` if the database cannot be read, as a store does, and a {@link ConfigurationError} for a mistake in
 * the model or the options.
 *
 * @example
 * let audit;
 * for await (audit of auditCollection(Order, { db })) console.log(`${audit.records} of about ${audit.estimate}`);
 * console.log(audit?.misfits);
 */
export async function* auditCollection(given: ModelInput, options: AuditOptions): AsyncGenerator<Audit, void, undefined> {
  const { db, maxTimeMS, limit = Number.POSITIVE_INFINITY, samples } = checkOptions(options, legal, '`auditCollection`');
  const model = asCompiled(given);
  const { collection } = model;
  const { estimate: readEstimate, readNext } = openReadById(model, { db, ...(maxTimeMS !== undefined && { maxTimeMS }) });
  const compare = compileCompare(model);
  const misfits = new Tally<AuditedMisfit>(samples);
  const unknownKeys = new Tally<UnknownKey>(samples);
  const idTypes = new Map<string, number>();
  const estimate = await readEstimate();
  let [records, misfitting, isComplete] = [0, 0, false];
  let position: PlaceById | undefined;

  function result(): Audit {
    return {
      model: model.name,
      collection,
      isComplete,
      records,
      estimate,
      misfitting,
      idTypes: Object.fromEntries([...idTypes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))),
      misfits: misfits.list(),
      unknownKeys: unknownKeys.list(),
      omitted: misfits.omitted + unknownKeys.omitted,
    };
  }

  for (let left = limit; left > 0 && !isComplete; ) {
    const batch = await readNext(position, Math.min(left, batchSize));
    for (const bytes of batch.found) {
      const found = compare(bytes);
      const type = typeNames.get(bytes[4]) ?? 'other'; // the database stores the id in front
      idTypes.set(type, (idTypes.get(type) ?? 0) + 1);
      const id = () => spellId(model, idOf(bytes));
      misfits.add(found.misfits, id);
      unknownKeys.add(found.unknownKeys, id);
      if (found.misfits.length > 0) misfitting++;
    }
    records += batch.found.length;
    left -= batch.found.length;
    isComplete = batch.found.length === 0;
    position = batch.position;
    if (!isComplete) yield result();
  }
  if (isComplete) yield result();
}

type Found = Omit<AuditedMisfit, 'records' | 'ids'>;

interface Comparison {
  readonly misfits: readonly Found[];
  readonly unknownKeys: readonly { readonly path: string }[];
}

function compileCompare({ root, folds }: CompiledModel): (bytes: Uint8Array) => Comparison {
  const findMisfits = compileFindMisfits(root, { runsChecks: true });
  const findWithoutChecks = compileFindMisfits(root);
  const findUnknownKeys = compileFindUnknownKeys(root, folds?.root);

  function misfitsOf(stored: unknown): Found[] {
    try {
      return findMisfits(stored).map(toFound);
    } catch (error) {
      // A record that breaks nothing else may still be one that a check of the application has not expected.
      return [...findWithoutChecks(stored).map(toFound), { path: '', rule: 'check_failed', message: `a check throws ${describe(error)}` }];
    }
  }

  function wrongFoldsOf(stored: unknown): Found[] {
    const wrong = folds ? findWrongFolds(stored, folds.root).slice(0, mostWrongFolds) : [];
    return wrong.map(({ place }) => ({ path: place, rule: 'fold', message: 'is not stored with its folded value: lists do not find it' }));
  }

  return function compare(bytes) {
    let stored: unknown;
    try {
      stored = decode(bytes);
    } catch (error) {
      return { misfits: [{ path: '', rule: 'unreadable', message: `cannot be decoded: ${describe(error)}` }], unknownKeys: [] };
    }
    return {
      misfits: [...misfitsOf(stored), ...wrongFoldsOf(stored)],
      unknownKeys: Array.from(findUnknownKeys(stored), (path) => ({ path })),
    };
  };
}

function toFound({ place, rule, message }: { readonly place: string; readonly rule: string; readonly message: string }): Found {
  return { path: place, rule, message };
}

function describe(error: unknown): string {
  return isError(error) ? error.message : String(error);
}
