import Router from '@koa/router';
import Koa from 'koa';
import {
  affected,
  afterHooks,
  answer,
  authenticate,
  type Context,
  checkCreate,
  checkPatch,
  checkPut,
  cursorPaging,
  type Document,
  defineModel,
  everything,
  fields,
  filterQuery,
  findPage,
  findRecord,
  guards,
  handler,
  ifMatch,
  inFlightLimit,
  insert,
  jsonBody,
  listQuery,
  noContent,
  notModified,
  page,
  problems,
  type ResourceMiddleware,
  record,
  remove,
  removeMany,
  scope,
  stores,
  t,
  typedQuery,
  Unauthorized,
  update,
  updateMany,
  type Written,
  withinTransaction,
} from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { type Answer, type Sent, send } from '../support/http/serve.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ policy: { filter: true } }),
    owner: t.string({ policy: { insert: false, update: false } }),
    revision: t.revision(),
  },
});

const database = useDatabase();
const listen = useListener();
const docs = () => database.db.collection<{ _id: string; text: string; owner: string; revision?: number }>('docs');
const told: unknown[] = [];
const errors: Error[] = [];

/** Serves middlewares in a Koa app that has nothing else of the library but `problems`. */
async function serve(build: (router: Router) => void): Promise<(method: string, path: string, sent?: Sent) => Promise<Answer>> {
  const router = new Router();
  build(router);
  const app = new Koa().use(problems());
  app.use(router.routes());
  app.on('error', (error: Error) => errors.push(error));
  const port = await listen(app.callback());
  return (...given) => send(port, ...given);
}

beforeEach(async () => {
  told.length = 0;
  await docs().deleteMany({});
  await docs().insertMany([
    { _id: 'a', text: 'x', owner: 'ann', revision: 1 },
    { _id: 'b', text: 'y', owner: 'ben' },
  ]);
});
afterEach(() => {
  errors.length = 0;
});

describe('an operation that reads, put together by hand', () => {
  it('has its parameters, and answers records within their bytes', async () => {
    const { db } = database;
    const query = { owner: t.enum(['ann', 'ben']), tags: t.array(t.string(), { default: [] }) };
    const find = handler(
      async (ctx) => {
        told.push(ctx.typedQuery);
        return ctx.store(Doc, { scope: everything }).find({ owner: ctx.typedQuery?.owner as string });
      },
      { model: Doc, answer: 'records', maxPageBytes: 1024 },
    );
    const request = await serve((router) => {
      router.get('/found', stores({ db }), typedQuery(query, { maxItems: 2 }), find, answer());
    });
    expect((await request('GET', '/found?owner=ann')).body).toEqual({ data: [{ id: 'a', text: 'x', owner: 'ann', revision: 1 }] });
    expect(told).toEqual([{ owner: 'ann', tags: [] }]);
    expect((await request('GET', '/found?owner=an')).body.errors[0]).toMatchObject({ field: 'owner', rule: 'enum' });
    expect((await request('GET', '/found?owner=ben&tags=a,b,c')).body.errors[0]).toMatchObject({ field: 'tags', rule: 'maxItems' });
    await docs().insertMany(['c', 'd'].map((_id) => ({ _id, text: 'x'.repeat(800), owner: 'ben' })));
    expect((await request('GET', '/found?owner=ben')).body.errors[0]).toMatchObject({ field: '', rule: 'page_too_large' });
    expect(errors).toEqual([]);
  });
});

describe('the operations of a resource, put together by hand', () => {
  let request: Awaited<ReturnType<typeof serve>>;
  const ann = { authorization: 'ann' };
  beforeAll(async () => {
    const { db } = database;
    const who = authenticate((ctx) => ctx.get('authorization') || undefined);
    const isKnown = guards((ctx: Context) => {
      if (!ctx.principal) throw new Unauthorized();
      return true;
    });
    const rows = scope(Doc, (ctx: { principal?: unknown }) => ({ owner: String(ctx.principal) }));
    const hooks = afterHooks([(_ctx: unknown, result: unknown) => told.push(result)]);
    request = await serve((router) => {
      router.use(inFlightLimit(10), who, isKnown, rows);
      router.get('/docs', listQuery(Doc, cursorPaging()), findPage(Doc, { db }), hooks, page());
      router.get('/docs/:id', fields(Doc), notModified(), findRecord(Doc, { db }), hooks, record());
      router.post(
        '/docs',
        jsonBody(),
        checkCreate(Doc, { serverFields: () => ({ owner: 'ann' }) }),
        insert(Doc, { db }),
        hooks,
        record({ created: true }),
      );
      router.patch('/docs/:id', jsonBody(), ifMatch(), checkPatch(Doc), update(Doc, { db }), hooks, record());
      router.put('/docs/:id', jsonBody(), ifMatch({ required: true }), checkPut(Doc), update(Doc, { db }), record());
      router.delete('/docs/:id', ifMatch(), remove(Doc, { db }), hooks, noContent());
      router.patch('/docs', filterQuery(Doc), jsonBody(), checkPatch(Doc), updateMany(Doc, { db }), hooks, affected());
      router.delete('/docs', filterQuery(Doc, { maxAffected: 1 }), removeMany(Doc, { db }), hooks, affected());
    });
  });

  it('have hooks in the transaction of the write', async () => {
    const { db } = database;
    const copy = async (_ctx: unknown, { after, tx }: Written<Document<typeof Doc>, Document<typeof Doc>>) => {
      await tx.store(Doc, { scope: everything }).create({ id: `${after.id}2`, text: after.text, owner: after.owner });
      if (after.text === 'bad') throw new Error('no');
    };
    const within = await serve((router) => {
      router.patch('/docs/:id', jsonBody(), checkPatch(Doc), withinTransaction(update(Doc, { db }), [copy], { db }), record());
    });
    expect((await within('PATCH', '/docs/a', { body: { text: 'bad' } })).status).toBe(500);
    expect(await docs().countDocuments()).toBe(2);
    expect((await within('PATCH', '/docs/a', { body: { text: 'good' } })).body).toMatchObject({ data: { text: 'good', revision: 2 } });
    expect(await docs().findOne({ _id: 'a2' })).toMatchObject({ text: 'good' });
  });

  it.each<[string, string, number, Sent, object | undefined]>([
    [
      'GET',
      '/docs',
      200,
      {},
      { data: [{ id: 'a', text: 'x', owner: 'ann', revision: 1 }], page: { size: 20, has_next: false, next_cursor: null } },
    ],
    ['GET', '/docs?text=y', 200, {}, { data: [] }],
    ['GET', '/docs?x=1', 400, {}, { code: 'invalid_query' }],
    ['GET', '/docs/a', 200, {}, { data: { id: 'a' } }],
    ['GET', '/docs/a?fields=text', 200, {}, { data: { id: 'a', text: 'x' } }],
    ['GET', '/docs/a?fields=txt', 400, {}, { code: 'invalid_query' }],
    ['GET', '/docs/a', 304, { headers: { 'if-none-match': '"1"' } }, undefined],
    ['GET', '/docs/b', 404, {}, { code: 'not_found' }],
    ['POST', '/docs', 201, { body: { id: 'c', text: 'z' } }, { data: { id: 'c', owner: 'ann', revision: 0 } }],
    ['POST', '/docs', 422, { body: { owner: 'ann' } }, { code: 'validation_failed' }],
    ['POST', '/docs', 409, { body: { id: 'a', text: 'z' } }, { code: 'duplicate_key' }],
    ['PATCH', '/docs/a', 200, { body: { text: 'z' } }, { data: { text: 'z', revision: 2 } }],
    ['PATCH', '/docs/a', 412, { body: { text: 'z' }, headers: { 'if-match': '"0"' } }, { code: 'precondition_failed' }],
    ['PUT', '/docs/a', 428, { body: { text: 'z' } }, { code: 'precondition_required' }],
    ['PUT', '/docs/a', 200, { body: { text: 'z' }, headers: { 'if-match': '*' } }, { data: { text: 'z', owner: 'ann' } }],
    ['PATCH', '/docs?text[in]=x,y', 200, { body: { text: 'z' } }, { data: { matched: 1, modified: 1 } }],
    ['PATCH', '/docs', 400, { body: { text: 'z' } }, { code: 'invalid_query' }],
    ['DELETE', '/docs?text=x', 200, {}, { data: { matched: 1, modified: 1 } }],
    ['DELETE', '/docs?text=x&max_affected=2', 400, {}, { code: 'invalid_query' }],
    ['DELETE', '/docs/b', 404, {}, { code: 'not_found' }],
    ['DELETE', '/docs/a', 204, {}, undefined],
  ])('%s %s is %i', async (method, path, status, sent, body) => {
    const answer = await request(method, path, { ...sent, headers: { ...ann, ...sent.headers } });
    expect(answer.status).toBe(status);
    if (body) expect(answer.body).toMatchObject(body);
    expect((await request(method, path, sent)).status).toBe(401);
    expect(errors).toEqual([]);
  });

  it('tells hooks of records as documents', async () => {
    await request('GET', '/docs', { headers: ann });
    await request('DELETE', '/docs/a', { headers: ann });
    expect(told).toEqual([[expect.objectContaining({ id: 'a', owner: 'ann' })], expect.objectContaining({ id: 'a' })]);
    told.length = 0;
    await request('DELETE', '/docs?text=y', { headers: ann });
    expect(told).toEqual([[]]);
  });
});

describe('a middleware whose forerunner was left out', () => {
  it.each<[string, () => ResourceMiddleware, string]>([
    ['findPage', () => findPage(Doc, { db: database.db }), 'listQuery'],
    ['page', () => page(), 'findPage'],
    ['record', () => record(), 'findRecord'],
    ['insert', () => insert(Doc, { db: database.db }), 'checkCreate'],
    ['update', () => update(Doc, { db: database.db }), 'checkPatch'],
    ['updateMany', () => updateMany(Doc, { db: database.db }), 'filterQuery'],
    ['removeMany', () => removeMany(Doc, { db: database.db }), 'filterQuery'],
    ['affected', () => affected(), 'updateMany'],
  ])('%s says so', async (name, make, before) => {
    const request = await serve((router) => router.get('/:id', make()));
    expect((await request('GET', '/a')).status).toBe(500);
    expect(errors.map(({ message }) => message)).toEqual([`\`${name}\` needs \`${before}\` before it in the chain.`]);
  });
});
