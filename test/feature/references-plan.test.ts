import { type Api, service } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { Bill, Job, Label, Memo, Project, Step } from '../support/models/workspace.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
let api: Api;
const all = ['projects', 'jobs', 'steps', 'bills', 'memos'] as const;
const of = (name: (typeof all)[number]) => database.db.collection<{ _id: string; [key: string]: unknown }>(name);
const snapshot = () => Promise.all(all.map((name) => of(name).find().sort({ _id: 1 }).toArray()));

beforeAll(() => {
  const shop = service();
  const resources = [shop.resource({ model: Project, scope: () => ({ owner: 'nobody' }) })];
  api = shop.api({ db: database.db, resources, models: [Job, Step, Bill, Memo, Label], maxCascade: 6 });
});

beforeEach(async () => {
  for (const name of all) await of(name).deleteMany({});
  await of('projects').insertMany([{ _id: 'a' }, { _id: 'b' }]);
  await of('jobs').insertMany(['1', '2'].map((_id) => ({ _id, projectId: 'a' })));
  await of('steps').insertOne({ _id: 's', jobId: '2' });
  await of('memos').insertMany([
    { _id: 'm', projectId: 'a', team: ['a', 'b'] },
    { _id: 'n', team: ['b'] },
  ]);
  commands.clear();
});

describe('`planDelete`', () => {
  it('tells what a delete would do, by model, and does nothing', async () => {
    const before = await snapshot();
    commands.clear();
    expect(await api.planDelete(Project, 'a')).toEqual({
      isAllowed: true,
      exceeded: undefined,
      steps: [
        { model: 'Job', action: 'delete', count: 2, ids: ['1', '2'] },
        { model: 'Step', action: 'delete', count: 1, ids: ['s'] },
        { model: 'Memo', action: 'clear', count: 1, ids: ['m'] },
      ],
      restrictedBy: [],
    });
    expect(new Set(commands.names)).toEqual(new Set(['find']));
    expect(await snapshot()).toEqual(before);
  });

  it('names what restricts it, whatever is deleted with it', async () => {
    await of('bills').insertMany([
      { _id: 'x', projectId: 'a' },
      { _id: 'y', jobId: '1' },
      { _id: 'z', projectId: 'a', stepId: 's' },
    ]);
    const plan = await api.planDelete(Project, 'a');
    expect(plan.isAllowed).toBe(false);
    expect(plan.restrictedBy).toEqual([
      { model: 'Bill', field: 'projectId', count: 1, ids: ['x'] },
      { model: 'Bill', field: 'jobId', count: 1, ids: ['y'] },
    ]);
    expect(plan.steps.map(({ model, ids }) => [model, ids])).toContainEqual(['Bill', ['z']]);
  });

  it('names the limit that a delete would exceed, and tells no more', async () => {
    await of('jobs').insertMany(['3', '4', '5', '6'].map((_id) => ({ _id, projectId: 'a' })));
    expect(await api.planDelete(Project, 'a')).toEqual({ isAllowed: false, exceeded: 'maxCascade', steps: [], restrictedBy: [] });
  });

  it('says so too of a delete that would change too many records', async () => {
    const shop = service();
    const resources = [shop.resource({ model: Project }), shop.resource({ model: Bill }), shop.resource({ model: Memo })];
    const small = shop.api({ db: database.db, resources, models: [Job, Step, Label], maxCleared: 1 });
    expect(await small.planDelete(Project, 'b')).toMatchObject({ isAllowed: false, exceeded: 'maxCleared' });
  });

  it('is empty for a record that nothing refers to, and 404 for one that is not there', async () => {
    const nothing = { isAllowed: true, exceeded: undefined, steps: [], restrictedBy: [] };
    expect(await api.planDelete(Project, 'b')).toMatchObject({ steps: [{ model: 'Memo', action: 'clear', count: 2 }] });
    expect(await api.planDelete(Memo, 'n')).toEqual(nothing);
    await expect(api.planDelete(Project, 'none')).rejects.toMatchObject({ status: 404 });
    const shop = service();
    const plain = shop.api({ db: database.db, resources: [shop.resource({ model: Project })] });
    expect(await plain.planDelete(Project, 'a')).toEqual(nothing);
    await expect(plain.planDelete(Project, 'none')).rejects.toMatchObject({ status: 404 });
  });
});

describe('`planDelete` and the delete by its operation', () => {
  const noop = () => undefined;
  const changes = ['insert', 'update', 'delete'];

  /** An api whose hooks see the changed memos, or not. */
  function serve(options: { maxCascade?: number; maxCleared?: number; seenBy?: 'within' | 'after' } = {}): Api {
    const { seenBy, ...limits } = options;
    const shop = service();
    const hooks = seenBy ? { [seenBy]: { patch: [noop] } } : {};
    const resources = [shop.resource({ model: Project, ops: ['delete'] }), shop.resource({ model: Memo, ops: ['patch'], ...hooks })];
    return shop.api({ db: database.db, resources, models: [Job, Step, Bill, Label], ...limits });
  }

  const destroy = (served: Api, id = 'a') => served.fetch(new Request(`http://localhost/projects/${id}`, { method: 'DELETE' }));

  /**
   * The collections that the delete writes after the addressed record, which it takes by `findAndModify`, in order,
   * without the latches.
   */
  const written = () =>
    commands.events
      .filter(({ commandName }) => changes.includes(commandName))
      .map(({ commandName, command }) => `${commandName} ${command[commandName]}`)
      .filter((one) => !one.endsWith('reference_latches'));

  it('touch the same records in the same order', async () => {
    const served = serve();
    const { steps, isAllowed } = await served.planDelete(Project, 'a');
    expect(isAllowed).toBe(true);
    const before = await snapshot();
    commands.clear();
    expect((await destroy(served)).status).toBe(204);
    expect(written()).toEqual(['delete jobs', 'delete steps', 'update memos']);
    expect(steps.map(({ model }) => model)).toEqual(['Job', 'Step', 'Memo']);
    const after = await snapshot();
    const differing = all.map((name, at) => {
      const left = new Map(after[at]?.map((one) => [one._id, JSON.stringify(one)]));
      return [name, (before[at] ?? []).filter((one) => left.get(one._id) !== JSON.stringify(one)).map(({ _id }) => _id)];
    });
    expect(Object.fromEntries(differing)).toEqual({ projects: ['a'], jobs: ['1', '2'], steps: ['s'], bills: [], memos: ['m'] });
    expect(steps.map(({ ids }) => ids)).toEqual([['1', '2'], ['s'], ['m']]);
    expect((await of('memos').findOne({ _id: 'm' }))?.team).toEqual(['b']);
  });

  it('are restricted by the same references', async () => {
    await of('bills').insertMany([
      { _id: 'x', projectId: 'a' },
      { _id: 'y', jobId: '1' },
      { _id: 'z', projectId: 'a', stepId: 's' },
    ]);
    const served = serve();
    const { restrictedBy, isAllowed, exceeded } = await served.planDelete(Project, 'a');
    expect({ isAllowed, exceeded }).toEqual({ isAllowed: false, exceeded: undefined });
    expect(restrictedBy.map(({ model, field, ids }) => [model, field, ids])).toEqual([
      ['Bill', 'projectId', ['x']],
      ['Bill', 'jobId', ['y']],
    ]);
    const before = await snapshot();
    expect(await (await destroy(served)).json()).toMatchObject({ code: 'still_referenced' });
    expect(await snapshot()).toEqual(before);
  });

  it.each([
    ['maxCascade', 'of records that are deleted', { maxCascade: 2 }, { maxCascade: 3 }, 'a'],
    ['maxCleared', 'of records that lose references', { maxCleared: 1 }, { maxCleared: 2 }, 'b'],
    [
      'maxCascade',
      'of records that hooks of `within` see',
      { maxCascade: 1, seenBy: 'within' },
      { maxCascade: 2, maxCleared: 0, seenBy: 'within' },
      'b',
    ],
    [
      'maxCascade',
      'of records that hooks of `after` see',
      { maxCascade: 1, seenBy: 'after' },
      { maxCascade: 2, maxCleared: 0, seenBy: 'after' },
      'b',
    ],
  ] as const)('exceed the same `%s` %s, and carry out as much as it allows', async (limit, _what, small, enough, id) => {
    const before = await snapshot();
    expect(await serve(small).planDelete(Project, id)).toMatchObject({ isAllowed: false, exceeded: limit });
    expect(await (await destroy(serve(small), id)).json()).toMatchObject({ code: 'too_many_references' });
    expect(await snapshot()).toEqual(before);
    expect(await serve(enough).planDelete(Project, id)).toMatchObject({ isAllowed: true, exceeded: undefined });
    expect((await destroy(serve(enough), id)).status).toBe(204);
  });

  it('say first what restricts, where records that lose references are too many, too', async () => {
    await of('bills').insertOne({ _id: 'x', projectId: 'a' });
    const served = serve({ maxCleared: 0 });
    const plan = await served.planDelete(Project, 'a');
    expect(plan).toMatchObject({ exceeded: 'maxCleared', restrictedBy: [{ ids: ['x'] }] });
    expect(await (await destroy(served)).json()).toMatchObject({ code: 'still_referenced' });
  });
});
