import type { Any } from '../../support/any.ts';
import { until } from '../../support/until.ts';
import { carryOut, Project, plant, treeApi, useTree } from './tree.ts';

const { database, records, live, progress } = useTree();

describe('a delete in the background of more than a worker takes at once', () => {
  it('hides the record at once, and workers take along what refers to it, however much it is', async () => {
    const api = treeApi(database);
    await plant(api, 1_200);
    await plant(api, 3, 'q');
    await expect(api.store(Project).remove('p')).rejects.toMatchObject({ code: 'too_many_references' });
    const removal = await api.store(Project).remove('p', { inBackground: true });
    expect(removal).toMatchObject({
      kind: 'remove',
      model: 'Project',
      record: 'p',
      status: 'running',
      removed: 1,
      changed: 0,
      actor: null,
    });
    await expect(api.store(Project).get('p')).rejects.toMatchObject({ status: 404 });
    expect(await live('tasks')).toBe(1_203);
    await carryOut(api, database);
    expect([await live('projects'), await live('tasks'), await live('comments')]).toEqual([1, 3, 3]);
    expect(await progress(api, removal.id)).toMatchObject({ status: 'done', removed: 2_401, changed: 0, endedAt: expect.any(Date) });
    expect(await records('removals_steps').countDocuments()).toBe(0);
  });

  it('carries out what another has begun, each record once', async () => {
    const api: Any = treeApi(database);
    await plant(api, 1_500);
    const { id } = await api.store(Project).remove('p', { inBackground: true });
    const removed = async () => (await records('removals').findOne())?.removed;
    for (const _time of [1, 2, 3]) {
      const before = await removed();
      const options = { handle: () => undefined, lease: 1_000, poll: 100, observe: () => undefined };
      const workers = await Promise.all([1, 2].map(() => api.deliver(options)));
      await until(async () => (await removed()) > before);
      await Promise.all(workers.map((worker) => worker.close({ timeout: 0 })));
    }
    await carryOut(api, database);
    expect(await progress(api, id)).toMatchObject({ status: 'done', removed: 3_001 });
    expect(await records('tasks_history').countDocuments({ change: 'deleted' })).toBe(1_500);
    expect(await records('events').countDocuments({ change: 'deleted' })).toBe(1_501);
  });
});
