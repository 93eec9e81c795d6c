import { type Api, applyIndexes, type Delivery, defineModel, type Event, planIndexes, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { LiveStream } from '../support/http/live-stream.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const Article = defineModel('Article', {
  collection: 'articles',
  fields: {
    id: t.string({ policy: { insert: true, sort: true } }),
    slug: t.string({ unique: true, policy: { filter: ['eq'] } }),
    title: t.string({ policy: { sort: true } }),
    published: t.boolean({ default: false, policy: { filter: true } }),
    note: t.optional(t.string({ policy: { private: true } })),
    revision: t.revision(),
  },
  indexes: [{ fields: ['published', 'title'] }],
  history: { scopeFields: ['published'] },
  outbox: true,
});

/** Another view of the same records. */
const DeskArticle = Article.extend('DeskArticle', { fields: { note: t.optional(t.string()) } });

const database = useDatabase();
const serve = useServer();
const calls: string[] = [];
const open: { close(): unknown }[] = [];

const call = (name: string) => () => void calls.push(name);
const hooks = (name: string) => ({
  before: { write: [call(`before ${name}`)] },
  within: { write: [call(`within ${name}`)] },
  after: { write: [call(`after ${name}`)] },
});
const ops = ['list', 'get', 'create', 'patch', 'delete'] as const;
const shared = { history: true, live: true, fields: true } as const;

/** Articles for readers, and two more resources: one of the same model, and one of a model that extends it. */
function createPress(): Api {
  const press = service();
  const resources = [
    press.resource({ model: Article, ops, ...shared, scope: () => ({ published: true }), ...hooks('articles') }),
    press.resource({
      model: Article,
      path: 'admin',
      ops,
      ...shared,
      explicitWrites: false,
      fields: false,
      maxAffected: 5,
      ...hooks('admin'),
    }),
    press.resource({ model: DeskArticle, path: 'desk', ops, ...shared, ...hooks('desk') }),
  ];
  return press.api({ db: database.db, prefix: '/api', resources, batch: true });
}

let api: Api;
let server: TestServer;

beforeEach(async () => {
  await database.db.dropDatabase();
  api = createPress();
  await applyIndexes(api);
  server = await serve(api.routes());
  calls.length = 0;
});

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.request(method, `/api${path}`, { body, headers });
const create = (path: string, id: string, more: object = {}) => ask('POST', path, { id, slug: id, title: `Title ${id}`, ...more });

async function deliver(): Promise<Event[]> {
  const seen: Event[] = [];
  const delivery: Delivery = await api.deliver({ handle: (event) => void seen.push(event) });
  open.push(delivery);
  return seen;
}

describe('resources for the same records', () => {
  it('have one revision: the ETag of one is the If-Match of the other, and stale after a write of any', async () => {
    const created = await create('/desk', 'a', { note: 'x' });
    expect([created.status, created.headers.etag]).toEqual([201, '"0"']);
    expect((await ask('PATCH', '/admin/a', { title: 'New' }, { 'if-match': '"0"' })).headers.etag).toBe('"1"');
    expect((await ask('PATCH', '/desk/a', { title: 'Newer' }, { 'if-match': '"0"' })).status).toBe(412);
    expect((await ask('GET', '/admin/a')).headers.etag).toBe('"1"');
    expect((await ask('GET', '/desk/a')).headers.etag).toBe('"1"');
    const unchanged = await ask('GET', '/desk/a', undefined, { 'if-none-match': '"1"' });
    expect(unchanged.status).toBe(304);
  });

  it('have scopes of their own, for reads and for what is written', async () => {
    await create('/desk', 'a');
    expect((await ask('GET', '/articles/a')).status).toBe(404);
    expect((await ask('PATCH', '/articles/a', { title: 'x' })).status).toBe(404);
    expect((await create('/articles', 'b')).status).toBe(422);
    await ask('PATCH', '/desk/a', { published: true });
    expect((await ask('GET', '/articles/a')).body.data).toEqual({ id: 'a', slug: 'a', title: 'Title a', published: true, revision: 1 });
  });

  it('show the fields of their models, and take no others', async () => {
    await create('/desk', 'a', { note: 'inner' });
    expect((await ask('GET', '/desk/a')).body.data.note).toBe('inner');
    expect((await ask('GET', '/admin/a')).body.data).not.toHaveProperty('note');
    expect((await ask('PATCH', '/admin/a', { note: 'x' })).body.errors).toMatchObject([{ field: 'note', rule: 'unknown_field' }]);
    await ask('PATCH', '/admin/a', { title: 'x' });
    expect((await ask('GET', '/desk/a')).body.data.note).toBe('inner');
  });

  it('run their own hooks only', async () => {
    await create('/desk', 'a');
    await ask('PATCH', '/admin/a', { title: 'x' });
    const of = (name: string) => [`before ${name}`, `within ${name}`, `after ${name}`];
    expect(calls).toEqual([...of('desk'), ...of('admin')]);
  });

  it('have cursors of their own', async () => {
    for (const id of ['a', 'b', 'c']) await create('/desk', id, { published: true });
    const first = await ask('GET', '/admin?limit=2&sort=title');
    const after = encodeURIComponent(first.body.page.next_cursor);
    expect((await ask('GET', `/admin?limit=2&sort=title&after=${after}`)).body.data).toMatchObject([{ id: 'c' }]);
    for (const path of ['/articles', '/desk']) {
      const refused = await ask('GET', `${path}?limit=2&sort=title&after=${after}`);
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_cursor']);
    }
  });

  it('have one set of indexes, which is created once, and unique values in common', async () => {
    const { collections } = await planIndexes(api);
    const plans = collections.filter(({ collection }) => collection === 'articles');
    expect(plans).toMatchObject([{ missing: [], conflicting: [], unused: [] }]);
    const stored = await database.db.collection('articles').indexes();
    expect(new Set(stored.map(({ key }) => JSON.stringify(key))).size).toBe(stored.length);
    expect(await applyIndexes(api)).toEqual([]);
    await create('/desk', 'a');
    const again = await ask('POST', '/admin', { id: 'b', slug: 'a', title: 'x' });
    expect([again.status, again.body.errors]).toMatchObject([409, [{ field: 'slug' }]]);
  });

  it('have one history, which each shows in its own view', async () => {
    await create('/desk', 'a', { note: 'one', published: true });
    await ask('PATCH', '/admin/a', { title: 'x' });
    await ask('PATCH', '/desk/a', { note: 'two' });
    const changes = async (path: string) =>
      (await ask('GET', `${path}/a/history`)).body.data.map(({ revision, changes: some }: Any) => [
        revision,
        some.map((one: Any) => one.path),
      ]);
    expect((await changes('/admin')).map(([revision]: Any) => revision)).toEqual([1, 0]);
    expect(await changes('/desk')).toEqual([
      [2, ['note']],
      [1, ['title']],
      [0, expect.arrayContaining(['note', 'title'])],
    ]);
    expect((await ask('GET', '/desk/a?at=1')).body.data).toMatchObject({ title: 'x', note: 'one', revision: 1 });
  });

  it('leave one event for each change, with the name of the model that has written', async () => {
    const seen = await deliver();
    await create('/admin', 'a');
    await ask('PATCH', '/articles/a', { title: 'no' }); // outside of its scope
    await ask('PATCH', '/admin/a', { published: true });
    await ask('PATCH', '/articles/a', { title: 'yes' });
    await ask('PATCH', '/desk/a', { note: 'x' });
    await until(() => seen.length === 4);
    const ofArticle = seen.filter(({ model }) => model === 'Article').map(({ type, revision }) => [type, revision]);
    expect(ofArticle).toEqual([
      ['article.created', 0],
      ['article.patched', 1],
      ['article.patched', 2],
    ]);
    expect(seen.find(({ model }) => model === 'DeskArticle')).toMatchObject({ type: 'deskArticle.patched', subject: 'a', revision: 3 });
  });

  it('tell their live lists what the others write, each within its scope and view', async () => {
    const readers = await new LiveStream(server.port, '/api/articles').opened();
    const desk = await new LiveStream(server.port, '/api/desk').opened();
    open.push(readers, desk);
    await create('/admin', 'a');
    await desk.sees(({ data }) => data.length === 1);
    await ask('PATCH', '/desk/a', { published: true, note: 'inner' });
    const { data } = await readers.sees((state) => state.data.length === 1);
    expect(data).toEqual([{ id: 'a', slug: 'a', title: 'Title a', published: true, revision: 1 }]);
    await desk.sees((state) => state.data[0].note === 'inner');
    expect(readers.text).not.toContain('inner');
    await ask('DELETE', '/admin/a');
    await desk.sees((state) => state.data.length === 0);
    await readers.sees((state) => state.data.length === 0);
  });

  it('are written to in one batch, all or none', async () => {
    const operations = [
      { method: 'POST', path: '/desk', body: { id: 'a', slug: 'a', title: 'x', note: 'y' } },
      { method: 'PATCH', path: '/admin/a', body: { published: true }, if_match: '"0"' },
      { method: 'PATCH', path: '/articles/a', body: { title: 'z' }, if_match: '"1"' },
    ];
    const refused = await ask('POST', '/batch', {
      operations: [...operations, { method: 'PATCH', path: '/desk/a', body: {}, if_match: '"0"' }],
    });
    expect([refused.status, await database.db.collection('articles').countDocuments()]).toEqual([412, 0]);
    const done = await ask('POST', '/batch', { operations });
    expect(done.status).toBe(200);
    expect((await ask('GET', '/desk/a')).body.data).toMatchObject({ title: 'z', published: true, note: 'y', revision: 2 });
  });

  it('have names of their own in the OpenAPI description', async () => {
    const { body } = await ask('GET', '/openapi.json');
    const operations = Object.values(body.paths).flatMap((path: Any) =>
      Object.values(path)
        .map((one: Any) => one.operationId)
        .filter(Boolean),
    );
    expect(new Set(operations).size).toBe(operations.length);
    const schemaOf = (path: string) => body.paths[`/api${path}`].post.requestBody.content['application/json'].schema.$ref;
    const { ArticleRead, DeskArticleRead } = body.components.schemas;
    expect(ArticleRead.properties).not.toHaveProperty('note');
    expect(DeskArticleRead.properties).toHaveProperty('note');
    expect(schemaOf('/articles')).toBe(schemaOf('/admin')); // alike, so that they share it
    expect(schemaOf('/desk')).not.toBe(schemaOf('/admin'));
  });
});
