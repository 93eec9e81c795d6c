import { applyIndexes, cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { examinedBy } from '../support/database/examined.ts';
import { useApi } from '../support/http/api.ts';

const Project = defineModel('Project', {
  collection: 'projects',
  fields: { id: t.int(), tasks: t.hasMany('Task', { via: 'projectId', max: 10, sort: '-rank' }) },
});
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: { id: t.int(), rank: t.int(), projectId: t.ref('Project', { id: t.int() }) },
});

const parents = 100;
const children = 1_000; // a hundred times as many as are shown
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const shop = service();
const define = (one: typeof shop) => [
  one.resource({ model: Project, ops: ['list'], include: ['tasks'], paging: cursorPaging({ max: parents }) }),
  one.resource({ model: Task, ops: ['list'] }),
];
const api = useApi<never>(database, define as never);

beforeAll(async () => {
  await database.db.collection('projects').insertMany(Array.from({ length: parents }, (_, _id) => ({ _id: _id as never })));
  for (let project = 0; project < parents; project++) {
    const own = (_: unknown, rank: number) => ({ _id: (project * children + rank) as never, rank, projectId: project });
    await database.db.collection('tasks').insertMany(Array.from({ length: children }, own));
  }
  await applyIndexes(shop.api({ db: database.db, resources: define(shop) }));
});

describe('include of t.hasMany', () => {
  it('reads at most one more than it shows of the 1,000 records of each of 100 others', async () => {
    commands.clear();
    const { body } = await api.request('GET', `/api/projects?limit=${parents}&include=tasks`);
    expect(body.data.map((one: { tasks: unknown[] }) => one.tasks.length)).toEqual(Array.from({ length: parents }, () => 10));
    const { documents, scans } = await examinedBy(database.db, commands.events.at(-1)?.command);
    expect([documents <= parents * 11, scans]).toEqual([true, 0]);
  });
});
