import Router from '@koa/router';
import type Koa from 'koa';
import {
  afterHooks,
  aggregate,
  ConfigurationError,
  type Context,
  checkCreate,
  checkPatch,
  checkPut,
  cursorPaging,
  defineModel,
  deleted,
  findPage,
  findRecord,
  ifMatch,
  insert,
  jsonBody,
  listQuery,
  noContent,
  notModified,
  page,
  problems,
  queryBody,
  type ResourceMiddleware,
  record,
  remove,
  restore,
  scope,
  t,
  update,
} from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { Note } from '../support/models/note.ts';

const database = useDatabase();
const serve = useServer();
const notes = () => database.db.collection<{ _id: string; [key: string]: unknown }>('notes');
let app: TestServer;
const told: unknown[] = [];

beforeAll(async () => {
  const { db } = database;
  const router = new Router({ prefix: '/my' });
  const tell = afterHooks([(_ctx: unknown, result: unknown) => told.push(result)]);
  const own = scope(Note, () => ({ owner: 'ann' }));
  const routes: [string, string, ...ResourceMiddleware[]][] = [
    ['get', '/notes', own, listQuery(Note, cursorPaging()), findPage(Note, { db }), tell, page()],
    ['post', '/notes', jsonBody(), checkCreate(Note), insert(Note, { db }), tell, record({ created: true })],
    ['get', '/notes/:id', own, notModified(), findRecord(Note, { db }), tell, record()],
    ['patch', '/notes/:id', own, jsonBody(), ifMatch(), checkPatch(Note), update(Note, { db }), tell, record()],
    ['put', '/notes/:id', own, jsonBody(), ifMatch({ required: true }), checkPut(Note), update(Note, { db }), tell, record()],
    ['delete', '/notes/:id', own, ifMatch(), remove(Note, { db }), tell, noContent()],
    ['get', '/private/:id', findRecord(Note, { db, fetchPrivate: true }), tell, record()],
    ['get', '/forgot/query', findPage(Note, { db })],
    ['post', '/forgot/check', insert(Note, { db })],
    ['patch', '/forgot/changes/:id', update(Note, { db })],
    ['get', '/forgot/find', record()],
    ['get', '/forgot/page', page()],
    ['get', '/forgot/id', findRecord(Note, { db })],
    ['delete', '/forgot/id', remove(Note, { db })],
  ];
  for (const [method, path, ...chain] of routes) router[method as 'get'](path, ...(chain as unknown as Koa.Middleware[] as never[]));
  app = await serve(problems(), router.routes() as unknown as Koa.Middleware);
});

beforeEach(async () => {
  told.length = 0;
  app.errors.length = 0;
  await notes().deleteMany({});
  await notes().insertMany([
    { _id: 'a', text: 'x', owner: 'ann', secret: 's', revision: 1 },
    { _id: 'b', text: 'y', owner: 'ann', secret: 's', revision: 1 },
    { _id: 'c', text: 'z', owner: 'ben', secret: 's', revision: 1 },
  ]);
});

describe("the middlewares in somebody's own Koa app", () => {
  it('list', async () => {
    const { status, headers, body } = await app.request('GET', '/my/notes?sort=-text&limit=1');
    expect([status, body.data]).toEqual([200, [{ id: 'b', text: 'y', owner: 'ann', revision: 1 }]]);
    expect(headers.link).toBe(`</my/notes?sort=-text&limit=1&after=${body.page.next_cursor}>; rel="next"`);
    const next = await app.request('GET', /<(.*)>/.exec(String(headers.link))?.[1] ?? '');
    expect([next.body.data[0].id, next.body.page.next_cursor]).toEqual(['a', null]);
    expect(told[0]).toEqual([expect.objectContaining({ id: 'b' })]);
  });

  it('create', async () => {
    const { status, headers, body } = await app.request('POST', '/my/notes', { body: { id: 'n/1', text: 'x' } });
    expect([status, headers.location, headers.etag]).toEqual([201, '/my/notes/n%2F1', '"0"']);
    expect(body).toEqual({ data: { id: 'n/1', text: 'x', owner: 'ann', revision: 0 } });
    expect((await app.request('GET', headers.location ?? '')).body).toEqual(body);
    expect((await app.request('POST', '/my/notes', { body: { id: 'n/1', text: 'x' } })).status).toBe(409);
  });

  it('get', async () => {
    expect((await app.request('GET', '/my/notes/a')).headers.etag).toBe('"1"');
    expect((await app.request('GET', '/my/notes/a', { headers: { 'if-none-match': '"1"' } })).status).toBe(304);
    for (const id of ['c', 'none']) expect((await app.request('GET', `/my/notes/${id}`)).status).toBe(404);
  });

  it('fetch private fields for hooks only where they are asked for, and never send them', async () => {
    await app.request('GET', '/my/notes/a');
    const { text } = await app.request('GET', '/my/private/a');
    expect(told).toEqual([expect.objectContaining({ secret: 'hidden' }), expect.objectContaining({ secret: 's' })]);
    expect(text).not.toContain('secret');
  });

  it('patch', async () => {
    expect((await app.request('PATCH', '/my/notes/a', { body: { text: 'new' }, headers: { 'if-match': '"0"' } })).status).toBe(412);
    const { status, headers, body } = await app.request('PATCH', '/my/notes/a', { body: { text: 'new' }, headers: { 'if-match': '"1"' } });
    expect([status, headers.etag, body.data.text]).toEqual([200, '"2"', 'new']);
    expect((await app.request('PATCH', '/my/notes/a', { body: { place: { zip: '1' } } })).body.errors).toMatchObject([
      { field: 'place', message: expect.stringContaining('city') },
    ]);
    expect((await app.request('PATCH', '/my/notes/c', { body: { text: 'new' } })).status).toBe(404);
  });

  it('put', async () => {
    expect((await app.request('PUT', '/my/notes/a', { body: { text: 'new' } })).status).toBe(428);
    const { status, body } = await app.request('PUT', '/my/notes/a', { body: { text: 'new' }, headers: { 'if-match': '*' } });
    expect([status, body.data]).toEqual([200, { id: 'a', text: 'new', owner: 'ann', revision: 2 }]);
  });

  it('delete', async () => {
    expect((await app.request('DELETE', '/my/notes/a', { headers: { 'if-match': '"0"' } })).status).toBe(412);
    const { status, headers, text } = await app.request('DELETE', '/my/notes/a');
    expect([status, text]).toEqual([204, '']);
    expect(headers).not.toHaveProperty('etag');
    expect(told).toEqual([{ id: 'a', text: 'x', owner: 'ann', secret: 's', revision: 1 }]);
    for (const id of ['a', 'c']) expect((await app.request('DELETE', `/my/notes/${id}`)).status).toBe(404);
  });

  it('bind cursors to the collection, unless a list has a name of its own', async () => {
    const { db } = database;
    const named = await serve(problems(), listQuery(Note, cursorPaging(), { name: 'my list' }), findPage(Note, { db }), page());
    const { body } = await named.request('GET', '/?limit=1');
    expect((await named.request('GET', `/?limit=1&after=${body.page.next_cursor}`)).status).toBe(200);
    expect((await app.request('GET', `/my/notes?limit=1&after=${body.page.next_cursor}`)).body.code).toBe('invalid_cursor');
  });
});

describe("the middlewares of a model whose records are marked as deleted, in somebody's own Koa app", () => {
  const Parcel = defineModel('Parcel', {
    collection: 'parcels',
    fields: {
      id: t.string({ policy: { insert: true } }),
      place: t.string({ policy: { filter: true, group: true } }),
      revision: t.revision(),
      deletedAt: t.deletedAt(),
    },
  });
  const isAdmin = (ctx: Context) => ctx.get('x-admin') === 'yes';
  const admin = { 'x-admin': 'yes' };
  const ids = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);
  let parcels: TestServer;

  beforeAll(async () => {
    const { db } = database;
    const router = new Router();
    const list = [deleted(Parcel, [isAdmin]), listQuery(Parcel, cursorPaging()), findPage(Parcel, { db }), page()];
    const routes: [string, string, ...ResourceMiddleware[]][] = [
      ['get', '/parcels', ...list],
      ['post', '/parcels/query', queryBody(), ...list],
      ['get', '/parcels/aggregate', deleted(Parcel, [isAdmin]), aggregate(Parcel, { db })],
      ['delete', '/parcels/:id', remove(Parcel, { db }), noContent()],
      ['post', '/parcels/:id/restore', ifMatch(), restore(Parcel, { db }), record()],
    ];
    for (const [method, path, ...chain] of routes) router[method as 'get'](path, ...(chain as unknown as Koa.Middleware[] as never[]));
    parcels = await serve(problems(), router.routes() as unknown as Koa.Middleware);
  });

  beforeEach(async () => {
    const collection = database.db.collection<{ _id: string; place: string; revision: number }>('parcels');
    await collection.deleteMany({});
    await collection.insertMany([
      { _id: 'a', place: 'Bern', revision: 1 },
      { _id: 'b', place: 'Bern', revision: 1 },
    ]);
    expect((await parcels.request('DELETE', '/parcels/a')).status).toBe(204);
  });

  it('list', async () => {
    expect(ids(await parcels.request('GET', '/parcels'))).toEqual(['b']);
    expect(ids(await parcels.request('GET', '/parcels?deleted=only', { headers: admin }))).toEqual(['a']);
    expect((await parcels.request('GET', '/parcels?deleted=only')).status).toBe(403);
  });

  it('list by parameters in a body', async () => {
    const query = (body: object) => parcels.request('POST', '/parcels/query', { headers: admin, body });
    expect(ids(await query({ place: 'Bern', deleted: 'with' }))).toEqual(['a', 'b']);
    expect((await query({ plaec: 'Bern' })).body.code).toBe('invalid_query');
  });

  it('aggregate', async () => {
    const count = (query: string) => parcels.request('GET', `/parcels/aggregate?group=place&count=true${query}`, { headers: admin });
    expect((await count('')).body).toEqual({ data: [{ group: { place: 'Bern' }, count: 1 }] });
    expect((await count('&deleted=with')).body).toEqual({ data: [{ group: { place: 'Bern' }, count: 2 }] });
  });

  it('restore', async () => {
    expect((await parcels.request('POST', '/parcels/a/restore', { headers: { 'if-match': '"1"' } })).status).toBe(412);
    const { status, headers, body } = await parcels.request('POST', '/parcels/a/restore', { headers: { 'if-match': '"2"' } });
    expect([status, headers.etag, body.data]).toEqual([200, '"3"', { id: 'a', place: 'Bern', revision: 3 }]);
    expect((await parcels.request('POST', '/parcels/a/restore')).status).toBe(404);
  });
});

describe('a chain that lacks a middleware', () => {
  it.each([
    ['GET', '/my/forgot/query', 'listQuery'],
    ['POST', '/my/forgot/check', 'checkCreate'],
    ['PATCH', '/my/forgot/changes/a', 'checkPatch'],
    ['GET', '/my/forgot/find', 'findRecord'],
    ['GET', '/my/forgot/page', 'findPage'],
    ['GET', '/my/forgot/id', ':id'],
    ['DELETE', '/my/forgot/id', ':id'],
  ])('is a 500 that names it to app.on(error): %s %s lacks %s', async (method, path, name) => {
    const { body } = await app.request(method, path);
    expect(body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
    expect(app.errors.map(({ message }) => message)).toEqual([expect.stringContaining(`\`${name}\``)]);
  });
});

describe('options that are none', () => {
  const makers = { findRecord, findPage, insert, update, remove };
  it.each(Object.entries(makers))('are refused when the middleware is made: %s', (_name, make) => {
    const { db } = database;
    for (const options of [{}, { db: undefined }, { db: 'shop' }, { db, maxTimeMS: 0 }, { db, maxTimeMS: 1.5 }, { db, maxTimeMS: '5' }]) {
      expect(() => make(Note, options as never)).toThrow(ConfigurationError);
    }
    expect(() => make({ name: 'x' } as never, { db })).toThrow(ConfigurationError);
  });

  it('are refused for hooks too', () => {
    expect(() => afterHooks(['mail'] as never)).toThrow(ConfigurationError);
  });
});
