import Router from '@koa/router';
import type Koa from 'koa';
import { checkCreate, checkPatch, insert, jsonBody, problems, type ResourceMiddleware, record, scope, update } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';
import { Doc, stored } from '../support/models/scoped-docs.ts';

const database = useDatabase();

beforeEach(async () => {
  const docs = database.db.collection<{ _id: string }>('docs');
  await docs.deleteMany({});
  await docs.insertOne(stored);
});

const fieldsOf = (body: { errors?: { field: string }[] }) => body.errors?.map(({ field }) => field);

describe('scope() in routes of your own', () => {
  const serve = useServer();

  async function serveOwn(options?: { writes: boolean }) {
    const { db } = database;
    const own = scope(Doc, (ctx) => ({ owner: ctx.get('x-user') }), options);
    const red = scope(Doc, () => ({ tags: 'red' }));
    const raw: ResourceMiddleware = (ctx, next) => {
      ctx.created = { _id: 'raw', owner: 'ben' };
      return next();
    };
    const create = [checkCreate(Doc), insert(Doc, { db }), record({ created: true })];
    const routes: [string, string, ...ResourceMiddleware[]][] = [
      ['post', '/docs', own, jsonBody(), ...create],
      ['post', '/late', jsonBody(), checkCreate(Doc), own, insert(Doc, { db }), record({ created: true })],
      ['post', '/both', own, red, jsonBody(), ...create],
      ['patch', '/docs/:id', own, jsonBody(), checkPatch(Doc), update(Doc, { db }), record()],
      ['post', '/raw', own, raw, insert(Doc, { db }), record({ created: true })],
    ];
    const router = new Router();
    for (const [method, path, ...chain] of routes) router[method as 'post'](path, ...(chain as unknown as Koa.Middleware[] as never[]));
    return serve(problems(), router.routes() as unknown as Koa.Middleware);
  }
  const headers = { 'x-user': 'ann' };

  it('a scope binds `insert` and `update` below it, wherever it stands above them', async () => {
    const { request, errors } = await serveOwn();
    for (const path of ['/docs', '/late']) {
      expect((await request('POST', path, { headers, body: { id: 'n', owner: 'ben' } })).body.errors).toEqual([
        { field: 'owner', message: 'must keep the record within your reach', rule: 'scope' },
      ]);
    }
    expect((await request('PATCH', '/docs/a', { headers, body: { owner: 'ben' } })).status).toBe(422);
    expect((await request('PATCH', '/docs/a', { headers, body: { text: 'new' } })).status).toBe(200);
    expect((await request('POST', '/docs', { headers, body: { id: 'n', owner: 'ann' } })).status).toBe(201);
    expect(errors).toEqual([]);
  });

  it('every scope of a chain does', async () => {
    const { request } = await serveOwn();
    expect(fieldsOf((await request('POST', '/both', { headers, body: { id: 'n', owner: 'ben' } })).body)).toEqual(['owner', 'tags']);
    expect((await request('POST', '/both', { headers, body: { id: 'n', tags: ['red'] } })).status).toBe(201);
  });

  it("what no check of a client's body has left is the deployer's", async () => {
    const { request, errors } = await serveOwn();
    expect((await request('POST', '/raw', { headers })).status).toBe(500);
    expect(errors).toHaveLength(1);
  });

  it('`writes: false` turns it off', async () => {
    const { request } = await serveOwn({ writes: false });
    expect((await request('POST', '/docs', { headers, body: { id: 'n', owner: 'ben' } })).status).toBe(201);
    expect((await request('PATCH', '/docs/a', { headers, body: { owner: 'ben' } })).status).toBe(200);
    expect((await request('PATCH', '/docs/a', { headers, body: { owner: 'ann' } })).status).toBe(404);
  });
});
