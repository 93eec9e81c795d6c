import type Koa from 'koa';
import type { Db } from 'mongodb';
import rawBody from 'raw-body';
import {
  afterHooks,
  authenticate,
  beforeHooks,
  bodyLimit,
  type Context,
  checkCreate,
  checkPatch,
  checkPut,
  cursorPaging,
  type Document,
  everything,
  filterQuery,
  guards,
  ifMatch,
  insert,
  jsonBody,
  listQuery,
  notModified,
  problems,
  remove,
  scope,
  t,
  typedQuery,
  update,
  type Written,
  withinTransaction,
} from '../../src/index.ts';
import { concerns } from '../support/card.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';
import { Note } from '../support/models/note.ts';

const database = useDatabase();
const serve = useServer();
const notes = () => database.db.collection<{ _id: string; text: string; owner?: string; revision?: number }>('notes');
const stored = { _id: 'a', text: 'x', owner: 'ann', secret: 's', revision: 1 };

beforeEach(async () => {
  await notes().deleteMany({});
  await notes().insertMany([stored, { _id: 'b', text: 'y', owner: 'ben', revision: 1 }]);
});

/** A middleware of the app itself, which fills slots of the context. */
const fill =
  (slots: object): Koa.Middleware =>
  (ctx, next) => {
    Object.assign(ctx, slots);
    return next();
  };
/** A parser of the app itself, which leaves a body. */
const parse =
  (body: unknown): Koa.Middleware =>
  (ctx, next) => {
    Object.assign(ctx.request, { body });
    return next();
  };
/** Serves middlewares above a handler of the app itself, which answers with what they have left. */
const show = (left: (ctx: Context) => unknown, ...middlewares: readonly Koa.Middleware[]) =>
  serve(...middlewares, async (ctx) => {
    ctx.body = { left: await left(ctx as Context) };
  });
const showRecord = (...middlewares: readonly Koa.Middleware[]) =>
  show(({ record }) => JSON.parse(record?.toText() ?? 'null'), ...middlewares);
const asUser = (name: string) => ({ headers: { 'x-user': name } });

/**
 * Tries each middleware in an app that has nothing else of the library, but for the one whose result it needs. Even
 * `problems` is not there: Koa itself answers what a middleware throws.
 */
const alone: Readonly<Record<string, (db: Db) => Promise<void>>> = {
  async bodyLimit() {
    const { request } = await show((ctx) => rawBody(ctx.req, { limit: ctx.bodyLimit ?? null, encoding: true }), bodyLimit(10));
    expect((await request('POST', '/', { body: '{"a":1}' })).body).toEqual({ left: '{"a":1}' });
    expect((await request('POST', '/', { body: '{"a":10000}' })).status).toBe(413);
  },

  async jsonBody() {
    const { request } = await show((ctx) => ctx.request.body, jsonBody({ limit: 10 }));
    expect((await request('POST', '/', { body: '{"a":1}' })).body).toEqual({ left: { a: 1 } });
    expect((await request('POST', '/', { body: '{"a":10000}' })).status).toBe(413);
    expect((await request('POST', '/', { body: '{' })).status).toBe(400);
    expect((await request('POST', '/', { body: '5' })).status).toBe(422);
  },

  async authenticate() {
    const identify = authenticate((ctx) => ctx.get('x-user') || undefined);
    const { request } = await show((ctx) => ctx.requirePrincipal(), identify);
    expect((await request('GET', '/', asUser('ann'))).body).toEqual({ left: 'ann' });
    expect((await request('GET', '/')).status).toBe(401);
  },

  async guards() {
    const asked: string[] = [];
    const isAnn = (ctx: Context) => {
      asked.push(ctx.get('x-user'));
      return ctx.get('x-user') === 'ann';
    };
    const { request } = await show(() => 'open', guards(isAnn), guards(isAnn, isAnn));
    expect((await request('GET', '/', asUser('ann'))).body).toEqual({ left: 'open' });
    expect((await request('GET', '/', asUser('ben'))).status).toBe(403);
    expect(asked).toEqual(['ann', 'ben']);
  },

  async scope() {
    const own = scope(Note, (ctx) => ({ owner: ctx.get('x-user') }));
    const { request } = await show((ctx) => notes().distinct('_id', ctx.scope ?? {}), own);
    expect((await request('GET', '/', asUser('ben'))).body).toEqual({ left: ['b'] });
  },

  async ifMatch() {
    const { request } = await show(() => 'written', ifMatch({ required: true, current: () => '1' }));
    const statuses = [undefined, '1', '"0"', '"1"'].map(
      async (tag) => (await request('PUT', '/', { headers: { 'if-match': tag } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([428, 400, 412, 200]);
  },

  async notModified() {
    const { request } = await serve(notModified(), (ctx) => {
      ctx.set('ETag', '"1"');
      ctx.body = 'as it is';
    });
    expect(await request('GET', '/', { headers: { 'if-none-match': '"1"' } })).toMatchObject({ status: 304, text: '' });
    expect(await request('GET', '/', { headers: { 'if-none-match': '"0"' } })).toMatchObject({ status: 200, text: 'as it is' });
  },

  async listQuery() {
    const { request } = await show(({ listQuery: query }) => [query?.conditions[0]?.value, query?.limit], listQuery(Note, cursorPaging()));
    expect((await request('GET', '/?text=x&limit=5')).body).toEqual({ left: ['x', 5] });
    for (const query of ['x=1', 'owner=ann', 'text[$ne]=x']) expect((await request('GET', `/?${query}`)).status).toBe(400);
  },

  async filterQuery() {
    const { request } = await show(({ filterQuery: query }) => [query?.conditions[0]?.value, query?.max], filterQuery(Note));
    expect((await request('PATCH', '/?text=x&max_affected=5')).body).toEqual({ left: ['x', 5] });
    for (const query of ['', 'x=1', 'owner=ann']) expect((await request('PATCH', `/?${query}`)).status).toBe(400);
  },

  async typedQuery() {
    const { request } = await show((ctx) => ctx.typedQuery, typedQuery({ days: t.int({ minimum: 1, default: 7 }) }));
    expect((await request('GET', '/')).body).toEqual({ left: { days: 7 } });
    for (const query of ['x=1', 'days=0', 'days=x']) expect((await request('GET', `/?${query}`)).status).toBe(400);
  },

  async checkCreate() {
    const insertOwn = async ({ created }: Context) => (await notes().insertOne(created as never)).insertedId;
    const good = await show(insertOwn, parse({ id: 'c', text: 'z' }), checkCreate(Note));
    expect((await good.request('POST', '/')).body).toEqual({ left: 'c' });
    expect(await notes().findOne({ _id: 'c' })).toEqual({ _id: 'c', text: 'z', owner: 'ann', secret: 'hidden', revision: 0 });
    const bad = await show(insertOwn, parse({ id: 'd', text: 'z', secret: 's' }), checkCreate(Note));
    expect((await bad.request('POST', '/')).status).toBe(422);
  },

  async checkPatch() {
    const good = await show(changed, parse({ text: 'z' }), checkPatch(Note));
    expect((await good.request('PATCH', '/')).body).toEqual({ left: ['text'] });
    const bad = await show(changed, parse({ secret: 's' }), checkPatch(Note));
    expect((await bad.request('PATCH', '/')).status).toBe(422);
  },

  async checkPut() {
    const good = await show(changed, parse({ text: 'z' }), checkPut(Note));
    expect((await good.request('PUT', '/')).body).toEqual({ left: ['text', 'place'] });
    const bad = await show(changed, parse({}), checkPut(Note));
    expect((await bad.request('PUT', '/')).status).toBe(422);
  },

  async insert(db) {
    const created = { _id: 'c', text: 'z', owner: 'ann', secret: 's', revision: 0 };
    const { request } = await showRecord(fill({ created }), insert(Note, { db }));
    expect((await request('POST', '/')).body).toEqual({ left: { id: 'c', text: 'z', owner: 'ann', revision: 0 } });
    expect(await notes().findOne({ _id: 'c' })).toEqual(created);
    expect((await request('POST', '/')).status).toBe(409);
  },

  async update(db) {
    const own = fill({ params: { id: 'a' }, scope: { owner: 'ann' } });
    const { request } = await showRecord(own, parse({ text: 'new' }), checkPatch(Note), update(Note, { db }));
    expect((await request('PATCH', '/')).body).toEqual({ left: { id: 'a', text: 'new', owner: 'ann', revision: 2 } });
    await notes().updateOne({ _id: 'a' }, { $set: { owner: 'ben' } });
    expect((await request('PATCH', '/')).status).toBe(404);
  },

  async remove(db) {
    const { request } = await showRecord(fill({ params: { id: 'a' }, scope: { owner: 'ann' } }), remove(Note, { db }));
    expect((await request('DELETE', '/')).body).toEqual({ left: { id: 'a', text: 'x', owner: 'ann', revision: 1 } });
    expect((await request('DELETE', '/')).status).toBe(404);
  },

  async beforeHooks() {
    const shout = (_ctx: unknown, draft: unknown) => Object.assign(draft as object, { text: 'X' });
    const { request } = await show((ctx) => ctx.created, fill({ created: stored }), beforeHooks(Note, [shout]));
    expect((await request('POST', '/')).body).toEqual({ left: { ...stored, text: 'X' } });
    const spoil = (_ctx: unknown, draft: unknown) => Object.assign(draft as object, { text: 5 });
    const broken = await show((ctx) => ctx.created, fill({ created: stored }), beforeHooks(Note, [spoil]));
    expect((await broken.request('POST', '/')).status).toBe(422);
  },

  async withinTransaction(db) {
    const hook = async (_ctx: unknown, { after, tx }: Written<Document<typeof Note>, Document<typeof Note>>) => {
      const log = tx.store(Note, { scope: everything });
      await log.create({ id: `${after.id}-log`, text: 'created' });
      if (after.text === 'bad') throw new Error('The transaction is undone.');
    };
    const write = withinTransaction(insert(Note, { db }), [hook], { db });
    const created = { _id: 'c', text: 'good', owner: 'ann', secret: 's', revision: 0 };
    const good = await showRecord(fill({ created }), write);
    expect((await good.request('POST', '/')).body).toMatchObject({ left: { id: 'c' } });
    const bad = await showRecord(fill({ created: { ...created, _id: 'd', text: 'bad' } }), write);
    expect((await bad.request('POST', '/')).status).toBe(500);
    expect((await notes().distinct('_id')).sort()).toEqual(['a', 'b', 'c', 'c-log']);
  },

  async afterHooks() {
    const told: unknown[] = [];
    const hooks = afterHooks([(_ctx: unknown, result: unknown) => told.push(result)]);
    const { request } = await show(() => 'sent', fill({ result: { value: 3 } }), hooks);
    expect((await request('POST', '/')).body).toEqual({ left: 'sent' });
    expect(told).toEqual([3]);
  },

  async problems() {
    const { request } = await serve(problems(), (ctx) => ctx.throw(409, 'Taken.'));
    const { headers, body } = await request('GET', '/');
    expect(headers['content-type']).toBe('application/problem+json');
    expect(body).toEqual({ type: 'about:blank', title: 'Conflict', status: 409, detail: 'Taken.', code: 'conflict' });
  },
};

function changed({ changes }: Context): unknown {
  return changes?.assignments.map(({ path }) => path);
}

describe.each(Object.entries(concerns))("in somebody's own Koa app, without a resource: %s", (_concern, names) => {
  it.each(names)('%s works alone', async (name) => {
    expect(Object.keys(alone)).toContain(name);
    await alone[name]?.(database.db);
  });
});

it('every middleware that is tried here has a concern of the card', () => {
  expect(Object.keys(alone)).toEqual(Object.values(concerns).flat());
});
