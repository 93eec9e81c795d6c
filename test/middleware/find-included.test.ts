import Router from '@koa/router';
import type Koa from 'koa';
import {
  ConfigurationError,
  compileIncludes,
  cursorPaging,
  findIncluded,
  findPage,
  findRecord,
  include,
  listQuery,
  notModified,
  page,
  problems,
  record,
} from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { Book, books, Company, companies, Person, people, type Stored } from '../support/models/books.ts';

const database = useDatabase();
const serve = useServer();
let server: TestServer;

beforeAll(async () => {
  const { db } = database;
  await db.collection<Stored>('companies').insertMany(companies);
  await db.collection<Stored>('people').insertMany(people);
  await db.collection<Stored>('books').insertMany(books);
  const targets = [
    { model: Person, scope: (ctx: Koa.Context) => ({ name: ctx.get('x-name') || 'Ann' }) },
    { model: Company, guards: [() => true] },
  ];
  const includes = compileIncludes(Book, ['author.company', 'editor'], { db, targets });
  const router = new Router();
  router.use(problems() as Koa.Middleware);
  router.get(
    '/books/:id',
    ...([include(includes), notModified(), findRecord(Book, { db }), findIncluded(includes), record()] as Koa.Middleware[]),
  );
  router.get(
    '/books',
    ...([
      listQuery(Book, cursorPaging(), { name: 'books', includes }),
      findPage(Book, { db }),
      findIncluded(includes),
      page(),
    ] as Koa.Middleware[]),
  );
  router.get('/wrong/:id', ...([include(includes), findIncluded(includes)] as Koa.Middleware[]));
  server = await serve(router.routes() as unknown as Koa.Middleware);
});

describe("include() and findIncluded() in somebody's own routes", () => {
  it('show them in one record and in a page, within the scope and the guards that they were given', async () => {
    const one = await server.request('GET', '/books/full?include=author.company,editor', { headers: { 'if-none-match': '*' } });
    expect(one.body.data).toMatchObject({ author: { name: 'Ann', company: { name: 'Acme' } }, editorId: 'ben', editor: null });
    const { body } = await server.request('GET', '/books?title=Full&include=author.company,editor', { headers: { 'x-name': 'Ben' } });
    expect(body.data[0]).toMatchObject({ author: 'ann', editor: { name: 'Ben', company: 'bolt' } });
  });

  it('do nothing without include, and refuse what is not allowed', async () => {
    expect((await server.request('GET', '/books/full')).body.data).toMatchObject({ author: 'ann' });
    expect((await server.request('GET', '/books/full?include=author')).status).toBe(400);
    expect((await server.request('GET', '/books?include=translators')).status).toBe(400);
  });

  it('name what was left out of the chain', async () => {
    expect((await server.request('GET', '/wrong/1?include=editor')).status).toBe(500);
    expect(server.errors.map(({ message }) => message)).toEqual(['`findIncluded` needs `findRecord` before it in the chain.']);
  });

  it('are configuration errors where a relation leads to two targets alike', () => {
    const targets = [{ model: Person }, { model: Person, guards: [() => false] }];
    expect(() => compileIncludes(Book, ['author'], { db: database.db, targets })).toThrow(
      'which leads to Person and so to several resources',
    );
  });

  it('are configuration errors where a relation leads nowhere', () => {
    const compile = () => compileIncludes(Book, ['author'], { db: database.db, targets: [] });
    expect(compile).toThrow(ConfigurationError);
    expect(compile).toThrow(
      '`include` of a list names `author`, which leads to Person, a model that is not known here: add its resource, or the model to `models`.',
    );
  });
});
