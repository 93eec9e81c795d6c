import type { Collection, FindOneOptions } from 'mongodb';
import { notFound, Problem, validationFailed } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { asSent } from '../../model/value/copy-value.ts';
import type { Changes, StoredCheck } from '../../model/write/plan-changes.ts';
import { recordAsBytes, type WritesAsBytes } from '../driver/bson-options.ts';
import type { Commands } from '../driver/commands.ts';
import { isIdTaken } from '../driver/outcome.ts';
import type { SharedInserts } from '../driver/shared-inserts.ts';
import type { Command, Work } from '../driver/work.ts';
import { both } from '../predicate/filter-of.ts';
import type { Filter } from '../predicate/predicate.ts';
import { checkStored, refusalsBy } from '../query/apply-changes.ts';
import { buildPrecondition, checkPrecondition, preconditionFailed } from '../query/precondition.ts';
import { requireMergeable } from '../query/update-pipeline.ts';
import { StoredRecord } from '../stored-record.ts';
import { openWriteOrInsert } from './write-or-insert.ts';
import { type WritePlan, writesNothing } from './write-plan.ts';
import type { Target } from './writer.ts';

type Stored = Record<string, unknown>;

/** The write of one record. */
export interface WriteOne {
  /**
   * Sends a planned write: one command, and only if it matches nothing, a second one finds out why. Returns the record
   * as it is then, or as it was before a delete. Throws 404, 412 or 422, in this order, or what the plan itself
   * explains; an insert throws 409 or 412.
   *
   * @example collection.write(planUpdate(model, target, changes), work)
   */
  write(plan: WritePlan, work: Work): Promise<StoredRecord>;
}

interface Settings extends Pick<Commands, 'readLatest' | 'write'> {
  readonly shared: SharedInserts;
}

/** Opens the write of one record of a collection. */
export function openWriteOne(model: CompiledModel, collection: Collection<Stored>, { readLatest, write, shared }: Settings): WriteOne {
  const asBytes = collection as object as WritesAsBytes;
  const writeOrInsert = openWriteOrInsert(collection, { readLatest, write });

  function findFirst(filter: Filter, command: Command, options: FindOneOptions): Promise<Stored | null> {
    return command.count(() => collection.findOne<Stored>(command.handOver(filter), { ...command.options, ...options }));
  }

  function toFilter({ target: { id, within, precondition }, changes, where }: WritePlan): Filter {
    const further = [within.predicate, precondition && buildPrecondition(model, precondition), changes && requireMergeable(changes), where];
    return further.reduce<Filter>((filter, one) => (one ? both(filter, one) : filter), { _id: id });
  }

  /** Finds out why a write matched nothing. Returns the record if neither the target nor the changes explain it. */
  async function explainMiss({ id, within, precondition }: Target, changes: Changes | undefined, work: Work): Promise<Stored> {
    // A secondary may not have the state yet that the write has seen.
    const filter = both({ _id: id }, within.predicate);
    const stored = await readLatest(work, (command) => findFirst(filter, command, { readPreference: 'primary' }));
    if (!stored) throw notFound();
    checkPrecondition(model, precondition, stored);
    const refused = changes ? refusalsBy(stored, changes) : [];
    if (refused.length > 0) throw validationFailed(refused);
    return stored;
  }

  function send({ target: { writer }, build, deletion }: WritePlan, filter: Filter, work: Work): Promise<Uint8Array | null> {
    return write(
      work,
      (command) => {
        const options = asRecord(deletion ? 'before' : 'after', command);
        const sought = command.handOver(filter);
        return build ? asBytes.findOneAndUpdate(sought, build(new Date()), options) : asBytes.findOneAndDelete(sought, options);
      },
      writer,
    );
  }

  /**
   * Checks stored values that the client may not write, the one write of two commands. It reads, checks, and writes if
   * nothing has changed since: the revision, or without one the values that were checked.
   */
  async function writeChecked(
    plan: WritePlan,
    changes: Changes,
    storedCheck: StoredCheck,
    filter: Filter,
    work: Work,
  ): Promise<StoredRecord> {
    const { target } = plan;
    return retry(async () => {
      const found = await explainMiss(target, changes, work);
      const errors = checkStored(storedCheck, changes, found);
      if (errors.length > 0) throw validationFailed(errors);
      const unchanged = (model.revision ? [model.revision.key] : storedCheck.dependsOn).map((key) => ({
        [key]: { $eq: asSent(found[key]) ?? null },
      }));
      const stored = await send(plan, { $and: [filter, ...unchanged] }, work);
      return stored ? new StoredRecord(target.within.model, stored) : undefined;
    });
  }

  async function insert({ within, precondition, writer }: Target, stored: Stored, work: Work): Promise<StoredRecord> {
    model.folds?.addTo(stored);
    try {
      await write(work, (command) => shared.insert(stored, command), writer);
    } catch (error) {
      throw precondition?.ifNoneMatch === '*' && isIdTaken(error) ? preconditionFailed('There is a record with this id already.') : error;
    }
    return StoredRecord.inserted(within.model, stored);
  }

  async function update(plan: WritePlan, work: Work): Promise<StoredRecord> {
    const { target, changes } = plan;
    const seen = target.within.model;
    if (writesNothing(plan)) return new StoredRecord(seen, await explainMiss(target, changes, work));
    const filter = toFilter(plan);
    if (changes?.storedCheck) return writeChecked(plan, changes, changes.storedCheck, filter, work);
    return retry(async () => {
      const written = await send(plan, filter, work);
      if (written) return new StoredRecord(seen, written);
      const stored = await explainMiss(target, changes, work);
      return plan.explain?.(stored) ? new StoredRecord(seen, stored) : undefined;
    });
  }

  return {
    write(plan, work) {
      const { target, inserts, build } = plan;
      if (!inserts) return update(plan, work);
      return build ? retry(() => writeOrInsert(plan, build, work)) : insert(target, inserts, work);
    },
  };
}

/** The options of a write that returns its record. Each spread of a literal would cost as much as the rest of it. */
function asRecord(returnDocument: 'before' | 'after', { maxTimeMS, signal, session }: Command): object {
  const { raw, documentsReturnedIn } = recordAsBytes;
  const options = { returnDocument, raw, documentsReturnedIn, maxTimeMS, signal };
  return session ? { ...options, session } : options;
}

const maxRaces = 8;

/** Tries again as long as there is no result, because the record has changed in between. */
async function retry<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let race = 0; race < maxRaces; race++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw changedTooOften();
}

function changedTooOften(): Problem {
  const detail = `The record was changed by others at each of ${maxRaces} attempts, and nothing was written. Try again.`;
  return new Problem({ code: 'write_conflict', detail });
}
