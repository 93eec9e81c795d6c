import Router from '@koa/router';
import type Koa from 'koa';
import {
  authenticate,
  compileIncludes,
  compileThrough,
  cursorPaging,
  findIncluded,
  findPage,
  listQuery,
  page,
  problems,
} from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import type { Stored } from '../support/models/books.ts';
import { Member, Project, Task } from '../support/models/related-tasks.ts';

const database = useDatabase();
const serve = useServer();
const calls: string[] = [];
let server: TestServer;

beforeAll(async () => {
  const { db } = database;
  await db.collection<Stored>('projects').insertMany([
    { _id: 'p1', tenant: 'a', name: 'One', status: 'open' },
    { _id: 'p2', tenant: 'b', name: 'Two', status: 'open' },
  ]);
  await db.collection<Stored>('tasks').insertMany([
    { _id: 't1', project: 'p1' },
    { _id: 't2', project: 'p2' },
  ]);
  const guard = (ctx: Koa.Context) => {
    calls.push('guard');
    return ctx.get('x-guest') === '';
  };
  const targets = [
    { model: Project, guards: [guard], scope: (ctx: Koa.Context) => ({ tenant: ctx.get('x-tenant') || 'a' }) },
    { model: Member },
  ];
  const through = compileThrough(Task, ['project'], { db, targets });
  const other = compileThrough(Task, ['project'], { db, targets });
  const includes = compileIncludes(Task, ['project'], { db, targets });
  const query = listQuery(Task, cursorPaging(), { through, includes });
  const router = new Router();
  router.use(problems() as Koa.Middleware);
  const routes = {
    '/tasks': [query, findPage(Task, { db, through }), findIncluded(includes), page()],
    '/again': [query, findPage(Task, { db, through }), authenticate(() => 'ann'), findIncluded(includes), page()],
    '/without': [query, findPage(Task, { db }), page()],
    '/other': [query, findPage(Task, { db, through: other }), page()],
  };
  for (const [path, chain] of Object.entries(routes)) router.get(path, ...(chain as Koa.Middleware[]));
  server = await serve(router.routes() as unknown as Koa.Middleware);
});

describe("filters through relations in somebody's own routes", () => {
  const idsOf = async (path: string, headers = {}) =>
    (await server.request('GET', path, { headers })).body.data.map((one: { id: string }) => one.id);

  it('see what the guards and the scope of the target show', async () => {
    expect(await idsOf('/tasks?project.status=open')).toEqual(['t1']);
    expect(await idsOf('/tasks?project.status=open', { 'x-tenant': 'b' })).toEqual(['t2']);
    expect(await idsOf('/tasks?project.status=open', { 'x-guest': '1' })).toEqual([]);
    expect(await idsOf('/tasks?sort=-project.name', { 'x-tenant': 'b' })).toEqual(['t2', 't1']);
  });

  it('ask a guard once for filters, sorts and `include`, whatever it returns, and not at all without them', async () => {
    for (const headers of [{}, { 'x-guest': '1' }]) {
      calls.length = 0;
      await server.request('GET', '/tasks?project.status[nin]=&sort=project.name&include=project', { headers });
      expect(calls).toEqual(['guard']);
    }
    calls.length = 0;
    await server.request('GET', '/tasks?title=x');
    expect(calls).toEqual([]);
  });

  it('ask again when the request is authenticated again', async () => {
    calls.length = 0;
    await server.request('GET', '/again?project.id[exists]=true&include=project');
    expect(calls).toEqual(['guard', 'guard']);
  });

  it('are 500 if `findPage` was not given the same relations as `listQuery`', async () => {
    for (const path of ['/without', '/other']) {
      server.errors.length = 0;
      expect((await server.request('GET', `${path}?project.status=open`)).status).toBe(500);
      expect(String(server.errors[0])).toMatch(/`findPage` must be given the same `through` as `listQuery`/);
      expect((await server.request('GET', `${path}?title=x`)).status).toBe(200);
    }
    server.errors.length = 0;
  });
});
