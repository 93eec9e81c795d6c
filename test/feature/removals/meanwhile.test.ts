import { setTimeout } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';
import { carryOut, clear, Project, Removal, Task, treeApi } from './tree.ts';

const database = useDatabase();
afterEach(() => clear(database));

const records = (name: string) => database.db.collection<Any>(name);
const live = (name: string) => records(name).countDocuments({ deletedAt: null });

describe('a delete in the background', () => {
  it('leaves to a second delete of its record, after a restore, what that one takes along', async () => {
    const api: Any = treeApi(database);
    await api.store(Project).create({ id: 'p' });
    await api.store(Task).create({ id: 't', project: 'p' });
    await api.store(Project).remove('p', { inBackground: true });
    await api.store(Project).restore('p');
    const second = await api.store(Project).remove('p', { inBackground: true });
    const setState = (state: string) => records('removals').updateOne({ _id: new ObjectId(String(second.id)) }, { $set: { state } });
    await setState('waiting');
    await carryOut(api, database);
    expect(await live('tasks')).toBe(1);
    await setState('pending');
    await carryOut(api, database);
    expect(await live('tasks')).toBe(0);
    await api.store(Project).restore('p');
    expect([await live('projects'), await live('tasks')]).toEqual([1, 1]);
  });

  it('is left alone by a worker as soon as another one has taken it over', async () => {
    const api: Any = treeApi(database);
    const depth = 200; // each level is a transaction
    await api.store(Project).create({ id: 'p' });
    const tasks = Array.from({ length: depth }, (_, n) => ({ id: `t${n}`, project: 'other', ...(n > 0 && { parent: `t${n - 1}` }) }));
    await records('tasks').insertMany(tasks.map(({ id, ...task }) => ({ _id: id, ...task, revision: 0 })));
    await records('tasks').updateOne({ _id: 't0' }, { $set: { project: 'p' } });
    await api.store(Project).remove('p', { inBackground: true });
    const worker = await api.deliver({ handle: () => undefined, poll: 100 });
    await until(async () => (await live('tasks')) < depth);
    const dueAt = new Date(Date.now() + 3_600_000);
    await records('removals').updateOne({}, { $set: { lease: { token: new ObjectId(), until: dueAt }, dueAt } });
    const left = await live('tasks');
    await setTimeout(500); // in which it would have removed many: no event tells that it does not
    expect(left - (await live('tasks'))).toBeLessThanOrEqual(1);
    expect(left).toBeGreaterThan(1);
    await worker.close();
  });

  it('writes the time at which it deletes a record to `updatedAt` and the history, and the deletion of the first one', async () => {
    const Shelf = defineModel('Shelf', { collection: 'boxes', fields: { id: t.string(), deletedAt: t.deletedAt() } });
    const Item = defineModel('Item', {
      collection: 'tasks',
      fields: {
        id: t.string(),
        name: t.optional(t.string()),
        shelf: t.ref('Shelf', { id: t.string(), as: 'onShelf', onDelete: 'cascade' }),
        deletedAt: t.deletedAt(),
        updatedAt: t.updatedAt(),
        revision: t.revision(),
      },
      history: true,
    });
    const api: Any = service().api({ db: database.db, resources: [], models: [Shelf, Item], removals: Removal } as Any);
    await api.store(Shelf).create({ id: 's' });
    await api.store(Item).create({ id: 'i', shelf: 's' });
    await api.store(Shelf).remove('s', { inBackground: true });
    await setTimeout(5);
    const before = await api.store(Item).update('i', { name: 'last' });
    await carryOut(api, database);
    const after = await api.store(Item).get('i', { deleted: 'with' });
    expect(after.deletedAt).toEqual((await api.store(Shelf).get('s', { deleted: 'with' })).deletedAt);
    expect(after.updatedAt.getTime()).toBeGreaterThanOrEqual(before.updatedAt.getTime());
    const entry = await records('tasks_history').findOne({ change: 'deleted' });
    expect(entry?.at).toEqual(after.updatedAt);
  });
});

const Node = defineModel('Node', {
  collection: 'tasks',
  fields: { id: t.string(), parent: t.optional(t.ref('Node', { id: t.string(), as: 'ofParent', onDelete: 'cascade' })) },
});
/** Forbids to delete a node as long as another one is there. */
const Lock = defineModel('Lock', {
  collection: 'plans',
  fields: {
    id: t.string(),
    on: t.ref('Node', { id: t.string(), as: 'onNode', onDelete: 'restrict' }),
    by: t.optional(t.ref('Node', { id: t.string(), as: 'byNode', onDelete: 'cascade' })),
  },
});

describe('records that a removal puts aside', () => {
  const open = (): Any => service().api({ db: database.db, resources: [], models: [Node, Lock], removals: Removal, maxCascade: 1 } as Any);

  async function plant(api: Any, nodes: readonly (readonly [id: string, parent: string, lockedBy?: string | undefined])[]) {
    await api.store(Node).create({ id: 'root' });
    for (const [id, parent] of nodes) await api.store(Node).create({ id, parent });
    for (const [on, , by] of nodes) if (by) await api.store(Lock).create({ id: `${on}-${by}`, on, ...(by !== 'none' && { by }) });
  }

  it('are tried again after whatever has gone since, however late', async () => {
    const api = open();
    await plant(api, [
      ['a', 'root', 'root'],
      ['b', 'root', 'a'],
      ['b1', 'b', 'b'],
      ['c', 'root', 'b1'],
    ]);
    const { id } = await api.store(Node).remove('root', { inBackground: true });
    await carryOut(api, database);
    expect(await api.store(Removal).get(id)).toMatchObject({ status: 'done', removed: 9 });
  });

  it('are all tried by a worker that goes on with a removal', async () => {
    const api = open();
    await plant(api, [
      ['a', 'root'],
      ['a1', 'a', 'none'],
      ['b', 'root', 'none'],
    ]);
    const { id } = await api.store(Node).remove('root', { inBackground: true });
    await carryOut(api, database);
    expect(await records('tasks').distinct('_id')).toEqual(['a1', 'b']);
    await api.store(Lock).remove('b-none');
    await records('removals_steps').updateOne({ ids: 'root' }, { $set: { pass: 7 } }); // as if it had waited longer
    await records('removals').updateOne({}, { $set: { state: 'pending', dueAt: new Date(0) } });
    await carryOut(api, database);
    expect(await records('tasks').distinct('_id')).toEqual(['a1']);
    expect(await api.store(Removal).get(id)).toMatchObject({ status: 'stopped', removed: 3 });
  });
});

describe('a removal that fails', () => {
  it('is shown as stopped when it is given up, and goes on when somebody lets it', async () => {
    const api: Any = treeApi(database);
    await api.store(Project).create({ id: 'p' });
    await api.store(Task).create({ id: 't', project: 'p' });
    const { id } = await api.store(Project).remove('p', { inBackground: true });
    await database.db.command({ collMod: 'tasks', validator: { deletedAt: null } });
    await carryOut(api, database, { retry: { first: 1, longest: 1, for: 1 } });
    await database.db.command({ collMod: 'tasks', validator: {} });
    const progress = () => api.store(Removal).get(id);
    await until(async () => (await progress()).status === 'stopped');
    expect((await progress()).reason).toBe('Errors of the server have stopped it.');
    const queues = await api.queues();
    await queues.find(({ collection }: Any) => collection === 'removals').letters.release();
    await carryOut(api, database);
    expect(await progress()).toMatchObject({ status: 'done', removed: 2 });
    expect(await progress()).not.toHaveProperty('reason', expect.any(String));
  });
});
