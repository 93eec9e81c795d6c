import { isProblem, notFound } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { idToJson } from '../../model/value/number-in-path.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import { type LegalOptions, orUndefined } from '../../options.ts';
import { type DatabaseOptions, databaseOptions, type ModelCollection, openCollection } from '../collection/collection.ts';
import { whole } from '../collection/find.ts';
import { atPlace } from '../collection/insert-many.ts';
import { planInsert, type WriteManyPlan, type WritePlan } from '../collection/write-plan.ts';
import { areKnown, type Writer } from '../collection/writer.ts';
import { compileTransact, type Transact } from '../driver/run-transaction.ts';
import { isError } from '../driver/server-error.ts';
import { timeLimitFor } from '../driver/time-limit.ts';
import type { Work } from '../driver/work.ts';
import { seeing } from '../lifecycle/within.ts';
import { checkPrecondition } from '../query/precondition.ts';
import { StoredRecord } from '../stored-record.ts';
import { openCascadeDeletes } from './cascade/cascade-deletes.ts';
import { isRestoredWithOthers, openCascadeRestore } from './cascade/cascade-restores.ts';
import {
  askScopes,
  isHeld,
  isHeldBy,
  type Named,
  namedInChanges,
  namedInRecords,
  newIn,
  refusalOf,
  type Scopes,
  splitPlace,
} from './check/check-references.ts';
import { findNewInMany } from './check/find-new.ts';
import { findOutOfReach } from './check/find-out-of-reach.ts';
import { type Inserted, insertSiblings } from './check/insert-siblings.ts';
import { SharedCreates } from './check/shared-creates.ts';
import { type Edge, References, referencesOf } from './references.ts';

type Stored = Readonly<Record<string, unknown>>;

/** Options of a middleware or a store that writes. */
export interface WriteOptions extends DatabaseOptions {
  /**
   * The checked references of the models: what `compileReferences` returns.
   *
   * @default none, and the model must have none
   */
  readonly references?: References | undefined;
}

/** The legal names of {@link WriteOptions}. */
export const writeOptions: LegalOptions<WriteOptions> = {
  ...databaseOptions,
  references: orUndefined([(value) => value instanceof References, 'what `compileReferences()` returns']),
};

/** The most records with references that hold that one transaction inserts. */
const recordsPerTransaction = 1_000;

type Settings = NonNullable<Parameters<typeof openCollection>[1]> & Pick<WriteOptions, 'references'>;

/**
 * Opens the collection of a model for writes that check its references, and for deletes and restores that take with
 * them what refers to the records. A model without such references gets the plain collection.
 */
export function openReferencing(model: CompiledModel, { references: given, ...options }: Settings): ModelCollection {
  const plain = openCollection(model, options);
  const references = referencesOf(model, given);
  if (!references) return plain;
  const edges = references.outgoing(model);
  const transact = compileTransact(references.db, timeLimitFor(model, { maxTimeMS: options.maxTimeMS ?? references.maxTimeMS }));
  const checked = edges.length > 0 && openCheckedWrites(model, plain, edges, references, transact, options.shareRoundTrips ?? true);
  const deletes = references.incoming(model).length > 0 && openCascadeDeletes(model, plain, references, transact);
  const restore = isRestoredWithOthers(model, references) && openCascadeRestore(model, plain, references, transact);
  const other: ModelCollection = { ...plain, ...checked };
  const byKind: Partial<Record<WritePlan['kind'] | WriteManyPlan['kind'], Pick<ModelCollection, 'write' | 'writeMany'>>> = {
    ...(deletes && { remove: deletes }),
    ...(restore && { restore: { ...other, write: restore } }),
  };
  return {
    ...other,
    write: (plan, work) => (byKind[plan.kind] ?? other).write(plan, work),
    writeMany: (plan, work) => (byKind[plan.kind] ?? other).writeMany(plan, work),
  };
}

type CheckedWrites = Pick<ModelCollection, 'insertEach' | 'insertAll' | 'write' | 'writeMany'>;

/** The writes that set references. A write that sets no reference uses the plain one. */
function openCheckedWrites(
  model: CompiledModel,
  plain: ModelCollection,
  edges: readonly Edge[],
  references: References,
  transact: Transact,
  shareRoundTrips: boolean,
): CheckedWrites {
  const { latches } = references;
  const everyRecord = seeing(model, 'with', undefined);
  const maxTimeMS = model.maxTimeMS ?? references.maxTimeMS;
  const shared =
    shareRoundTrips && !model.ledger && edges.some(isHeldBy)
      ? new SharedCreates({ model, plain, edges, references, maxTimeMS })
      : undefined;

  /**
   * Checks, and then writes: in one transaction if a reference must hold. `look` finds out which of the missing
   * references are new. `scopes` are what was asked before.
   */
  async function checked<T>(
    named: readonly Named[],
    writer: Writer | undefined,
    work: Work,
    look: (missing: readonly Named[]) => Promise<readonly Named[]>,
    write: () => Promise<T>,
    scopes?: Scopes,
  ): Promise<T> {
    if (named.length === 0) return write();
    const asked = scopes ?? (await askScopes(named, writer));
    const checkAndWrite = async () => {
      const missing = await findOutOfReach(named, asked, writer, latches, work);
      const refused = missing.length > 0 ? await look(missing) : missing;
      if (refused.length > 0) throw refusalOf(refused, writer);
      return write();
    };
    work.limitTo(maxTimeMS);
    return named.some(isHeld) ? transact(work, checkAndWrite) : checkAndWrite();
  }

  /** Those of the missing references that the record does not have yet. */
  async function findNew(
    missing: readonly Named[],
    { kind, target, changes, inserts = {} }: WritePlan,
    work: Work,
  ): Promise<readonly Named[]> {
    // The record of an element was looked for before: if it is missing now, it has gone since.
    if (kind === 'insert' || kind === 'element') return missing;
    const { id, within, precondition, writer } = target;
    const [found] = await plain.find({ among: [id], within }, whole(), work);
    if (!found && kind === 'upsert') return missing;
    if (!found) throw notFound(); // 404 and 412 come first
    checkPrecondition(model, precondition, found.stored);
    return newIn(missing, changes ?? asChanges(inserts), found.stored, writer);
  }

  /** The references that a write of one record sets. */
  function namedBy({ target: { writer }, changes, added, inserts }: WritePlan): readonly Named[] {
    if (inserts) return namedInRecords(edges, [inserts], { areOne: true, arePlaced: false, writer });
    if (!changes) return [];
    return namedInChanges(edges, added ? { ...changes, assignments: [...changes.assignments, added] } : changes, writer);
  }

  const asTheyAre = async (missing: readonly Named[]) => missing;

  /** One after the other, because an error of one would end the transaction of all. */
  async function insertAlone(records: ReadonlyMap<number, Stored>, writer: Writer | undefined, work: Work): Promise<Inserted> {
    const errors = new Map<number, Error>();
    const refused = new Map<number, readonly Named[]>();
    for (const [place, record] of records) {
      const named = namedInRecords(edges, [record], { areOne: true, arePlaced: false });
      const refuse = async (missing: readonly Named[]) => {
        refused.set(place, missing);
        return missing;
      };
      try {
        await checked(named, writer, work, refuse, () => plain.write(planInsert(record, everyRecord, writer), work));
      } catch (error) {
        if (!isError(error)) throw error;
        if (work.transaction?.failure) throw isProblem(error) ? atPlace(error, place) : error;
        errors.set(place, error);
      }
    }
    return { errors, refused };
  }

  /**
   * Up to a thousand in one transaction. If one of them fails there, nothing of them is stored, and they are tried in
   * halves, so that the others need few transactions more.
   */
  async function insertHeld(records: ReadonlyMap<number, Stored>, writer: Writer | undefined, work: Work): Promise<Inserted> {
    if (work.transaction) return insertTogether(records, writer, work);
    if (records.size < 2) return insertAlone(records, writer, work);
    if (records.size > recordsPerTransaction) return insertInParts(records, recordsPerTransaction, writer, work);
    try {
      return await transact(work, () => insertTogether(records, writer, work));
    } catch (error) {
      if (!isError(error)) throw error;
      if (!isProblem(error) || error.status < 500) return insertInParts(records, Math.ceil(records.size / 2), writer, work);
      return { errors: new Map(Array.from(records.keys(), (place) => [place, error])), refused: new Map() };
    }
  }

  async function insertInParts(
    records: ReadonlyMap<number, Stored>,
    size: number,
    writer: Writer | undefined,
    work: Work,
  ): Promise<Inserted> {
    const all = [...records];
    const errors = new Map<number, Error>();
    const refused = new Map<number, readonly Named[]>();
    for (let at = 0; at < all.length; at += size) {
      const inserted = await insertHeld(new Map(all.slice(at, at + size)), writer, work);
      for (const [place, error] of inserted.errors) errors.set(place, error);
      for (const [place, missing] of inserted.refused) refused.set(place, missing);
    }
    return { errors, refused };
  }

  /** All that are not refused, in as few commands as possible. */
  async function insertTogether(records: ReadonlyMap<number, Stored>, writer: Writer | undefined, work: Work): Promise<Inserted> {
    const places = [...records.keys()];
    const named = namedInRecords(edges, [...records.values()], { areOne: false });
    let missing: readonly Named[];
    try {
      missing = await findOutOfReach(named, await askScopes(named, writer), writer, latches, work);
    } catch (error) {
      if (work.transaction || !isError(error)) throw error;
      return { errors: new Map(places.map((place) => [place, error])), refused: new Map() }; // others may be stored already
    }
    const refused = byPlace(missing, places);
    const left = new Map([...records].filter(([place]) => !refused.has(place)));
    const errors = await plain.insertEach([...left.values()], work, [...left.keys()], writer);
    const refusals = [...refused].map(([place, named]) => [place, refusalOf(named, writer)] as const);
    return { errors: new Map([...refusals, ...errors]), refused };
  }

  const writes: CheckedWrites = {
    insertEach(records, work, places = [...records.keys()], writer) {
      const all = new Map(places.map((place, index) => [place, records[index] as Stored]));
      const held = byPlace(namedInRecords(edges, records, { areOne: false }).filter(isHeld), places);
      const idOf = ({ _id }: Stored) => idToJson(model.id.leaf, _id);
      return insertSiblings(edges, all, idOf, async (some) => {
        const together = await insertTogether(new Map([...some].filter(([place]) => !held.has(place))), writer, work);
        const checked = await insertHeld(new Map([...some].filter(([place]) => held.has(place))), writer, work);
        return { errors: new Map([...together.errors, ...checked.errors]), refused: new Map([...together.refused, ...checked.refused]) };
      });
    },

    insertAll(records, work, writer) {
      const named = namedInRecords(edges, records, { areOne: true });
      return checked(named, writer, work, asTheyAre, () => plain.insertAll(records, work, writer));
    },

    async write(plan, work) {
      const { kind, inserts } = plan;
      const { writer, within } = plan.target;
      const named = namedBy(plan);
      const write = (scopes?: Scopes) =>
        checked(
          named,
          writer,
          work,
          (missing) => findNew(missing, plan, work),
          () => plain.write(plan, work),
          scopes,
        );
      if (kind !== 'insert' || !inserts || !shared || work.transaction || !named.some(isHeld)) return write();
      const scopes = await askScopes(named, writer);
      return (await shared.insert(inserts, scopes, work, () => write(scopes))) ?? StoredRecord.inserted(within.model, inserts);
    },

    writeMany(plan, work) {
      const { targets, changes } = plan;
      if (!changes || areKnown(targets)) return plain.writeMany(plan, work);
      const { writer } = targets;
      const look = (missing: readonly Named[]) => findNewInMany(plain, missing, changes, targets, work);
      return checked(namedInChanges(edges, changes, writer), writer, work, look, () => plain.writeMany(plan, work));
    },
  };
  return writes;
}

function asChanges(record: Stored): Changes {
  return { assignments: Object.entries(record).map(([path, value]) => ({ path, value })), embedded: [] };
}

/** References of records by the places of these, with the paths within each. */
function byPlace(all: readonly Named[], places: readonly number[]): Map<number, Named[]> {
  const found = new Map<number, Named[]>();
  for (const { edge, ids } of all)
    for (const [key, { id, paths }] of ids)
      for (const path of paths) {
        const { index, rest } = splitPlace(path);
        const place = places[index] as number;
        const own: Named = { edge, ids: new Map([[key, { id, paths: new Set([rest]) }]]) };
        const known = found.get(place);
        if (known) known.push(own);
        else found.set(place, [own]);
      }
  return found;
}
