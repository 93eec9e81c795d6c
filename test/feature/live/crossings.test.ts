import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import compress from 'koa-compress';
import mount from 'koa-mount';
import {
  applyIndexes,
  authenticate,
  cursorPaging,
  defineModel,
  everything,
  findPage,
  listQuery,
  live,
  liveRead,
  liveStreams,
  problems,
  scope,
  service,
  t,
} from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { expectWith } from '../../support/expect.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { useServer } from '../../support/http/serve.ts';

const id = () => t.string({ policy: { insert: true } });

const Team = defineModel('Team', { collection: 'teams', fields: { id: id(), members: t.array(t.string()) } });

const Project = defineModel('Project', {
  collection: 'projects',
  fields: {
    id: id(),
    name: t.string({ policy: { filter: true, sort: true } }),
    team: t.string(),
    tasks: t.hasMany('Task', { via: 'project' }),
    taskCount: t.hasMany('Task', { via: 'project', count: true }),
  },
});

const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id: id(),
    title: t.string({ caseless: true, policy: { filter: true, sort: true } }),
    project: t.ref('Project', { as: 'of', id: t.string(), onDelete: 'cascade', policy: { filter: true } }),
    at: t.optional(t.point({ policy: { near: { maxMetres: 1_000 } } })),
    deletedAt: t.deletedAt(),
  },
  search: { fields: { title: 1 } },
});

const database = useDatabase();
const serve = useServer();
const open: LiveStream[] = [];

afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  for (const name of ['teams', 'projects', 'tasks']) await database.db.collection(name).deleteMany({});
});

function makeApi() {
  const shop = service({ authenticate: (ctx) => ctx.get('authorization') || undefined });
  const teams = shop.resource({ model: Team, live: true, search: () => [] });
  const projects = shop.resource({
    model: Project,
    include: [{ relation: 'tasks', sorts: ['-title'] }, 'taskCount'],
    async scope(ctx) {
      if (ctx.principal === 'root') return everything;
      const mine = await ctx.store(Team, { scope: everything }).find({ members: ctx.requirePrincipal() });
      return { team: { in: mine.map((team) => team.id) } };
    },
    live: { watches: [Team] },
  });
  const tasks = shop.resource({
    model: Task,
    ops: ['list', 'get', 'create', 'patch', 'delete', 'restore'],
    include: ['of'],
    through: ['of'],
    fields: true,
    live: true,
  });
  return shop.api({ db: database.db, resources: [teams, projects, tasks], batch: true });
}

async function start() {
  const api = makeApi();
  await applyIndexes(api);
  const server = await serve(api.routes());
  const send = async (method: string, path: string, body?: unknown, name = 'root') => {
    const answer = await server.request(method, path, { headers: { authorization: name }, ...(body === undefined ? {} : { body }) });
    expectWith(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const listen = (path: string, name = 'root', port = server.port) => {
    const stream = new LiveStream(port, path, { authorization: name });
    open.push(stream);
    return stream.opened();
  };
  await send('POST', '/teams', { id: 'red', members: ['ann'] });
  await send('POST', '/projects', { id: 'p1', name: 'One', team: 'red' });
  await send('POST', '/projects', { id: 'p2', name: 'Two', team: 'blue' });
  return { api, server, send, listen };
}

describe('a live list', () => {
  it('follows the records that it includes and counts', async () => {
    const { send, listen } = await start();
    const projects = await listen('/projects?include=tasks,taskCount');
    const tasks = await listen('/tasks?include=of');
    await send('POST', '/tasks', { id: 't1', title: 'Ärger', project: 'p1' });
    await projects.sees(({ data }) => data[0].taskCount === 1 && data[0].tasks[0]?.title === 'Ärger');
    await send('PATCH', '/projects/p1', { name: 'First' });
    await tasks.sees(({ data }) => data[0]?.of.name === 'First');
    await projects.sees(({ data }) => data[0].name === 'First');
    expect(tasks.state).toEqual(await send('GET', '/tasks?include=of'));
    expect(projects.state).toEqual(await send('GET', '/projects?include=tasks,taskCount'));
    await send('DELETE', '/tasks/t1');
    await projects.sees(({ data }) => data[0].taskCount === 0 && data[0].tasks.length === 0);
  });

  it('shows fewer of the records that it includes, in an order that the client chose', async () => {
    const { send, listen } = await start();
    const path = '/projects?include=tasks&tasks[limit]=1&tasks[sort]=-title';
    const projects = await listen(path);
    for (const id of ['a', 'c', 'b']) await send('POST', '/tasks', { id, title: id, project: 'p1' });
    await projects.sees(({ data }) => data[0].tasks[0]?.id === 'c' && data[0].tasks_has_next === true);
    expect(projects.state).toEqual(await send('GET', path));
    await send('DELETE', '/tasks/c');
    await projects.sees(({ data }) => data[0].tasks[0]?.id === 'b');
    expect(projects.state?.data[0].tasks).toHaveLength(1);
  });

  it('follows the related records by which it is filtered and sorted', async () => {
    const { send, listen } = await start();
    await send('POST', '/tasks', { id: 't1', title: 'a', project: 'p1' });
    await send('POST', '/tasks', { id: 't2', title: 'b', project: 'p2' });
    const filtered = await listen('/tasks?of.name=One');
    const sorted = await listen('/tasks?sort=of.name');
    const excluded = await listen(`/tasks?filter=${encodeURIComponent('any(of, name = "Two")')}`);
    await send('PATCH', '/projects/p1', { name: 'Zero' });
    await filtered.sees(({ data }) => data.length === 0);
    await sorted.sees(({ data }) => data[0].id === 't2');
    expect(sorted.last?.data).toEqual({ order: ['t2', 't1'] });
    await send('PATCH', '/projects/p1', { name: 'Two' });
    await excluded.sees(({ data }) => data.length === 2);
    await database.db.collection('projects').deleteOne({ _id: 'p1' as never });
    await excluded.sees(({ data }) => data.length === 1);
    await sorted.sees(({ data }) => data[0].id === 't1'); // what has no project comes first
  });

  it('follows deletes, cascades and restores of records that are kept', async () => {
    const { send, listen } = await start();
    for (const own of ['t1', 't2']) await send('POST', '/tasks', { id: own, title: own, project: 'p1' });
    const stream = await listen('/tasks?sort=title');
    await send('DELETE', '/tasks/t1');
    await stream.sees(({ data }) => data.length === 1);
    await send('POST', '/tasks/t1/restore');
    await stream.sees(({ data }) => data.length === 2 && data[0].id === 't1');
    await send('DELETE', '/projects/p1');
    await stream.sees(({ data }) => data.length === 0);
  });

  it('follows a record that is deleted and restored', async () => {
    const { send, listen } = await start();
    await send('POST', '/tasks', { id: 't1', title: 'one', project: 'p1' });
    const stream = await listen('/tasks/t1?include=of');
    await send('DELETE', '/tasks/t1');
    await stream.sees(({ data }) => data === null);
    await send('POST', '/tasks/t1/restore');
    await stream.sees(({ data }) => data?.of.name === 'One');
    expect(stream.events.map(({ event }) => event)).toEqual(['record', 'gone', 'record']);
  });

  it('is what lies near, nearest first, with the distances', async () => {
    const { send, listen } = await start();
    const stream = await listen('/tasks?near=0,0,1000&distances=true');
    const at = (lng: number) => ({ type: 'Point', coordinates: [lng, 0] });
    await send('POST', '/tasks', { id: 't1', title: 'one', project: 'p1', at: at(0.002) });
    await send('POST', '/tasks', { id: 't2', title: 'two', project: 'p1', at: at(0.004) });
    await stream.sees(({ data }) => data.length === 2);
    await send('PATCH', '/tasks/t2', { at: at(0.001) });
    await stream.sees(({ data }) => data[0].id === 't2');
    expect(stream.state).toEqual(await send('GET', '/tasks?near=0,0,1000&distances=true'));
    expect(stream.state?.page.distances).toHaveLength(2);
    await send('PATCH', '/tasks/t1', { at: at(1) });
    await stream.sees(({ data }) => data.length === 1);
  });

  it('compares without case as the list does', async () => {
    const { send, listen } = await start();
    const stream = await listen('/tasks?title=ZURICH');
    await send('POST', '/tasks', { id: 't1', title: 'Zürich', project: 'p1' });
    await stream.sees(({ data }) => data.length === 1);
    await send('PATCH', '/tasks/t1', { title: 'Genf' });
    await stream.sees(({ data }) => data.length === 0);
  });

  it('is searched by the text index, and not by an engine that tells of no changes', async () => {
    const { server, send, listen } = await start();
    const stream = await listen('/tasks?q=milk');
    await send('POST', '/tasks', { id: 't1', title: 'fresh milk', project: 'p1' });
    await stream.sees(({ data }) => data.length === 1);
    await send('PATCH', '/tasks/t1', { title: 'bread' });
    await stream.sees(({ data }) => data.length === 0);
    const headers = { authorization: 'root', accept: 'text/event-stream' };
    const { status, body } = await server.request('GET', '/teams?q=red', { headers });
    expect([status, body.errors]).toMatchObject([400, [{ field: 'q', rule: 'not_available' }]]);
  });

  it('shows all operations of a batch at once', async () => {
    const { send, listen } = await start();
    const stream = await listen('/tasks');
    const operations = ['t1', 't2', 't3'].map((own) => ({ method: 'POST', path: '/tasks', body: { id: own, title: own, project: 'p1' } }));
    await send('POST', '/batch', { operations });
    await stream.sees(({ data }) => data.length > 0);
    expect(stream.state?.data).toHaveLength(3);
  });

  it('asks again who may see what after a change of a model that `watches` names', async () => {
    const { send, listen } = await start();
    const [ann, bob] = [await listen('/projects', 'ann'), await listen('/projects', 'bob')];
    expect([ann.state?.data.length, bob.state?.data.length]).toEqual([1, 0]);
    await send('PATCH', '/teams/red', { members: ['bob'] });
    await bob.sees(({ data }) => data.length === 1);
    await ann.sees(({ data }) => data.length === 0);
  });

  it('never shows to one caller what another may see of related records by now', async () => {
    const { api, send, listen } = await start();
    await send('POST', '/teams', { id: 'blue', members: ['cy'] });
    await send('PATCH', '/teams/red', { members: ['ann', 'bob'] });
    const [ann, bob] = [await listen('/tasks?include=of', 'ann'), await listen('/tasks?include=of', 'bob')];
    await send('PATCH', '/teams/blue', { members: ['ann'] });
    await send('POST', '/tasks', { id: 't1', title: 'one', project: 'p2' });
    await bob.sees(({ data }) => data.length === 1);
    expect([ann.text, bob.text].map((text) => text.includes('Two'))).toEqual([false, false]);
    api.recheck();
    await ann.sees(({ data }) => data[0].of?.name === 'Two');
    await send('PATCH', '/tasks/t1', { title: 'uno' });
    await bob.sees(({ data }) => data[0].title === 'uno');
    expect(bob.text).not.toContain('Two');
  });

  it('is the same by `api.fetch`', async () => {
    const { api, send } = await start();
    const controller = new AbortController();
    const request = new Request('http://in-process/tasks', { headers: { accept: 'text/event-stream' }, signal: controller.signal });
    const reader = (await api.fetch(request, { principal: 'root' as never })).body?.getReader();
    let text = '';
    const readUntil = async (part: string) => {
      while (!text.includes(part)) text += Buffer.from((await reader?.read())?.value ?? '').toString();
    };
    await readUntil('event: page');
    await send('POST', '/tasks', { id: 't1', title: 'in process', project: 'p1' });
    await readUntil('in process');
    controller.abort();
    await expect(reader?.closed).rejects.toThrow();
  });

  it('is the same below a mount, and is not compressed', async () => {
    const { api, send, listen } = await start();
    const { port } = await serve(compress({ threshold: 0 }), mount('/v1', api.routes()));
    const stream = await listen('/v1/tasks', 'root', port);
    await send('POST', '/tasks', { id: 't1', title: 'one', project: 'p1' });
    await stream.sees(({ data }) => data.length === 1);
    expect(stream.headers['content-encoding']).toBeUndefined();
    api.recheck();
    await send('POST', '/tasks', { id: 't2', title: 'two', project: 'p1' });
    await stream.sees(({ data }) => data.length === 2);
  });

  it('is the same over HTTP/2', async () => {
    const { api, send } = await start();
    const server = createServer((request, response) => void api.callback()(request as never, response as never)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const stream = client.request({ ':path': '/tasks', accept: 'text/event-stream', authorization: 'root' });
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    await once(stream, 'data');
    await send('POST', '/tasks', { id: 't1', title: 'over two', project: 'p1' });
    while (!text.includes('over two')) await once(stream, 'data');
    stream.close();
    client.close();
    server.close();
  });
});

describe('`live` in routes of one’s own', () => {
  it('keeps what its chain reads true, and asks again whom `again` finds', async () => {
    const users = new Map([['key', 'p1']]);
    const streams = liveStreams();
    const { send, listen } = await start();
    const identify = authenticate((ctx) => users.get(ctx.get('authorization')));
    const ownTasks = scope(Task, (ctx) => ({ project: ctx.requirePrincipal() }));
    const chain = [ownTasks, listQuery(Task, cursorPaging(), { isLive: true }), liveRead(Task, [findPage(Task, { db: database.db })])];
    const { port } = await serve(problems(), identify, live(chain, { db: database.db, again: [identify], streams }));
    const stream = await listen('/anywhere?sort=title', 'key', port);
    await send('POST', '/tasks', { id: 't1', title: 'one', project: 'p1' });
    await send('POST', '/tasks', { id: 't2', title: 'two', project: 'p2' });
    await stream.sees(({ data }) => data.length === 1);
    users.set('key', 'p2');
    streams.recheck();
    await stream.sees(({ data }) => data[0]?.id === 't2');
    users.clear();
    streams.recheck();
    await stream.ended();
    expect(stream.last).toMatchObject({ event: 'end', data: { problem: { code: 'unauthorized' } } });
  });

  it('is a 500 without `liveRead`', async () => {
    const { server, listen } = await start();
    expect(server.errors).toEqual([]);
    const own = await serve(problems(), live([listQuery(Task, cursorPaging())], { db: database.db }));
    expect((await listen('/tasks', 'x', own.port)).status).toBe(500);
    expect(own.errors[0]?.message).toBe('The chain of `live` must end with `liveRead`.');
  });
});
