import type { Db } from 'mongodb';
import { askWithin } from '../mongo/driver/ask-within.ts';
import { bsonOptions } from '../mongo/driver/bson-options.ts';
import { defaultOf } from '../options.ts';
import type { StoredEvent } from './outbox.ts';
import { millisecondsOf, queueOptions } from './queue-options.ts';
import { type Line, type QueueRow, QueueRows } from './queue-rows.ts';

/** Which rows make a queue. */
interface LettersOptions {
  readonly db: Db;
  readonly collection: string;
  readonly line: readonly string[];
  readonly sequence: string;
}

/** How many rows of a queue are in each state. */
interface Counts {
  readonly pending: number;
  readonly dead: number;
  /** The number of those that are kept. It is estimated. */
  readonly delivered: number;
}

/** What people do with a queue whose rows cannot be delivered. */
export interface Letters<Row extends QueueRow> {
  count(): Promise<Counts>;
  /** The dead letters, the oldest first. */
  findDead(limit: number): Promise<Row[]>;
  /** Lets a dead letter be tried again, as if it were new; without an id, all of them. Returns how many there were. */
  release(id?: unknown): Promise<number>;
  /** Counts a dead letter as delivered, so that the next row of its line may follow. Returns whether there was one. */
  skip(id: unknown): Promise<boolean>;
}

/** What a row of every queue says of a change. */
type ChangeRow = QueueRow & Pick<StoredEvent, 'type' | 'subject' | 'revision' | 'at'>;

/** A queue, for those who look after it. */
export interface WatchedQueue {
  readonly collection: string;
  readonly letters: Letters<ChangeRow>;
}

const patienceMS = 10_000;
const writeOptions = { writeConcern: { w: 'majority' }, maxTimeMS: patienceMS } as const;
const keepMS = millisecondsOf(defaultOf(queueOptions.keep));
/** When a line whose dead letter is skipped is looked at even if the command is cut short, in milliseconds. */
const watchMS = 30_000;

/** Opens a queue for those who look after it. */
export function openLetters<Row extends QueueRow>({ db, collection, line, sequence }: LettersOptions): Letters<Row> {
  const rows = db.collection<QueueRow>(collection, { ...bsonOptions, readPreference: 'primary' });
  const queue = new QueueRows({ db, collection, line, sequence });
  const ask = <T>(send: (options: object) => Promise<T>) =>
    askWithin(patienceMS, (signal) => send({ maxTimeMS: patienceMS, signal } as object));
  const countOf = (state: QueueRow['state']) => ask((options) => rows.countDocuments({ state, deliveredAt: null } as object, options));

  return {
    async count() {
      const [pending, dead, all] = await Promise.all([
        countOf('pending'),
        countOf('dead'),
        ask((options) => rows.estimatedDocumentCount(options)),
      ]);
      return { pending, dead, delivered: Math.max(0, all - pending - dead) };
    },

    async findDead(limit) {
      const filter = { state: 'dead', deliveredAt: null } as object;
      return ask((options) =>
        rows.find(filter, { ...options, sort: { dueAt: 1, _id: 1 }, limit }).toArray(),
      ) as Promise<unknown> as Promise<Row[]>;
    },

    async release(id) {
      const filter = { state: 'dead', deliveredAt: null, ...(id !== undefined && { _id: { $eq: id } }) } as object;
      const change = { state: 'pending', dueAt: '$$NOW', releasedAt: '$$NOW', attempts: 0, triedAt: '$$REMOVE', lease: '$$REMOVE' };
      const { modifiedCount } = await ask((options) => rows.updateMany(filter, [{ $set: change }], { ...options, ...writeOptions }));
      return modifiedCount;
    },

    async skip(id) {
      const filter = { _id: { $eq: id }, state: 'dead' } as object;
      const letter = await ask((options) => rows.findOne(filter, options));
      if (!letter) return false;
      const ofLine: Line = Object.fromEntries(line.map((field) => [field, (letter as object as Line)[field] ?? null]));
      await queue.watch(ofLine, watchMS);
      const gone = { state: 'delivered', deliveredAt: '$$NOW', skippedAt: '$$NOW', expiresAt: { $add: ['$$NOW', keepMS] } };
      const skipped = await ask((options) => rows.updateOne(filter, [{ $set: gone }], { ...options, ...writeOptions }));
      if (skipped.matchedCount === 0) return false;
      const next = { ...queue.ofLine(ofLine), state: 'pending' } as object;
      const isFree = { $lte: [{ $ifNull: ['$lease.until', '$$NOW'] }, '$$NOW'] }; // somebody may have it already
      const due = [{ $set: { dueAt: { $cond: [isFree, '$$NOW', '$dueAt'] }, releasedAt: '$$NOW', behind: '$$REMOVE' } }];
      await ask((options) => rows.findOneAndUpdate(next, due, { ...options, ...writeOptions, sort: { [sequence]: 1 } }));
      return true;
    },
  };
}
