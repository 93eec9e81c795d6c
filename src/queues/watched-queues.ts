import type { Db } from 'mongodb';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { Model } from '../model/define/define-model.ts';
import { openLetters, type WatchedQueue } from './letters.ts';
import { lines, outboxesOf } from './outbox.ts';

/** Opens the outboxes of models, the queues of what is delivered to their records, and that of removals. */
export async function openQueues(db: Db, models: readonly CompiledModel[], removals: Model | undefined): Promise<WatchedQueue[]> {
  const outboxes = Array.from(outboxesOf(models).keys(), (collection) => ({ collection, ...lines }));
  const deliveries = new Map(models.flatMap(({ deliveries: own }) => (own ? [[own.collection, own]] : [])));
  const queues = [...outboxes, ...deliveries.values()].map(
    (queue): WatchedQueue => ({ collection: queue.collection, letters: openLetters({ db, ...queue }) }),
  );
  return removals ? [...queues, (await import('./removal-queue.ts')).watchRemovals({ db, model: removals })] : queues;
}
