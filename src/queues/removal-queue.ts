import type { ObjectId } from 'mongodb';
import { askWithin } from '../mongo/driver/ask-within.ts';
import { bsonOptions } from '../mongo/driver/bson-options.ts';
import type { RemovalSettings } from '../mongo/removals/begin.ts';
import { compileCarryOut } from '../mongo/removals/carry-out.ts';
import type { RemovalRow, RemovalStep } from '../mongo/removals/removal-rows.ts';
import { openLetters, type WatchedQueue } from './letters.ts';
import { Queue } from './queue.ts';
import type { QueueOptions } from './queue-options.ts';
import type { QueueRow } from './queue-rows.ts';
import { report } from './report.ts';

/** How many removals a worker carries out at the same time: each keeps the database busy. */
const concurrency = 2;

/** How long a command may take, in milliseconds. */
const patienceMS = 10_000;

/** Every removal is a line of its own. */
const lines = { line: ['_id'], sequence: '_id' } as const;

/** A row of the queue is a removal. */
type Row = RemovalRow & QueueRow;

/** What the queue shares with those of the outboxes. */
interface Shared extends Pick<QueueOptions<Row>, 'lease' | 'poll' | 'retry' | 'keep'> {
  /** Hears of errors: one that stops a removal is one of them. */
  observe(what: { readonly kind: 'error'; readonly error: unknown }): unknown;
}

/** Opens the queue of removals. */
export type OpenRemovals = (shared: Shared) => Pick<Queue<Row>, 'start' | 'close'>;

/** Compiles what opens the queue of removals. */
export function compileRemovalQueue(settings: RemovalSettings): OpenRemovals {
  const handle = compileCarryOut(settings);
  const { db, model } = settings;
  const removals = db.collection<Row>(model.collection, bsonOptions);

  /** Shows that errors have ended a removal, which has not said itself why it stops. */
  async function showEnded({ _id }: Row): Promise<void> {
    const ended = { _id: { $eq: _id }, state: 'dead', status: 'running' } as const;
    const change = { $set: { status: 'stopped', reason: 'Errors of the server have stopped it.' } } as const;
    await askWithin(patienceMS, (signal) => removals.updateOne(ended, change, { maxTimeMS: patienceMS, signal } as object));
  }

  return function openRemovals({ observe, ...shared }: Shared): Queue<Row> {
    return new Queue<Row>({
      ...shared,
      ...lines,
      db,
      collection: model.collection,
      concurrency,
      handle,
      async observe(what) {
        if ('error' in what) void report(observe, { kind: 'error', error: what.error } as const);
        if (what.kind === 'dead') await showEnded(what.row);
      },
    });
  };
}

/** Opens the queue of removals for those who look after it. Who skips one that has stopped leaves the rest as it is. */
export function watchRemovals({ db, model: { collection } }: Pick<RemovalSettings, 'db' | 'model'>): WatchedQueue {
  const letters = openLetters<Row>({ db, collection, ...lines });
  const steps = db.collection<RemovalStep>(`${collection}_steps`, bsonOptions);
  return {
    collection,
    letters: {
      ...letters,
      async findDead(limit) {
        const rows = await letters.findDead(limit);
        return rows.map((row) => ({ ...row, type: `${row.model}.${row.kind}`, subject: row.record ?? '', revision: 0, at: row.startedAt }));
      },
      async skip(id) {
        const isSkipped = await letters.skip(id); // as `events --skip` asks for: a removal that somebody gives up
        const ofRemoval = { $or: [{ removal: id as ObjectId }, { _id: id as ObjectId }] };
        if (isSkipped) await askWithin(patienceMS, (signal) => steps.deleteMany(ofRemoval, { maxTimeMS: patienceMS, signal } as object));
        return isSkipped;
      },
    },
  };
}
