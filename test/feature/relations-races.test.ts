import { defineModel, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const own = t.string({ policy: { insert: true } });
const id = t.string();
const Project = defineModel('Project', { collection: 'projects', fields: { id: own, tasks: t.hasMany('Task', { via: 'projectId' }) } });
const Label = defineModel('Label', { collection: 'labels', fields: { id: own } });
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id: own,
    projectId: t.ref('Project', { id, onDelete: 'cascade' }),
    labelIds: t.array(t.ref('Label', { id, as: 'labels', onDelete: 'pull' }), { default: [] }),
    revision: t.revision(),
  },
});
interface Stored {
  readonly _id: string;
  readonly [key: string]: unknown;
}
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi(database, (shop) => [
  shop.resource({ model: Project, nested: ['tasks'] }),
  shop.resource({ model: Label }),
  shop.resource({ model: Task, links: ['labels'] }),
]);
const collection = (name: string) => database.db.collection<Stored>(name);
const rounds = Array.from({ length: 25 }, (_, round) => `r${round}`);

beforeEach(async () => {
  for (const name of ['projects', 'labels', 'tasks']) await collection(name).deleteMany({});
  await collection('projects').insertMany([{ _id: 'p' }, ...rounds.map((_id) => ({ _id }))]);
  await collection('labels').insertMany(rounds.map((_id) => ({ _id })));
  await collection('tasks').insertOne({ _id: 't', projectId: 'p', labelIds: [], revision: 0 });
  commands.clear();
});

describe('a path that names the other record of a reference that holds', () => {
  it('of a link leaves no id of a record that is deleted at the same time, and is 204 or 404', async () => {
    for (const label of rounds) {
      const [added, deleted] = await Promise.all([
        api.request('PUT', `/api/tasks/t/labels/${label}`),
        api.request('DELETE', `/api/labels/${label}`),
      ]);
      expect([204, 404]).toContain(added.status);
      expect(deleted.status).toBe(204);
    }
    expect(await collection('tasks').findOne({ _id: 't' })).toMatchObject({ labelIds: [] });
    expect(api.errors).toEqual([]);
  });

  it('of a nested create leaves no record of a parent that is deleted at the same time, and is 201 or 404', async () => {
    for (const project of rounds) {
      const [created, deleted] = await Promise.all([
        api.request('POST', `/api/projects/${project}/tasks`, { body: { id: project } }),
        api.request('DELETE', `/api/projects/${project}`),
      ]);
      expect([201, 404]).toContain(created.status);
      expect(deleted.status).toBe(204);
    }
    expect(await collection('tasks').countDocuments()).toBe(1);
    expect(api.errors).toEqual([]);
  });

  it('of a link is a transaction, which writes into the other record first', async () => {
    await api.request('PUT', '/api/tasks/t/labels/r0');
    expect(commands.names).toEqual(['find', 'update', 'update', 'findAndModify', 'commitTransaction']);
    expect(await collection('tasks').findOne({ _id: 't' })).toMatchObject({ labelIds: ['r0'], revision: 1 });
    commands.clear();
    await api.request('DELETE', '/api/tasks/t/labels/r0');
    expect(commands.names).toEqual(['findAndModify']);
  });
});
