import { METHODS } from 'node:http';
import { defineModel, offsetPaging, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const Shelf = defineModel('Shelf', {
  collection: 'shelves',
  fields: {
    id: t.string({ policy: { filter: true } }),
    room: t.string({ policy: { filter: true } }),
    books: t.hasMany('Book', { via: 'shelf' }),
  },
});
const Book = defineModel('Book', {
  collection: 'books',
  fields: {
    id: t.int({ policy: { filter: true, sort: true, insert: true } }),
    title: t.string({ caseless: true, policy: { filter: true, sort: true } }),
    shelf: t.ref('Shelf', { id: t.string() }),
    end: t.boolean({ default: true, policy: { filter: true } }),
    count: t.int({ default: 0 }),
    deletedAt: t.deletedAt(),
  },
});

const database = useDatabase();
const asked: string[] = [];
const api = useApi(database, (shop) => [
  shop.resource({
    model: Book,
    fields: true,
    export: {},
    through: ['shelf'],
    guards: [(ctx) => asked.push(ctx.operation?.name ?? '') > 0],
    guardsFor: { list: [(ctx) => ctx.get('x-may') !== 'nothing'], export: [(ctx) => ctx.get('x-may') !== 'no'] },
    deleted: { guards: [(ctx) => ctx.get('x-may') === 'all'] },
  }),
  shop.resource({ model: Shelf, export: {}, through: ['books'], paging: offsetPaging() }),
]);

const count = 600;
const titles = ['Émile', 'emil', 'EMILY', 'zoo', 'Äpfel', 'apfel', 'Zoë'];

beforeAll(async () => {
  await database.db.collection('shelves').insertMany(['a', 'b', 'c'].map((_id, index) => ({ _id: _id as never, room: `r${index}` })));
  const post = (id: number) =>
    api.request('POST', '/api/books', {
      body: { id, title: `${titles[id % titles.length]} ${id % 11}`, shelf: 'ab'[id % 2], end: id % 3 === 0 },
    });
  for (let id = 0; id < count; id += 20) await Promise.all(Array.from({ length: 20 }, (_, index) => post(id + index)));
  await database.db.collection('books').updateMany({ _id: { $gte: count - 5 } as never }, { $set: { deletedAt: new Date() } });
});

const headers = { accept: 'application/x-ndjson' };
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The parameters of a query string as a body has them. */
function toBody(parameters: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, ['sort', 'fields'].includes(name) ? value.split(',') : value]),
  );
}

async function pagesOf(parameters: Readonly<Record<string, string>>): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { body } = await api.request('POST', '/api/books/query', {
      body: { ...toBody(parameters), limit: 100, ...(after && { after }) },
    });
    found.push(...body.data);
    after = body.page.next_cursor;
  }
  return found;
}

const queries: readonly (readonly [what: string, parameters: Readonly<Record<string, string>>])[] = [
  ['an expression', { filter: '(title = "EMIL 3" OR end = true) AND NOT id < 100', sort: '-id' }],
  ['an expression beside a parameter', { filter: 'id >= 40 OR end = false', 'title[prefix]': 'äpf' }],
  ['an expression through a relation', { filter: 'shelf.room = "r1" OR id < 7' }],
  ['a caseless sort', { sort: 'title' }],
  ['a caseless sort, backwards and within a filter', { sort: '-title,id', filter: 'prefix(title, "EMI") OR prefix(title, "ZO")' }],
  ['chosen fields', { fields: 'title', sort: 'title' }],
];

describe('an export has the records of the pages, in their order', () => {
  it.each(queries)('for %s, by GET, by POST and by QUERY', async (_what, parameters) => {
    const pages = await pagesOf(parameters);
    expect(pages.length).toBeGreaterThan(20);
    const byUrl = await api.request('GET', `/api/books?${new URLSearchParams(parameters)}`, { headers });
    const methods = METHODS.includes('QUERY')
      ? [
          ['POST', '/api/books/query'],
          ['QUERY', '/api/books'],
        ]
      : [['POST', '/api/books/query']];
    const byBody = await Promise.all(
      methods.map(([method = '', path = '']) => api.request(method, path, { headers, body: toBody(parameters) })),
    );
    for (const { status, text, headers: sent } of [byUrl, ...byBody]) {
      expect([status, sent['content-type'], sent.vary]).toEqual([
        200,
        'application/x-ndjson; charset=utf-8',
        'Accept, Authorization, Cookie',
      ]);
      expect(linesOf(text)).toEqual([...pages, { end: true, count: pages.length }]);
    }
  });

  it('for what the records behind a relation fulfil, in a list that is paged by number', async () => {
    const filter = 'any(books, title = "ZOE 6" AND end = true AND id < 100) OR none(books)';
    const { text } = await api.request('POST', '/api/shelves/query', { headers, body: { filter } });
    const { body } = await api.request('POST', '/api/shelves/query', { body: { filter } });
    expect(body).toMatchObject({ data: [{}, {}] });
    expect(linesOf(text)).toEqual([...body.data, { end: true, count: body.data.length }]);
  });
});

describe('an export whose parameters stand in a body', () => {
  const post = (body: object, more = {}) => api.request('POST', '/api/books/query', { headers: { ...headers, ...more }, body });

  it('is CSV if `Accept` asks for it, and a page for any other', async () => {
    const { text, headers: sent } = await post({ id: 4, fields: ['title'] }, { accept: 'text/csv' });
    expect([text, sent['content-disposition']]).toEqual(['id,title\r\n4,Äpfel 4\r\n', 'attachment; filename="books.csv"']);
    const { body, headers: ofPage } = await post({ id: 4 }, { accept: '*/*' });
    expect([body.data.length, ofPage.vary]).toEqual([1, 'Accept, Authorization, Cookie']);
  });

  it('is the operation `export`, with the guards of the list and its own', async () => {
    asked.length = 0;
    expect((await post({ id: 1 })).status).toBe(200);
    expect(asked).toEqual(['export']);
    expect((await post({ id: 1 }, { 'x-may': 'no' })).status).toBe(403);
    expect((await post({ id: 1 }, { 'x-may': 'nothing' })).status).toBe(403);
    expect((await post({ id: 1 }, { 'x-may': 'no', accept: '*/*' })).status).toBe(200);
  });

  it('goes on after a cursor, and refuses what belongs to pages', async () => {
    const { body } = await api.request('POST', '/api/books/query', { body: { sort: ['title'], limit: 500 } });
    const { text } = await post({ sort: ['title'], after: body.page.next_cursor });
    expect(linesOf(text)).toHaveLength(count - 5 - body.data.length + 1);
    const refused = await post({ limit: 5, include: ['shelf'], filter: 'titel = "x"' });
    expect([refused.status, refused.body.errors.map(({ field, rule }: { field: string; rule: string }) => [field, rule])]).toEqual([
      400,
      [
        ['limit', 'not_available'],
        ['include', 'not_available'],
        ['filter', 'unknown_parameter'],
      ],
    ]);
    expect((await api.request('POST', '/api/books/query?id=1', { headers, body: {} })).status).toBe(400);
  });

  it('shows deleted records to those who may see them', async () => {
    expect(linesOf((await post({ deleted: 'only' }, { 'x-may': 'all' })).text)).toHaveLength(6);
    expect((await post({ deleted: 'only' })).status).toBe(403);
  });
});

it('the last line is the only one without an id, whatever the fields are called', async () => {
  const { text } = await api.request('GET', '/api/books?id[lt]=3&fields=end,count', { headers });
  const lines = linesOf(text);
  expect(lines).toEqual([
    { id: 0, end: true, count: 0 },
    { id: 1, end: false, count: 0 },
    { id: 2, end: false, count: 0 },
    { end: true, count: 3 },
  ]);
  expect(lines.filter((line) => !('id' in line))).toEqual([lines.at(-1)]);
});
