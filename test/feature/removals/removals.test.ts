import { ObjectId } from 'mongodb';
import { applyIndexes, ConfigurationError, openStore, planIndexes, service } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { until } from '../../support/until.ts';
import { Box, Comment, carryOut, Invoice, Plan, Project, plant, Removal, Task, treeApi, useTree } from './tree.ts';

const { database, records, live, progress } = useTree();

describe('a delete in the background', () => {
  it('is taken back by a restore of the record, as any other', async () => {
    const api = treeApi(database);
    await plant(api);
    await api.store(Project).remove('p', { inBackground: true });
    await carryOut(api, database);
    await api.store(Project).restore('p');
    expect([await live('projects'), await live('tasks'), await live('comments')]).toEqual([1, 20, 20]);
  });

  it('ends where the record is restored before it is carried out', async () => {
    const api = treeApi(database);
    await plant(api);
    const { id } = await api.store(Project).remove('p', { inBackground: true });
    await api.store(Project).restore('p');
    await carryOut(api, database);
    expect([await live('projects'), await live('tasks')]).toEqual([1, 20]);
    expect(await progress(api, id)).toMatchObject({ status: 'done', removed: 1 });
  });

  it('does not touch what refers to a record that has got the id anew', async () => {
    const api = treeApi(database);
    await api.store(Box).create({ id: 'a' });
    await api.store(Box).create({ id: 'b', within: 'a' });
    await api.store(Box).remove('a', { inBackground: true });
    await api.store(Box).create({ id: 'a' });
    await carryOut(api, database);
    expect(await records('boxes').distinct('_id')).toEqual(['a', 'b']);
  });

  it('follows references to any depth, and over circles', async () => {
    const api = treeApi(database);
    await api.store(Box).create({ id: 'b0' });
    for (let at = 1; at < 40; at++) await api.store(Box).create({ id: `b${at}`, within: `b${at - 1}` });
    await api.store(Box).update('b0', { within: 'b39' });
    const { id } = await api.store(Box).remove('b0', { inBackground: true });
    await carryOut(api, database);
    expect(await records('boxes').countDocuments()).toBe(0);
    expect(await progress(api, id)).toMatchObject({ status: 'done', removed: 40 });
  });

  it('takes away the references of records that stay, and none of those that go', async () => {
    const api = treeApi(database);
    const [first, second] = await plant(api, 5);
    await plant(api, 1, 'q');
    await api.store(Plan).create({ id: 'x', main: first, tasks: [second, 'q0', first] } as Any);
    await api.store(Task).create({ id: 'child', project: 'q', parent: first } as Any);
    const { id } = await api.store(Project).remove('p', { inBackground: true });
    await carryOut(api, database);
    expect(await records('plans').findOne()).toMatchObject({ tasks: ['q0'] });
    expect(await records('plans').findOne()).not.toHaveProperty('main');
    expect(await records('tasks').findOne({ _id: 'child' })).toMatchObject({ parent: first, deletedAt: expect.any(Date) });
    expect((await progress(api, id)).changed).toBe(1);
  });

  it('writes one entry and one event for each record, in the name of whoever has begun it', async () => {
    const shop = service<Any>({ authenticate: (ctx) => ({ id: ctx.get('authorization') }) });
    const resource = shop.resource({
      model: Project,
      ops: ['delete'],
      operations: {
        removal: {
          method: 'POST',
          path: '/:id/removal',
          status: 202,
          answer: 'none',
          async handler(ctx: Any) {
            const removal = await ctx.store(Project).remove(ctx.params.id, { inBackground: true });
            ctx.set('location', `/removals/${removal.id}`);
          },
        },
      },
    } as Any);
    const shown = shop.resource({ model: Removal, ops: ['get'], scope: (ctx: Any) => ({ actor: ctx.principal.id }) } as Any);
    const api: Any = treeApi(database, {});
    await plant(api, 4);
    const own: Any = shop.api({
      db: database.db,
      resources: [resource, shown],
      models: [Task, Comment, Invoice, Plan],
      removals: Removal,
      requestIds: true,
    } as Any);
    const ask = (method: string, path: string, authorization = 'ann') =>
      own.fetch(new Request(`http://shop${path}`, { method, headers: { authorization, 'x-request-id': 'r1' } }));
    const answer = await ask('POST', '/projects/p/removal');
    expect(answer.status).toBe(202);
    await carryOut(own, database);
    const location = answer.headers.get('location');
    expect(await (await ask('GET', location)).json()).toMatchObject({ data: { status: 'done', actor: 'ann' } });
    expect((await ask('GET', location, 'ben')).status).toBe(404);
    const entries = await records('tasks_history').find({ change: 'deleted' }).toArray();
    expect(entries.map(({ record, actor, request, operation }) => [record, actor, request, operation]).sort()).toEqual(
      ['p0', 'p1', 'p2', 'p3'].map((record) => [record, 'ann', 'r1', 'removal']),
    );
    const events = await records('events').find({ change: 'deleted' }).toArray();
    expect(events.map(({ subject }) => subject).sort()).toEqual(['p', 'p0', 'p1', 'p2', 'p3']);
    expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set(['ann']));
    expect(await own.forgetActor('ann')).toBeGreaterThan(0);
    expect(await records('removals').distinct('actor')).toEqual([null]);
  });

  it('is 404 outside of the scope, 412 for another revision, and leaves nothing then', async () => {
    const api = treeApi(database);
    await plant(api, 1);
    const none = api.store(Project, { scope: { team: 'other' } });
    await expect(none.remove('p', { inBackground: true })).rejects.toMatchObject({ status: 404 });
    await expect(none.purge('p', { cascade: true })).rejects.toMatchObject({ status: 404 });
    await expect(api.store(Project).remove('p', { inBackground: true, ifMatch: 7 })).rejects.toMatchObject({ status: 412 });
    await expect(api.store(Project).remove('nobody', { inBackground: true })).rejects.toMatchObject({ status: 404 });
    expect(await records('removals').countDocuments()).toBe(0);
  });

  it('is part of a transaction, which leaves nothing of it if it fails', async () => {
    const api = treeApi(database);
    await plant(api, 5);
    const failing = api.transaction(async (tx) => {
      await tx.store(Project).remove('p', { inBackground: true });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect([await live('projects'), await records('removals').countDocuments(), await records('removals_steps').countDocuments()]).toEqual([
      1, 0, 0,
    ]);
  });
});

describe('a record that others forbid to delete', () => {
  it('is 409 before anything is removed, if it is the one that is addressed, or as far as `maxCascade` can tell', async () => {
    const api = treeApi(database);
    await plant(api, 1);
    await api.store(Invoice).create({ id: 'i', task: 'p0' });
    const refused = { code: 'still_referenced', message: expect.stringContaining('`task` of 1 record of Invoice') };
    await expect(api.store(Task).remove('p0', { inBackground: true })).rejects.toMatchObject(refused);
    await expect(api.store(Project).remove('p', { inBackground: true })).rejects.toMatchObject(refused);
    await expect(api.store(Task).purge('p0', { cascade: true })).rejects.toMatchObject(refused);
    expect([await live('projects'), await live('tasks')]).toEqual([1, 1]);
  });

  it('goes when what forbids it goes, too', async () => {
    const api = treeApi(database);
    await plant(api, 30);
    await api.store(Invoice).createMany(Array.from({ length: 10 }, (_, at) => ({ id: `i${at}`, task: `p${at}`, project: 'p' })));
    const { id } = await api.store(Project).remove('p', { inBackground: true });
    await carryOut(api, database);
    expect([await live('tasks'), await live('invoices'), await live('comments')]).toEqual([0, 0, 0]);
    expect(await progress(api, id)).toMatchObject({ status: 'done', removed: 71 });
  });

  it('goes when what forbids it would go with it', async () => {
    const api = treeApi(database);
    await plant(api, 30);
    await api.store(Invoice).create({ id: 'i', task: 'p3', comment: 'p3' });
    const { id } = await api.store(Project).remove('p', { inBackground: true });
    await carryOut(api, database);
    expect([await live('tasks'), await live('invoices'), await live('comments')]).toEqual([0, 0, 0]);
    expect(await progress(api, id)).toMatchObject({ status: 'done', removed: 62 });
  });

  it('stops the delete when all else is done, which says what forbids it, and goes on when somebody lets it', async () => {
    const api: Any = treeApi(database);
    await plant(api, 30);
    await api.store(Invoice).create({ id: 'i', task: 'p7' });
    const told: Any[] = [];
    const { id } = await api.store(Project).remove('p', { inBackground: true });
    await carryOut(api, database, { observe: (what: Any) => what.kind === 'error' && told.push(what) });
    expect([await live('tasks'), await live('comments')]).toEqual([1, 1]);
    const stopped = await progress(api, id);
    expect(stopped).toMatchObject({ status: 'stopped', removed: 59, reason: expect.stringContaining('`task` of Invoice') });
    expect(told).toEqual([{ kind: 'error', error: expect.objectContaining({ message: stopped.reason }) }]);
    await api.store(Invoice).remove('i');
    await records('removals').updateOne({}, { $set: { state: 'pending', dueAt: new Date(0), attempts: 0 } });
    await carryOut(api, database);
    expect([await live('tasks'), await live('comments')]).toEqual([0, 0]);
    expect(await progress(api, id)).toMatchObject({ status: 'done', removed: 61 });
    expect(await progress(api, id)).not.toHaveProperty('reason', expect.any(String));
  });
});

describe('a purge that cascades', () => {
  it('removes a record for good, and all that refers to it, deleted or not, with their histories and events', async () => {
    const api: Any = treeApi(database);
    await plant(api, 30);
    await plant(api, 1, 'q');
    await api.store(Comment).remove('p3');
    await api.store(Task).remove('p4');
    await api.store(Plan).create({ id: 'x', main: 'p1', tasks: ['p1', 'q0'] });
    const removal = await api.store(Project).purge('p', { cascade: true });
    expect(removal).toMatchObject({ kind: 'purge', removed: 1 });
    expect(await records('projects').countDocuments()).toBe(1);
    await carryOut(api, database);
    expect(await records('tasks').distinct('_id')).toEqual(['q0']);
    expect(await records('comments').distinct('_id')).toEqual(['q0']);
    expect(await records('tasks_history').distinct('record')).toEqual(['q0']);
    expect((await records('events').distinct('subject')).sort()).toEqual(['q', 'q0']);
    expect(await records('plans').findOne()).toMatchObject({ tasks: ['q0'], revision: 1 });
    expect(await progress(api, removal.id)).toMatchObject({ status: 'done', removed: 61, changed: 1 });
  });

  it('purges a record that is deleted already, and one of a model without `t.deletedAt()`, whose history goes too', async () => {
    const api: Any = treeApi(database);
    await plant(api, 2);
    await api.store(Project).remove('p', { inBackground: true });
    await carryOut(api, database);
    await api.store(Project).purge('p', { cascade: true });
    await api.store(Box).create({ id: 'a' });
    await api.store(Box).create({ id: 'b', within: 'a' });
    await api.store(Box).purge('a', { cascade: true });
    await carryOut(api, database);
    for (const name of ['projects', 'tasks', 'comments', 'boxes', 'boxes_history', 'tasks_history'])
      expect([name, await records(name).countDocuments()]).toEqual([name, 0]);
  });
});

describe('a worker of removals', () => {
  it('needs no `handle` where no model has an outbox, and needs it elsewhere', async () => {
    const api: Any = service().api({ db: database.db, resources: [], models: [Box], removals: Removal } as Any);
    await api.store(Box).create({ id: 'a' });
    await api.store(Box).remove('a', { inBackground: true });
    const worker = await api.deliver({ poll: 100 });
    await until(async () => (await records('removals').distinct('status')).includes('done'));
    await worker.close();
    await expect(treeApi(database).deliver({})).rejects.toThrow(
      new ConfigurationError('`deliver` needs `handle`, which gets the events of the outboxes.'),
    );
  });
});

describe('without what it needs', () => {
  it('is an error that says so', async () => {
    const api: Any = service().api({ db: database.db, resources: [], models: [Box] } as Any);
    const needs = 'A delete in the background needs `removals` of an api.';
    await expect(api.store(Box).remove('a', { inBackground: true })).rejects.toThrow(needs);
    await expect((openStore(Box, { db: database.db, models: [Box] }) as Any).purge('a', { cascade: true })).rejects.toThrow(needs);
    await expect(
      treeApi(database)
        .store(Box)
        .purge('a', { cascade: false } as Any),
    ).rejects.toThrow('`cascade` of `purge` must be true');
    expect(() => service().api({ db: database.db, resources: [], removals: Box } as Any)).toThrow(
      '`removals` must be what `defineRemovals()` returns.',
    );
  });

  it('has the indexes that its workers need by `applyIndexes`', async () => {
    const api = treeApi(database);
    await applyIndexes(api);
    const plan = await planIndexes(api);
    for (const name of ['removals', 'removals_steps'])
      expect(plan.collections.find(({ collection }) => collection === name)).toMatchObject({ missing: [], conflicting: [] });
    const keys = (await records('removals_steps').indexes()).map(({ key }) => key);
    expect(keys).toContainEqual({ removal: 1, pass: 1, _id: -1 });
  });

  it('keeps no removal for ever', async () => {
    const api: Any = treeApi(database);
    await api.store(Box).create({ id: 'a' });
    const { id } = await api.store(Box).remove('a', { inBackground: true });
    await carryOut(api, database, { keep: '2d' });
    const { expiresAt, deliveredAt } = (await records('removals').findOne({ _id: new ObjectId(String(id)) })) ?? {};
    expect(expiresAt.getTime() - deliveredAt.getTime()).toBe(2 * 86_400_000);
  });
});
