import { Problem, validationFailed } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { Changes } from '../model/write/plan-changes.ts';
import type { ModelCollection as Collection } from '../mongo/collection.ts';
import { isError } from '../mongo/driver/server-error.ts';
import type { Work } from '../mongo/driver/work.ts';
import { atPlace } from '../mongo/insert-many.ts';
import { type Filter, readFilter } from '../mongo/query/filter.ts';
import { requireChangesWithin, requireRecordWithin, type WriteBounds } from '../mongo/query/require-within.ts';
import { StoredRecord } from '../mongo/stored-record.ts';
import { type Affected, mostAffected, type Targets } from '../mongo/write-many.ts';
import { aWholeNumber, checkOptions, checkValue, type LegalOptions, orUndefined, trueOrFalse } from '../options.ts';
import type { AffectedRecords, Created, MaxOptions } from './store.ts';

/** What the operations on many records use of their store. */
interface StoreParts {
  readonly model: CompiledModel;
  readonly collection: Collection;
  readonly scope: Filter | undefined;
  readonly bounds: WriteBounds;
  readNew(document: unknown): Record<string, unknown>;
  readChanges(changes: unknown): Changes;
  /** Makes the document that a record is given away as. */
  give(record: StoredRecord): unknown;
  work(): Work;
}

/** The operations of a store on many records, without the types of the model. */
export interface StoreOfMany {
  createMany(documents: readonly unknown[], options?: { readonly all?: boolean }): Promise<unknown[]>;
  updateMany(filter: unknown, changes: unknown, options?: MaxOptions): Promise<AffectedRecords>;
  removeMany(filter: unknown, options?: MaxOptions): Promise<AffectedRecords>;
}

const legalCreate: LegalOptions<{ readonly all?: boolean }> = { all: orUndefined(trueOrFalse) };
const legalMax: LegalOptions<MaxOptions> = { max: orUndefined(aWholeNumber(1, mostAffected, ' of records')) };

/** The most errors of one problem, as in a body. */
const maxErrors = 100;

/** Opens the operations of a store on many records. */
export function openMany({ model, collection, scope, bounds, readNew, readChanges, give, work }: StoreParts): StoreOfMany {
  function read(document: unknown): Record<string, unknown> | Error {
    try {
      const stored = readNew(document);
      requireRecordWithin(bounds, stored);
      return stored;
    } catch (error) {
      if (isError(error)) return error;
      throw error;
    }
  }

  const giveNew = (stored: Record<string, unknown>) => give(new StoredRecord(model, stored));

  async function createAll(read: readonly (Record<string, unknown> | Error)[]): Promise<unknown[]> {
    refuseInvalid(read);
    const records = read as readonly Record<string, unknown>[];
    await collection.insertAll(records, work());
    return records.map(giveNew);
  }

  async function createEach(read: readonly (Record<string, unknown> | Error)[]): Promise<Created<unknown>[]> {
    const places = [...read.keys()].filter((place) => !isError(read[place]));
    const errors = await collection.insertEach(
      places.map((place) => read[place] as Record<string, unknown>),
      work(),
      places,
    );
    return read.map((one, place) => {
      const error = isError(one) ? one : errors.get(place);
      return error ? { error } : { record: giveNew(one as Record<string, unknown>) };
    });
  }

  function targets(filter: unknown, { max = 1_000 }: MaxOptions): Targets {
    return { conditions: readFilter(filter, model.scopeFields), scope, max };
  }

  return {
    async createMany(documents, options = {}) {
      checkOptions(options, legalCreate, '`createMany`');
      checkValue('The documents of `createMany`', documents, [Array.isArray, 'an array']);
      const all = Array.from(documents, read);
      return options.all ? createAll(all) : createEach(all);
    },
    async updateMany(filter, changes, options = {}) {
      checkOptions(options, legalMax, '`updateMany`');
      const within = requireChangesWithin(bounds, readChanges(changes));
      return counts(await collection.updateMany(targets(filter, options), within, work()));
    },
    async removeMany(filter, options = {}) {
      checkOptions(options, legalMax, '`removeMany`');
      return counts(await collection.removeMany(targets(filter, options), work()));
    },
  };
}

function counts({ matched, modified }: Affected): AffectedRecords {
  return { matched, modified };
}

/** Throws what is wrong with the documents, all errors at once. A plain Error wins: it is a mistake of the application. */
function refuseInvalid(read: readonly unknown[]): void {
  const invalid = read.flatMap((error, index) => (isError(error) ? [{ error, index }] : []));
  for (const { error, index } of invalid)
    if (!(error instanceof Problem)) throw new Error(`Document ${index} of \`createMany\`: ${error.message}`, { cause: error });
  const errors = invalid.flatMap(({ error, index }) => atPlace(error as Problem, index).errors ?? []);
  if (invalid.length > 0) throw validationFailed(errors.slice(0, maxErrors));
}
