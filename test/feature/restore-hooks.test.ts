import { defineModel, everything, Problem, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const id = () => t.string({ policy: { insert: true } });
const kept = { revision: t.revision(), deletedAt: t.deletedAt() };
const Folder = defineModel('Folder', { collection: 'folders', fields: { id: id(), upId: up(t.nullable), ...kept } });
const File = defineModel('File', {
  collection: 'files',
  fields: {
    id: id(),
    folderId: up((one) => one),
    text: t.optional(t.string()),
    secret: t.optional(t.string({ policy: { private: true } })),
    ...kept,
  },
});
const Entry = defineModel('Entry', { collection: 'entries', fields: { text: t.string() } });

function up<T>(wrap: (reference: Any) => T): T {
  return wrap(t.ref('Folder', { id: t.string(), onDelete: 'cascade' }));
}

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const calls: string[] = [];
let refuse: string | undefined;
let failures = 0;
const within =
  (what: string) =>
  async (_ctx: Any, { before, after, tx }: Any) => {
    calls.push(`within ${what} ${before.id} ${before.deletedAt instanceof Date} ${before.revision} → ${after.deletedAt} ${after.revision}`);
    if (refuse === before.id) throw new Problem({ status: 409, code: 'kept' });
    await tx.store(Entry, { scope: everything }).create({ text: before.id });
    if (failures-- > 0)
      throw Object.assign(new Error('conflict'), { hasErrorLabel: (label: string) => label === 'TransientTransactionError' });
  };
const after = (what: string) => (_ctx: Any, record: Any) =>
  calls.push(`after ${what} ${record.id} ${record.revision} ${record.secret ?? ''}`.trim());
const ops = ['get', 'delete', 'restore'] as const;
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Folder, ops, within: { restore: [within('folder')] }, after: { restore: [after('folder')] } }),
    shop.resource({ model: File, ops, within: { restore: [within('file')] }, after: { restore: [after('file')] } }),
  ],
  { batch: true, models: [Entry], undescribed: ['kept'] },
);
const all = (name: string) => database.db.collection<Any>(name);
const restore = () => api.request('POST', '/api/folders/a/restore');
const texts = async () => (await all('entries').find().toArray()).map(({ text }) => text).sort();
const expected = [
  'within folder b true 1 → undefined 2',
  'within file x true 1 → undefined 2',
  'within folder a true 1 → undefined 2',
  'after folder a 2',
  'after folder b 2',
  'after file x 2 s',
];

beforeEach(async () => {
  calls.length = 0;
  refuse = undefined;
  failures = 0;
  for (const name of ['folders', 'files', 'entries']) await all(name).deleteMany({});
  await all('folders').insertMany([{ _id: 'a' }, { _id: 'b', upId: 'a' }] as Any[]);
  await all('files').insertOne({ _id: 'x', folderId: 'b', secret: 's' });
  await api.request('DELETE', '/api/folders/a');
  commands.clear();
});

describe('the hooks of resources whose records a restore brings back', () => {
  it('run once for each record, those of `within` in the transaction and those of `after` behind it', async () => {
    expect((await restore()).status).toBe(200);
    expect(calls).toEqual(expected);
    expect(new Set(commands.events.map(({ command }) => String(command.txnNumber))).size).toBe(1);
    expect(await texts()).toEqual(['a', 'b', 'x']);
  });

  it('run in a batch, too', async () => {
    const operations = [{ method: 'POST', path: '/folders/a/restore' }];
    expect((await api.request('POST', '/api/batch', { body: { operations } })).status).toBe(200);
    expect(calls).toEqual(expected);
  });

  it('get 16 MiB of records together: more are 409, and nothing is restored', async () => {
    await all('files').updateMany({}, { $set: { large: 'x'.repeat(9 * 2 ** 20) } }); // of no field: records are read whole
    await all('folders').updateMany({ _id: 'b' as Any }, { $set: { large: 'x'.repeat(9 * 2 ** 20) } });
    const { status, body } = await restore();
    expect([status, body.code, body.detail]).toEqual([
      409,
      'too_many_references',
      expect.stringContaining('16 MiB: nothing was restored.'),
    ]);
    expect([calls, await all('folders').countDocuments({ deletedAt: null })]).toEqual([[], 0]);
    await all('files').updateMany({}, { $unset: { large: 1 } });
    expect((await restore()).status).toBe(200);
  });

  it('run again with the transaction, and those of `after` once', async () => {
    failures = 1;
    expect((await restore()).status).toBe(200);
    expect(calls).toEqual([expected[0], ...expected]);
    expect(await texts()).toEqual(['a', 'b', 'x']);
  });

  it('decide: what one throws is the answer, and nothing is restored', async () => {
    refuse = 'x';
    expect((await restore()).body).toMatchObject({ status: 409, code: 'kept' });
    expect([await texts(), await all('files').countDocuments({ deletedAt: null })]).toEqual([[], 0]);
  });

  it('do not run for a record that stays deleted because it has lost another parent', async () => {
    await all('files').insertOne({ _id: 'y', folderId: 'none', deletedAt: new Date(0) });
    await restore();
    expect(calls).toEqual(expected);
  });
});

describe('a restore without hooks for what it brings back', () => {
  it('reads the ids and references of the others, and nothing else of them', async () => {
    const shop = service();
    const resources = [shop.resource({ model: Folder, ops }), shop.resource({ model: File, ops })];
    const plain = shop.api({ db: database.db, resources });
    await plain.store(Folder).restore('a');
    const read = commands.events.flatMap(({ command }) => (command.find === 'files' ? [command.projection] : []));
    expect(read).toEqual([{ _id: 1 }, { _id: 1 }, { _id: 1, folderId: 1 }]); // children of each folder, and then those found
    expect(await all('files').findOne({ _id: 'x' })).toMatchObject({ secret: 's', revision: 2 });
  });
});
