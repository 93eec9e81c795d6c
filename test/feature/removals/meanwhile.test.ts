import { ObjectId } from 'mongodb';
import { afterEach, describe, expect, it } from 'vitest';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { carryOut, clear, Project, Task, treeApi } from './tree.ts';

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
});
