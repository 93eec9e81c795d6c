import { createProjects } from '../../examples/projects/api.ts';
import { forgetMember } from '../../examples/projects/forget-member.ts';
import { Comment, Member, Project, Task, Workspace } from '../../examples/projects/model.ts';
import { seed } from '../../examples/projects/seed.ts';
import { sendWebhooks } from '../../examples/projects/send-webhooks.ts';
import { applyIndexes, planIndexes } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const database = useDatabase();
const serve = useServer();
const api = () => createProjects(database.db);
let server: TestServer;

beforeAll(async () => {
  server = await serve(api().routes());
});

beforeEach(async () => {
  await database.db.dropDatabase();
  await applyIndexes(api());
  await seed(api());
  // Another workspace, of which the callers see nothing.
  await api().store(Workspace).create({ id: 'other', name: 'Other' });
  const eve = await api().store(Member).create({ workspaceId: 'other', name: 'Eve', token: 'eve-token', isAdmin: true });
  const secret = await api()
    .store(Project)
    .create({ workspaceId: 'other', name: 'Secret', memberIds: [eve.id] });
  await api().store(Task).create({ projectId: secret.id, title: 'Hidden', workspace: 'other' });
});

const ask = (method: string, path: string, body?: unknown, token = 'ann-token') =>
  server.request(method, `/api${path}`, {
    headers: { authorization: `Bearer ${token}` } as never,
    ...(body === undefined ? {} : { body }),
  });
const listed = async (path: string, token?: string) => (await ask('GET', path, undefined, token)).body.data;
const idOf = async (path: string, token?: string): Promise<string> => (await listed(path, token))[0].id;
const names = (records: readonly { name?: string; title?: string }[]) => records.map(({ name, title }) => name ?? title);

it('has the indexes that it needs, and no other', async () => {
  const { collections } = await planIndexes(api());
  for (const { missing, conflicting, unused } of collections) expect([missing, conflicting, unused]).toEqual([[], [], []]);
});

describe('the other side', () => {
  it('includes records and their number, at any depth, and stays within the workspace', async () => {
    const [project, ...others] = await listed('/projects?include=tasks,tasks.assignee,taskCount,members');
    expect(others).toEqual([]);
    expect([project.taskCount, names(project.tasks), project.tasks[0].assignee.name, names(project.members)]).toEqual([
      1,
      ['Design'],
      'Ben',
      ['Ann', 'Ben'],
    ]);
    expect(names((await listed('/members?name=Ben&include=tasks,projects'))[0].projects)).toEqual(['Site']);
    expect((await ask('GET', '/workspaces/acme?include=projectCount')).body.data.projectCount).toBe(1);
    expect((await ask('GET', '/workspaces/other')).status).toBe(404);
  });

  it('lists and creates tasks below their project, and 404s below one of another workspace', async () => {
    const id = await idOf('/projects');
    const created = await ask('POST', `/projects/${id}/tasks`, { title: 'Build' });
    expect([created.status, created.body.data.projectId]).toEqual([201, id]);
    expect(names(await listed(`/projects/${id}/tasks?sort=title`))).toEqual(['Build', 'Design']);
    const foreign = await idOf('/projects', 'eve-token');
    expect((await ask('GET', `/projects/${foreign}/tasks`)).status).toBe(404);
    expect((await ask('POST', `/projects/${foreign}/tasks`, { title: 'x' })).status).toBe(404);
  });
});

describe('references', () => {
  it('to a record of another workspace, or to none, are 422 in the same words', async () => {
    const foreign = await idOf('/projects', 'eve-token');
    const answers = await Promise.all([foreign, '0'.repeat(24)].map((projectId) => ask('POST', '/tasks', { projectId, title: 'x' })));
    expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect(answers[0]?.body.errors).toEqual([expect.objectContaining({ field: 'projectId', rule: 'reference' })]);
  });

  it('are added and removed one by one', async () => {
    const [project, ben] = [await idOf('/projects'), await idOf('/members?name=Ben')];
    expect((await ask('DELETE', `/projects/${project}/members/${ben}`)).status).toBe(204);
    expect(names((await listed('/projects?include=members'))[0].members)).toEqual(['Ann']);
    expect((await ask('PUT', `/projects/${project}/members/${ben}`)).status).toBe(204);
    expect((await listed('/projects'))[0]).toMatchObject({ revision: 2, memberIds: [expect.any(String), ben] });
    const eve = await idOf('/members', 'eve-token');
    expect((await ask('PUT', `/projects/${project}/members/${eve}`)).status).toBe(404);
  });
});

describe('deletes', () => {
  it('take what belongs to the record along, and a restore brings it back', async () => {
    const id = await idOf('/projects');
    expect(await api().planDelete(Project, id)).toMatchObject({ isAllowed: true });
    expect((await ask('DELETE', `/projects/${id}`)).status).toBe(204);
    for (const path of ['/projects', '/tasks', '/comments']) expect(await listed(path)).toEqual([]);
    expect((await ask('GET', '/workspaces/acme?include=projectCount')).body.data.projectCount).toBe(0);
    expect((await ask('POST', '/tasks', { projectId: id, title: 'late' })).status).toBe(422);
    expect((await ask('POST', `/projects/${id}/restore`)).status).toBe(200);
    for (const path of ['/projects', '/tasks', '/comments']) expect(await listed(path)).toHaveLength(1);
  });

  it('are refused while a comment needs its author, and clear what may be cleared', async () => {
    const [ann, ben] = [await idOf('/members?name=Ann'), await idOf('/members?name=Ben')];
    const refused = await ask('DELETE', `/members/${ann}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'still_referenced']);
    expect(refused.body.detail).toContain('1 record of Comment');
    expect((await ask('DELETE', `/members/${ben}`)).status).toBe(204);
    expect((await listed('/tasks'))[0]).toMatchObject({ assigneeId: null, revision: 1 });
    expect((await listed('/projects'))[0]).toMatchObject({ memberIds: [ann], revision: 1 });
  });
});

it('filters and sorts tasks by their project, within the workspace', async () => {
  expect(names(await listed('/tasks?project.status=open&sort=project.name'))).toEqual(['Design']);
  expect(await listed('/tasks?project.status=archived')).toEqual([]);
  expect(await listed('/tasks?project.name=Secret')).toEqual([]);
  expect(names(await listed('/tasks?assignee.name=Ben'))).toEqual(['Design']);
});

it('keeps comments apart from their authors of other workspaces', async () => {
  expect(await api().store(Comment).count({})).toBe(1);
  expect(await listed('/comments', 'eve-token')).toEqual([]);
});

it('shows who has changed a task, and forgets a member who has left', async () => {
  const [ben] = await api().store(Member).find({ name: 'Ben' });
  const task = await idOf('/tasks');
  await ask('PATCH', `/tasks/${task}`, { title: 'Draft' }, 'ben-token');
  await ask('POST', '/comments', { taskId: task, text: 'canary' }, 'ben-token');
  const changes = async () => (await ask('GET', `/tasks/${task}/history?change=patched`)).body.data;
  expect(await changes()).toMatchObject([{ actor: String(ben?.id), changes: [{ path: 'title', before: 'Design', after: 'Draft' }] }]);
  await forgetMember(api(), ben?.id as never);
  expect((await changes()).map(({ actor }: { actor: unknown }) => actor)).toEqual([null, null]);
  expect(await listed('/members')).toHaveLength(1);
  const kept = await Promise.all((await database.db.collections()).map((one) => one.find().toArray()));
  expect(JSON.stringify(kept)).not.toMatch(/canary/);
  const rest = await Promise.all(['events', 'tasks_history'].map((name) => database.db.collection(name).find().toArray()));
  expect(JSON.stringify(rest.flat().map(({ actor }) => actor))).not.toContain(String(ben?.id));
});

describe('webhooks', () => {
  it('tell a workspace of its own changes, and no other', async () => {
    const body = { url: 'https://hooks.invalid/', types: ['task.*'] };
    expect((await ask('POST', '/subscriptions', body, 'ben-token')).status).toBe(403);
    const mine = (await ask('POST', '/subscriptions', body)).body.data;
    const other = (await ask('POST', '/subscriptions', body, 'eve-token')).body.data;
    const working = await sendWebhooks(api());
    const rows = () => database.db.collection('subscriptions_deliveries').find().toArray();
    await until(async () => (await rows()).length === 2);
    await ask('PATCH', `/tasks/${await idOf('/tasks')}`, { title: 'Draft' });
    await until(async () => (await rows()).length === 3);
    const heard = (await rows()).map(({ subscription, type }) => `${subscription} ${type}`);
    expect(heard.sort()).toEqual([`${mine.id} task.created`, `${mine.id} task.patched`, `${other.id} task.created`].sort());
    await working.close();
  });
});
