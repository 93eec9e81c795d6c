import fc from 'fast-check';
import {
  compileIncludes,
  fields,
  findIncluded,
  findRecord,
  include,
  openapiDocument,
  problems,
  type ResourceMiddleware,
  record,
  type Service,
  service,
} from '../../src/index.ts';
import { compileSchema } from '../openapi/published.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { useApi } from '../support/http/api.ts';
import { useServer } from '../support/http/serve.ts';
import { Book, bookRelations, books, Company, companies, Person, people, type Stored } from '../support/models/books.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const define = (shop: Service<never>) => [
  shop.resource({ model: Book, fields: true, include: [...bookRelations, 'author.company'] }),
  shop.resource({ model: Book, path: 'unchosen', include: ['author'] }),
  shop.resource({ model: Person, fields: true }),
];
const api = useApi(database, define, { models: [Company] });
const serve = useServer();

beforeAll(async () => {
  await database.db.collection<Stored>('companies').insertMany(companies);
  await database.db.collection<Stored>('people').insertMany(people);
  await database.db.collection<Stored>('books').insertMany(books);
});
beforeEach(() => commands.clear());

const ann = { id: 'ann', name: 'Ann', address: { city: 'Ulm' }, company: 'acme', bossId: 'ben', rank: 1 };
const ben = { id: 'ben', name: 'Ben', address: null, company: 'bolt', bossId: 'ann', rank: 7 };
const acme = { id: 'acme', name: 'Acme', owner: 'ann', revision: 3 };
const bolt = { id: 'bolt', name: 'Bolt', owner: null, revision: 0 };

const get = async (path: string) => (await api.request('GET', `/api/${path}`)).body.data;

describe('fields= together with include=', () => {
  it.each<[string, object]>([
    ['fields=title&include=author', { title: 'Full', author: ann }],
    ['fields=title,author&include=author', { title: 'Full', author: ann }],
    ['fields=title&include=editor', { title: 'Full', editor: ben }],
    ['fields=title,editorId&include=editor', { title: 'Full', editorId: 'ben', editor: ben }],
    ['fields=id&include=readers', { readers: [ben, null, null, ann] }],
    ['fields=title&include=edition.publisher', { title: 'Full', edition: { publisher: acme } }],
    ['fields=title&include=edition.printer', { title: 'Full', edition: { printer: bolt } }],
    ['fields=edition.publisher&include=edition.printer', { edition: { publisher: 'acme', printer: bolt } }],
    ['fields=edition&include=edition.printer', { edition: { publisher: 'acme', printerId: 'bolt', printer: bolt } }],
    [
      'fields=chapters.title&include=edition.publisher',
      { edition: { publisher: acme }, chapters: ['I', 'II', 'III'].map((title) => ({ title })) },
    ],
    ['fields=id&include=chapters.by', { chapters: [{ by: ben }, { by: null }, { by: 'gone' }] }],
    ['fields=title&include=author.company', { title: 'Full', author: { ...ann, company: acme } }],
  ])('shows what was chosen, and each record where include puts it: %s', async (query, shown) => {
    expect(await get(`books/full?${query}`)).toEqual({ id: 'full', ...shown });
    expect((await get(`books?${query}`))[0]).toEqual({ id: 'full', ...shown });
  });

  it.each<[string, object]>([
    ['fields=title,author.name&include=author', { title: 'Full', author: { id: 'ann', name: 'Ann' } }],
    [
      'fields=title,author.address.city,author.rank&include=author',
      { title: 'Full', author: { id: 'ann', address: { city: 'Ulm' }, rank: 1 } },
    ],
    ['fields=title,editor.id&include=editor', { title: 'Full', editor: { id: 'ben' } }],
    ['fields=id,readers.name&include=readers', { readers: [{ id: 'ben', name: 'Ben' }, null, null, { id: 'ann', name: 'Ann' }] }],
    ['fields=id,edition.publisher.name&include=edition.publisher', { edition: { publisher: { id: 'acme', name: 'Acme' } } }],
    ['fields=id,author.company.name&include=author.company', { author: { ...ann, company: { id: 'acme', name: 'Acme' } } }],
    [
      'fields=id,author.name,author.company.name&include=author.company,author',
      { author: { id: 'ann', name: 'Ann', company: { id: 'acme', name: 'Acme' } } },
    ],
    ['fields=id,author.name&include=author.company,author', { author: { id: 'ann', name: 'Ann', company: acme } }],
  ])('chooses fields of included records: %s', async (query, shown) => {
    expect(await get(`books/full?${query}`)).toEqual({ id: 'full', ...shown });
    expect((await get(`books?${query}`))[0]).toEqual({ id: 'full', ...shown });
  });

  it.each([
    'fields=title,author.name&include=author',
    'fields=author.name&include=author',
    'fields=id,author.name,author.company.name&include=author.company,author',
    'fields=id,edition.publisher.name,readers.name&include=edition.publisher,readers',
    'fields=title&include=author.company',
  ])('is described: %s', async (query) => {
    const shop = service();
    const document = openapiDocument(shop.api({ db: database.db, models: [Company], resources: define(shop) }));
    const fits = compileSchema(document, { $ref: '#/components/schemas/BookSelected' });
    expect(fits(await get(`books/full?${query}`))).toBe(true);
    expect(fits({ id: 'full', author: { name: 'Ann' } })).toBe(false); // without its id
  });

  it('leaves a record of which no field is named as it is', async () => {
    const whole = await get('books/full');
    expect(await get('books/full?fields=author.name&include=author')).toEqual({ ...whole, author: { id: 'ann', name: 'Ann' } });
  });

  it('fetches no more of an included record than was chosen', async () => {
    await get('books/full?fields=title,author.name,author.company.name&include=author,author.company');
    expect(commands.events.slice(1).map(({ command }) => command.projection)).toEqual([
      { _id: 1, name: 1, company: 1 },
      { _id: 1, name: 1, revision: 1 },
    ]);
  });

  it.each([
    ['author.name', '', 'cannot select `author.name` without `include=author`'],
    ['author.nmae', '', expect.stringMatching(/^cannot select `author.nmae`. Allowed: id, title, /)],
    ['author.email', '', expect.stringMatching(/^cannot select `author.email`. Allowed: id, title, /)],
    ['author.nmae', 'author', 'cannot select `author.nmae`; did you mean `author.name`?'],
    ['author.email', 'author', expect.stringContaining('cannot select `author.email`')],
    ['author.nothing', 'author', expect.stringContaining('cannot select `author.nothing`')],
    ['author.company.name', 'author', 'cannot select `author.company.name` without `include=author.company`'],
    ['editor', 'editor', expect.stringContaining('cannot select `editor`')],
  ])('refuses %s with include=%s', async (name, included, message) => {
    for (const path of ['books', 'books/full']) {
      const { status, body } = await api.request('GET', `/api/${path}?fields=${name}${included && `&include=${included}`}`);
      expect([status, body.errors.map((one: { message: string }) => one.message)]).toEqual([400, [message]]);
    }
  });

  it('fetches what the relation needs, and no more', async () => {
    await get('books/full?fields=title&include=editor,edition.printer');
    const projection = { _id: 1, title: 1, editorId: 1, 'edition.printerId': 1, revision: 1 };
    expect(commands.events[0]?.command.projection).toEqual(projection);
  });

  it.each([
    ['gap', { author: 'gone', editor: null, edition: { publisher: 'gone', printer: null } }],
    ['nil', { author: expect.objectContaining({ id: 'cat' }), editor: null, edition: null }],
  ])('shows dangling and missing references as include does: %s', async (name, shown) => {
    const book = await get(`books/${name}?fields=id&include=author,editor,edition.publisher,edition.printer`);
    expect(book).toEqual({ id: name, ...shown });
  });

  it('has the ETag of the whole record, and does not honour If-None-Match', async () => {
    const headers = { 'if-none-match': '"5"' };
    const both = await api.request('GET', '/api/books/full?fields=title&include=author', { headers });
    expect([both.status, both.headers.etag]).toEqual([200, '"5"']);
    const chosen = await api.request('GET', '/api/books/full?fields=title', { headers });
    expect([chosen.status, chosen.headers.etag]).toEqual([304, '"5"']);
  });

  it('names fields, not relations: what `as` adds cannot be chosen', async () => {
    for (const name of ['editor', 'translator']) {
      const { status, body } = await api.request('GET', `/api/books/full?fields=${name}&include=editor,author`);
      expect([status, body.code, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, 'invalid_query', ['fields']]);
    }
  });

  it('reports what is wrong with both at once in a list', async () => {
    const { body } = await api.request('GET', '/api/books?fields=x&include=y');
    expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(['fields', 'include']);
  });

  it('leaves include as it is where clients may not choose', async () => {
    expect(await get('unchosen/full?include=author&fields=title')).toEqual({ ...(await get('unchosen/full')), author: ann });
    expect((await api.request('GET', '/api/unchosen?include=author&fields=title')).status).toBe(400);
  });

  it('shows of each part what it shows without the other, for any choice', async () => {
    const names = ['title', 'author', 'editorId', 'translators', 'readerIds', 'edition', 'chapters', 'revision'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('full', 'gap', 'nil'),
        fc.subarray(names, { minLength: 1 }),
        fc.subarray([...bookRelations]),
        async (name, chosen, included) => {
          const query = included.length > 0 ? `&include=${included}` : '';
          const whole = await get(`books/${name}?${query}`);
          const shown = new Set(['id', ...chosen, ...included.map((path) => path.split('.')[0] as string)]);
          const answer = await get(`books/${name}?fields=${chosen}${query}`);
          expect(Object.keys(answer)).toEqual(Object.keys(whole).filter((key) => shown.has(key)));
          for (const key of chosen) expect(answer[key]).toEqual(whole[key]);
          for (const path of included) expect(valuesAt(answer, path)).toEqual(valuesAt(whole, path));
        },
      ),
      cases(100),
    );
  }, 120_000);

  it('works in an app of one’s own', async () => {
    const db = { db: database.db };
    const includes = compileIncludes(Book, ['editor'], { ...db, targets: [{ model: Person }] });
    const setId: ResourceMiddleware = async (ctx, next) => {
      ctx.params = { id: 'full' };
      await next();
    };
    const { request } = await serve(
      problems(),
      setId,
      include(includes),
      fields(Book, includes),
      findRecord(Book, db),
      findIncluded(includes),
      record(),
    );
    expect((await request('GET', '/?fields=title&include=editor')).body.data).toEqual({ id: 'full', title: 'Full', editor: ben });
  });
});

/** The values at a dotted path, through lists. */
function valuesAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (Array.isArray(at) ? at.map((one) => one?.[key]) : (at as never)?.[key]), value);
}
