import { isProblem, type Problem, validationFailed } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { Changes } from '../model/write/plan-changes.ts';
import type { ModelCollection as Collection } from '../mongo/collection/collection.ts';
import { atPlace } from '../mongo/collection/insert-many.ts';
import { type Affected, aMaxAffected } from '../mongo/collection/write-many.ts';
import { planRemoveMany, planUpdateMany } from '../mongo/collection/write-plan.ts';
import type { Targets } from '../mongo/collection/writer.ts';
import { isError } from '../mongo/driver/server-error.ts';
import type { Work } from '../mongo/driver/work.ts';
import { living } from '../mongo/lifecycle/within.ts';
import { readFilter } from '../mongo/predicate/read-scope.ts';
import { requireChangesWithin, requireRecordWithin } from '../mongo/query/require-within.ts';
import { StoredRecord } from '../mongo/stored-record.ts';
import { checkOptions, checkValue, type LegalOptions, orUndefined, trueOrFalse } from '../options.ts';
import { type Hearing, notePlaces } from './hearing.ts';
import type { Limits, Within } from './limits.ts';
import type { AffectedRecords, Created, MaxOptions } from './store.ts';

/** The parts of a store that the operations on many records use. */
interface StoreParts {
  readonly model: CompiledModel;
  readonly collection: Collection;
  readonly within: Within;
  /** As `within`, for what changes or removes records. */
  readonly change: Within;
  readNew(document: unknown): Record<string, unknown>;
  readChanges(changes: unknown): Changes;
  /** Makes the document that a record is given away as. */
  give(record: StoredRecord): unknown;
  readonly hearing: Hearing;
  work(): Work;
}

/** The operations of a store on many records, without the types of the model. */
export interface StoreOfMany {
  createMany(documents: readonly unknown[], options?: { readonly all?: boolean }): Promise<unknown[]>;
  updateMany(filter: unknown, changes: unknown, options?: MaxOptions): Promise<AffectedRecords>;
  removeMany(filter: unknown, options?: MaxOptions): Promise<AffectedRecords>;
}

const legalCreate: LegalOptions<{ readonly all?: boolean }> = { all: orUndefined(trueOrFalse) };
const legalMax = { max: aMaxAffected };

/** The most errors of one problem, as in a body. */
const maxErrors = 100;

/** Opens the operations of a store on many records. */
export function openMany({ model, collection, within, change, readNew, readChanges, give, work, hearing }: StoreParts): StoreOfMany {
  function read(document: unknown): Record<string, unknown> | Error {
    try {
      return readNew(document);
    } catch (error) {
      if (isError(error)) return hearing.refused(error) as Error;
      throw error;
    }
  }

  function bind(stored: Record<string, unknown> | Error, writer: Limits['writer']): Record<string, unknown> | Error {
    try {
      if (!isError(stored)) requireRecordWithin(writer, stored);
      return stored;
    } catch (error) {
      if (isError(error)) return error;
      throw error;
    }
  }

  const giveStored = (stored: Record<string, unknown>) => give(StoredRecord.inserted(model, stored));

  async function createAll(read: readonly (Record<string, unknown> | Error)[], { writer }: Limits): Promise<unknown[]> {
    refuseInvalid(read);
    const records = read as readonly Record<string, unknown>[];
    try {
      await collection.insertAll(records, work(), writer);
    } catch (error) {
      if (isProblem(error)) notePlaces(error);
      throw error;
    }
    return records.map(giveStored);
  }

  async function createEach(
    read: readonly (Record<string, unknown> | Error)[],
    documents: readonly unknown[],
    { writer }: Limits,
  ): Promise<Created<unknown>[]> {
    const places = [...read.keys()].filter((place) => !isError(read[place]));
    const errors = await collection.insertEach(
      places.map((place) => read[place] as Record<string, unknown>),
      work(),
      places,
      writer,
    );
    const created: Created<unknown>[] = [];
    for (const [place, one] of read.entries()) {
      const error = isError(one) ? one : errors.get(place);
      if (error) created.push({ error: (await hearing.heard(error, () => documents[place])) as Error });
      else created.push({ record: giveStored(one as Record<string, unknown>) });
    }
    return created;
  }

  function readTargets(filter: unknown, { max }: Required<MaxOptions>): (limits: Limits) => Targets {
    const conditions = readFilter(filter, model.scopeFields);
    return ({ scope, writer }) => ({ conditions, within: living(model, scope), max, writer });
  }

  return {
    async createMany(documents, options = {}) {
      checkOptions(options, legalCreate, '`createMany`');
      checkValue('The documents of `createMany`', documents, [Array.isArray, 'an array']);
      const all = Array.from(documents, read);
      return within(async (limits) => {
        const bound = all.map((one) => bind(one, limits.writer));
        return options.all ? createAll(bound, limits) : createEach(bound, documents, limits);
      });
    },
    async updateMany(filter, changes, options = {}) {
      const checked = checkOptions(options, legalMax, '`updateMany`');
      const [read, targets] = [readChanges(changes), readTargets(filter, checked)];
      const update = async (limits: Limits) =>
        collection.writeMany(planUpdateMany(model, targets(limits), requireChangesWithin(limits.writer, read)), work());
      return counts(await change(update));
    },
    async removeMany(filter, options = {}) {
      const targets = readTargets(filter, checkOptions(options, legalMax, '`removeMany`'));
      return counts(await change((limits) => collection.writeMany(planRemoveMany(model, targets(limits)), work())));
    },
  };
}

function counts({ matched, modified }: Affected): AffectedRecords {
  return { matched, modified };
}

/**
 * Throws what is wrong with the documents, all errors at once. A plain Error wins: it is a mistake of the application.
 */
function refuseInvalid(read: readonly unknown[]): void {
  const invalid = read.flatMap((error, index) => (isError(error) ? [{ error, index }] : []));
  for (const { error, index } of invalid)
    if (!isProblem(error)) throw new Error(`Document ${index} of \`createMany\`: ${error.message}`, { cause: error });
  const errors = invalid.flatMap(({ error, index }) => atPlace(error as Problem, index).errors ?? []);
  if (invalid.length > 0) throw validationFailed(errors.slice(0, maxErrors));
}
