import { everything, Unauthorized } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Project, projects, type Stored, Tag, Task, tags, tasks } from '../support/models/projects.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const include = [
  'tasks',
  'taskCount',
  'watched',
  'stepped',
  'parts',
  'tasks.project',
  'parts.tasks',
  'parts.taskCount',
  'parent.parts',
  'tags',
] as const;
const scopes: Record<string, object | symbol> = {
  ann: { owner: 'ann' },
  ben: { owner: 'ben' },
  root: everything,
  lost: { owner: 'nobody' },
};
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Project, include, fields: true }),
    shop.resource({
      model: Task,
      include: ['project.tasks'],
      guards: [(ctx) => ctx.get('x-user') !== 'shut'],
      scope(ctx) {
        if (ctx.get('x-user') === '') throw new Unauthorized();
        return (scopes[ctx.get('x-user')] ?? { owner: ctx.get('x-user') }) as { owner: string };
      },
    }),
    shop.resource({ model: Tag, include: ['projects', 'projects.tags'] }),
  ],
  {},
);

beforeAll(async () => {
  await database.db.collection<Stored>('projects').insertMany(projects);
  await database.db.collection<Stored>('tasks').insertMany(tasks);
  await database.db.collection<Stored>('tags').insertMany(tags);
});
beforeEach(() => commands.clear());

const as = (user: string) => ({ headers: { 'x-user': user } });
const get = async (path: string, user = 'root') => (await api.request('GET', `/api/${path}`, as(user))).body.data;
const idsOf = (records: Any) => records.map(({ id }: Any) => id);

describe('include of t.hasMany', () => {
  it('embeds the records that refer, in the order of its sort, and says that it was cut at its max', async () => {
    const full = await get('projects/full?include=tasks');
    expect(idsOf(full.tasks)).toEqual(['d', 'b', 'c']);
    expect(full.tasks_has_next).toBe(true);
    expect(full.tasks[1]).toEqual((await api.request('GET', '/api/tasks/b', as('root'))).body.data);
  });

  it('says nothing of more where there are no more, and is an empty array where there are none', async () => {
    const few = await get('projects/few?include=tasks');
    expect([idsOf(few.tasks), 'tasks_has_next' in few]).toEqual([['f', 'g'], false]);
    const none = await get('projects/$none?include=tasks,taskCount,watched');
    expect(none).toEqual({ ...(await get('projects/$none')), tasks: [], taskCount: 0, watched: [] });
  });

  it('is not in an answer without include, and not in a document', async () => {
    expect(Object.keys(await get('projects/full'))).toEqual(['id', 'name', 'parentId', 'tagIds', 'revision']);
  });

  it('counts up to max, and says so', async () => {
    expect(await get('projects/few?include=taskCount')).toMatchObject({ taskCount: 2 });
    const full = await get('projects/full?include=taskCount');
    expect([full.taskCount, 'taskCount_has_next' in full]).toEqual([5, false]);
    await database.db.collection<Stored>('tasks').insertOne({ _id: 'more', title: 'More', projectId: 'full' });
    expect(await get('projects/full?include=taskCount')).toMatchObject({ taskCount: 5, taskCount_has_next: true });
    await database.db.collection<Stored>('tasks').deleteOne({ _id: 'more' });
  });

  it('finds references in arrays, once for each record, and in embedded objects', async () => {
    expect(idsOf((await get('projects/few?include=watched')).watched)).toEqual(['a']);
    expect(idsOf((await get('projects/full?include=watched')).watched)).toEqual(['a', 'f']);
    expect(idsOf((await get('projects/few?include=stepped')).stepped)).toEqual(['b']);
  });

  it('goes both ways over an array of references', async () => {
    expect(idsOf((await get('tags/red?include=projects')).projects)).toEqual(['few', 'full']);
    const [first] = (await get('tags/blue?include=projects.tags')).projects;
    expect(idsOf(first.tags)).toEqual(['red', 'blue']);
    expect((await get('tags/gray?include=projects')).projects).toEqual([]);
  });

  it('leads on from the records that refer, and back to them', async () => {
    const { tasks: own } = await get('projects/few?include=tasks.project');
    expect(own.map(({ project }: { project: { name: string } }) => project.name)).toEqual(['Few', 'Few']);
    const { parts } = await get('projects/full?include=parts.tasks,parts.taskCount');
    expect(parts.map(({ id, tasks: ofPart, taskCount }: Record<string, never>) => [id, idsOf(ofPart), taskCount])).toEqual([
      ['few', ['f', 'g'], 2],
      ['$none', [], 0],
    ]);
    expect(idsOf((await get('projects/few?include=parent.parts')).parent.parts)).toEqual(['few', '$none']);
    expect(idsOf((await get('tasks/f?include=project.tasks')).project.tasks)).toEqual(['f', 'g']);
  });

  it('embeds in every record of a page, with one command for each relation', async () => {
    const data = await get('projects?sort=id&include=tasks,taskCount,parts');
    expect(data.map((one: Record<string, never>) => [one.id, idsOf(one.tasks), one.taskCount, idsOf(one.parts)])).toEqual([
      ['$none', [], 0, []],
      ['few', ['f', 'g'], 2, []],
      ['full', ['d', 'b', 'c'], 5, ['few', '$none']],
    ]);
    expect(commands.events.map(({ command }) => command.find ?? command.pipeline[1].$lookup.from)).toEqual([
      'projects',
      'tasks',
      'tasks',
      'projects',
    ]);
  });

  it('is shown whatever fields chooses', async () => {
    const few = await get('projects/few?fields=name&include=tasks,taskCount');
    expect(Object.keys(few)).toEqual(['id', 'name', 'tasks', 'taskCount']);
    expect(idsOf((await get('projects?fields=name&include=tasks&name=Few'))[0].tasks)).toEqual(['f', 'g']);
  });

  it('shows nothing that is private', async () => {
    expect((await api.request('GET', '/api/projects/full?include=watched', as('root'))).text).not.toContain('hush');
    expect(JSON.stringify(commands.events.at(-1)?.command)).toContain('"secret":0');
  });

  it('shows and counts only what lies within the scope of the other resource', async () => {
    const full = await get('projects/full?include=tasks,taskCount', 'ann');
    expect([idsOf(full.tasks), full.tasks_has_next, full.taskCount]).toEqual([['d', 'b', 'a'], true, 4]);
    const few = await get('projects/few?include=tasks,taskCount', 'ann');
    expect([idsOf(few.tasks), few.taskCount]).toEqual([['g'], 1]);
  });

  it.each(['shut', 'lost', ''])('answers as if there were nothing if the client may see nothing (%o)', async (user) => {
    const answer = await api.request('GET', '/api/projects/full?include=tasks,taskCount', as(user));
    expect([answer.status, answer.body.data.tasks, answer.body.data.taskCount]).toEqual([200, [], 0]);
    expect(Object.keys(answer.body.data).slice(-2)).toEqual(['tasks', 'taskCount']);
  });

  it.each(['task', 'tasks.owner', 'taskCount.project', '__proto__', '$tasks', 'tasks%00', 'tasks_has_next', 'tasks.project.tasks'])(
    'is 400 for include=%s',
    async (name) => {
      expect((await api.request('GET', `/api/projects?include=${name}`, as('root'))).body).toMatchObject({ code: 'invalid_query' });
    },
  );

  it.each(['tasks', 'tasks_has_next', 'taskCount'])('is never written: %s is no field of a body', async (name) => {
    const { status, body } = await api.request('PATCH', '/api/projects/few', { ...as('root'), body: { [name]: [] } });
    expect([status, body.errors[0].rule]).toEqual([422, 'unknown_field']);
  });
});
