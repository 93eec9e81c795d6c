import type { Db } from 'mongodb';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { type Letters, openLetters } from './letters.ts';
import { lines, outboxesOf, type StoredEvent } from './outbox.ts';
import type { QueueRow } from './queue-rows.ts';

/** What a row of every queue says of a change. */
type ChangeRow = QueueRow & Pick<StoredEvent, 'type' | 'subject' | 'revision' | 'at'>;

/** A queue, for those who look after it. */
export interface WatchedQueue {
  readonly collection: string;
  readonly letters: Letters<ChangeRow>;
}

/** Opens the outboxes of models, and the queues of what is delivered to their records. */
export function openQueues(db: Db, models: readonly CompiledModel[]): WatchedQueue[] {
  const outboxes = Array.from(outboxesOf(models).keys(), (collection) => ({ collection, ...lines }));
  const deliveries = new Map(models.flatMap(({ deliveries: own }) => (own ? [[own.collection, own]] : [])));
  return [...outboxes, ...deliveries.values()].map((queue) => ({
    collection: queue.collection,
    letters: openLetters<ChangeRow>({ db, ...queue }),
  }));
}
