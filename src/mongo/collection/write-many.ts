import type { Collection } from 'mongodb';
import { validationFailed } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { KeyMerge } from '../../model/write/key-merge.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import { aWholeNumber, byDefault } from '../../options.ts';
import { type FieldError, placeError } from '../../rules.ts';
import type { Commands } from '../driver/commands.ts';
import type { Told } from '../driver/duplicate-key.ts';
import { inParts } from '../driver/in-parts.ts';
import type { Transact } from '../driver/run-transaction.ts';
import { Turn } from '../driver/turn.ts';
import type { Work } from '../driver/work.ts';
import { seeing, type Within } from '../lifecycle/within.ts';
import { both } from '../predicate/filter-of.ts';
import type { Filter } from '../predicate/predicate.ts';
import { checkStored, refusalsBy } from '../query/apply-changes.ts';
import { changesNothing, requireMergeable } from '../query/update-pipeline.ts';
import { spellId } from '../stored-record.ts';
import { type Find, idsOnly, partsAt } from './find.ts';
import { readParts, tooManyMatches } from './whole-records.ts';
import type { WriteManyPlan } from './write-plan.ts';
import { areKnown, matching } from './writer.ts';

type Stored = Record<string, unknown>;

/** The result of a write to many records. */
export interface Affected {
  readonly matched: number;
  /**
   * How many records the write has changed, or deleted. It is less than `matched` if some were already as the write
   * would leave them.
   */
  readonly modified: number;
  /** The ids of the records that matched, or those that were known, in stored form. */
  readonly ids: readonly unknown[];
}

/** The write of many records at once. */
export interface WriteMany {
  /**
   * Sends a planned write: one command for every 5,000 records. It is one transaction, all or nothing, or a part of
   * another one; of records whose ids are known, it is always a part. A record that cannot take the changes is named by
   * its id: 422.
   *
   * @example collection.writeMany(planRemoveMany(model, targets), work)
   */
  writeMany(plan: WriteManyPlan, work: Work): Promise<Affected>;
}

interface Settings extends Pick<Commands, 'write'>, Find {
  readonly transact: Transact;
}

/** The most records that an error names. */
const mostNamed = 20;

/** The most records that a write to many may match. */
export const aMaxAffected = byDefault(1_000, aWholeNumber(1, 100_000, ' of records'));

/** Opens the write of many records of a collection. */
export function openWriteMany(model: CompiledModel, collection: Collection<Stored>, { write, transact, ...reads }: Settings): WriteMany {
  const everyRecord = seeing(model, 'with', undefined);

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

  async function send({ targets, changes, build }: WriteManyPlan, ids: readonly unknown[], within: Within, work: Work): Promise<Counts> {
    const told = areKnown(targets) ? nobody : targets.writer;
    const updates = build?.(new Date());
    let [matched, modified] = [0, 0];
    for (const some of filtersOf(ids, within, changes && requireMergeable(changes))) {
      if (!updates) {
        const { deletedCount } = await write(work, (command) => collection.deleteMany(command.handOver(some), command.options), told);
        matched += deletedCount;
        modified += deletedCount;
      }
      for (const [index, update] of (updates ?? []).entries()) {
        const done = await write(work, (command) => collection.updateMany(command.handOver(some), update, command.options), told);
        if (index === 0) matched += done.matchedCount; // the others are of the same records
        modified += done.modifiedCount;
      }
    }
    return { matched, modified };
  }

  /** Throws 422 if some of the records cannot take the changes. Other records have been written by then. */
  async function writeAll(plan: WriteManyPlan, ids: readonly unknown[], within: Within, work: Work): Promise<Counts> {
    const { changes } = plan;
    if (!changes) return send(plan, ids, within, work);
    await refuseUnchecked(ids, changes, work);
    const counts = changesNothing(changes) ? { matched: 0, modified: 0 } : await send(plan, ids, within, work);
    if (counts.matched < ids.length) await refuseIncomplete(ids, changes, work);
    return counts;
  }

  return {
    async writeMany(plan, work) {
      const { targets } = plan;
      if (areKnown(targets)) return { ...(await writeAll(plan, targets.ids, targets.within, work)), ids: targets.ids };
      const within = matching(targets);
      return transact(work, async (transaction) => {
        const ids = await reads.find({ within, limit: targets.max + 1 }, idsOnly, work);
        if (ids.length > targets.max) throw tooManyMatches(targets.max);
        const { modified } = await transaction.join(() => writeAll(plan, ids, within, work));
        return { matched: ids.length, modified, ids };
      });
    },
  };
}

type Counts = Omit<Affected, 'ids'>;

/** The filters of records with these ids, within reach, for one command each. */
function* filtersOf(ids: readonly unknown[], within: Within, where?: Filter): Generator<Filter> {
  for (const some of inParts(ids)) yield both(both({ _id: { $in: some } }, within.predicate), where);
}

/** The request has no field for what a write does to further records. */
const nobody: Told = { mayName: () => false };

/** The same error, with the id of its record in front of the path. */
function ofRecord(model: CompiledModel, { _id }: Stored, error: FieldError): FieldError {
  return placeError(error, spellId(model, _id));
}
