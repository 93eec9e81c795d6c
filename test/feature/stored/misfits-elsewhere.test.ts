import { cursorPaging, defineModel, openStore, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { expectSoft } from '../../support/expect.ts';
import { useApi } from '../../support/http/api.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { until } from '../../support/until.ts';

const id = t.string({ policy: { insert: true, filter: true, sort: true } });
const due = t.nullable(t.date({ stored: 'd', storedAs: 'string', policy: { filter: true, sort: true } }));
const Shelf = defineModel('Shelf', {
  collection: 'shelves',
  fields: { id, due, books: t.hasMany('Book', { via: 'shelf', resource: 'books' }), revision: t.revision() },
});
const Book = defineModel('Book', {
  collection: 'books',
  fields: {
    id,
    due,
    secret: t.nullable(t.boolean({ stored: 's', storedAs: 'int', policy: { private: true } })),
    shelf: t.nullable(t.ref('Shelf', { stored: 'sh', id: t.string(), as: 'on', onDelete: 'cascade', policy: { filter: true } })),
    stock: t.counter({ stored: 'c', policy: { filter: true } }),
    days: t.computed(t.nullable(t.int()), { from: ['due'], get: ({ due }: { due?: Date | null }) => due?.getUTCDate() ?? null }),
    revision: t.revision(),
  },
  history: true,
  outbox: true,
});

const database = useDatabase();
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Shelf,
      ops: ['list', 'get', 'create', 'patch', 'delete'],
      include: ['books'],
      nested: ['books'],
      live: true,
    }),
    shop.resource({
      model: Book,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany', 'deleteMany'],
      include: ['on'],
      through: ['on'],
      live: true,
      fields: true,
      history: true,
      aggregate: true,
      export: {},
      paging: cursorPaging({ total: true }),
      operations: {
        touch: { method: 'POST', summary: 'Touch', answer: 'record', handler: async (ctx: Any) => ctx.save(await ctx.load()) },
      } as Any,
    }),
  ],
  { batch: true, idempotency: { principal: () => 'ann' } },
);
const streams: LiveStream[] = [];
const rejected: unknown[] = [];
const note = (error: unknown) => void rejected.push(error);
process.on('unhandledRejection', note);
afterAll(() => void process.off('unhandledRejection', note));
afterEach(() => {
  for (const one of streams.splice(0)) one.close();
  expect(rejected.splice(0)).toEqual([]);
});

const of = (name: string) => database.db.collection<Any>(name);
beforeEach(async () => {
  for (const name of ['books', 'shelves', 'books_history', 'events']) await of(name).deleteMany({});
  await of('shelves').insertMany([
    { _id: 'odd', d: 'SECRET', revision: 0 },
    { _id: 'fits', revision: 0 },
  ]);
  await of('books').insertMany([
    { _id: 'odd', d: 'SECRET', sh: 'fits', c: 1, revision: 0 },
    { _id: 'hidden', s: 7, sh: 'none', c: 1, revision: 0 },
    { _id: 'on', d: '2020-01-02T00:00:00.000Z', sh: 'odd', c: 1, revision: 0 },
  ]);
});

async function ask(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await api
    .request(method, `/api${path}`, { ...(body === undefined ? {} : { body }), headers } as Any)
    .catch((error: Error) => ({ status: 'broken off', text: String(error), headers: {}, body: undefined }) as Any);
  return { ...answer, told: api.errors.splice(0).map(({ message }: Error) => message) };
}
const book = (field = 'due') =>
  `The record of Book with the id "odd" does not fit its model: \`${field}\` must be stored as a text such as 2026-01-31T12:00:00.000Z.`;
const shelf = book().replace('Book', 'Shelf');

describe('a stored value that does not fit', () => {
  it.each([
    ['GET', '/books/odd', book()],
    ['GET', '/books/odd?fields=days', book()],
    ['GET', '/books/odd?fields=due', book()],
    ['GET', '/books?sort=id', book()],
    ['GET', '/books/on?include=on', shelf],
    ['GET', '/books?include=on&id=on', shelf],
    ['GET', '/shelves/fits?include=books', book()],
    ['GET', '/shelves?include=books&sort=id', book()],
    ['GET', '/shelves/fits/books', book()],
    ['GET', '/books?on.due[gt]=2000-01-01T00:00:00Z', undefined],
    ['GET', '/books?fields=id,stock', undefined],
    ['GET', '/books/odd?fields=stock', undefined],
    ['GET', '/books/hidden', undefined],
    ['GET', '/books/aggregate?count=true', undefined],
    ['POST', '/books/odd/stock', book(), { add: 1 }],
    ['PATCH', '/books/odd', book(), { shelf: null }],
    ['PATCH', '/books?id=odd', undefined, { shelf: null }],
    ['PUT', '/books/hidden', undefined, { shelf: null }],
    ['POST', '/books/odd/touch', book()],
    ['POST', '/books/hidden/touch', 'secret'],
    ['DELETE', '/books/odd', undefined],
    ['DELETE', '/books?id=odd', undefined],
    ['DELETE', '/shelves/fits', undefined],
  ] as [string, string, string | undefined, unknown?][])('%s %s', async (method, path, message, body) => {
    const { status, text, told } = await ask(method, path, body);
    expectSoft(text).not.toContain('SECRET');
    if (message === undefined) expect([status < 300, told]).toEqual([true, []]);
    else expect([status, told]).toEqual([500, [expect.stringContaining(message)]]);
  });

  it('says so in a batch, and in an export, which is broken off', async () => {
    const batch = await ask('POST', '/batch', {
      operations: [
        { method: 'POST', path: '/books/on/stock', body: { add: 1 } },
        { method: 'POST', path: '/books/odd/stock', body: { add: 1 } },
      ],
    });
    expect([batch.status, batch.told, await of('books').findOne({ _id: 'on' })]).toMatchObject([500, [book()], { c: 1 }]);
    for (const accept of ['text/csv', 'application/x-ndjson']) {
      const { status, told, text } = await ask('GET', '/books?sort=-id', undefined, { accept });
      expect(text).not.toContain('SECRET');
      expect([status === 500 || status === 'broken off', told]).toEqual([true, [book()]]);
    }
  });

  it('is told where a live stream would show it, which sends nothing of it and ends, and stops no other one', async () => {
    const port = api.port;
    const [list, one, other, behind] = ['/books?id[in]=on,new', '/books/on', '/books?fields=stock', '/books?include=on&id=hidden'].map(
      (path) => {
        const stream = new LiveStream(port, `/api${path}`);
        streams.push(stream);
        return stream;
      },
    ) as [LiveStream, LiveStream, LiveStream, LiveStream];
    for (const stream of streams) await stream.opened();
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await of('books').updateOne({ _id: 'on' }, { $set: { d: 'SECRET', c: 5 }, $inc: { revision: 1 } });
    await of('books').updateOne({ _id: 'hidden' }, { $set: { sh: 'odd' }, $inc: { revision: 1 } });
    await other.sees(({ data }) => data.some((one: Any) => one.stock === 5));
    await until(() => api.errors.length >= 3 && [list, one, behind].every(({ events }) => events.length >= 2));
    expect(new Set(api.errors.splice(0).map(({ message }) => message))).toEqual(new Set([book().replace('"odd"', '"on"'), shelf]));
    for (const stream of [list, one, behind])
      expect([stream.events.map(({ event }) => event), stream.text]).toEqual([
        [expect.any(String), 'end'],
        expect.not.stringContaining('SECRET'),
      ]);
  }, 20_000);

  it('is an error of a store', async () => {
    const store = openStore(Book, { db: database.db, models: [Shelf] });
    await expect(store.get('odd')).rejects.toThrow(book());
    await expect(store.find({ id: 'odd' })).rejects.toThrow(book());
    await expect(store.step('odd', 'stock', 1)).rejects.toThrow(book());
  });

  it('undoes a write with an Idempotency-Key, so that a second try is not a second step', async () => {
    for (const _try of [1, 2]) {
      const { status, told } = await ask('POST', '/books/odd/stock', { add: 1 }, { 'idempotency-key': '"a"' });
      expect([status, told, await of('books').findOne({ _id: 'odd' })]).toMatchObject([500, [book()], { c: 1, revision: 0 }]);
    }
  });
});
