import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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

  it.each(['within', 'after'] as const)('counts what hooks of `%s` see as the delete itself does', async (phase) => {
    const shop = service();
    const served = shop.api({
      db: database.db,
      resources: [shop.resource({ model: Project }), shop.resource({ model: Memo, [phase]: { patch: [() => undefined] } })],
      models: [Job, Step, Bill, Label],
      maxCascade: 1,
    });
    await of('jobs').deleteMany({});
    expect(await served.planDelete(Project, 'a')).toMatchObject({ isAllowed: true, exceeded: undefined });
    expect(await served.planDelete(Project, 'b')).toMatchObject({ isAllowed: false, exceeded: 'maxCascade' });
    const { status, statusText } = await served.fetch(new Request('http://host/projects/b', { method: 'DELETE' }));
    expect([status, statusText]).toEqual([409, 'Conflict']);
    await served.store(Project).remove('b'); // runs no hooks
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
