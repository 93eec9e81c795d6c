import { defineModel, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
import { everyOperation, seed } from '../support/operations/every-operation.ts';
import { serveEveryOperation } from '../support/operations/serve-every-operation.ts';

const database = useDatabase({ monitorCommands: true, readPreference: 'secondaryPreferred' });
const commands = useCommands(database);
const serve = useServer();

/** The reads that a secondary may answer. */
const ofSecondaries = () =>
  commands.events.flatMap(({ commandName, command }) =>
    command.$readPreference?.mode === 'secondaryPreferred' ? [`${commandName} ${command[commandName]}`] : [],
  );

describe('a database whose reads secondaries may answer', () => {
  it('asks the primary for all that a write reads, also when its answer is kept', async () => {
    const api = serveEveryOperation(database.db);
    const { port } = await serve(api.routes());
    const stale: string[] = [];
    let count = 0;
    for (const sent of everyOperation(api)) {
      if (sent.isRead) continue;
      const n = String(++count);
      await seed(database.db, n);
      commands.clear();
      const { method, path, body } = sent.row(n);
      const ask = () => send(port, method, path, { ...(body && { body }), headers: sent.hasKey ? { 'idempotency-key': n } : {} });
      const { status } = await ask();
      if (sent.hasKey) await ask();
      expect([sent.name, sent.isRefused ? status === 409 : status < 300]).toEqual([sent.name, true]);
      stale.push(...ofSecondaries().map((read) => `${sent.name}: ${read}`));
    }
    expect(stale).toEqual(['tasks.store-save: find tasks']); // its handler calls `get` of the store, which reads as the database does
    expect(count).toBeGreaterThan(50);
  });

  const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string(), revision: t.revision() } });
  const shop = service();
  const load = { answer: 'record', handler: (ctx: Any) => ctx.load() } as const;
  const docs = () =>
    shop.resource({ model: Doc, operations: { show: { method: 'GET', ...load }, touch: { method: 'POST', ...load } }, history: false });

  it('answers reads by secondaries, but for one that names a revision, which they may not have yet', async () => {
    const { request } = await serve(shop.api({ db: database.db, resources: [docs()] }).routes());
    const { headers } = await request('POST', '/docs', { body: { text: 'x' } });
    const path = headers.location ?? '';
    const readsOf = async (method: string, at: string, ifMatch?: string) => {
      commands.clear();
      const { status } = await request(method, at, { headers: ifMatch ? { 'if-match': ifMatch } : {} });
      return [status, ...ofSecondaries()];
    };
    expect(await readsOf('GET', '/docs')).toEqual([200, 'find docs']);
    expect(await readsOf('GET', path)).toEqual([200, 'find docs']);
    expect(await readsOf('GET', path, '"0"')).toEqual([200]);
    expect(await readsOf('GET', path, '"1"')).toEqual([412]);
    expect(await readsOf('GET', `${path}/show`)).toEqual([200, 'find docs']);
    expect(await readsOf('GET', `${path}/show`, '"0"')).toEqual([200]);
    expect(await readsOf('POST', `${path}/touch`)).toEqual([200]);
  });

  it('asks the primary whether a record that could not be saved is gone', async () => {
    const Plain = defineModel('Plain', { collection: 'plain', fields: { text: t.string() } });
    const api = shop.api({ db: database.db, resources: [shop.resource({ model: Plain })] });
    const store = api.store(Plain);
    const plain = await store.create({ text: 'x' });
    await store.update(plain.id, { text: 'y' });
    commands.clear();
    await expect(store.save(Object.assign(plain, { text: 'z' }))).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(ofSecondaries()).toEqual([]);
  });
});
