import { useDatabase } from '../support/database/database.ts';
import { expectGolden } from '../support/golden.ts';
import { everyOperation, seed } from '../support/operations/every-operation.ts';
import { collections } from '../support/operations/models.ts';
import { serveEveryOperation } from '../support/operations/serve-every-operation.ts';
import { send } from './parts/send.ts';
import { writeSection } from './parts/write-section.ts';

const database = useDatabase({ monitorCommands: true });

it('each operation sends the same commands as before: alone, with a key, and in a batch', async () => {
  for (const name of collections) await database.db.createCollection(name);
  const api = serveEveryOperation(database.db, { groupOf: () => 'n' });
  const all = everyOperation(api).filter(({ isHead, isInBatch, hasKey }) => !isHead && !(isInBatch && hasKey));
  await seed(database.db, 'n');
  for (const { row } of all) await send(api, row('n')); // what is compiled or connected once is no command of a request
  const sections: string[] = [];
  let isFresh = false;
  for (const { name, row, hasKey, isRead } of all) {
    if (!isFresh) await seed(database.db, 'n');
    const headers = { ...(hasKey && { 'idempotency-key': 'key' }) };
    sections.push(await writeSection(database, api, name, { ...row('n'), headers }));
    isFresh = isRead;
  }
  await expectGolden('commands/operations.txt', sections.join('\n'));
}, 600_000); // a net for a hung test: many requests take their time on a busy machine
