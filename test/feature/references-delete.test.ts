import { openStore } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Bill, Job, Memo, Project, Step } from '../support/models/workspace.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
let billGuard = true;
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Project,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'deleteMany'],
      scope: () => ({ owner: 'ann' }),
    }),
    shop.resource({ model: Job }),
    shop.resource({ model: Bill, scope: () => ({ owner: 'ann' }), guards: [() => billGuard] }),
    shop.resource({ model: Memo }),
  ],
  { models: [Step], batch: true, maxCascade: 20, maxCleared: 30 },
);
type Doc = { _id: string; [key: string]: unknown };
const all = ['projects', 'jobs', 'steps', 'bills', 'memos'] as const;
const of = (name: (typeof all)[number]) => database.db.collection<Doc>(name);
const idsOf = async (name: (typeof all)[number]) => (await of(name).find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id).join();
const remove = (id: string, headers = {}) => api.request('DELETE', `/api/projects/${id}`, { headers });
const snapshot = async () => Promise.all(all.map((name) => of(name).find().sort({ _id: 1 }).toArray()));

beforeEach(async () => {
  billGuard = true;
  for (const name of all) await of(name).deleteMany({});
  await of('projects').insertMany(['a', 'b'].map((_id) => ({ _id, name: _id, owner: 'ann', revision: 4 })));
  await of('jobs').insertMany([
    { _id: 'a1', projectId: 'a' },
    { _id: 'a2', projectId: 'a' },
    { _id: 'b1', projectId: 'b' },
  ]);
  await of('steps').insertMany([
    { _id: 's1', jobId: 'a1', afterId: 's3' }, // a circle of three
    { _id: 's2', jobId: 'a1', afterId: 's1' },
    { _id: 's3', jobId: 'a2', afterId: 's2' },
    { _id: 's4', jobId: 'b1', afterId: 's3' }, // goes only because of s3
    { _id: 's5', jobId: 'b1' },
  ]);
  commands.clear();
});

describe('a delete', () => {
  it('takes with it what refers to the record by `cascade`: to any depth, over circles, and nothing else', async () => {
    expect((await remove('a')).status).toBe(204);
    expect([await idsOf('projects'), await idsOf('jobs'), await idsOf('steps')]).toEqual(['b', 'b1', 's5']);
  });

  it('is one transaction', async () => {
    await remove('b');
    const ids = new Set(commands.events.map(({ command }) => String(command.txnNumber)));
    expect(ids.size).toBe(1);
    expect(commands.names.at(-1)).toBe('commitTransaction');
  });

  it('is refused by `restrict`: 409 with the relation and the number that the client may see, and nothing is deleted', async () => {
    await of('bills').insertMany([
      { _id: '1', owner: 'ann', projectId: 'a' },
      { _id: '2', owner: 'ann', projectId: 'a' },
      { _id: '3', owner: 'bob', projectId: 'a' },
    ]);
    const before = await snapshot();
    const answer = await remove('a');
    expect(answer.body).toMatchObject({
      status: 409,
      code: 'still_referenced',
      detail: 'It cannot be deleted while it is referred to by `projectId` of 2 records of Bill.',
    });
    expect(await snapshot()).toEqual(before);
  });

  it('tells no number, and no relation, of records that the client may not see', async () => {
    await of('bills').insertOne({ _id: '3', owner: 'bob', projectId: 'a' });
    const detail = 'It cannot be deleted while it is referred to by other records.';
    expect((await remove('a')).body).toMatchObject({ status: 409, detail });
    billGuard = false;
    await of('bills').updateOne({ _id: '3' }, { $set: { owner: 'ann' } });
    expect((await remove('a')).body).toMatchObject({ status: 409, detail });
    billGuard = true;
    await of('bills').updateOne({ _id: '3' }, { $set: { projectId: null, hiddenId: 'a' } });
    expect((await remove('a')).body).toMatchObject({ status: 409, detail });
  });

  it('is refused by what refers to a record at the end of a cascade', async () => {
    await of('bills').insertOne({ _id: '1', owner: 'ann', jobId: 'a2' });
    expect((await remove('a')).body).toMatchObject({ status: 409, detail: expect.stringContaining('`jobId` of 1 record of Bill') });
    expect(await idsOf('jobs')).toBe('a1,a2,b1');
  });

  it('is not refused by a record that it deletes too, in whatever order', async () => {
    await of('bills').insertOne({ _id: '1', owner: 'ann', projectId: 'a', jobId: 'a1', stepId: 's4' }); // s4 goes at the end only
    expect((await remove('a')).status).toBe(204);
    expect(await idsOf('bills')).toBe('');
  });

  it('removes references by `nullify` and `pull` wherever they stand, in one step of the revision each', async () => {
    const at = new Date(0);
    const rest = { text: 'x', updatedAt: at };
    await of('memos').insertMany([
      {
        _id: '1',
        ...rest,
        projectId: 'a',
        keptNull: 'a',
        items: ['a', 'b', null, 'a'],
        lines: [
          { projectId: 'a', note: '1', parts: [{ projectId: 'a' }, { projectId: 'b' }] },
          { note: '2', parts: [] },
          { projectId: 'b', note: '3', other: { $x: 1 } },
        ],
        home: { projectId: 'a', note: '$n' },
        team: ['a', 'b', 'a'],
        inner: { team: ['a'] },
        revision: 7,
      },
      { _id: '2', ...rest, projectId: 'b', keptNull: 'b', team: ['b'], revision: 7 },
      { _id: '3', ...rest, team: ['b', 'a'] },
      { _id: '4', ...rest, home: null, inner: null, lines: [{ note: 'n' }], items: ['a'], revision: null },
    ]);
    expect((await remove('a')).status).toBe(204);
    const memos = await of('memos').find().sort({ _id: 1 }).toArray();
    expect(memos.map(({ updatedAt }) => (updatedAt as Date).getTime() > 0)).toEqual([true, false, true, true]);
    expect(memos.map(({ updatedAt: _, ...memo }) => memo)).toEqual([
      {
        _id: '1',
        text: 'x',
        keptNull: null,
        items: [null, 'b', null, null],
        lines: [
          { note: '1', parts: [{}, { projectId: 'b' }] },
          { note: '2', parts: [] },
          { projectId: 'b', note: '3', other: { $x: 1 } },
        ],
        home: { note: '$n' },
        team: ['b'],
        inner: { team: [] },
        revision: 8,
      },
      { _id: '2', text: 'x', projectId: 'b', keptNull: 'b', team: ['b'], revision: 7 },
      { _id: '3', text: 'x', team: ['b'], revision: 1 },
      { _id: '4', text: 'x', home: null, inner: null, lines: [{ note: 'n' }], items: [null], revision: 1 },
    ]);
  });

  it.each([
    ['20 to delete and 30 to change', 20, 30, undefined],
    [
      '21 to delete',
      21,
      0,
      'More than 20 other records refer to it, and would have to be deleted or changed with it: nothing was deleted. Delete some of them, or change what they refer to, first.',
    ],
    [
      '31 to change',
      0,
      31,
      'More than 30 other records refer to it, and would have to be changed: nothing was deleted. Change what some of them refer to first.',
    ],
  ])('of a record with %s is bounded by `maxCascade` and `maxCleared`, each apart', async (_what, jobs, memos, detail) => {
    await of('projects').insertOne({ _id: 'c', owner: 'ann' });
    const many = (count: number, make: (index: number) => Doc) => Array.from({ length: count }, (_, index) => make(index));
    if (jobs > 0) await of('jobs').insertMany(many(jobs, (index) => ({ _id: `c${index}`, projectId: 'c' })));
    if (memos > 0) await of('memos').insertMany(many(memos, (index) => ({ _id: `m${index}`, projectId: 'c', team: ['c'] })));
    const before = await snapshot();
    const answer = await remove('c');
    if (detail === undefined) {
      expect(answer.status).toBe(204);
      expect(await of('memos').countDocuments({ $or: [{ projectId: 'c' }, { team: 'c' }] })).toBe(0);
      return;
    }
    expect(answer.body).toMatchObject({ status: 409, code: 'too_many_references', detail });
    expect(JSON.stringify(answer.body)).not.toMatch(/maxC/); // the cause is for the application
    expect(await snapshot()).toEqual(before);
  });

  it.each(['maxCascade', 'maxCleared'] as const)('that exceeds `%s` names the option in the cause of its error', async (limit) => {
    await of('projects').insertOne({ _id: 'c', owner: 'ann' });
    const children = limit === 'maxCascade' ? of('jobs') : of('memos');
    await children.insertMany(['1', '2', '3'].map((_id) => ({ _id: `c${_id}`, projectId: 'c' })));
    const projects = openStore(Project, { db: database.db, models: [Memo, Job, Step, Bill], [limit]: 2 });
    const cause = new Error(`The delete exceeds \`${limit}\`, which is 2: raise it, and \`maxTimeMS\` if need be.`);
    await expect(projects.remove('c')).rejects.toMatchObject({ code: 'too_many_references', cause });
  });

  it('of a record that more refer to than `maxCleared` is possible when a store has emptied their references in parts', async () => {
    await of('projects').insertOne({ _id: 'c', owner: 'ann' });
    await of('memos').insertMany(Array.from({ length: 31 }, (_, index) => ({ _id: `m${index}`, projectId: 'c' })));
    expect((await remove('c')).status).toBe(409);
    const memos = openStore(Memo, { db: database.db, models: [Project, Job, Step, Bill] });
    for (const memo of await memos.find({ projectId: 'c' }, { limit: 10 })) await memos.update(memo.id, { projectId: null });
    expect((await remove('c')).status).toBe(204);
  });

  it('that is restricted is 409 `still_referenced`, even if it would also change too many records', async () => {
    await of('bills').insertOne({ _id: '1', owner: 'ann', projectId: 'b' });
    await of('memos').insertMany(Array.from({ length: 25 }, (_, index) => ({ _id: `m${index}`, projectId: 'b' })));
    expect((await remove('b')).body).toMatchObject({ code: 'still_referenced' });
  });

  it('answers 404 and 412 for the addressed record before anything else', async () => {
    await of('bills').insertOne({ _id: '1', owner: 'ann', projectId: 'a' });
    expect((await remove('a', { 'if-match': '"3"' })).status).toBe(412);
    await of('projects').updateOne({ _id: 'a' }, { $set: { owner: 'bob' } });
    expect((await remove('a')).status).toBe(404);
    expect((await remove('none')).status).toBe(404);
  });

  it('of many records is one, and a record that is deleted with the others restricts none', async () => {
    const many = (query: string) => api.request('DELETE', `/api/projects?${query}`);
    await of('bills').insertOne({ _id: '1', owner: 'ann', projectId: 'b' });
    expect((await many('name[in]=a,b')).body).toMatchObject({ code: 'still_referenced' });
    expect(await idsOf('projects')).toBe('a,b');
    await of('bills').deleteMany({});
    expect((await many('name[in]=a,b')).body).toMatchObject({ data: { matched: 2 } });
    expect([await idsOf('projects'), await idsOf('jobs'), await idsOf('steps')]).toEqual(['', '', '']);
  });

  it('is a part of a batch: all of it, or nothing', async () => {
    const send = (second: object) =>
      api.request('POST', '/api/batch', { body: { operations: [{ method: 'DELETE', path: '/projects/a' }, second] } });
    const before = await snapshot();
    expect((await send({ method: 'DELETE', path: '/projects/none' })).body).toMatchObject({ status: 404, operation: 1 });
    expect(await snapshot()).toEqual(before);
    expect((await send({ method: 'POST', path: '/jobs', body: { projectId: 'a' } })).body).toMatchObject({
      status: 422,
      operation: 1,
      errors: [{ field: 'projectId', rule: 'reference' }],
    });
    expect(await snapshot()).toEqual(before);
    expect((await send({ method: 'DELETE', path: '/projects/b' })).status).toBe(200);
    expect(await idsOf('steps')).toBe('');
  });

  it('by a store does the same, and counts all records', async () => {
    const models = [Job, Step, Bill, Memo];
    const store = openStore(Project, { db: database.db, models });
    await of('bills').insertOne({ _id: '3', owner: 'bob', projectId: 'a' });
    await expect(store.remove('a')).rejects.toMatchObject({
      code: 'still_referenced',
      detail: expect.stringContaining('1 record of Bill'),
    });
    await of('bills').deleteMany({});
    expect(await store.remove('a')).toMatchObject({ id: 'a', revision: 4 });
    expect(await store.removeMany({})).toEqual({ matched: 1, modified: 1 });
    expect([await idsOf('projects'), await idsOf('jobs'), await idsOf('steps')]).toEqual(['', '', '']);
    await of('projects').insertOne({ _id: 'c' });
    await of('jobs').insertOne({ _id: 'c1', projectId: 'c' });
    await expect(openStore(Project, { db: database.db, models, maxCascade: 0 }).remove('c')).rejects.toMatchObject({ status: 409 });
  });
});

describe('a write that sets a reference with `onDelete`', () => {
  it('writes into the other record when it is referred to first, and shows nothing of it: no revision, no time, no key', async () => {
    const before = await of('projects').findOne({ _id: 'a' });
    commands.clear();
    expect((await api.request('POST', '/api/jobs', { body: { id: 'n', projectId: 'a' } })).status).toBe(201);
    expect(commands.names).toEqual(['update', 'update', 'insert', 'commitTransaction']);
    expect(await of('projects').findOne({ _id: 'a' })).toEqual({ ...before, _references: 1 });
    expect((await api.request('GET', '/api/projects/a')).text).not.toContain('_references');
    const put = { id: 'a', name: 'new', owner: 'ann' };
    expect((await api.request('PUT', '/api/projects/a', { body: { name: put.name } })).status).toBe(200);
    expect(await of('projects').findOne({ _id: 'a' })).toMatchObject({ _references: 1, revision: 5 });
    const set = await api.request('PATCH', '/api/projects/a', { body: { _references: 2 } });
    expect(set.body).toMatchObject({ errors: [{ field: '_references', rule: 'unknown_field' }] });
    expect((await api.request('GET', '/api/projects?_references=1')).status).toBe(400);
    const store = openStore(Project, { db: database.db });
    expect(await store.get('a')).not.toHaveProperty('_references');
  });

  it('costs nothing more where it names no record', async () => {
    await api.request('PATCH', '/api/jobs/a1', { body: { text: 'y' } });
    expect(commands.names).toEqual(['findAndModify']);
  });

  it('is 422 for a record that is not there, or out of reach, and writes nothing into it', async () => {
    await of('projects').updateOne({ _id: 'b' }, { $set: { owner: 'bob' } });
    for (const projectId of ['none', 'b'])
      expect((await api.request('POST', '/api/jobs', { body: { projectId } })).body).toMatchObject({
        errors: [{ field: 'projectId', rule: 'reference' }],
      });
    expect(await of('projects').findOne({ _id: 'b' })).not.toHaveProperty('_references');
    expect(await of('jobs').countDocuments()).toBe(3);
  });

  it('creates several by one store call, each by itself, or all in one transaction', async () => {
    const jobs = openStore(Job, { db: database.db, models: [Project] });
    const made = await jobs.createMany([
      { id: 'n', projectId: 'a' },
      { id: 'm', projectId: 'none' },
      { id: 'a1', projectId: 'a' },
      { id: 'o', projectId: 'b' },
    ]);
    expect(made.map(({ error }) => (error as { code?: string } | undefined)?.code)).toEqual([
      undefined,
      'validation_failed',
      'duplicate_key',
      undefined,
    ]);
    const both = [
      { id: 'p', projectId: 'a' },
      { id: 'q', projectId: 'none' },
    ];
    await expect(jobs.createMany(both, { all: true })).rejects.toMatchObject({ errors: [{ field: '1.projectId' }] });
    expect(await idsOf('jobs')).toBe('a1,a2,b1,n,o');
  });

  it('may create records that refer to one another in one call', async () => {
    const steps = openStore(Step, { db: database.db, models: [Job, Project] });
    await steps.createMany(
      [
        { id: 'y', jobId: 'a1', afterId: 'z' },
        { id: 'z', jobId: 'a1', afterId: 'y' },
      ],
      { all: true },
    );
    await steps.create({ id: 'own', jobId: 'a1', afterId: 'own' });
    expect(await of('steps').countDocuments()).toBe(8);
  });
});
