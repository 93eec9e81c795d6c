import { type Collection, ObjectId } from 'mongodb';
import { Queue } from '../../../src/queues/queue.ts';
import type { QueueOptions } from '../../../src/queues/queue-options.ts';
import type { Any } from '../any.ts';
import type { TestDatabase } from './database.ts';

type Options = Partial<QueueOptions<Any>> & Pick<QueueOptions<Any>, 'handle'>;

/** Gives each test a collection of rows with the indexes of a queue, and workers of it that end with the test. */
export function useQueue(database: TestDatabase) {
  const queues: Queue<Any>[] = [];
  const rows = (): Collection<Any> => database.db.collection<Any>('rows');

  beforeEach(async () => {
    await rows().deleteMany({});
    await rows().createIndexes([
      { key: { state: 1, dueAt: 1, _id: 1 }, partialFilterExpression: { deliveredAt: null } },
      { key: { line: 1, deliveredAt: 1, n: 1 } },
    ]);
  });

  afterEach(async () => {
    for (const queue of queues.splice(0)) await queue.close();
  });

  return {
    rows,
    /** Writes rows that are pending, unless they say something else, 10,000 at a time. */
    async add(added: readonly Any[]): Promise<void> {
      for (let from = 0; from < added.length; from += 10_000) {
        const some = added.slice(from, from + 10_000).map((row) => ({ _id: new ObjectId(), state: 'pending', ...row }));
        await rows().insertMany(some, { ordered: false });
      }
    },
    start(options: Options): Queue<Any> {
      const queue = new Queue<Any>({ db: database.db, collection: 'rows', line: ['line'], sequence: 'n', poll: 100, ...options });
      queues.push(queue);
      queue.start();
      return queue;
    },
  };
}
