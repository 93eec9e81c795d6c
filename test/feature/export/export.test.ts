import { cursorPaging, defineModel, everything, offsetPaging, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';
import { getStream } from '../../support/http/read-stream.ts';

const Row = defineModel('Row', {
  collection: 'rows',
  fields: {
    id: t.int({ policy: { sort: true, filter: true } }),
    group: t.string({ policy: { sort: true, filter: true } }),
    rank: t.nullable(t.int({ policy: { sort: true } })),
    secret: t.string({ default: 'zq', policy: { private: true } }),
  },
});

const database = useDatabase();
const asked: string[] = [];
const api = useApi(database, (shop) => [
  shop.resource({ model: Row, path: 'rows', fields: true, export: {}, paging: cursorPaging({ total: true }) }),
  shop.resource({ model: Row, path: 'few', export: { max: 700 } }),
  shop.resource({ model: Row, path: 'numbered', export: {}, paging: offsetPaging({ total: true }) }),
  shop.resource({ model: Row, path: 'without' }),
  shop.resource({
    model: Row,
    path: 'scoped',
    export: {},
    guards: [() => asked.push('all') > 0],
    guardsFor: {
      list: [() => asked.push('list') > 0],
      export: [(ctx) => asked.push('export') > 0 && ctx.get('x-may') !== 'no'],
    },
    scope: (ctx) => (ctx.get('x-group') === '' ? everything : { group: ctx.get('x-group') }),
  }),
]);

const count = 1_500;

beforeAll(async () => {
  const rows = Array.from({ length: count }, (_, id) => ({
    _id: id as never,
    group: 'abc'[id % 3],
    rank: id % 5 === 0 ? null : id % 7,
    secret: 'zq',
  }));
  await database.db.collection('rows').insertMany(rows);
});

const ndjson = 'application/x-ndjson';
const get = (path: string, accept = ndjson, headers = {}) => getStream(api.port, `/api/${path}`, accept, headers);

describe('a list with `Accept: application/x-ndjson`', () => {
  it('streams all matches, one for each line, and a line with their number', async () => {
    const { status, headers, lines, text, isCut } = await get('rows');
    expect([status, isCut, headers['content-type']]).toEqual([200, false, 'application/x-ndjson; charset=utf-8']);
    expect(lines.at(-1)).toEqual({ end: true, count });
    expect(lines.slice(0, -1).map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, id) => id));
    expect(lines[0]).toEqual({ id: 0, group: 'a', rank: null });
    expect(text).not.toContain('zq');
    expect(headers).not.toHaveProperty('link');
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(headers.vary).toBe('Accept, Authorization, Cookie');
  });

  it.each(['sort=-id', 'sort=group,-rank', 'sort=-rank', 'group=b&sort=rank', 'group[in]=a,c&id[gte]=700', 'fields=group'])(
    'has the records of the pages, in their order: %s',
    async (query) => {
      const { lines } = await get(`rows?${query}`);
      const paged: unknown[] = [];
      for (let after = ''; ; ) {
        const { body } = await api.request('GET', `/api/rows?${query}&limit=100${after}`);
        paged.push(...body.data);
        if (body.page.next_cursor === null) break;
        after = `&after=${body.page.next_cursor}`;
      }
      expect(lines.slice(0, -1)).toEqual(paged);
      expect(lines.at(-1)).toEqual({ end: true, count: paged.length });
    },
  );

  it('is resumed by a cursor of the list', async () => {
    const { body } = await api.request('GET', '/api/rows?group=a&limit=7');
    const { lines } = await get(`rows?group=a&after=${body.page.next_cursor}`);
    expect([lines[0].id, lines.at(-1)]).toEqual([21, { end: true, count: 493 }]);
  });

  it('is resumed by `after` in a list that is paged by number', async () => {
    const { lines } = await get('numbered?id[lt]=3');
    expect(lines).toHaveLength(4);
    expect((await get('numbered?after=x')).status).toBe(400);
  });

  it('is empty but for its end if nothing matches', async () => {
    const { status, lines } = await get('rows?group=none');
    expect([status, lines]).toEqual([200, [{ end: true, count: 0 }]]);
  });

  it.each(['rows', 'numbered'])('refuses what belongs to pages: %s', async (path) => {
    const names = ['before', 'page', 'limit', 'total', 'include'];
    for (const name of names) {
      const { status, text } = await get(`${path}?${name}=1`);
      expect([status, JSON.parse(text).code]).toEqual([400, 'invalid_query']);
      expect(JSON.parse(text).errors).toEqual([expect.objectContaining({ field: name, rule: 'not_available' })]);
    }
    const all = JSON.parse((await get(`${path}?${names.map((name) => `${name}=1`).join('&')}&grup=a`)).text);
    expect(all.errors.map(({ field }: { field: string }) => field).sort()).toEqual([...names, 'grup'].sort());
  });

  it('refuses what the list refuses', async () => {
    expect((await get('rows?after=x')).status).toBe(400);
    expect((await get('rows?sort=secret')).status).toBe(400);
    expect((await get('few?fields=id')).status).toBe(400);
  });

  it('answers 422 before the first byte if more match than `max`', async () => {
    const { status, headers, text } = await get('few');
    expect([status, JSON.parse(text).code, headers['content-type']]).toEqual([422, 'too_many_matches', 'application/problem+json']);
    expect(headers.vary).toContain('Accept');
    const { status: narrowed, lines } = await get('few?group=a');
    expect([narrowed, lines.at(-1)]).toEqual([200, { end: true, count: 500 }]);
  });

  it('has the guards of the list, and then its own', async () => {
    asked.length = 0;
    const { lines } = await get('scoped', ndjson, { 'x-group': 'b' });
    expect(lines.at(-1)).toEqual({ end: true, count: 500 });
    expect(asked).toEqual(['all', 'list', 'export']);
    expect((await get('scoped', ndjson, { 'x-may': 'no' })).status).toBe(403);
    asked.length = 0;
    expect((await api.request('GET', '/api/scoped', { headers: { 'x-may': 'no' } })).status).toBe(200);
    expect(asked).toEqual(['all', 'list']);
  });
});

describe('HEAD of an export', () => {
  it('has its headers and no body', async () => {
    const { status, headers, text } = await api.request('HEAD', '/api/rows', { headers: { accept: 'text/csv' } });
    expect([status, text, headers['content-type']]).toEqual([200, '', 'text/csv; charset=utf-8; header=present']);
    expect(headers['content-disposition']).toBe('attachment; filename="rows.csv"');
    expect(headers).not.toHaveProperty('content-length');
  });

  it('is 422 if more match than `max`', async () => {
    expect((await api.request('HEAD', '/api/few', { headers: { accept: ndjson } })).status).toBe(422);
  });
});

describe('any other `Accept`', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['text/*', 'json'],
    ['text/html, */*;q=0.8', 'json'],
    ['application/json', 'json'],
    ['application/x-ndjson;q=0', 'json'],
    ['application/x-ndjson;q=0.5, application/json', 'json'],
    ['application/json, application/x-ndjson', 'json'],
    ['text/csv;q=0.2, */*;q=0.3', 'json'],
    ['application/x-ndjson, (', 'json'],
    ['text/csv,, text/plain', 'text/csv'],
    ['text/csv;q=2', 'json'],
    [`text/csv${'; '.repeat(1_000)}(`, 'json'],
    [`text/csv;a="${'\\\\'.repeat(1_000)}`, 'json'],
    ['application/x-ndjson, application/json', 'x-ndjson'],
    ['application/x-ndjson, */*', 'x-ndjson'],
    ['APPLICATION/X-NDJSON', 'x-ndjson'],
    ['text/csv;charset=utf-8;q=0.9, application/x-ndjson;q=0.8', 'text/csv'],
    ['text/csv ; q=0.5 , application/x-ndjson ; q=0.6', 'x-ndjson'],
    ['text/csv;header="a,b"', 'text/csv'],
  ])('%s is answered with %s', async (accept, type) => {
    const { status, headers } = await api.request('GET', '/api/rows?id=1', { headers: accept === undefined ? {} : { accept } });
    expect([status, headers['content-type']]).toEqual([200, expect.stringContaining(type)]);
    expect(headers.vary).toBe('Accept, Authorization, Cookie');
  });

  it('gets pages from a list without an export, which does not depend on it', async () => {
    const { status, headers } = await api.request('GET', '/api/without', { headers: { accept: ndjson } });
    expect([status, headers['content-type'], headers.vary]).toEqual([200, 'application/json; charset=utf-8', 'Authorization, Cookie']);
  });
});
