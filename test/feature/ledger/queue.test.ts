import { ObjectId } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Queue, type QueueOptions } from '../../../src/delivery/queue.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';

const database = useDatabase();
const rows = () => database.db.collection<Any>('rows');
const queues: Queue<Any>[] = [];

function start(options: Partial<QueueOptions<Any>> & Pick<QueueOptions<Any>, 'handle'>): Queue<Any> {
  const queue = new Queue<Any>({ db: database.db, collection: 'rows', line: ['line'], sequence: 'n', poll: 100, ...options });
  queues.push(queue);
  queue.start();
  return queue;
}

const add = (...added: readonly Any[]) => rows().insertMany(added.map((row) => ({ _id: new ObjectId(), state: 'pending', ...row })));

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

describe('a queue', () => {
  it('handles the rows of a line one after the other, in their order', async () => {
    const handled: number[] = [];
    await add(...[5, 3, 1, 4, 2].map((n) => ({ line: 'a', n })));
    start({ handle: async ({ n }) => void handled.push(n) });
    await until(async () => (await rows().countDocuments({ state: 'delivered' })) === 5);
    expect(handled).toEqual([1, 2, 3, 4, 5]);
  });
});
