import { type Document, ObjectId } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Queue, type QueueOptions } from '../../../src/delivery/queue.ts';
import type { Any } from '../../support/any.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const rows = () => database.db.collection<Any>('rows');
const queues: Queue<Any>[] = [];
const many = 100_000;

function start(options: Partial<QueueOptions<Any>> & Pick<QueueOptions<Any>, 'handle'>): Queue<Any> {
  const queue = new Queue<Any>({ db: database.db, collection: 'rows', line: ['line'], sequence: 'n', poll: 200, ...options });
  queues.push(queue);
  queue.start();
  return queue;
}

async function add(count: number, make: (index: number) => object): Promise<void> {
  for (let from = 0; from < count; from += 10_000) {
    const some = Array.from({ length: Math.min(10_000, count - from) }, (_, at) => ({
      _id: new ObjectId(),
      state: 'pending',
      ...make(from + at),
    }));
    await rows().insertMany(some, { ordered: false });
  }
}

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

/** What a command of the queue examines, when it is explained now. */
async function examinedBy(sent: Document): Promise<{ readonly keys: number; readonly documents: number }> {
  const { find, filter, sort, limit, projection, query, update } = sent;
  const command = find ? { find, filter, sort, limit, projection } : { findAndModify: sent.findAndModify, query, sort, update, new: true };
  const { executionStats } = await database.db.command({ explain: command, verbosity: 'executionStats' });
  return { keys: executionStats.totalKeysExamined, documents: executionStats.totalDocsExamined };
}

describe('a queue of 100,000 rows', () => {
  it('reads a page of the due ones, and finds the first of a line by one key', { timeout: 300_000 }, async () => {
    await add(many, (index) => ({ line: 'long', n: index }));
    await add(many, (index) => ({ line: 'long', n: index - many, state: 'delivered', deliveredAt: new Date() }));
    const queue = start({ handle: async () => undefined });
    await until(() => commands.names.includes('find') && commands.names.includes('findAndModify'));
    await queue.close();
    const sent = commands.events.map(({ command }) => command);
    const look = await examinedBy(sent.find((one) => one.find === 'rows' && one.filter.state === 'pending') as Document);
    expect(look.keys).toBeLessThanOrEqual(1_000);
    expect(look.documents).toBeLessThanOrEqual(1_000);
    expect(await examinedBy(sent.find((one) => one.findAndModify === 'rows') as Document)).toEqual({ keys: 1, documents: 1 });
  });

  it('hides no line behind those that wait for a dead letter, and leaves these alone afterwards', { timeout: 300_000 }, async () => {
    await rows().insertOne({ _id: new ObjectId(), line: 'dead', n: -1, state: 'dead' });
    await add(many, (index) => ({ line: 'dead', n: index }));
    await add(10, (index) => ({ line: `other ${index}`, n: 1 }));
    const handled: string[] = [];
    start({ handle: async ({ line }) => void handled.push(line) });
    await until(() => handled.length === 10);
    await until(async () => (await rows().countDocuments({ behind: true })) === many);
    commands.clear();
    await add(10, (index) => ({ line: `other ${index}`, n: 2 }));
    await until(() => handled.length === 20);
    expect(commands.names.filter((name) => name === 'findAndModify' || name === 'update').length).toBeLessThan(60);
    expect(handled).not.toContain('dead');
  });
});
