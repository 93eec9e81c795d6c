import { cursorPaging, defineModel, filterQuery, listQuery, problems, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { useServer } from '../support/http/serve.ts';

const all = { filter: true } as const;
const Author = defineModel('Author', { collection: 'authors', fields: { name: t.string({ policy: all }) } });
const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    plain: t.optional(t.string({ policy: all })),
    text: t.optional(t.string({ caseless: true, policy: all })),
    tags: t.array(t.string(), { default: [], policy: { filter: ['prefix'] } }),
    lines: t.array(t.object('Line', { sku: t.string({ policy: { filter: ['prefix'] } }) }), { default: [] }),
    labels: t.map(t.string(), { default: {}, filterKeys: ['colour'], policy: { filter: ['prefix'] } }),
    authorId: t.optional(t.ref('Author', { as: 'author', policy: all })),
  },
});

const database = useDatabase();
const prefixes = { scope: 'x', filter: 'x' };
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Author }),
    shop.resource({
      model: Note,
      through: ['author'],
      filters: ['prefix(plain, …)'],
      scope: () => ({ plain: { prefix: prefixes.scope } }),
      operations: {
        seek: {
          method: 'POST',
          path: '/seek',
          handler: (ctx) => ctx.store(Note, { scope: { plain: 'x' } }).count({ text: { prefix: prefixes.filter } }),
        },
      },
    }),
  ],
  { maxPrefix: 8_000 },
);
const serve = useServer();

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('notes').insertOne({ _id: 'n1' });
});

const limit = 16_384;
const rule = 'prefix_too_large';
const messageOf = (bytes: number) => `must be a pattern of at most ${limit} bytes for MongoDB, and is one of ${bytes}`;
const ofParameter = (field: string, bytes: number) => ({ field, message: messageOf(bytes), rule, params: { limit } });
const ofFilter = (name: string, position: number, bytes: number) => ({
  field: 'filter',
  message: `\`${name}\` at character ${position} ${messageOf(bytes)}`,
  rule,
  params: { limit, position },
});

const long = '€'.repeat(5_462); // 16,386 bytes

describe('a prefix whose pattern has more bytes than MongoDB takes', () => {
  it.each<[what: string, body: object, error: object]>([
    ['three bytes for each character', { 'plain[prefix]': long }, ofParameter('plain[prefix]', 16_387)],
    ['four bytes for each character', { 'plain[prefix]': '😀'.repeat(4_096) }, ofParameter('plain[prefix]', 16_385)],
    ['a text that is longer without case', { 'text[prefix]': '\u{1D160}'.repeat(1_366) }, ofParameter('text[prefix]', 16_393)],
    ['items of an array', { 'tags[prefix]': long }, ofParameter('tags[prefix]', 16_387)],
    ['fields of objects in an array', { 'lines.sku[prefix]': long }, ofParameter('lines.sku[prefix]', 16_387)],
    ['a key of a map', { 'labels.colour[prefix]': long }, ofParameter('labels.colour[prefix]', 16_387)],
    ['a field of a related record', { 'author.name[prefix]': long }, ofParameter('author.name[prefix]', 16_387)],
    ['`filter`', { filter: `prefix(plain, "${long}")` }, ofFilter('plain', 8, 16_387)],
    ['`filter` without case', { filter: `prefix(text, "${'\u{1D160}'.repeat(1_366)}")` }, ofFilter('text', 8, 16_393)],
    ['a negation', { filter: `NOT prefix(plain, "${long}")` }, ofFilter('plain', 12, 16_387)],
    ['`any` of an array', { filter: `any(lines, prefix(sku, "${long}"))` }, ofFilter('sku', 19, 16_387)],
    ['`filter` through a relation', { filter: `prefix(author.name, "${long}")` }, ofFilter('author.name', 8, 16_387)],
  ])('is 400 and names the bytes: %s', async (_what, body, error) => {
    const answer = await api.request('POST', '/api/notes/query', { body });
    expect([answer.status, answer.body.errors]).toEqual([400, [error]]);
  });

  it.each<[what: string, body: object]>([
    ['three bytes for each character', { 'plain[prefix]': '€'.repeat(5_461) }],
    ['four bytes for each character', { 'plain[prefix]': '😀'.repeat(4_095) }],
    ['a text that is longer without case', { 'text[prefix]': '\u{1D160}'.repeat(1_365) }],
    ['characters that are escaped', { 'plain[prefix]': '.'.repeat(8_000) }],
    ['a field of a related record', { 'author.name[prefix]': '€'.repeat(5_461) }],
    ['`any` of an array', { filter: `any(lines, prefix(sku, "${'€'.repeat(5_461)}"))` }],
  ])('has one character less where it is 200: %s', async (_what, body) => {
    expect((await api.request('POST', '/api/notes/query', { body })).status).toBe(200);
  });

  it('is refused in a query string by the middlewares of lists and of writes alike', async () => {
    const query = `plain[prefix]=${encodeURIComponent(long)}`;
    for (const parse of [listQuery(Note, cursorPaging(), { maxPrefix: 8_000 }), filterQuery(Note, { maxPrefix: 8_000 })]) {
      // Node does not read headers of this size unless it is told to.
      const { request } = await serve(
        problems(),
        (ctx, next) => {
          ctx.querystring = query;
          return next();
        },
        parse,
      );
      const { status, body } = await request('GET', '/');
      expect([status, body.errors]).toEqual([400, [ofParameter('plain[prefix]', 16_387)]]);
    }
  });
});

describe("a prefix of the application's own code whose pattern has more bytes than MongoDB takes", () => {
  it.each([
    ['scope', 'GET', '/api/notes', '`prefix` on `plain` in a scope'],
    ['filter', 'POST', '/api/notes/seek', '`prefix` on `text` in a filter'],
  ] as const)('is a mistake that names them, before anything is sent: %s', async (what, method, path, where) => {
    prefixes[what] = long;
    expect((await api.request(method, path)).status).toBe(500);
    prefixes[what] = 'x';
    expect(api.errors.splice(0).map((error) => error.message)).toEqual([`${where} ${messageOf(16_387)}.`]);
  });
});
