import type { Document } from 'mongodb';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useQueue } from '../../support/database/queue.ts';
import { until } from '../../support/until.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const { rows, add, start } = useQueue(database);
const many = 100_000;

/** So many rows, each made from its number. */
const make = (count: number, row: (index: number) => object): object[] => Array.from({ length: count }, (_, index) => row(index));

/** What a command of the queue examines, when it is explained now. */
async function examinedBy(sent: Document): Promise<{ readonly keys: number; readonly documents: number }> {
  const { find, filter, sort, limit, projection, query, update } = sent;
  const command = find ? { find, filter, sort, limit, projection } : { findAndModify: sent.findAndModify, query, sort, update, new: true };
  const { executionStats } = await database.db.command({ explain: command, verbosity: 'executionStats' });
  return { keys: executionStats.totalKeysExamined, documents: executionStats.totalDocsExamined };
}

describe('a queue of 100,000 rows', () => {
  it('reads a page of the due ones, and finds the first of a line by one key', async () => {
    await add(make(many, (index) => ({ line: 'long', n: index })));
    await add(make(many, (index) => ({ line: 'long', n: index - many, state: 'delivered', deliveredAt: new Date() })));
    const queue = start({ handle: async () => undefined });
    await until(() => commands.names.includes('find') && commands.names.includes('findAndModify'));
    await queue.close();
    const sent = commands.events.map(({ command }) => command);
    const look = await examinedBy(sent.find((one) => one.find === 'rows' && one.filter.state === 'pending') as Document);
    expect(look.keys).toBeLessThanOrEqual(1_000);
    expect(look.documents).toBeLessThanOrEqual(1_000);
    expect(await examinedBy(sent.find((one) => one.findAndModify === 'rows') as Document)).toEqual({ keys: 1, documents: 1 });
  }, 300_000);

  it('hides no line behind those that wait for a dead letter, and leaves these alone afterwards', async () => {
    await add([{ line: 'dead', n: -1, state: 'dead' }]);
    await add(make(many, (index) => ({ line: 'dead', n: index })));
    await add(make(10, (index) => ({ line: `other ${index}`, n: 1 })));
    const handled: string[] = [];
    start({ handle: async ({ line }) => void handled.push(line) });
    await until(() => handled.length === 10);
    await until(async () => (await rows().countDocuments({ behind: true })) === many);
    commands.clear();
    await add(make(10, (index) => ({ line: `other ${index}`, n: 2 })));
    await until(() => handled.length === 20);
    expect(commands.names.filter((name) => name === 'findAndModify' || name === 'update').length).toBeLessThan(60);
    expect(handled).not.toContain('dead');
  }, 300_000);
});
