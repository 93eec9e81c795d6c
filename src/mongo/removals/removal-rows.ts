import { type Collection, type Db, ObjectId } from 'mongodb';
import { compileModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { inParts } from '../driver/in-parts.ts';
import type { Work } from '../driver/work.ts';
import type { Deletion } from '../lifecycle/lifecycle.ts';

/** A removal as it is stored. Beside it stands what a queue keeps of its rows. */
export interface RemovalRow {
  readonly _id: ObjectId;
  readonly kind: 'remove' | 'purge';
  readonly model: string;
  /** Null if the record was purged later, by another removal. */
  readonly record: string | null;
  readonly status: 'running' | 'done' | 'stopped';
  readonly actor: string | null;
  readonly operation?: string;
  readonly request?: string;
  readonly removed: number;
  readonly changed: number;
  readonly startedAt: Date;
  readonly endedAt?: Date;
  readonly reason?: string;
  /** What marks the records of models with `t.deletedAt()`. */
  readonly deletion: Deletion;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly lease?: { readonly token: ObjectId };
}

/** Records that are gone, of which the references to them have to be followed. */
export interface RemovalStep {
  readonly _id: ObjectId;
  readonly removal: ObjectId;
  readonly collection: string;
  readonly ids: readonly unknown[];
  /** Whether records that refer to them are removed, or lose the references, or what is kept of these forgets them. */
  readonly kind: 'cascade' | 'clear' | 'forget';
  /** The place of the reference that is followed now. */
  readonly edge: number;
  /** Whether the step ends with this reference. */
  readonly isLast?: boolean;
  /** Records that refer to them, and that others forbid to remove at the moment. */
  readonly aside: readonly unknown[];
  /** The references by which they do. */
  readonly by: readonly string[];
  /** Lower ones come first: what removes, what takes references away, and what was put off, by how often it was. */
  readonly pass: number;
}

/** The first pass of what was put off. */
export const firstWait = 2;

type Begun = Pick<RemovalStep, 'removal' | 'collection' | 'ids'>;

/** Begins to follow what refers to records that are gone. */
export function firstStep(begun: Begun): Omit<RemovalStep, '_id'> {
  return { ...begun, kind: 'cascade', edge: 0, aside: [], by: [], pass: 0 };
}

/** Takes references away when all has gone that nothing forbids: that keeps its own, for a restore. */
export function clearingStep(begun: Begun): Omit<RemovalStep, '_id'> {
  return { ...firstStep(begun), kind: 'clear', pass: firstWait - 1 };
}

/** Erases what is kept of records that have lost their references: no more of it is written then. */
export function lastStep(begun: Begun): Omit<RemovalStep, '_id'> {
  return { ...firstStep(begun), kind: 'forget', pass: firstWait - 1 };
}

/** How many records were removed, and how many have lost a reference. */
export interface Counts {
  readonly removed: number;
  readonly changed: number;
}

/** How far a removal has come. */
export interface Progress extends Counts {
  readonly status: RemovalRow['status'];
  readonly reason?: string;
}

/** The commands on removals and their steps. */
export interface RemovalRows {
  insert(row: RemovalRow, work: Work): Promise<void>;
  /**
   * Adds to what was done for a removal, and returns all of it. That stands beside the steps: a transaction that wrote
   * the removal would meet the renewals of its lease.
   */
  count(row: RemovalRow, counts: Counts, work: Work): Promise<Counts>;
  /**
   * Shows how far it has come, if the lease is still held, and counts attempts anew: one that gets on has not failed.
   * Returns the actor, who may have been forgotten meanwhile; undefined if the lease was lost.
   */
  show(row: RemovalRow, progress: Progress, work: Work): Promise<Pick<RemovalRow, 'actor'> | undefined>;
  /** The next step of a removal: one that was not put off, the newest first. Or the one that was put off most often. */
  next(row: RemovalRow, work: Work, which?: 'last'): Promise<RemovalStep | undefined>;
  /** Those of some ids that a removal has removed, as far as references to them have not been taken away. */
  findRemoved(row: RemovalRow, collection: string, ids: readonly unknown[], work: Work): Promise<unknown[]>;
  add(step: Omit<RemovalStep, '_id'>, work: Work): Promise<void>;
  /** Writes how far a step has come. */
  change(step: RemovalStep, work: Work): Promise<void>;
  drop(step: RemovalStep, work: Work): Promise<void>;
  /** Forgets what was counted. */
  end(row: RemovalRow, work: Work): Promise<void>;
}

/** Opens the collections of removals. */
export function openRemovalRows(db: Db, model: Model, maxTimeMS: number): RemovalRows {
  const removals: Collection<RemovalRow> = db.collection(model.collection, bsonOptions);
  const steps: Collection<RemovalStep> = db.collection(`${model.collection}_steps`, bsonOptions);
  const counts = steps as unknown as Collection<Counts & { readonly _id: ObjectId }>;
  const { write, readLatest } = planCommands(compileModel(model), db, removals, maxTimeMS);
  return {
    async insert(row, work) {
      await write(work, (command) => removals.insertOne(command.handOver(row), command.options));
    },
    async count({ _id }, { removed, changed }, work) {
      const options = { upsert: true, returnDocument: 'after' } as const;
      const counted = await write(work, (command) =>
        counts.findOneAndUpdate(
          command.handOver({ _id: { $eq: _id } }),
          { $inc: { removed, changed } },
          { ...command.options, ...options },
        ),
      );
      return counted as Counts;
    },
    async show({ _id, lease }, { removed, changed, status, reason }, work) {
      const isEnded = status === 'done' && { endedAt: new Date() };
      const change = {
        $set: { removed, changed, status, attempts: 1, ...isEnded, ...(reason !== undefined && { reason }) },
        $currentDate: { triedAt: true as const },
        ...(reason === undefined && { $unset: { reason: '' as const } }),
      };
      const held = { _id: { $eq: _id }, 'lease.token': lease?.token } as object;
      const options = { projection: { actor: 1 } } as const;
      const shown = await write(work, (command) =>
        removals.findOneAndUpdate(command.handOver(held), change as object, { ...command.options, ...options }),
      );
      return shown ?? undefined;
    },
    async next({ _id }, work, which) {
      const sort = which ? ({ pass: -1, _id: 1 } as const) : ({ pass: 1, _id: -1 } as const);
      const options = { sort, readPreference: 'primary' } as const;
      const found = await readLatest(work, (command) =>
        command.count(() => steps.findOne(command.handOver({ removal: { $eq: _id } }), { ...command.options, ...options })),
      );
      return found ?? undefined;
    },
    async findRemoved({ _id }, collection, ids, work) {
      const removed: unknown[] = [];
      for (const some of inParts(ids)) {
        const filter = { removal: { $eq: _id }, kind: 'clear', collection: { $eq: collection }, ids: { $in: some } } as object;
        const options = {
          projection: { _id: 0, ids: { $setIntersection: ['$ids', { $literal: some }] } },
          readPreference: 'primary',
        } as const;
        const found = await readLatest(work, (command) =>
          command.count(() => steps.find(command.handOver(filter), { ...command.options, ...options }).toArray()),
        );
        for (const step of found) removed.push(...step.ids);
      }
      return removed;
    },
    async add(step, work) {
      await write(work, (command) => steps.insertOne(command.handOver({ _id: new ObjectId(), ...step }), command.options));
    },
    async change({ _id, ...step }, work) {
      await write(work, (command) => steps.replaceOne(command.handOver({ _id: { $eq: _id } }), step, command.options));
    },
    async drop({ _id }, work) {
      await write(work, (command) => steps.deleteOne(command.handOver({ _id: { $eq: _id } }), command.options));
    },
    async end({ _id }, work) {
      await write(work, (command) => counts.deleteOne(command.handOver({ _id: { $eq: _id } }), command.options));
    },
  };
}
