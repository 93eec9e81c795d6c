import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Book, bookRelations, books, Company, companies, Person, people, type Stored } from '../support/models/books.ts';

const database = useDatabase();
const hooked: unknown[] = [];
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Book,
      include: [...bookRelations, 'author.company', 'author.company.owner', 'author.boss', 'author.boss.boss', 'editor.company'],
      after: { get: [(_ctx, book) => hooked.push(book)], list: [(_ctx, page) => hooked.push(...page)] },
    }),
    shop.resource({ model: Person, include: ['boss', 'boss.boss', 'boss.boss.boss'] }),
  ],
  { models: [Company] },
);

beforeAll(async () => {
  await database.db.collection<Stored>('companies').insertMany(companies);
  await database.db.collection<Stored>('people').insertMany(people);
  await database.db.collection<Stored>('books').insertMany(books);
});

const ann = { id: 'ann', name: 'Ann', address: { city: 'Ulm' }, company: 'acme', bossId: 'ben', rank: 1 };
const ben = { id: 'ben', name: 'Ben', address: null, company: 'bolt', bossId: 'ann', rank: 7 };
const cat = { id: 'cat', name: 'Cat', address: null, company: 'gone', bossId: 'gone', rank: 7 };
const acme = { id: 'acme', name: 'Acme', owner: 'ann', revision: 3 };
const bolt = { id: 'bolt', name: 'Bolt', owner: null, revision: 0 };

const get = async (path: string) => (await api.request('GET', `/api/${path}`)).body.data;
const plain = (name: string) => get(`books/${name}`);

describe('GET /:id?include=', () => {
  it('replaces the id of a relation without `as` by its record', async () => {
    expect(await get('books/full?include=author')).toEqual({ ...(await plain('full')), author: ann });
  });

  it('adds the record under `as` and keeps the id', async () => {
    expect(await get('books/full?include=editor')).toEqual({ ...(await plain('full')), editorId: 'ben', editor: ben });
  });

  it('replaces the ids of a list in their order, repeated ones too, and leaves the dangling', async () => {
    expect((await get('books/full?include=translators')).translators).toEqual([cat, 'gone', ann, cat]);
  });

  it('adds the records of a list with `as` in the order of the ids, null where there is none', async () => {
    const book = await get('books/full?include=readers');
    expect([book.readerIds, book.readers]).toEqual([
      ['ben', null, 'gone', 'ann'],
      [ben, null, null, ann],
    ]);
  });

  it('reaches into embedded objects and lists of them', async () => {
    const book = await get('books/full?include=edition.publisher,edition.printer,chapters.by');
    expect(book.edition).toEqual({ publisher: acme, printerId: 'bolt', printer: bolt });
    expect(book.chapters.map(({ by }: { by: unknown }) => by)).toEqual([ben, null, 'gone']);
  });

  it('leaves the id of a dangling reference, with `as` null beside it', async () => {
    const book = await get(`books/gap?include=${bookRelations.join(',')}`);
    expect(book).toMatchObject({ author: 'gone', editorId: 'gone', editor: null, readers: null, translators: [], chapters: [] });
    expect(book).not.toHaveProperty('readerIds');
    expect(book.edition).toEqual({ publisher: 'gone', printerId: 'gone', printer: null });
  });

  it('shows nothing where there is no id', async () => {
    const book = await get(`books/nil?include=${bookRelations.join(',')}`);
    expect(book).toEqual({ ...(await plain('nil')), author: cat, editor: null, readers: null });
    expect(book).toMatchObject({ editorId: null, edition: null });
  });

  it('embeds every step of a dotted name', async () => {
    expect((await get('books/full?include=author.company')).author).toEqual({ ...ann, company: acme });
    expect((await get('books/full?include=author.company.owner')).author).toEqual({ ...ann, company: { ...acme, owner: ann } });
    expect((await get('books/full?include=editor.company')).editor).toEqual({ ...ben, company: bolt });
  });

  it('embeds what several names ask for, and nothing else', async () => {
    const { author, editor } = await get('books/full?include=author.boss,author.company&include=editor');
    expect(author).toEqual({ ...ann, company: acme, boss: ben });
    expect(editor).toEqual(ben); // the same model, of which the client asked nothing here
  });

  it('goes in circles as far as is allowed, and no further', async () => {
    expect((await get('people/ann?include=boss.boss.boss')).boss).toEqual({ ...ben, boss: { ...ann, boss: ben } });
    expect((await get('books/full?include=author.boss.boss')).author).toEqual({ ...ann, boss: { ...ben, boss: ann } });
    expect((await api.request('GET', '/api/people/ann?include=boss.boss.boss.boss')).status).toBe(400);
  });

  it('adds up several parameters, and takes a name twice', async () => {
    const one = await get('books/full?include=author,editor');
    expect(await get('books/full?include=author&include=editor&x=1&include=author,author')).toEqual(one);
    expect(await get('books/full?inclu%64e=author%2Ceditor')).toEqual(one);
  });

  it('keeps the ETag of the parent, and does not honour If-None-Match', async () => {
    const headers = { 'if-none-match': '"5"' };
    for (const [path, tags] of [
      ['books/full?include=author', '"5"'],
      ['books/full?include=author', '*'],
    ] as const) {
      const answer = await api.request('GET', `/api/${path}`, { headers: { 'if-none-match': tags } });
      expect([answer.status, answer.headers.etag, answer.body.data.author]).toEqual([200, '"5"', ann]);
    }
    expect((await api.request('GET', '/api/books/full', { headers })).status).toBe(304);
    expect((await api.request('GET', '/api/books/full?x=1', { headers })).status).toBe(304);
  });

  it('is 404 for a record that does not exist, and HEAD has the headers of GET', async () => {
    expect((await api.request('GET', '/api/books/none?include=author')).status).toBe(404);
    const { text, headers } = await api.request('GET', '/api/books/full?include=author');
    const head = await api.request('HEAD', '/api/books/full?include=author');
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(Buffer.byteLength(text))]);
    expect(head.headers.etag).toBe(headers.etag);
  });
});

describe('GET /?include=', () => {
  it('embeds in every record of the page', async () => {
    const data = await get('books?sort=id&include=author,editor,edition.printer&include=author.company');
    expect(data.map(({ author, editor }: Record<string, unknown>) => [author, editor])).toEqual([
      [{ ...ann, company: acme }, ben],
      ['gone', null],
      [cat, null],
    ]);
    expect(data[0].edition.printer).toEqual(bolt);
  });

  it('answers with the records, the cursors and the total that it has without', async () => {
    const { body: bare } = await api.request('GET', '/api/books?sort=id&limit=1');
    const { body, headers } = await api.request('GET', '/api/books?sort=id&limit=1&include=author');
    expect(body).toEqual({ data: [{ ...bare.data[0], author: ann }], page: bare.page });
    expect(headers.link).toContain('include=author');
    expect(headers).not.toHaveProperty('etag');
    const next = await api.request('GET', `/api/books?sort=id&limit=1&include=editor&after=${body.page.next_cursor}`);
    expect([next.status, next.body.data[0].id]).toEqual([200, 'gap']);
  });

  it('is an empty page when nothing matches', async () => {
    expect(await get('books?title=none&include=author')).toEqual([]);
  });
});

describe('a request with include', () => {
  it('gives after hooks the documents without embedding', async () => {
    hooked.length = 0;
    await get('books/full?include=author,editor');
    await get('books?include=author,editor&title=Full');
    expect(hooked).toEqual([
      expect.objectContaining({ author: 'ann', editorId: 'ben' }),
      expect.objectContaining({ author: 'ann', editorId: 'ben' }),
    ]);
    for (const book of hooked) expect(book).not.toHaveProperty('editor');
  });

  it('is without effect on other operations', async () => {
    const created = await api.request('POST', '/api/books?include=author,x', { body: { id: 'new', title: 'New', author: 'ann' } });
    expect([created.status, created.body.data.author]).toEqual([201, 'ann']);
    const patched = await api.request('PATCH', '/api/books/new?include=author', { body: { title: 'Newer' } });
    expect([patched.status, patched.body.data.author]).toEqual([200, 'ann']);
    expect((await api.request('DELETE', '/api/books/new?include=none')).status).toBe(204);
  });
});
