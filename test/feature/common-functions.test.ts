import { defineModel, everything, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';

const Author = defineModel('Author', { collection: 'authors', fields: { id: t.string({ policy: { insert: true } }), name: t.string() } });
const Book = defineModel('Book', {
  collection: 'books',
  fields: {
    id: t.string({ policy: { insert: true } }),
    title: t.string(),
    authorId: t.optional(t.ref('Author', { as: 'author', id: t.string() })),
  },
});
const Entry = defineModel('Entry', { collection: 'entries', fields: { of: t.string(), was: t.optional(t.string()) } });

const database = useDatabase();
const serve = useServer();
afterEach(async () => {
  for (const name of ['authors', 'books', 'entries']) await database.db.collection(name).deleteMany({});
});

/** Starts two resources of a service that has these functions for all of them. */
async function start(ofService: object, ofBooks: object = {}, ofAuthors: object = {}) {
  const shop = service({ authenticate: (ctx: Any) => ctx.get('authorization') || undefined, ...ofService } as Any);
  const books = shop.resource({ model: Book, ops: ['list', 'get', 'create', 'patch', 'delete'], include: ['author'], ...ofBooks } as Any);
  const authors = shop.resource({ model: Author, ops: ['list', 'get', 'create'], ...ofAuthors } as Any);
  const api = shop.api({ db: database.db, resources: [books, authors], models: [Entry], batch: true } as Any);
  const server = await serve(api.routes());
  const send = (method: string, path: string, body?: unknown, name = 'ann') =>
    server.request(method, path, { headers: { authorization: name }, ...(body === undefined ? {} : { body }) });
  return { api, send };
}

// Which row asks and runs what, by each way to send a request, is held by `every-row.test.ts`.
describe('guards and hooks of a service', () => {
  it('are those of all of its resources, before their own', async () => {
    const order: string[] = [];
    const note =
      (name: string, result: unknown = true) =>
      () =>
        order.push(name) && result;
    const { send } = await start(
      { guards: [note('all')], guardsFor: { write: [note('writes')] }, after: { create: [note('after')] } },
      { guards: [note('own')], guardsFor: { create: [note('own create')] }, after: { create: [note('own after')] } },
    );
    expect((await send('POST', '/books', { id: 'b', title: 'B' })).status).toBe(201);
    expect(order).toEqual(['all', 'writes', 'own', 'own create', 'after', 'own after']);
    order.length = 0;
    expect((await send('POST', '/authors', { id: 'a', name: 'A' })).status).toBe(201);
    expect(order).toEqual(['all', 'writes', 'after']);
  });

  it('decide about included records, too', async () => {
    const { send } = await start({ guards: [(ctx: Any) => ctx.principal === 'ann' || ctx.path.startsWith('/books')] });
    await send('POST', '/authors', { id: 'a', name: 'A' });
    await send('POST', '/books', { id: 'b', title: 'B', authorId: 'a' });
    expect((await send('GET', '/authors/a', undefined, 'bob')).status).toBe(403);
    const refusing = await start({ guardsFor: { get: [(ctx: Any) => ctx.principal === 'ann'] } }, { guardsFor: { list: [() => true] } });
    expect((await refusing.send('GET', '/books?include=author', undefined, 'bob')).body.data[0].author).toBeNull();
    expect((await refusing.send('GET', '/books?include=author')).body.data[0].author).toEqual({ id: 'a', name: 'A' });
  });

  it('of `within` are stored with each write, whatever it is of', async () => {
    const log = (ctx: Any, { before, tx }: Any) =>
      tx.store(Entry, { scope: everything }).create({ of: ctx.path, ...(before && { was: before.title ?? before.name }) });
    const { send } = await start({ within: { write: [log] } });
    await send('POST', '/authors', { id: 'a', name: 'A' });
    await send('POST', '/books', { id: 'b', title: 'B' });
    await send('PATCH', '/books/b', { title: 'C' });
    await send('DELETE', '/books/b');
    const entries = await database.db
      .collection('entries')
      .find({}, { projection: { _id: 0 } })
      .toArray();
    expect(entries).toEqual([{ of: '/authors' }, { of: '/books' }, { of: '/books/b', was: 'B' }, { of: '/books/b', was: 'C' }]);
  });

  it('of `before` may change the draft of any resource', async () => {
    const shout = (_ctx: Any, draft: Any) => {
      for (const key of ['title', 'name']) if (draft[key] !== undefined) draft[key] += '!';
    };
    const { send } = await start({ before: { create: [shout] } });
    expect(await send('POST', '/authors', { id: 'a', name: 'A' })).toMatchObject({ status: 201, body: { data: { name: 'A!' } } });
    expect(await send('POST', '/books', { id: 'b', title: 'B' })).toMatchObject({ status: 201, body: { data: { title: 'B!' } } });
  });

  it('are asked of custom operations: `guards`, and those of the group of the operation', async () => {
    const operations = {
      stamp: { method: 'POST', path: '/stamp', group: 'change', handler: () => ({ ok: true }) },
      plain: { method: 'POST', path: '/plain', handler: () => ({ ok: true }) },
    };
    const { send } = await start(
      { guards: [(ctx: Any) => ctx.principal !== undefined], guardsFor: { change: [(ctx: Any) => ctx.principal === 'ann'] } },
      { operations },
    );
    const statuses = async (path: string) => {
      const answers = [];
      for (const name of ['ann', 'bob', '']) answers.push((await send('POST', path, undefined, name)).status);
      return answers;
    };
    expect([await statuses('/books/stamp'), await statuses('/books/plain')]).toEqual([
      [200, 403, 403],
      [200, 200, 403],
    ]);
  });

  it('are copied with the resources: what an app does to its arrays later opens nothing', async () => {
    const guards = [() => false];
    const { send } = await start({ guards });
    guards.length = 0;
    expect((await send('GET', '/books')).status).toBe(403);
  });

  it('are copied when the service is made', async () => {
    const guards = [() => false];
    const desk = service({ guards });
    guards.length = 0;
    const server = await serve(desk.api({ db: database.db, resources: [desk.resource({ model: Book, ops: ['list'] })] }).routes());
    expect((await server.request('GET', '/books')).status).toBe(403);
  });

  it('stay those of the service that has made a resource, whichever serves it', async () => {
    const authenticate = () => 'ann';
    const closed = service({ authenticate, guards: [() => false] });
    const open = service({ authenticate });
    const books = closed.resource({ model: Book, ops: ['list'] });
    const server = await serve(open.api({ db: database.db, resources: [books] }).routes());
    expect((await server.request('GET', '/books')).status).toBe(403);
  });

  it('cannot be those of two services', () => {
    const authenticate = () => 'ann';
    const [closed, open] = [service({ authenticate, guards: [() => false] }), service({ authenticate })];
    const definition = { model: Book, ops: ['list'] } as const;
    const resources = [closed.resource(definition), open.resource(definition)];
    const message = /The resource `books` was given to several services, which have guards or hooks/;
    for (const [index, one] of [closed, open].entries())
      expect(() => one.api({ db: database.db, resources: [resources[index] as Any] })).toThrow(message);
  });

  it('refuse a custom operation that is called like one of their groups', async () => {
    const operations = { remove: { path: '/sweep', handler: () => ({}) } };
    await expect(start({ guardsFor: { remove: [() => true] } }, { operations })).rejects.toThrow(
      /`guardsFor.remove` of the service, for resource `books`, can mean a custom operation or a group of operations/,
    );
  });

  it.each([
    [{ guards: () => true }, /`guards`/],
    [{ guards: ['admin'] }, /`guards` of the service must be an array of functions/],
    [{ guardsFor: { change: ['admin'] } }, /`guardsFor.change` of the service must be an array of functions/],
    [{ guardsFor: { send: [] } }, /`send`/],
    [{ before: { list: [] } }, /`list`/],
    [{ within: { read: [] } }, /`read`/],
    [{ after: { creates: [] } }, /`create`/],
    [{ guard: [] }, /`guards`/],
  ])('are refused when the service is made if they are no functions of operations: %j', (options, message) => {
    expect(() => service(options as Any)).toThrow(message);
  });

  it('of `before` and `within` need the handler of a custom operation of their group', async () => {
    const operations = { stamp: { group: 'change', use: [() => undefined] } };
    await expect(start({ before: { change: [() => undefined] } }, { operations })).rejects.toThrow(
      /`operations.stamp` of resource `books` has the group `change`, for which `before` of the service has hooks: it needs a `handler`/,
    );
  });

  it('warn of a custom operation that says no group, where guards are given for groups', async () => {
    const told = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await start({ guardsFor: { change: [() => true] } }, { operations: { stamp: { handler: () => undefined } } });
    const codes = told.mock.calls.map(([message, options]) => `${(options as Any).code} ${String(message)}`);
    told.mockRestore();
    expect(codes.filter((one) => one.startsWith('UNCOVERED_OPERATION'))).toEqual([expect.stringMatching(/stamp/)]);
  });
});
