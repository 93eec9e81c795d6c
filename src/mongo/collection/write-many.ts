import type { Collection } from 'mongodb';
import { validationFailed } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { KeyMerge } from '../../model/write/key-merge.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import { aWholeNumber, byDefault } from '../../options.ts';
import { type FieldError, placeError } from '../../rules.ts';
import type { Commands } from '../driver/commands.ts';
import type { Told } from '../driver/duplicate-key.ts';
import type { Transact } from '../driver/run-transaction.ts';
import { Turn } from '../driver/turn.ts';
import type { Work } from '../driver/work.ts';
import { type Deletion, newDeletion } from '../lifecycle/lifecycle.ts';
import { seeing, type Within } from '../lifecycle/within.ts';
import { fulfilling } from '../predicate/predicate.ts';
import { checkStored, refusalsBy } from '../query/apply-changes.ts';
import { buildUpdate, changesNothing, requireMergeable } from '../query/update-pipeline.ts';
import { spellId } from '../stored-record.ts';
import { type Find, idsOnly, partsAt } from './find.ts';
import { filtersOf, type ReferenceCommands } from './reference-commands.ts';
import { readParts, tooManyMatches } from './whole-records.ts';
import type { Targets, Writer } from './writer.ts';

type Stored = Record<string, unknown>;

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
}

interface Settings extends Pick<Commands, 'write'>, Find, Pick<ReferenceCommands, 'removeAll'> {
  readonly transact: Transact;
}

/** The most records that an error names. */
const mostNamed = 20;

/** The most records that a write to many may match. */
export const aMaxAffected = byDefault(1_000, aWholeNumber(1, 100_000, ' of records'));

/** Opens the writes to many records of a collection. */
export function openManyWrites(
  model: CompiledModel,
  collection: Collection<Stored>,
  { write, transact, removeAll, ...reads }: Settings,
): ManyWrites {
  const everyRecord = seeing(model, 'with', undefined);

  /** Writes to all records or none. `run` returns how many it has changed. */
  function writeAll(
    { conditions, within, max }: Targets,
    work: Work,
    run: (ids: readonly unknown[], matching: Within) => Promise<number>,
  ): Promise<Affected> {
    const matching = within.and(fulfilling(conditions));
    return transact(work, async (transaction) => {
      const ids = await reads.find({ within: matching, limit: max + 1 }, idsOnly, work);
      if (ids.length > max) throw tooManyMatches(max);
      return { matched: ids.length, modified: await transaction.join(() => run(ids, matching)), ids };
    });
  }

  /** Throws 422 if some of the records lack an embedded object that the changes cannot create. */
  async function refuseIncomplete(ids: readonly unknown[], changes: Changes, work: Work): Promise<void> {
    const required = requireMergeable(changes);
    if (!required) return;
    const merged = changes.assignments.filter(({ value }) => value instanceof KeyMerge);
    const paths = new Set([...changes.embedded, ...merged].map(({ path }) => path.split('.')[0] as string));
    const which = { among: ids, within: everyRecord.and({ $nor: [required] }), limit: mostNamed };
    const refused = (await reads.find(which, partsAt([...paths]), work)).slice(0, mostNamed);
    const errors = refused.flatMap((stored) => refusalsBy(stored, changes).map((error) => ofRecord(model, stored, error)));
    if (errors.length > 0) throw validationFailed(errors);
  }

  /** Throws 422 if some of the records would not pass a check of what the changes leave in them: before the write. */
  async function refuseUnchecked(ids: readonly unknown[], changes: Changes, work: Work): Promise<void> {
    const { storedCheck } = changes;
    if (!storedCheck) return;
    const refused: FieldError[][] = [];
    const turn = new Turn();
    for await (const some of readParts(reads, ids, everyRecord, work)) {
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

  /** Throws 422 if some of the records cannot take the changes. Other records have been written by then. */
  async function updateAll(
    ids: readonly unknown[],
    matching: Within,
    changes: Changes,
    writer: Writer | undefined,
    work: Work,
  ): Promise<number> {
    await refuseUnchecked(ids, changes, work);
    const pipeline = buildUpdate(model, changes, new Date());
    let [matched, modified] = [0, 0];
    for (const some of changesNothing(changes) ? [] : filtersOf(ids, matching, requireMergeable(changes))) {
      const done = await write(work, (command) => collection.updateMany(command.handOver(some), pipeline, command.options), writer);
      matched += done.matchedCount;
      modified += done.modifiedCount;
    }
    if (matched < ids.length) await refuseIncomplete(ids, changes, work);
    return modified;
  }

  return {
    updateMany(targets, changes, work) {
      return writeAll(targets, work, (ids, matching) => updateAll(ids, matching, changes, targets.writer, work));
    },

    removeMany(targets, work, deletion = newDeletion()) {
      return writeAll(targets, work, (ids, matching) => removeAll(ids, matching, deletion, work, targets.writer ?? everyone));
    },
  };
}

/** A store without a client, whose 409 names every field. */
const everyone: Told = { mayName: () => true };

/** The same error, with the id of its record in front of the path. */
function ofRecord(model: CompiledModel, { _id }: Stored, error: FieldError): FieldError {
  return placeError(error, spellId(model, _id));
}
