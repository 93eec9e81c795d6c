import { ObjectId } from 'mongodb';
import { isProblem } from '../../errors.ts';
import { once } from '../../mistakes.ts';
import type { CompiledLedger } from '../../model/compile/compile-ledger.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { idToJson } from '../../model/value/number-in-path.ts';
import { lifeKey } from '../../model/value/own-keys.ts';
import type { BlindWrite } from '../../model/write/plan-changes.ts';
import type { Transact } from '../driver/run-transaction.ts';
import { isError } from '../driver/server-error.ts';
import type { Transaction } from '../driver/transaction.ts';
import { Lanes, Turn } from '../driver/turn.ts';
import type { Work } from '../driver/work.ts';
import { compileDifferences } from '../ledger/difference.ts';
import type { RecordedChange } from '../ledger/entry.ts';
import { type LedgerSettings, openRows } from '../ledger/ledger-rows.ts';
import { afterDelete, changeBetween } from '../lifecycle/lifecycle.ts';
import { seeing, type Within } from '../lifecycle/within.ts';
import type { StoredRecord } from '../stored-record.ts';
import { idsOnly, whole } from './find.ts';
import type { Operations, RecordedWrites } from './operations.ts';
import { readParts } from './whole-records.ts';
import { planInsert, type WriteManyPlan, type WritePlan, writesNothing } from './write-plan.ts';
import { areKnown, matching } from './writer.ts';

type Stored = Readonly<Record<string, unknown>>;

/** A record before and after a write. */
type States = readonly [before: Stored | undefined, after: Stored | undefined];

/** How many new records are written at once. */
const mostAtOnce = 500;

/**
 * The writes of a collection that also write what they have changed: its history and its events. Each is a transaction,
 * or a part of one. It reads the records before and after the write, where the write itself does not return them; what
 * has come between makes the transaction run again.
 */
export function openRecorder(model: CompiledModel, plain: Operations, transact: Transact, settings: LedgerSettings): RecordedWrites {
  const { maxTimeMS } = settings;
  const ledger = model.ledger as CompiledLedger;
  const differencesOf = once(() => compileDifferences(model.root));
  const rows = openRows(model, ledger, settings);

  const everyRecord = seeing(model, 'with', undefined);

  const lanes = new Lanes();

  /** Another write of the same transaction must not come between what is read here: it would be recorded twice. */
  function asOne<T>(work: Work, run: (transaction: Transaction) => Promise<T>): Promise<T> {
    return transact(work, (transaction) => transaction.alone(() => run(transaction)));
  }

  /**
   * The same for a write of one record. Those of this process go one after the other: of transactions at the same time,
   * one is carried out, and the others are run again and again.
   */
  function asOneInTurn<T>(id: unknown, work: Work, run: () => Promise<T>): Promise<T> {
    if (work.transaction) return asOne(work, run);
    return lanes.run(idToJson(model.id.leaf, id), maxTimeMS, () => asOne(work, run));
  }

  /**
   * A write that has happened is recorded, or its transaction has failed. Of many records, one pair of states is
   * decoded and compared after the other, and other requests run between them.
   */
  async function record(pairs: Iterable<States>, work: Work, blind?: BlindWrite): Promise<void> {
    const turn = new Turn();
    const recorded: RecordedChange[] = [];
    for (const [before, after] of pairs) {
      const one = compare(before, after, blind);
      if (one) recorded.push(one);
      await turn.pass();
    }
    if (!work.transaction) throw new Error('What a write has changed is recorded in its transaction.');
    await work.transaction.join(() => rows.record(recorded, work));
  }

  /**
   * Undefined if a write has left the record as it was, but for its revision and its time. A client that may not read
   * what it has written (`blind`) would learn that from what is not recorded.
   */
  function compare(before: Stored | undefined, after: Stored | undefined, blind: BlindWrite | undefined): RecordedChange | undefined {
    const differences = differencesOf()(before, after);
    const isChanged = blind || !before || !after || differences.some(({ path }) => path !== model.updatedAt?.name);
    return isChanged ? { change: changeBetween(model, before, after), before, after, differences, blind } : undefined;
  }

  /**
   * The record before a write of it, unless the write itself returns it. Throws 404, which comes before whatever else
   * the write would throw.
   */
  async function findBefore(
    { target: { id, within }, inserts, build, deletion }: WritePlan,
    work: Work,
  ): Promise<StoredRecord | undefined> {
    if (deletion || (inserts && !build)) return undefined;
    if (!inserts) return plain.findOne(id, within, { fetchPrivate: true }, work);
    return (await plain.find({ among: [id], within }, whole(), work))[0];
  }

  /** The states after a write, in the order of those before it. */
  async function readAfter(before: readonly StoredRecord[], work: Work): Promise<Iterable<States>> {
    const after = new Map<string, StoredRecord>();
    for await (const some of readParts(plain, idsOf(before), everyRecord, work)) for (const one of some) after.set(one.idText, one);
    return mapEach(before, (one): States => [one.stored, after.get(one.idText)?.stored]);
  }

  /** The states before and after one part of a write of many. */
  async function statesOf({ deletion }: WriteManyPlan, before: readonly StoredRecord[], work: Work): Promise<Iterable<States>> {
    if (!deletion) return readAfter(before, work);
    return mapEach(before, ({ stored }): States => [stored, afterDelete(model, stored, deletion)]);
  }

  /**
   * Inserts records together. If one of them cannot be stored, nothing is, and they are tried in halves, so that the
   * others need few transactions more.
   */
  async function insertTogether(
    records: readonly Record<string, unknown>[],
    places: readonly number[],
    work: Work,
    writer: Parameters<typeof plain.insertEach>[3],
  ): Promise<ReadonlyMap<number, Error>> {
    try {
      const [only, second] = records;
      if (only && !second) await writes.write(planInsert(only, everyRecord, writer), work);
      else await writes.insertAll(records, work, writer);
      return new Map();
    } catch (error) {
      if (!isError(error)) throw error;
      if (records.length === 1 || (isProblem(error) && error.status >= 500)) return new Map(places.map((place) => [place, error]));
    }
    const half = Math.ceil(records.length / 2);
    const first = await insertTogether(records.slice(0, half), places.slice(0, half), work, writer);
    const rest = await insertTogether(records.slice(half), places.slice(half), work, writer);
    return new Map([...first, ...rest]);
  }

  const writes: RecordedWrites = {
    insertAll(records, work, writer) {
      return asOne(work, async () => {
        await plain.insertAll(records.map(begin), work, writer);
        await record(
          records.map((one) => [undefined, one]),
          work,
        );
      });
    },

    async insertEach(records, work, places = [...records.keys()], writer) {
      if (!work.transaction) {
        const errors = new Map<number, Error>();
        for (let at = 0; at < records.length; at += mostAtOnce) {
          const [some, ofThem] = [records.slice(at, at + mostAtOnce), places.slice(at, at + mostAtOnce)];
          for (const [place, error] of await insertTogether(some, ofThem, work, writer)) errors.set(place, error);
        }
        return errors;
      }
      const errors = await plain.insertEach(records.map(begin), work, places, writer);
      await record(
        records.map((one) => [undefined, one]),
        work,
      );
      return errors;
    },

    write(plan, work) {
      const { kind, target, changes, inserts, deletion } = plan;
      if (writesNothing(plan)) return plain.write(plan, work);
      async function writeAndRecord(): Promise<StoredRecord> {
        const before = await findBefore(plan, work);
        if (inserts) begin(inserts);
        const written = await plain.write(plan, work);
        const states: States = deletion ? [written.stored, afterDelete(model, written.stored, deletion)] : [before?.stored, written.stored];
        await record([states], work, changes?.blind);
        return written;
      }
      return kind === 'insert' ? asOne(work, writeAndRecord) : asOneInTurn(target.id, work, writeAndRecord);
    },

    /** Part by part, so that what is decoded of the records fits into memory. */
    writeMany(plan, work) {
      const { targets, changes } = plan;
      return asOne(work, async (transaction) => {
        const within = areKnown(targets) ? targets.within : matching(targets);
        const ids = areKnown(targets) ? targets.ids : await plain.find({ within, limit: targets.max + 1 }, idsOnly, work);
        if (!areKnown(targets) && ids.length > targets.max) return plain.writeMany(plan, work); // which refuses it
        return transaction.join(async () => {
          let [matched, modified] = [0, 0];
          for await (const before of readParts(plain, ids, within, work)) {
            const some = await plain.writeMany({ ...plan, targets: those(targets, within, before) }, work);
            matched += some.matched;
            modified += some.modified;
            await record(await statesOf(plan, before, work), work, changes?.blind);
          }
          return { matched, modified, ids };
        });
      });
    },
  };
  return writes;
}

/** Begins the life of a record. */
function begin(stored: Record<string, unknown>): Record<string, unknown> {
  stored[lifeKey] = new ObjectId();
  return stored;
}

/** Some of the targets of a write of many. */
function those(targets: WriteManyPlan['targets'], within: Within, records: readonly StoredRecord[]): WriteManyPlan['targets'] {
  const ids = idsOf(records);
  if (areKnown(targets)) return { ids, within };
  return { ...targets, conditions: [], within: within.and({ _id: { $in: ids } }), max: ids.length };
}

function idsOf(records: readonly StoredRecord[]): unknown[] {
  return records.map(({ storedId }) => storedId);
}

/** Maps each item when its turn comes. */
function* mapEach<T, U>(items: Iterable<T>, map: (item: T) => U): Generator<U, void, undefined> {
  for (const item of items) yield map(item);
}
