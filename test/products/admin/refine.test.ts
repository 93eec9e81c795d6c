import { applyIndexes } from '../../../src/index.ts';
import { type DataProvider, dataProvider, HttpError } from '../../../src/products/admin/refine.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useServer } from '../../support/http/serve.ts';
import { createArticles, recordingFetch } from './serve-articles.ts';

const database = useDatabase();
const serve = useServer();
let url: string;
let provider: DataProvider;
let recorded: ReturnType<typeof recordingFetch>;

beforeAll(async () => {
  const api = createArticles(database);
  await applyIndexes(api);
  url = `http://127.0.0.1:${(await serve(api.routes())).port}/api`;
});

beforeEach(async () => {
  await database.db.collection('articles').deleteMany({});
  recorded = recordingFetch();
  provider = dataProvider(url, { fetch: recorded.fetch, revision: 'version' });
});

const create = async (variables: object): Promise<Any> => (await provider.create<Any>({ resource: 'articles', variables })).data;
const open = async (id: string): Promise<Any> => (await provider.getOne<Any>({ resource: 'articles', id })).data;
const update = async (id: string, variables: object, meta = {}): Promise<Any> =>
  (await provider.update<Any>({ resource: 'articles', id, variables, meta })).data;

describe('getList', () => {
  it.each(['articles', 'numbered'])('of %s has pages, sorters and the number of all matches', async (resource) => {
    for (const name of ['a', 'b', 'c']) await create({ name });
    const params = { resource, sorters: [{ field: 'name', order: 'desc' as const }] };
    const list = await provider.getList<Any>({ ...params, pagination: { currentPage: 2, pageSize: 2 } });
    expect([list.data.map(({ name }) => name), list.total]).toEqual([['a'], 3]);
    const all = await provider.getList<Any>({ ...params, pagination: { mode: 'off' } });
    expect(all.data.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  });

  it('knows of one record more where matches are not counted', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create({ name });
    const total = async (currentPage: number) =>
      (await provider.getList({ resource: 'articles', pagination: { currentPage, pageSize: 2 }, meta: { total: false } })).total;
    expect([await total(1), await total(2), await total(3)]).toEqual([3, 5, 5]);
  });

  it.each([
    ['eq', 'views', 1, { views: '1' }, ['a']],
    ['eqs', 'name', 'a', { name: 'a' }, ['a']],
    ['ne', 'views', 1, { 'views[ne]': '1' }, ['b']],
    ['nes', 'name', 'a', { 'name[ne]': 'a' }, ['b']],
    ['gt', 'views', 1, { 'views[gt]': '1' }, ['b']],
    ['gte', 'views', 1, { 'views[gte]': '1' }, ['a', 'b']],
    ['lt', 'views', 2, { 'views[lt]': '2' }, ['a']],
    ['lte', 'views', 2, { 'views[lte]': '2' }, ['a', 'b']],
    ['in', 'name', ['a', 'b'], { 'name[in]': 'a,b' }, ['a', 'b']],
    ['nin', 'name', ['a'], { 'name[nin]': 'a' }, ['b']],
    ['startswiths', 'name', 'b', { 'name[prefix]': 'b' }, ['b']],
    ['between', 'views', [1, 1], { 'views[gte]': '1', 'views[lte]': '1' }, ['a']],
    ['null', 'due', true, { 'due[exists]': 'false' }, ['a']],
    ['nnull', 'due', true, { 'due[exists]': 'true' }, ['b']],
    ['eq', 'name', undefined, {}, ['a', 'b']],
  ])('sends the filter "%s" of %s', async (operator, field, value, query, found) => {
    await create({ name: 'a', views: 1 });
    await create({ name: 'b', views: 2, due: '2026-01-01T00:00:00Z' });
    const sorters = [{ field: 'name', order: 'asc' as const }];
    const filters = [{ operator: 'and', value: [{ field, operator, value }] }];
    const { data } = await provider.getList<Any>({ resource: 'articles', sorters, filters });
    expect(data.map(({ name }) => name)).toEqual(found);
    const { limit: _limit, sort: _sort, total: _total, ...sent } = recorded.last()?.query ?? {};
    expect(sent).toEqual(query);
  });

  it.each(['contains', 'containss'])('finds a part of a text by "%s"', async (operator) => {
    for (const name of ['abcd', 'bcde', 'cdef']) await create({ name });
    const { data } = await provider.getList<Any>({ resource: 'articles', filters: [{ field: 'name', operator, value: 'bc' }] });
    expect(data.map(({ name }) => name).sort()).toEqual(['abcd', 'bcde']);
    expect(recorded.last()?.query['name[contains]']).toBe('bc');
  });

  it.each([
    [{ field: 'name', operator: 'ncontains', value: 'a' }, 'Lists of the api have no filter "ncontains" (of "name").'],
    [{ operator: 'or', value: [] }, 'Lists of the api cannot be filtered by "or".'],
  ])('says that lists have no filter %j', async (filter, message) => {
    const failed: HttpError = await provider.getList({ resource: 'articles', filters: [filter] }).catch((error) => error);
    expect(failed).toBeInstanceOf(HttpError);
    expect([failed.statusCode, failed.message]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('update', () => {
  it('sends what differs from the record as it was opened, for its revision', async () => {
    const { id } = await create({ name: 'a', maker: { name: 'Duff', city: 'Ulm' } });
    await open(id);
    expect(await update(id, { name: 'a', maker: { name: 'Dorf' } })).toMatchObject({ maker: { name: 'Dorf', city: 'Ulm' }, version: 1 });
    expect([recorded.last()?.body, recorded.last()?.headers.get('if-match')]).toEqual(['{"maker":{"name":"Dorf"}}', '"0"']);
    // What it has answered is what the form shows now.
    expect(await update(id, { name: 'b' })).toMatchObject({ name: 'b', version: 2 });
  });

  it('compares with the record as a form has opened it, not with a later one of a list', async () => {
    const { id } = await create({ name: 'a' });
    await open(id);
    await database.db.collection('articles').updateOne({ name: 'a' }, { $set: { name: 'b' }, $inc: { version: 1 } });
    await provider.getList({ resource: 'articles' });
    await expect(update(id, { name: 'a', views: 1 })).rejects.toMatchObject({ statusCode: 412, errors: undefined });
  });

  it('takes the revision that is among the values, or the record of `meta`', async () => {
    const record = await create({ name: 'a' });
    await database.db.collection('articles').updateOne({ name: 'a' }, { $set: { name: 'b' }, $inc: { version: 1 } });
    const now = await open(record.id);
    await expect(update(record.id, { name: 'a', version: 0 })).rejects.toMatchObject({ statusCode: 412 });
    await expect(update(record.id, { name: 'c' }, { record })).rejects.toMatchObject({ statusCode: 412 });
    expect(await update(record.id, { name: 'c', version: 1 }, { record: now })).toMatchObject({ name: 'c', version: 2 });
    expect(recorded.last()?.body).toBe('{"name":"c"}');
  });

  it('gives errors to their fields', async () => {
    const { id } = await create({ name: 'a', maker: { name: 'Duff' } });
    await expect(update(id, { maker: { name: 'x' } })).rejects.toMatchObject({
      statusCode: 422,
      message: 'maker.name must have at least 2 characters.',
      errors: { 'maker.name': 'Must have at least 2 characters' },
    });
  });
});

describe('deleteOne', () => {
  it('deletes the revision that was read last', async () => {
    const record = await create({ name: 'a' });
    await database.db.collection('articles').updateOne({ name: 'a' }, { $inc: { version: 1 } });
    await expect(provider.deleteOne({ resource: 'articles', id: record.id })).rejects.toMatchObject({ statusCode: 412 });
    await provider.getList({ resource: 'articles' });
    expect(await provider.deleteOne({ resource: 'articles', id: record.id })).toEqual({ data: { ...record, version: 1 } });
  });
});

describe('a read of chosen fields', () => {
  it('includes the revision, so that a later write names it', async () => {
    const { id } = await create({ name: 'a', views: 1 });
    await provider.getOne({ resource: 'articles', id, meta: { query: { fields: ['name'] } } });
    expect(recorded.last()?.query.fields).toBe('name,version');
    await provider.deleteOne({ resource: 'articles', id });
    expect(recorded.last()?.headers.get('if-match')).toBe('"0"');
  });

  it('does not replace the record that a form shows', async () => {
    const { id } = await create({ name: 'a', views: 1 });
    const shown = await open(id);
    await provider.getOne({ resource: 'articles', id, meta: { query: { fields: 'name' } } });
    await update(id, { ...shown, name: 'b' });
    expect([recorded.last()?.body, recorded.last()?.headers.get('if-match')]).toEqual(['{"name":"b"}', '"0"']);
  });
});

it('an update with the revision of a hidden input, which is text, sends what was changed', async () => {
  const { id } = await create({ name: 'a', views: 1 });
  const shown = await open(id);
  await update(id, { ...shown, version: '0', name: 'b' });
  expect(recorded.last()?.body).toBe('{"name":"b"}');
});

it('a list begins anew for another caller', async () => {
  for (const name of ['a', 'b', 'c']) await create({ name });
  let token = 'ann';
  provider = dataProvider(url, { fetch: recorded.fetch, revision: 'version', headers: () => ({ authorization: token }) });
  const page = (currentPage: number) => provider.getList({ resource: 'articles', pagination: { currentPage, pageSize: 1 } });
  await page(1);
  await page(2);
  expect(recorded.last()?.query).toHaveProperty('after');
  token = 'ben';
  const before = recorded.sent.length;
  await page(2);
  expect(recorded.sent[before]?.query).not.toHaveProperty('after');
});

it('custom tells other hosts nothing of the caller', async () => {
  const sent: RequestInit[] = [];
  const foreign: typeof fetch = async (_input, init) => {
    sent.push(init ?? {});
    return new Response('{}');
  };
  const { custom } = dataProvider(url, { fetch: foreign, headers: { authorization: 'Bearer a' }, credentials: 'include' });
  await custom({ url: 'https://other.example/1', method: 'get' });
  await custom({ url: `${url}/articles`, method: 'get' });
  expect(sent.map(({ headers, credentials }) => [new Headers(headers).get('authorization'), credentials])).toEqual([
    [null, undefined],
    ['Bearer a', 'include'],
  ]);
});

it('getMany reads by ids', async () => {
  const [a, b] = [await create({ name: 'a' }), await create({ name: 'b' })];
  expect((await provider.getMany<Any>({ resource: 'articles', ids: [b.id, a.id] })).data).toEqual([b, a]);
  expect(recorded.last()?.query).toMatchObject({ 'id[in]': `${b.id},${a.id}` });
});

it('custom sends any request', async () => {
  expect(provider.getApiUrl()).toBe(url);
  const payload = { name: 'a' };
  const created = await provider.custom<Any>({ url: `${url}/articles`, method: 'post', payload, headers: { 'x-request': '1' } });
  expect(created.data).toMatchObject({ name: 'a', version: 0 });
  expect(recorded.last()?.headers.get('x-request')).toBe('1');
  const { data } = await provider.custom<Any>({ url: `${url}/articles`, method: 'get', query: { 'name[eq]': 'a' } });
  expect(data).toEqual([created.data]);
});

it('is aborted by the signal of its query', async () => {
  const controller = new AbortController();
  controller.abort();
  const meta = { queryContext: { signal: controller.signal } };
  await expect(provider.getList({ resource: 'articles', meta })).rejects.toMatchObject({ name: 'AbortError' });
});
