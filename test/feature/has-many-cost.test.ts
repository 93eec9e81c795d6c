import { applyIndexes, cursorPaging, defineModel, planIndexes, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { examinedBy } from '../support/database/examined.ts';
import { useApi } from '../support/http/api.ts';
import { idsOf, walkList } from '../support/http/walk-list.ts';

const id = t.int({ policy: { sort: true } });
const plain = t.int();
const Project = defineModel('Project', {
  collection: 'projects',
  fields: {
    id,
    tasks: t.hasMany('Task', { via: 'projectId', max: 10, sort: '-rank' }),
    taskCount: t.hasMany('Task', { via: 'projectId', count: true, max: 20 }),
    watched: t.hasMany('Task', { via: 'watcherIds', max: 2, sort: 'rank' }),
  },
});
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id,
    owner: t.string(),
    rank: t.int(),
    projectId: t.ref('Project', { id: plain }),
    watcherIds: t.array(t.ref('Project', { id: plain })),
    text: t.string({ default: '' }),
  },
});

const parents = 100;
const children = 1_000;
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const shop = service();
const define = (one: typeof shop) => [
  one.resource({ model: Project, ops: ['list', 'get'], include: ['tasks', 'taskCount', 'watched'], paging: cursorPaging({ max: 200 }) }),
  one.resource({ model: Task, ops: ['list', 'get'], scope: () => ({ owner: 'ann' }), scopeFields: ['owner'] }),
];
const api = useApi<never>(database, define as never);
const small = useApi<never>(database, define as never, { maxPageBytes: 20_000 });

beforeAll(async () => {
  await applyIndexes(shop.api({ db: database.db, resources: define(shop) }));
  const ids = Array.from({ length: parents }, (_, _id) => ({ _id: _id as never }));
  await database.db.collection('projects').insertMany(ids);
  for (let project = 0; project < parents; project++) {
    const own = Array.from({ length: children }, (_, rank) => ({
      _id: (project * children + rank) as never,
      owner: rank % 2 ? 'ann' : 'ben',
      rank,
      projectId: project,
      watcherIds: [project, (project + 1) % parents],
      text: 'x'.repeat(50),
    }));
    await database.db.collection('tasks').insertMany(own);
  }
});
beforeEach(() => commands.clear());

describe('what include of t.hasMany costs', () => {
  it.each([
    ['tasks', 10],
    ['watched', 2],
    ['taskCount', 20],
  ] as const)('reads of %s, for each record of a page, at most one more than it shows (%i)', async (name, max) => {
    const { body } = await api.request('GET', `/api/projects?limit=${parents}&sort=id&include=${name}`);
    expect(body.data).toHaveLength(parents);
    for (const one of body.data)
      expect([name === 'taskCount' ? one[name] : one[name].length, one[`${name}_has_next`]]).toEqual([max, true]);
    expect(commands.events).toHaveLength(2);
    const { documents, keys, scans } = await examinedBy(database.db, commands.events[1]?.command);
    expect(scans).toBe(0);
    expect(documents).toBeLessThanOrEqual(parents * (max + 1));
    expect(keys).toBeLessThanOrEqual(parents * (max + 2));
  });

  it('has its index planned, of the scope, the reference and the sort', async () => {
    const plan = String(await planIndexes(shop.api({ db: database.db, resources: define(shop) })));
    expect(plan).toContain('exists    { owner: 1, projectId: 1, rank: -1, _id: -1 }');
    expect(plan).toContain('projects: include tasks');
    expect(plan).toContain('{ owner: 1, watcherIds: 1, rank: 1, _id: 1 }');
    expect(plan).toContain('{ owner: 1, projectId: 1, _id: 1 }');
  });

  it('counts towards the bytes of a page: one by cursor ends early, and a walk visits each record once', async () => {
    const { there, back } = await walkList(small, '/api/projects?limit=200&sort=id&include=tasks');
    expect(there.length).toBeGreaterThan(3);
    expect(idsOf(there)).toEqual(Array.from({ length: parents }, (_, one) => one));
    expect(idsOf(back)).toEqual(idsOf(there));
    for (const { bytes } of there) expect(bytes).toBeLessThanOrEqual(20_000);
  });

  it('sends nothing for a relation of a page without records', async () => {
    await api.request('GET', '/api/projects/1000?include=tasks');
    expect(commands.events).toHaveLength(1);
  });
});
