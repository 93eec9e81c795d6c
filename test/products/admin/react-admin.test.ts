import { Long } from 'mongodb';
import { applyIndexes } from '../../../src/index.ts';
import { type DataProvider, dataProvider, HttpError } from '../../../src/products/admin/react-admin.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';
import { createArticles, recordingFetch } from './serve-articles.ts';

const database = useDatabase();
const serve = useServer();
let server: TestServer;
let url: string;
let provider: DataProvider;
let recorded: ReturnType<typeof recordingFetch>;

beforeAll(async () => {
  const api = createArticles(database);
  await applyIndexes(api);
  server = await serve(api.routes());
  url = `http://127.0.0.1:${server.port}/api`;
});

beforeEach(async () => {
  await database.db.collection('articles').deleteMany({});
  await database.db.collection('tags').deleteMany({});
  recorded = recordingFetch();
  provider = dataProvider(url, { fetch: recorded.fetch, revision: 'version' });
});

const create = async (values: object): Promise<Any> => (await provider.create<object, Any>('articles', { data: values })).data;
/** Articles called n00, n01, …, stored as the api stores them. */
const createNumbered = async (count: number): Promise<void> => {
  const numbered = (index: number) => ({ name: `n${String(index).padStart(2, '0')}`, views: Long.fromNumber(index), version: 0 });
  await database.db.collection('articles').insertMany(Array.from({ length: count }, (_, index) => numbered(index)));
};
/** The error that a call ends with. */
const failureOf = (call: Promise<unknown>): Promise<HttpError> =>
  call.then(
    () => {
      throw new Error('it has succeeded');
    },
    (error) => error,
  );

describe.each(['articles', 'numbered'])('getList of %s', (resource) => {
  const names = ({ data }: { data: Any[] }) => data.map(({ name }) => name);
  const page = (number: number, perPage: number) => ({
    pagination: { page: number, perPage },
    sort: { field: 'name', order: 'DESC' as const },
  });

  it('gives pages in any order and of any size, also larger than the largest page of the api', async () => {
    await createNumbered(23);
    const all = Array.from({ length: 23 }, (_, index) => `n${String(22 - index).padStart(2, '0')}`);
    for (const perPage of [4, 10, 100]) {
      const last = Math.ceil(23 / perPage);
      for (const number of new Set([1, last, 2, last + 1, 1])) {
        const list = await provider.getList(resource, page(number, perPage));
        expect([perPage, number, names(list)]).toEqual([perPage, number, all.slice((number - 1) * perPage, number * perPage)]);
        if (resource === 'numbered') expect([list.total, list.pageInfo]).toEqual([23, undefined]);
        else if (number === last)
          expect([list.total, list.pageInfo]).toEqual([23, undefined]); // react-admin would take it for full
        else expect([list.total, list.pageInfo]).toEqual([undefined, { hasNextPage: number < last, hasPreviousPage: number > 1 }]);
      }
    }
  });

  it('has an empty page where nothing matches', async () => {
    const list = await provider.getList(resource, { ...page(1, 10), filter: { name: 'nobody' } });
    expect(list).toEqual({ data: [], total: 0 });
  });

  it('counts if `meta` asks for it, and does not if it forbids it', async () => {
    await createNumbered(7);
    expect((await provider.getList(resource, { ...page(1, 3), meta: { total: true } })).total).toBe(7);
    expect(await provider.getList(resource, { ...page(1, 3), meta: { total: false } })).toMatchObject({ pageInfo: { hasNextPage: true } });
  });

  it('sorts by every field, and leaves out ascending ids only where the model does not sort by id', async () => {
    await createNumbered(3);
    for (const [field, order, first] of [
      ['views', 'DESC', 'n02'],
      ['views', 'ASC', 'n00'],
      ['id', 'DESC', 'n02'],
      ['id', 'ASC', 'n00'],
    ] as const) {
      const list = await provider.getList(resource, { pagination: { page: 1, perPage: 5 }, sort: { field, order } });
      expect([field, order, names(list)[0]]).toEqual([field, order, first]);
      expect(recorded.last()?.query.sort).toBe(`${order === 'DESC' ? '-' : ''}${field}`);
    }
  });
});

describe('getList', () => {
  it('keeps cursors: the next page is one request', async () => {
    await provider.getList('tags', {}); // reads the description
    await createNumbered(23);
    const page = (number: number) => provider.getList('articles', { pagination: { page: number, perPage: 5 } });
    for (const number of [1, 2, 3]) {
      const before = recorded.sent.length;
      await page(number);
      expect(recorded.sent.length - before).toBe(1);
    }
    // Backwards as well, and to a page further on it goes on from the last one that is known.
    for (const [number, requests] of [
      [2, 1],
      [5, 2],
    ] as const) {
      const before = recorded.sent.length;
      expect((await page(number)).data.length).toBe(number === 5 ? 3 : 5);
      expect(recorded.sent.length - before).toBe(requests);
    }
  });

  it('forgets the cursors behind a page that has changed', async () => {
    await createNumbered(12);
    const page = async (number: number) =>
      (
        await provider.getList<Any>('articles', { pagination: { page: number, perPage: 5 }, sort: { field: 'name', order: 'ASC' } })
      ).data.map(({ name }) => name);
    await page(3);
    await create({ name: 'a' });
    expect([await page(1), await page(2), await page(3)].flat()).toEqual([
      'a',
      ...Array.from({ length: 12 }, (_, index) => `n${String(index).padStart(2, '0')}`),
    ]);
  });

  it('reads a list anew if its cursors do not fit any more', async () => {
    await createNumbered(12);
    let isBroken = false;
    const breaking = dataProvider(url, {
      revision: 'version',
      fetch: (input, init) => fetch(isBroken ? String(input).replace(/after=[^&]*/, 'after=old') : input, init),
    });
    const page = (number: number) => breaking.getList('articles', { pagination: { page: number, perPage: 5 } });
    await page(1);
    isBroken = true;
    const failed = await failureOf(page(2));
    expect(failed.body.code).toBe('invalid_cursor'); // the new cursor is broken as well
    isBroken = false;
    expect((await page(2)).data.length).toBe(5);
  });

  it.each([
    [{ name: 'b' }, { name: 'b' }, ['b']],
    [{ name: ['a', 'b'] }, { 'name[in]': 'a,b' }, ['a', 'b']],
    [{ name: ['a', 'c,d'] }, { 'name[in][]': 'c,d' }, ['a', 'c,d']],
    [{ name_in: 'a,b' }, { 'name[in]': 'a,b' }, ['a', 'b']],
    [{ name: [] }, { 'name[in]': '' }, []],
    [{ name_nin: ['a', 'b'] }, { 'name[nin]': 'a,b' }, ['c,d']],
    [{ name_ne: 'a' }, { 'name[ne]': 'a' }, ['b', 'c,d']],
    [{ name_prefix: 'c,' }, { 'name[prefix]': 'c,' }, ['c,d']],
    [{ 'name[prefix]': 'c' }, { 'name[prefix]': 'c' }, ['c,d']],
    [{ views_gt: 1 }, { 'views[gt]': '1' }, ['b', 'c,d']],
    [{ views: { gte: 2, lt: '9007199254740993' } }, { 'views[gte]': '2', 'views[lt]': '9007199254740993' }, ['b']],
    [{ views: '9007199254740993' }, { views: '9007199254740993' }, ['c,d']],
    [{ views_lte: 9007199254740993n }, { 'views[lte]': '9007199254740993' }, ['a', 'b', 'c,d']],
    [{ price: null }, { 'price[exists]': 'false' }, ['b', 'c,d']],
    [{ price_exists: true }, { 'price[exists]': 'true' }, ['a']],
    [{ due_gte: new Date('2026-01-01') }, { 'due[gte]': '2026-01-01T00:00:00.000Z' }, ['b']],
    [{ old_lt: 'x' }, { old_lt: 'x' }, ['b']],
    [{ name: undefined, views: 1 }, { views: '1' }, ['a']],
    [{ tags: 'red' }, { tags: 'red' }, ['a']],
  ])('sends the filter %o as %o', async (filter, query, found) => {
    await create({ name: 'a', views: 1, price: '1.50', tags: ['red', 'blue'] });
    await create({ name: 'b', views: 2, due: '2026-02-01T00:00:00Z', old_lt: 'x' });
    await create({ name: 'c,d', views: '9007199254740993' });
    const { data } = await provider.getList<Any>('articles', { filter, sort: { field: 'name', order: 'ASC' } });
    expect(data.map(({ name }) => name)).toEqual(found);
    const { limit: _limit, sort: _sort, ...sent } = recorded.last()?.query ?? {};
    expect(sent).toEqual(query);
  });

  it('sends further parameters of `meta`, and says which one the list does not have', async () => {
    const failed = await failureOf(provider.getList('articles', { meta: { query: { include: ['maker', 'parts'] } } }));
    expect(recorded.last()?.query).toMatchObject({ include: 'maker,parts' });
    expect([failed.status, failed.message]).toEqual([400, 'include is not available: there are no relations to include here.']);
  });

  it('is aborted by its signal', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(provider.getList('articles', { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('getMany', () => {
  it('reads many ids in few requests, in their order, without those that are gone', async () => {
    const records = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) records.push(await create({ name }));
    const ids = records.map(({ id }) => id).reverse();
    const before = recorded.sent.length;
    const { data } = await provider.getMany<Any>('articles', { ids: [...ids.slice(0, 2), '65f1a2b3c4d5e6f708192a3b', ...ids.slice(2)] });
    expect(data.map(({ name }) => name)).toEqual(['g', 'f', 'e', 'd', 'c', 'b', 'a']);
    expect(recorded.sent.length - before).toBe(2); // the largest page has 5
  });

  it('asks for at most 100 ids at once', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => index.toString(16).padStart(24, '0'));
    expect(await provider.getMany('articles', { ids })).toEqual({ data: [] });
    expect(recorded.sent.map(({ query }) => query['id[in]']?.split(',').length)).toEqual([undefined, 100, 100, 50]);
  });

  it('reads one by one where the list has no filter by id', async () => {
    const { insertedIds } = await database.db.collection('tags').insertMany([{ name: 'x' }, { name: 'y' }]);
    const ids = [String(insertedIds[1]), '65f1a2b3c4d5e6f708192a3b', String(insertedIds[0])];
    expect((await provider.getMany<Any>('tags', { ids })).data.map(({ name }) => name)).toEqual(['y', 'x']);
  });
});

it('getManyReference adds the record to the filter', async () => {
  await create({ name: 'a', views: 1 });
  await create({ name: 'b', views: 2 });
  const params = { target: 'views', id: 2, pagination: { page: 1, perPage: 5 }, sort: { field: 'name', order: 'ASC' as const } };
  expect((await provider.getManyReference<Any>('articles', { ...params, filter: {} })).data.map(({ name }) => name)).toEqual(['b']);
  expect((await provider.getManyReference('articles', { ...params, filter: { name: 'a' } })).data).toEqual([]);
});

describe('exact values', () => {
  it('are strings of digits beyond the safe range, and come back as numbers', async () => {
    const created = await create({
      name: '9007199254740993',
      views: '9007199254740993',
      parts: [{ name: 'bolt', weight: '-9223372036854775808' }],
    });
    expect(created).toMatchObject({ views: '9007199254740993', parts: [{ name: 'bolt', weight: '-9223372036854775808' }] });
    const parts = [...created.parts, { name: 'nut', weight: 5 }];
    const { data } = await provider.update<Any>('articles', {
      id: created.id,
      data: { ...created, views: '9007199254740995', parts },
      previousData: created,
    });
    expect(recorded.last()?.body).toBe(
      '{"views":9007199254740995,"parts":[{"name":"bolt","weight":-9223372036854775808},{"name":"nut","weight":5}]}',
    );
    expect(data).toMatchObject({ name: '9007199254740993', views: '9007199254740995', version: 1 });
    expect((await provider.getOne<Any>('articles', { id: created.id })).data).toEqual(data);
  });

  it('keeps decimals and what stands in texts as they are', async () => {
    const created = await create({ name: 'say "12345678901234567890" \\', price: '12345678901234567890.123456789', more: { a: 1.5e300 } });
    expect(created).toMatchObject({ name: 'say "12345678901234567890" \\', price: '12345678901234567890.123456789', more: { a: 1.5e300 } });
  });
});

describe('create', () => {
  it('leaves out what a form has left empty', async () => {
    const maker = { name: null, city: null };
    const created = await create({ name: 'a', views: null, due: null, price: null, maker, tags: ['x'], labels: { a: null } });
    expect(JSON.parse(recorded.last()?.body ?? '')).toEqual({ name: 'a', price: null, tags: ['x'], labels: { a: null } });
    expect(created).toMatchObject({ name: 'a', views: 0, price: null, maker: null, version: 0 });
    await create({ name: 'b', maker: { name: 'Duff', city: null } });
    expect(JSON.parse(recorded.last()?.body ?? '')).toEqual({ name: 'b', maker: { name: 'Duff' } });
  });

  it('gives errors to their fields, at any depth', async () => {
    const parts = [
      { name: 'bolt', weight: 1 },
      { name: 'x', weight: 'heavy' },
    ];
    const failed = await failureOf(create({ maker: { name: 'x' }, parts, colour: 'red' }));
    expect(failed).toBeInstanceOf(HttpError);
    expect(failed).toMatchObject({ status: 422, statusCode: 422, body: { code: 'validation_failed', status: 422 } });
    expect(failed.body.errors).toEqual({
      colour: 'Is not a known field',
      'maker.name': 'Must have at least 2 characters',
      name: 'Is required',
      'parts.1.name': 'Must have at least 2 characters',
      'parts.1.weight': 'Must be an integer',
    });
    expect(failed.message).toContain('name is required');
  });

  it('names the field of a value that is taken', async () => {
    await create({ name: 'a' });
    const failed = await failureOf(create({ name: 'a' }));
    expect([failed.status, Object.keys(failed.errors ?? {})]).toEqual([409, ['name']]);
  });
});

describe('update', () => {
  const values = {
    name: 'a',
    labels: { one: '1', two: '2' },
    tags: ['x', 'y'],
    maker: { name: 'Duff', city: 'Springfield', checkedBy: 'carol' },
    more: { deep: [1] },
  };
  const update = async (record: Any, data: object, resource = 'articles'): Promise<Any> =>
    (await provider.update<Any>(resource, { id: record.id, data, previousData: record })).data;

  it.each<[object, object]>([
    [{ name: 'b' }, { name: 'b' }],
    [{ maker: { ...values.maker, city: 'Ulm' } }, { maker: { city: 'Ulm' } }],
    [{ maker: { ...values.maker, city: null } }, { maker: { city: null } }],
    [{ maker: { city: 'Ulm' } }, { maker: { city: 'Ulm' } }],
    [{ labels: { one: '1', two: '3' } }, { labels: { one: '1', two: '3' } }],
    [{ labels: { one: '1' } }, { labels: { one: '1' } }],
    [{ labels: { one: '1', two: null } }, { labels: { one: '1', two: null } }],
    [{ tags: ['x'] }, { tags: ['x'] }],
    [{ more: { deep: [1], wide: 2 } }, { more: { deep: [1], wide: 2 } }],
    [{ more: null }, { more: null }],
    [{ due: new Date('2026-01-01') }, { due: '2026-01-01T00:00:00.000Z' }],
    [{ views: 7n }, { views: 7 }],
  ])('sends of %o only %o, for the revision that was shown', async (change, body) => {
    const record = await create(values);
    const updated = await update(record, { ...record, ...change });
    expect(JSON.parse(recorded.last()?.body ?? '')).toEqual(body);
    expect([recorded.last()?.method, recorded.last()?.headers.get('if-match')]).toEqual(['PATCH', '"0"']);
    expect(updated.version).toBe(1);
    const whole = {
      ...record,
      ...JSON.parse(JSON.stringify(change, (_key, value) => (typeof value === 'bigint' ? Number(value) : value))),
    };
    const { city, ...withoutCity } = { ...record.maker, ...whole.maker };
    expect(updated).toEqual({ ...whole, maker: city === null ? withoutCity : { ...withoutCity, city }, version: 1 });
  });

  it('sends nothing if nothing was changed, whatever a form has made of what is missing', async () => {
    const record = await create({ name: 'a' });
    const before = recorded.sent.length;
    expect(await update(record, { ...record, due: null, old_lt: undefined, maker: { name: null, city: null } })).toBe(record);
    expect(recorded.sent.length).toBe(before);
  });

  it('replaces objects as a whole where the resource does', async () => {
    const record = await create({ name: 'a', maker: { name: 'Duff', city: 'Springfield' } });
    const updated = await update(record, { ...record, maker: { name: 'Duff', city: 'Ulm' } }, 'replaced');
    expect(recorded.last()?.body).toBe('{"maker":{"name":"Duff","city":"Ulm"}}');
    expect(updated.maker).toEqual({ name: 'Duff', city: 'Ulm' });
  });

  it('creates an object where there was none', async () => {
    const record = await create({ name: 'a' });
    expect((await update(record, { ...record, maker: { name: 'Duff' } })).maker).toEqual({ name: 'Duff' });
  });

  it('says that somebody was faster, and writes nothing', async () => {
    const record = await create({ name: 'a' });
    await update(record, { ...record, name: 'b' });
    const failed = await failureOf(update(record, { ...record, name: 'c' }));
    expect([failed.status, failed.body.code, failed.message]).toEqual([
      412,
      'precondition_failed',
      'Somebody has changed this record since you opened it. Reload it, and make your changes again.',
    ]);
    expect(failed.body.errors).toBeUndefined();
    expect((await provider.getOne<Any>('articles', { id: record.id })).data.name).toBe('b');
  });

  it('takes messages of its own, or keys of translations', async () => {
    provider = dataProvider(url, { revision: 'version', messages: { precondition_failed: 'shop.conflict' } });
    const record = await create({ name: 'a' });
    await update(record, { ...record, name: 'b' });
    expect((await failureOf(update(record, { ...record, name: 'c' }))).message).toBe('shop.conflict');
  });

  it('shows an error at its field within an object', async () => {
    const record = await create(values);
    const failed = await failureOf(update(record, { ...record, maker: { ...record.maker, name: 'x', checkedBy: 'dora' } }));
    expect(failed.body.errors).toEqual({ 'maker.checkedBy': 'Cannot be set on update', 'maker.name': 'Must have at least 2 characters' });
  });

  it('shows at its field what an object lacks that is not there yet', async () => {
    const record = await create({ name: 'a' });
    const failed = await failureOf(update(record, { ...record, maker: { city: 'Ulm' } }));
    expect(failed.body.errors).toEqual({ 'maker.name': 'Is required' });
    expect(failed.message).toBe('maker does not exist yet; to create it, send also name.');
  });

  it('sends no If-Match without a revision', async () => {
    const { data } = await provider.create<object, Any>('tags', { data: { name: 'x' } });
    await provider.update('tags', { id: data.id, data: { name: 'y' }, previousData: data });
    expect(recorded.last()?.headers.get('if-match')).toBeNull();
  });

  it('of many records changes each for the revision that was listed', async () => {
    await createNumbered(3);
    const { data } = await provider.getList<Any>('articles', { sort: { field: 'name', order: 'ASC' } });
    const ids = data.map(({ id }) => id);
    expect(await provider.updateMany('articles', { ids, data: { views: 9 } })).toEqual({ data: ids });
    expect(recorded.sent.slice(-3).map(({ headers }) => headers.get('if-match'))).toEqual(['"0"', '"0"', '"0"']);

    await database.db.collection('articles').updateOne({ name: 'n01' }, { $inc: { version: 1 } });
    const failed = await failureOf(provider.updateMany('articles', { ids, data: { views: 10 } }));
    expect([failed.status, failed.message]).toEqual([412, expect.stringMatching(/^1 of 3 records were not written\. Somebody /)]);
    const stored = await provider.getList<Any>('articles', { sort: { field: 'name', order: 'ASC' } });
    expect(stored.data.map(({ views }) => views)).toEqual([10, 9, 10]);
  });
});

describe('delete', () => {
  it('deletes the revision that was shown, and no other', async () => {
    const record = await create({ name: 'a' });
    await provider.update('articles', { id: record.id, data: { name: 'b' }, previousData: record });
    expect((await failureOf(provider.delete('articles', { id: record.id, previousData: record }))).status).toBe(412);
    const { data } = await provider.getOne<Any>('articles', { id: record.id });
    expect(await provider.delete('articles', { id: record.id, previousData: data })).toEqual({ data });
    expect((await failureOf(provider.getOne('articles', { id: record.id }))).message).toBe(
      'This record does not exist any more, or you may not see it.',
    );
  });

  it('of many records deletes each for the revision that was listed', async () => {
    await createNumbered(8);
    const { data } = await provider.getList<Any>('articles', { pagination: { page: 1, perPage: 10 } });
    const ids = data.map(({ id }) => id);
    expect(await provider.deleteMany('replaced', { ids: [] })).toEqual({ data: [] });
    await database.db.collection('articles').updateOne({ name: 'n01' }, { $inc: { version: 1 } });
    expect((await failureOf(provider.deleteMany('articles', { ids }))).message).toMatch(/^1 of 8 records/);
    expect(await database.db.collection('articles').countDocuments()).toBe(1);
  });
});

describe('an id that no path can hold', () => {
  const ids = ['', '.', '..', '\ud800', undefined, null] as string[];

  it.each(ids)('%o is refused before anything is sent', async (id) => {
    const record = await create({ name: 'a' });
    const before = recorded.sent.length;
    const calls = [
      provider.getOne('articles', { id }),
      provider.update('articles', { id, data: { name: 'b' }, previousData: record }),
      provider.updateMany('articles', { ids: [id], data: { name: 'b' } }),
      provider.delete('articles', { id, previousData: record }),
      provider.deleteMany('articles', { ids: [id] }),
    ];
    for (const failed of await Promise.all(calls.map(failureOf))) {
      expect(failed).toBeInstanceOf(HttpError);
      expect([failed.status, failed.message]).toEqual([404, `${JSON.stringify(id ?? '')} is not the id of a record.`]);
    }
    expect(recorded.sent.length).toBe(before);
  });

  it('is that of no record where several are read', async () => {
    const { insertedId } = await database.db.collection('tags').insertOne({ name: 'x' });
    const { data } = await provider.getMany<Any>('tags', { ids: [...ids, String(insertedId)] });
    expect(data.map(({ name }) => name)).toEqual(['x']);
  });

  it('is none that only looks like one: `...`, `%2e%2e` and `a/b` are data', async () => {
    for (const id of ['...', '%2e%2e', 'a/b']) {
      await failureOf(provider.getOne('tags', { id }));
      expect(recorded.last()?.path).toBe(`/api/tags/${encodeURIComponent(id)}`);
    }
  });
});

describe('dataProvider', () => {
  it('sends headers and credentials with every request', async () => {
    let token = 'one';
    const seen: unknown[] = [];
    const asking = dataProvider(url, {
      headers: async () => ({ authorization: `Bearer ${token}` }),
      credentials: 'include',
      fetch: (input, init) => {
        seen.push([new Headers(init?.headers).get('authorization'), init?.credentials]);
        return fetch(input, init);
      },
      revision: 'version',
    });
    await asking.getList('articles', {});
    token = 'two';
    await asking.getList('articles', {});
    expect(seen).toEqual([
      ['Bearer one', 'include'],
      ['Bearer one', 'include'],
      ['Bearer two', 'include'],
    ]);
  });

  it('reads the description once, from where it is told, or takes the document itself', async () => {
    await Promise.all([provider.getList('articles', {}), provider.getList('tags', {})]);
    expect(recorded.sent.map(({ path }) => path)).toEqual(['/api/openapi.json', '/api/articles', '/api/tags']);
    const document = (await server.request('GET', '/api/openapi.json')).body;
    const told = dataProvider(`${url}/`, { fetch: recorded.fetch, revision: 'version', openapi: document });
    await told.getList('articles', {});
    expect(recorded.sent.length).toBe(4);
  });

  it('reads the description again after a failure', async () => {
    let openapi = `${url}/nothing.json`;
    const failing = dataProvider(url, {
      revision: 'version',
      fetch: (input, init) => fetch(String(input) === `${url}/openapi.json` ? openapi : input, init),
    });
    expect((await failureOf(failing.getList('articles', {}))).status).toBe(404);
    openapi = `${url}/openapi.json`;
    expect(await failing.getList('articles', {})).toMatchObject({ data: [] });
  });

  it('says which resources there are, and which option names the revision', async () => {
    expect((await failureOf(provider.getList('artikles', {}))).message).toMatch(/no resource "artikles". Its paths are .*\/api\/articles/);
    expect((await failureOf(dataProvider(url).getList('articles', {}))).message).toBe(
      'The records of "articles" have a revision that is not called "revision". Set the option `revision`.',
    );
  });

  it('says what a proxy has answered', async () => {
    provider = dataProvider(url, {
      openapi: (await server.request('GET', '/api/openapi.json')).body,
      revision: 'version',
      fetch: async () => new Response('<html>', { status: 502 }),
    });
    const failed = await failureOf(provider.getList('articles', {}));
    expect([failed.status, failed.message, failed.errors]).toEqual([502, 'The server has answered with 502.', undefined]);
  });
});
