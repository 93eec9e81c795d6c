import type { Any } from '../../support/any.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { Box, carryOut, clear, treeApi } from './tree.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
afterEach(() => clear(database));

/** Carries out a removal that has failed so often, and returns how many records each transaction has removed. */
async function removeAfter(attempts: number): Promise<number[]> {
  const api: Any = treeApi(database);
  await api.store(Box).create({ id: 'b' });
  await api.store(Box).createMany(Array.from({ length: 700 }, (_, at) => ({ id: `b${at}`, within: 'b' })));
  await api.store(Box).remove('b', { inBackground: true });
  await database.db.collection('removals').updateOne({}, { $set: { attempts } });
  commands.clear();
  await carryOut(api, database);
  expect(await database.db.collection('boxes').countDocuments()).toBe(0);
  return commands.events.flatMap(({ command }: Any) =>
    command.insert === 'removals_steps' ? command.documents.map(({ ids }: Any) => ids.length) : [],
  );
}

describe('the transactions of a removal', () => {
  it('remove 500 records each', async () => {
    expect(await removeAfter(0)).toEqual([500, 200]);
  });

  it('are smaller after failures, and grow with each that succeeds', async () => {
    const sizes = await removeAfter(5);
    expect(sizes[0]).toBe(16); // 500 ÷ 2⁵
    for (const [at, size] of sizes.slice(1, -1).entries()) expect(size).toBeGreaterThan(sizes[at] as number);
    expect(sizes.length).toBeLessThan(20); // 44 of 16
  });
});
