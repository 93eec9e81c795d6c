import { type Collection, type Db, ObjectId } from 'mongodb';
import { askWithin } from '../mongo/driver/ask-within.ts';
import { bsonOptions } from '../mongo/driver/bson-options.ts';

/** What a queue keeps of a row, beside what the row says. A row that was just written has only its state. */
export interface QueueRow {
  readonly _id: unknown;
  readonly state: 'pending' | 'delivered' | 'dead';
  /** How often it was claimed. */
  readonly attempts?: number;
  /** When it is looked at again: when its lease or its pause ends. Missing: now. */
  readonly dueAt?: Date;
  /** Who has it, by a token of this claim, and for how long. */
  readonly lease?: { readonly token: ObjectId; readonly until: Date };
  /** Whether it waits for an earlier row of its line, so that `dueAt` says nothing about itself. */
  readonly behind?: true;
  /** The time of its first attempt. */
  readonly triedAt?: Date;
  readonly lastError?: string;
  /** When it was a dead letter and was released, or followed one that was skipped. */
  readonly releasedAt?: Date;
  readonly deliveredAt?: Date;
  /** When it is removed. */
  readonly expiresAt?: Date;
}

/** The values of the fields that name a line. */
export type Line = Readonly<Record<string, unknown>>;

/** A due row, as far as it is read to find its line, and its place there. */
export interface DueRow {
  readonly id: unknown;
  readonly line: Line;
  readonly place: number | bigint;
}

/** The first row of a line, and by which token it was taken, if it was. */
export interface Claimed<Row> {
  readonly row: Row;
  readonly token: ObjectId | undefined;
}

/** Which rows make a queue. */
export interface RowsOptions {
  readonly db: Db;
  readonly collection: string;
  readonly line: readonly string[];
  readonly sequence: string;
}

/** The present time of the database. */
const now = '$$NOW';
/** How long a command may take, in milliseconds. */
const patienceMS = 10_000;
/** How long those who wait for a dead letter are left alone, in milliseconds. */
const restBehindDeadMS = 3_600_000;
/** Those who wait for another row are looked at again one after the other, as often as this, in milliseconds. */
const stepBehindMS = 1_000;

/** What a majority has: a claim, and the row itself, must not be taken back by a failover. */
const writeOptions = { writeConcern: { w: 'majority' }, maxTimeMS: patienceMS } as const;

const isBehind = { $and: [{ $eq: ['$behind', true] }, { $lte: [{ $ifNull: ['$lease.until', now] }, now] }] };
const isDue = { $lte: ['$dueAt', now] };

/** The commands of a queue. All times are those of the database, so that the clocks of workers need not agree. */
export class QueueRows<Row extends QueueRow> {
  readonly #rows: Collection<QueueRow>;
  readonly #line: readonly string[];
  readonly #sequence: string;

  constructor({ db, collection, line, sequence }: RowsOptions) {
    this.#rows = db.collection(collection, { ...bsonOptions, readPreference: 'primary' });
    this.#line = line;
    this.#sequence = sequence;
  }

  /** The rows whose time has come, those that wait longest first. */
  async findDue(limit: number): Promise<DueRow[]> {
    const filter = { state: 'pending', deliveredAt: null, $expr: isDue } as const;
    const projection = { _id: 1, ...Object.fromEntries([...this.#line, this.#sequence].map((field) => [field, 1])) };
    const options = { projection, sort: { dueAt: 1, _id: 1 }, limit, maxTimeMS: patienceMS } as const;
    const found = await askWithin(patienceMS, (signal) => this.#rows.find(filter as object, { ...options, signal } as object).toArray());
    return found.map((row) => ({
      id: row._id,
      line: Object.fromEntries(this.#line.map((field) => [field, valueAt(row, field)])),
      place: valueAt(row, this.#sequence) as number | bigint,
    }));
  }

  /**
   * Takes the first row of a line that is not delivered, unless somebody has it, its time has not come, or it is a dead
   * letter. Returns that row, and whether it was taken; undefined if all are delivered.
   */
  async claim(line: Line, leaseMS: number): Promise<Claimed<Row> | undefined> {
    const token = new ObjectId();
    const isFree = { $and: [{ $eq: ['$state', 'pending'] }, { $or: [isDue, isBehind] }] };
    const row = await this.#changeFirst(line, isFree, {
      lease: { token, until: later(leaseMS) },
      dueAt: later(leaseMS),
      attempts: { $add: [{ $ifNull: ['$attempts', 0] }, 1] },
      triedAt: { $ifNull: ['$triedAt', now] },
      behind: '$$REMOVE',
    });
    return row && { row, token: row.lease?.token.equals(token) ? token : undefined };
  }

  /** Lets the first row of a line be found at once, if it waits behind another. Returns that row. */
  pass(line: Line): Promise<Row | undefined> {
    return this.#changeFirst(line, isBehind, { dueAt: now, behind: '$$REMOVE' });
  }

  /**
   * Has the last row of a line found by `withinMS`, if it waits behind others. Any row that is found leads to the first
   * of its line: so the line goes on if whoever has it dies, also between two rows, where it has no lease.
   */
  async watch(line: Line, withinMS: number): Promise<void> {
    const waits = { ...this.ofLine(line), state: 'pending', behind: true };
    const change = { dueAt: { $min: ['$dueAt', later(withinMS)] } };
    const last = { sort: { [this.#sequence]: -1 }, projection: { _id: 1 } } as const;
    await this.#ask((options) => this.#rows.findOneAndUpdate(waits as object, [{ $set: change }], { ...options, ...last }));
  }

  /**
   * Leaves due rows alone as long as the first one of their line, so that they do not hide other lines. They are in the
   * order of the line. The last of them is looked at first: it is there for as long as others are, and its time matters
   * if whoever has the line dies, or if the database is away for as long.
   */
  async park(ids: readonly unknown[], first: QueueRow | undefined, leaseMS: number): Promise<void> {
    if (ids.length === 0) return;
    const base = first?.state === 'dead' ? later(restBehindDeadMS) : (first?.dueAt ?? later(leaseMS));
    const spread = { $multiply: [{ $rand: {} }, ids.length * stepBehindMS] };
    const step = { $cond: [{ $eq: ['$_id', { $literal: ids.at(-1) }] }, 0, spread] };
    const filter = { _id: { $in: ids }, state: 'pending', deliveredAt: null, $expr: isDue };
    const change = { behind: true, dueAt: { $add: [{ $max: [base, now] }, step] } };
    await this.#ask((options) => this.#rows.updateMany(filter as object, [{ $set: change }], options));
  }

  /** Whether the lease was still held. */
  async renew(id: unknown, token: ObjectId, leaseMS: number): Promise<boolean> {
    return this.#changeHeld(id, token, { 'lease.until': later(leaseMS), dueAt: later(leaseMS), behind: '$$REMOVE' });
  }

  /** Whether the lease was still held. */
  async deliver(id: unknown, token: ObjectId, keepMS: number): Promise<boolean> {
    return this.#changeHeld(id, token, { state: 'delivered', deliveredAt: now, expiresAt: later(keepMS), behind: '$$REMOVE' });
  }

  /** Ends a lease as if the row had not been claimed, but for a pause. */
  async giveBack(id: unknown, token: ObjectId, pauseMS: number): Promise<boolean> {
    const triedAt = { $cond: [{ $eq: ['$attempts', 1] }, '$$REMOVE', '$triedAt'] };
    const attempts = { $subtract: ['$attempts', 1] };
    const change = { dueAt: later(pauseMS), lease: '$$REMOVE', attempts, triedAt, behind: '$$REMOVE' };
    return this.#changeHeld(id, token, change);
  }

  /**
   * Ends a lease after a failure: until the next attempt, or for good if the first one was longer ago than `forMS`.
   * Undefined if the lease was lost.
   */
  async fail(id: unknown, token: ObjectId, lastError: string, pauseMS: number, forMS: number): Promise<'pending' | 'dead' | undefined> {
    const isOver = { $gte: [{ $subtract: [now, '$triedAt'] }, forMS] };
    const change = {
      state: { $cond: [isOver, 'dead', '$state'] },
      dueAt: later(pauseMS),
      lastError: { $literal: lastError },
      lease: '$$REMOVE',
      behind: '$$REMOVE',
    };
    const row = await this.#ask((options) =>
      this.#rows.findOneAndUpdate(held(id, token), [{ $set: change }], { ...options, returnDocument: 'after', projection: { state: 1 } }),
    );
    return row ? (row.state as 'pending' | 'dead') : undefined;
  }

  async #changeHeld(id: unknown, token: ObjectId, change: object): Promise<boolean> {
    const { matchedCount } = await this.#ask((options) => this.#rows.updateOne(held(id, token), [{ $set: change }], options));
    return matchedCount > 0;
  }

  /** Changes the first row of a line that is not delivered, if a condition holds, and returns it. */
  async #changeFirst(line: Line, condition: object, change: Readonly<Record<string, unknown>>): Promise<Row | undefined> {
    const entries = Object.entries(change).map(([field, value]) => [field, { $cond: [condition, value, `$${field}`] }]);
    const changed = await this.#ask((options) =>
      this.#rows.findOneAndUpdate(this.ofLine(line), [{ $set: Object.fromEntries(entries) }], {
        ...options,
        sort: { [this.#sequence]: 1 },
        returnDocument: 'after',
      }),
    );
    return (changed as Row | null) ?? undefined;
  }

  /** A filter for the rows of a line that are not delivered. */
  ofLine(line: Line): object {
    return { ...Object.fromEntries(Object.entries(line).map(([field, value]) => [field, { $eq: value }])), deliveredAt: null };
  }

  /** A write that is not answered may still happen: then its lease is held by nobody, and ends. */
  #ask<T>(send: (options: typeof writeOptions) => Promise<T>): Promise<T> {
    return askWithin(patienceMS, (signal) => send({ ...writeOptions, signal } as never));
  }
}

function held(id: unknown, token: ObjectId): object {
  return { _id: { $eq: id }, 'lease.token': token };
}

function later(ms: number): object {
  return { $add: [now, ms] };
}

function valueAt(row: object, field: string): unknown {
  return (row as Readonly<Record<string, unknown>>)[field] ?? null;
}
