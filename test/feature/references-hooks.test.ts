import { defineModel, everything, Problem, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Job, Memo, Project, Step } from '../support/models/workspace.ts';

const Entry = defineModel('Entry', { collection: 'entries', fields: { what: t.string(), of: t.string() } });

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const calls: unknown[] = [];
let refuse: string | undefined;
let failures = 0;
type Doc = { id: string; revision: number };
type Given = {
  before: Doc;
  after: Doc | null;
  tx: { store(model: typeof Entry, options: { scope: typeof everything }): { create(doc: object): Promise<unknown> } };
};
const hook =
  (what: string) =>
  async (_ctx: unknown, { before, after, tx }: Given) => {
    calls.push([what, before.id, before.revision, after?.revision ?? null]);
    if (refuse === before.id) throw new Problem({ status: 409, code: 'kept' });
    await tx.store(Entry, { scope: everything }).create({ what, of: before.id });
    if (failures-- > 0)
      throw Object.assign(new Error('conflict'), { hasErrorLabel: (label: string) => label === 'TransientTransactionError' });
  };
const after = (what: string) => (_ctx: unknown, doc: Doc) => calls.push([what, doc.id, doc.revision]);
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Project, ops: ['get', 'delete', 'deleteMany'], after: { delete: [after('after project')] } }),
    shop.resource({
      model: Job,
      within: { delete: [hook('job') as never] },
      after: { delete: [after('after job') as never] },
    }),
    shop.resource({ model: Step }), // without hooks
    shop.resource({
      model: Memo,
      within: { patch: [hook('memo') as never] },
      after: { patch: [after('after memo') as never] },
    }),
  ],
  { batch: true, undescribed: ['kept'], maxCascade: 10 },
);
const of = (name: string) => database.db.collection<{ _id: string; [key: string]: unknown }>(name);
const entries = async () => (await of('entries').find().sort({ of: 1 }).toArray()).map((one) => `${one.what} ${one.of}`);
const expected = [
  ['job', 'j1', 0, null],
  ['job', 'j2', 5, null],
  ['memo', 'm', 3, 4],
  ['after project', 'a', 2],
  ['after job', 'j1', 0],
  ['after job', 'j2', 5],
  ['after memo', 'm', 4],
];

beforeEach(async () => {
  calls.length = 0;
  refuse = undefined;
  failures = 0;
  for (const name of ['projects', 'jobs', 'steps', 'memos', 'entries']) await of(name).deleteMany({});
  await of('projects').insertOne({ _id: 'a', name: 'a', revision: 2 });
  await of('jobs').insertMany([
    { _id: 'j1', projectId: 'a' },
    { _id: 'j2', projectId: 'a', revision: 5 },
  ]);
  await of('steps').insertOne({ _id: 's', jobId: 'j1' });
  await of('memos').insertOne({ _id: 'm', team: ['a'], projectId: 'a', revision: 3 });
  commands.clear();
});

describe('the hooks of resources whose records a delete touches', () => {
  it('run once for each record: `delete` for what is deleted too, `patch` for what loses a reference', async () => {
    expect((await api.request('DELETE', '/api/projects/a')).status).toBe(204);
    expect(calls).toEqual(expected);
    expect(await entries()).toEqual(['job j1', 'job j2', 'memo m']);
    const read = commands.events.filter(({ command }) => command.filter?._id).map(({ command }) => command.find);
    expect(read.sort()).toEqual(['jobs', 'memos', 'memos']); // records without hooks are not read
  });

  it('run in the transaction: a problem that one throws is the answer, and nothing is deleted', async () => {
    refuse = 'm';
    expect((await api.request('DELETE', '/api/projects/a')).body).toMatchObject({ status: 409, code: 'kept' });
    expect(calls.map((call) => (call as unknown[])[0])).toEqual(['job', 'job', 'memo']);
    expect([await entries(), await of('jobs').countDocuments(), await of('projects').countDocuments()]).toEqual([[], 2, 1]);
  });

  it('see records that count for `maxCascade`, because they are kept in memory', async () => {
    const memos = (count: number) => Array.from({ length: count }, (_, index) => ({ _id: `m${index}`, projectId: 'a' }));
    await of('memos').insertMany(memos(7)); // besides `m`, two jobs and a step
    expect((await api.request('DELETE', '/api/projects/a')).body).toMatchObject({ status: 409, code: 'too_many_references' });
    await of('memos').deleteOne({ _id: 'm0' });
    expect((await api.request('DELETE', '/api/projects/a')).status).toBe(204);
    expect(calls.filter((call) => (call as unknown[])[0] === 'memo')).toHaveLength(7);
  });

  it('get 16 MiB of records together: more are 409, and nothing is deleted', async () => {
    const large = 'x'.repeat(9 * 2 ** 20); // of no field: the record is read whole
    await of('jobs').updateOne({ _id: 'j1' }, { $set: { large } });
    await of('memos').updateOne({ _id: 'm' }, { $set: { large } });
    const { status, body } = await api.request('DELETE', '/api/projects/a');
    expect([status, body.code, body.detail]).toEqual([409, 'too_many_references', expect.stringContaining('16 MiB: nothing was deleted.')]);
    expect([calls, await of('jobs').countDocuments(), await of('projects').countDocuments()]).toEqual([[], 2, 1]);
    await of('memos').updateOne({ _id: 'm' }, { $unset: { large: 1 } });
    expect((await api.request('DELETE', '/api/projects/a')).status).toBe(204);
  });

  it('run again with the transaction, and those of `after` once', async () => {
    failures = 1;
    expect((await api.request('DELETE', '/api/projects/a')).status).toBe(204);
    expect(calls).toEqual([expected[0], ...expected]);
    expect(await entries()).toEqual(['job j1', 'job j2', 'memo m']);
  });

  it('run for a `deleteMany`, and in a batch after its commit', async () => {
    const operations = [{ method: 'DELETE', path: '/projects/a' }];
    expect((await api.request('POST', '/api/batch', { body: { operations } })).status).toBe(200);
    expect(calls).toEqual(expected);
    calls.length = 0;
    await of('projects').insertOne({ _id: 'a', name: 'a', revision: 2 });
    await of('jobs').insertOne({ _id: 'j1', projectId: 'a' });
    expect((await api.request('DELETE', '/api/projects?name=a')).body).toMatchObject({ data: { matched: 1 } });
    expect(calls).toEqual([expected[0], expected[4]]);
  });

  it('do not run for a delete by a store', async () => {
    const shop = service();
    const resources = [
      shop.resource({ model: Project }),
      shop.resource({ model: Job, within: { delete: [hook('job') as never] } }),
      shop.resource({ model: Step }),
      shop.resource({ model: Memo }),
    ];
    await shop.api({ db: database.db, resources }).store(Project).remove('a');
    expect(calls).toEqual([]);
    expect(await of('jobs').countDocuments()).toBe(0);
  });

  it('are a configuration error where several resources could be meant', () => {
    const shop = service();
    const hooked = { model: Job, after: { delete: [() => undefined] } };
    const resources = (paths: readonly string[]) => [
      shop.resource({ model: Project }),
      ...paths.map((path) => shop.resource({ ...hooked, path })),
    ];
    expect(() => shop.api({ db: database.db, resources: resources(['one', 'two']) })).toThrow(
      /Records of Job may be touched by a delete .* resource `one` has hooks of delete, patch or restore/,
    );
    expect(() => shop.api({ db: database.db, resources: resources(['one', 'jobs']) })).not.toThrow();
  });
});
