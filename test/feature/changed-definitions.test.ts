import { cursorPaging, defineModel, guards, openapiDocument, planIndexes, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';

const database = useDatabase();
const serve = useServer();

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ policy: { filter: true } }),
    owner: t.string({ policy: { update: false } }),
    revision: t.revision(),
    deletedAt: t.deletedAt(),
  },
});

/** Empties arrays and tables, as an app does that uses them again for something else. */
function empty(one: object): void {
  if (Array.isArray(one)) one.length = 0;
  else
    for (const [key, value] of Object.entries(one)) {
      if (typeof value === 'object') empty(value);
      Reflect.deleteProperty(one, key);
    }
}

it('what an app does to the arrays and tables of a resource after the start changes none of its operations', async () => {
  const ran: string[] = [];
  const runs = (name: string) => () => {
    ran.push(name);
    return true;
  };
  const makeParts = () => ({
    ops: ['list', 'get', 'create', 'patch', 'delete'],
    guards: [runs('guard')],
    guardsFor: { patch: [runs('guard of patch')] },
    before: { create: [runs('before')] },
    within: { patch: [runs('within')] },
    after: { delete: [runs('after')] },
    deleted: { guards: [runs('guard of deleted')] },
    serverFields: { create: () => ({ owner: 'ann' }) },
    vary: ['X-Tenant'],
    scope: () => ({ owner: 'ann' }),
    scopeFields: ['owner'],
    filters: ['text = … OR text = …'],
    paging: cursorPaging({ max: 2 }),
  });
  const shop = service();
  const apiOf = (parts: object) => shop.api({ db: database.db, resources: [shop.resource({ model: Note, ...parts } as never)] });
  const parts = makeParts();
  const api = apiOf(parts);
  empty(parts);
  const { request } = await serve(api.routes());

  const created = await request('POST', '/notes', { body: { id: 'a', text: 'x' } });
  expect([created.status, created.body.data.owner, created.headers.vary]).toEqual([201, 'ann', 'X-Tenant']);
  expect((await request('PATCH', '/notes/a', { body: { text: 'y' } })).status).toBe(200);
  expect((await request('DELETE', '/notes/a')).status).toBe(204);
  expect((await request('GET', '/notes?deleted=with')).status).toBe(200);
  expect(ran).toEqual(['guard', 'before', 'guard', 'guard of patch', 'within', 'guard', 'after', 'guard', 'guard of deleted']);
  const unchanged = apiOf(makeParts());
  expect([openapiDocument(api), await planIndexes(api)]).toEqual([openapiDocument(unchanged), await planIndexes(unchanged)]);
});

it('nor what a caller sees whose view is compiled later, nor who may see an answer again', async () => {
  const readers = ['staff'];
  const near = { maxMetres: 10 };
  const include = ['tag'];
  const rules = { staff: (principal: string): boolean => principal === 'ann', member: (principal: string): boolean => principal === 'ben' };
  let isOpen = true;
  const use = [guards(() => isOpen)];
  const Paper = defineModel('Paper', {
    collection: 'papers',
    fields: {
      id: t.string({ policy: { insert: true } }),
      secret: t.string({ default: '', policy: { read: readers as never } }),
      remark: t.string({ default: '', policy: { read: 'member' } }),
      tagId: t.ref('Tag', { id: t.string(), as: 'tag' }),
      place: t.optional(t.point({ policy: { near } })),
    },
  });
  const Tag = defineModel('Tag', { collection: 'tags', fields: { id: t.string({ policy: { insert: true } }) } });
  const shop = service({ authenticate: (ctx) => ctx.get('authorization'), rules });
  const papers = shop.resource({
    model: Paper,
    include: include as never,
    operations: { send: { use, handler: (ctx) => ctx.load() } },
  });
  const idempotency = { principal: () => 'all' };
  const api = shop.api({ db: database.db, idempotency, resources: [papers, shop.resource({ model: Tag })] });
  await database.db.collection<{ _id: string }>('tags').insertOne({ _id: 't' });
  await database.db.collection<{ _id: string; [key: string]: string }>('papers').insertOne({ _id: 'a', secret: 'x', tagId: 't' });
  readers.push('member');
  near.maxMetres = 1_000;
  include.length = 0;
  use.length = 0;
  rules.staff = () => true;
  const { request } = await serve(api.routes());

  const as = (authorization: string) => ({ headers: { authorization, 'idempotency-key': 'k' } });
  const seen = async (caller: string) => Object.keys((await request('GET', '/papers/a?include=tag', as(caller))).body.data);
  expect([await seen('ann'), await seen('ben')]).toEqual([
    ['id', 'secret', 'tagId', 'tag'],
    ['id', 'remark', 'tagId', 'tag'],
  ]);
  expect((await request('GET', '/papers?near=8,47,500', as('ann'))).status).toBe(400);
  expect((await request('POST', '/papers/a/send', as('ben'))).status).toBe(200);
  isOpen = false;
  expect((await request('POST', '/papers/a/send', as('ben'))).status).toBe(403);
});
