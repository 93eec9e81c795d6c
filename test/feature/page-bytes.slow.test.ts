import { once } from 'node:events';
import { Binary, type CommandSucceededEvent } from 'mongodb';
import {
  ConfigurationError,
  compileIncludes,
  cursorPaging,
  defineModel,
  findPage,
  offsetPaging,
  openapiDocument,
  service,
  t,
} from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { idsOf, walkList } from '../support/http/walk-list.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  maxTimeMS: 9_000,
  fields: {
    id: t.int({ policy: { sort: true } }),
    text: t.string({ default: '' }),
    rank: t.optional(t.int({ policy: { sort: true } })),
    blob: t.optional(t.binary()),
    secret: t.optional(t.string({ policy: { private: true } })),
  },
});

const maxPageBytes = 10_000;
const database = useDatabase({ monitorCommands: true, readPreference: 'primaryPreferred', readConcernLevel: 'majority' });
const commands = useCommands(database);
let hookIds: unknown[] = [];
const hook = (_ctx: unknown, docs: readonly { readonly id: number }[]) => void hookIds.push(...docs.map(({ id }) => id));
const paging = cursorPaging({ max: 1000, size: 1000, total: true });
const byNumber = offsetPaging({ max: 1000, size: 1000 });
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Doc, paging }),
    shop.resource({ model: Doc, path: 'hooked', paging, after: { list: [hook] } }),
    shop.resource({ model: Doc, path: 'numbered', paging: byNumber }),
    shop.resource({ model: Doc, path: 'chosen', paging: byNumber, fields: true }),
    shop.resource({ model: Doc, path: 'chosen-hooked', paging: byNumber, fields: true, after: { list: [hook] } }),
  ],
  { maxPageBytes },
);
const usual = useApi(database, (shop) => [shop.resource({ model: Doc, paging })]);

const docs = () => database.db.collection<{ _id: number; text?: string; blob?: Binary; secret?: string }>('docs');
const fill = (count: number, rest: object) => docs().insertMany(Array.from({ length: count }, (_, _id) => ({ _id, ...rest })));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const killed = async (): Promise<CommandSucceededEvent> => {
  const [event]: CommandSucceededEvent[] = await once(database.client, 'commandSucceeded');
  return event?.commandName === 'killCursors' ? event : killed();
};

beforeEach(async () => {
  hookIds = [];
  await docs().deleteMany({});
  commands.clear();
});

describe('a page by cursor that has more bytes than maxPageBytes', () => {
  it('ends early, and has_next and the cursors lead on: a walk visits each record once, in both directions', async () => {
    await fill(20, { text: 'x'.repeat(3000) });
    const { there, back } = await walkList(api, '/api/docs?sort=-id');
    for (const pages of [there, back]) {
      expect(idsOf(pages)).toEqual(upTo(20).reverse());
      expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThanOrEqual(maxPageBytes);
    }
    expect(there.map(({ ids }) => ids.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
    // By `before` it is the near side that stays: the records right in front of the cursor.
    expect(back.map(({ ids }) => ids.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
    expect(there[0]?.page).toEqual({ size: 1000, has_next: true, next_cursor: expect.any(String), prev_cursor: null });
    expect(there.at(-1)?.page).toMatchObject({ has_next: false, next_cursor: null });
  });

  it('by `before` ends at its far end', async () => {
    await fill(10, { text: 'x'.repeat(3000) });
    const { body } = await usual.request('GET', '/api/docs?limit=9&sort=id');
    const again = await usual.request('GET', `/api/docs?sort=id&after=${body.page.next_cursor}`);
    const { body: end } = await api.request('GET', `/api/docs?sort=id&before=${again.body.page.prev_cursor}`);
    expect(end.data.map(({ id }: { id: number }) => id)).toEqual([6, 7, 8]);
    expect(end.page).toMatchObject({ has_next: true, prev_cursor: expect.any(String) });
  });

  it.each<[string, object, number]>([
    ['control characters', { text: '\u0001'.repeat(400) }, 4],
    ['characters of three bytes', { text: '€'.repeat(1100) }, 3],
    ['binary values', { blob: new Binary(Buffer.alloc(1800)) }, 4],
  ])('is measured by its JSON where that is longer than what was read: %s', async (_what, rest, length) => {
    await fill(9, rest);
    const { there, back } = await walkList(api, '/api/docs?');
    for (const pages of [there, back]) {
      expect(idsOf(pages)).toEqual(upTo(9));
      for (const { bytes } of pages) expect(bytes).toBeLessThanOrEqual(maxPageBytes);
    }
    expect(there[0]?.ids).toHaveLength(length);
  });

  it('is measured by what is shown of what is read: private fields, which hooks are given, count for nothing', async () => {
    await fill(7, { text: 'x'.repeat(2_000), secret: 'x'.repeat(3000) });
    for (const path of ['/api/docs?', '/api/hooked?'])
      expect((await walkList(api, path)).there.map(({ ids }) => ids.length)).toEqual([4, 3]);
  });

  it('gives hooks the records that it shows, and no others', async () => {
    await fill(9, { text: '\u0001'.repeat(400) });
    const { body } = await api.request('GET', '/api/hooked?sort=id');
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual(hookIds);
    expect(hookIds).toHaveLength(4);
  });

  it('has one record where that alone is larger', async () => {
    await docs().insertMany(upTo(4).map((_id) => ({ _id, text: 'x'.repeat(_id % 2 === 0 ? 25_000 : 100) })));
    const { there, back } = await walkList(api, '/api/docs?');
    expect(there.map(({ ids }) => ids)).toEqual([[0], [1], [2], [3]]);
    expect(idsOf(back)).toEqual(upTo(4));
  });

  it('may have as many bytes as the bound, and not one more', async () => {
    const empty = '[{"id":0,"text":""},{"id":1,"text":""}]'.length;
    await docs().insertMany([{ _id: 0 }, { _id: 1, text: 'x'.repeat(maxPageBytes - empty) }]);
    const { body } = await api.request('GET', '/api/docs');
    expect([body.data.length, body.page.has_next]).toEqual([2, false]);
    await docs().updateOne({ _id: 0 }, { $set: { text: 'x' } });
    expect((await api.request('GET', '/api/docs')).body.page).toMatchObject({ has_next: true });
  });

  it('does not change the total, and HEAD has the headers of GET', async () => {
    await fill(9, { text: 'x'.repeat(3000) });
    const path = '/api/docs?total=true';
    const get = await api.request('GET', path);
    expect([get.body.data.length, get.body.page.total]).toEqual([3, 9]);
    const head = await api.request('HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-length', 'content-type', 'link']) expect(head.headers[name]).toBe(get.headers[name]);
    expect(Number(get.headers['content-length'])).toBe(Buffer.byteLength(get.text));
  });

  it('is one command, after which nothing is left to kill', async () => {
    await fill(9, { text: 'x'.repeat(3000) });
    commands.clear();
    const { body } = await api.request('GET', '/api/docs?sort=id');
    await api.request('GET', `/api/docs?sort=id&after=${body.page.next_cursor}`);
    expect(commands.names).toEqual(['find', 'find']); // a position by the id alone is one range
  });
});

describe('a page by number that has more bytes than maxPageBytes', () => {
  const refusal = (smaller: string) => [{ field: 'limit', message: `leads to a page of more than 10000 bytes: ask for ${smaller}` }];

  it.each<[string, object]>([
    ['to be read', { text: 'x'.repeat(3000) }],
    ['to be sent', { text: '\u0001'.repeat(400) }],
  ])('%s is 400, and asks for a smaller limit', async (_what, rest) => {
    await fill(9, rest);
    const { status, headers, body } = await api.request('GET', '/api/numbered');
    expect([status, body.code, body.errors]).toMatchObject([400, 'invalid_query', refusal('fewer records')]);
    expect([body.data, headers.link]).toEqual([undefined, undefined]);
    expect((await api.request('HEAD', '/api/numbered')).status).toBe(400);
    const second = await api.request('GET', '/api/numbered?limit=3&page=2&sort=id');
    expect([second.status, second.body.data.length, second.body.page.has_next]).toEqual([200, 3, true]);
    expect(api.errors).toEqual([]);
  });

  it.each<[string, object]>([
    ['read', { text: 'x'.repeat(3000) }],
    ['sent', { text: '\u0001'.repeat(400) }],
  ])('when it is %s asks for fields where clients may choose them, which makes it fit', async (_what, rest) => {
    await fill(9, rest);
    const { status, body } = await api.request('GET', '/api/chosen');
    expect([status, body.errors]).toMatchObject([400, refusal('fewer records, or for fewer fields by fields')]);
    expect((await api.request('GET', '/api/chosen?fields=id')).body.data).toHaveLength(9);
  });

  it('does not ask for fields where hooks are given whole records', async () => {
    await fill(9, { text: 'x'.repeat(3000) });
    const { status, body } = await api.request('GET', '/api/chosen-hooked?fields=id');
    expect([status, body.errors, hookIds]).toMatchObject([400, refusal('fewer records'), []]);
  });

  it('has one record where only that is asked for, however large it is', async () => {
    await fill(2, { text: 'x'.repeat(25_000) });
    expect((await api.request('GET', '/api/numbered?limit=1&page=2')).body.data).toHaveLength(1);
  });

  it('has what fits where more lies behind it', async () => {
    await fill(4, { text: 'x'.repeat(3000) });
    const { body } = await api.request('GET', '/api/numbered?limit=3');
    expect([body.data.length, body.page.has_next]).toEqual([3, true]);
  });
});

describe('records of together more than a reply of the database holds', () => {
  it('are walked by pages of one command each, and what is left in the database is killed', async () => {
    const text = 'x'.repeat(1024 * 1024 - 40);
    for (const ten of upTo(4)) await docs().insertMany(upTo(10).map((digit) => ({ _id: ten * 10 + digit, text, rank: digit % 2 })));
    commands.clear();
    await Promise.all([killed(), usual.request('GET', '/api/docs?sort=rank,id')]);
    expect(commands.names).toEqual(['find', 'killCursors']);
    commands.clear();
    const { there, back } = await walkList(usual, '/api/docs?sort=rank,id');
    for (const pages of [there, back]) {
      expect(idsOf(pages)).toEqual(upTo(40).sort((a, b) => (a % 2) - (b % 2) || a - b));
      for (const { bytes } of pages) expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
      expect(pages).toHaveLength(3);
    }
    // Three pages there and the two others back: the last one each way leaves nothing.
    const sent = commands.events.filter(({ commandName }) => commandName !== 'killCursors');
    expect(sent.map(({ commandName }) => commandName)).toEqual(['find', ...Array(4).fill('aggregate')]);
    expect(commands.names.filter((name) => name === 'killCursors')).toHaveLength(3);
    for (const { command } of sent) {
      const { maxTimeMS, readConcern, $readPreference } = command;
      expect([maxTimeMS, readConcern, $readPreference]).toEqual([9_000, { level: 'majority' }, { mode: 'primaryPreferred' }]);
    }
  });

  it('are 400 by number, and killed too', async () => {
    for (const half of upTo(2)) await docs().insertMany(upTo(9).map((digit) => ({ _id: half * 9 + digit, text: 'x'.repeat(1e6) })));
    const [{ status }] = await Promise.all([api.request('GET', '/api/numbered'), killed()]);
    expect(status).toBe(400);
  });
});

describe('maxPageBytes', () => {
  it.each([0, 1023, 1500.5, 268_435_457, Number.NaN, Number.POSITIVE_INFINITY, '16mb', null])('cannot be %s', (wrong) => {
    const given = { maxPageBytes: wrong as number };
    for (const make of [
      () => service().api({ db: database.db, resources: [], ...given }),
      () => findPage(Doc, { db: database.db, ...given }),
      () => compileIncludes(Doc, [], { db: database.db, targets: [], ...given }),
    ]) {
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow(/^`maxPageBytes`.* must be a whole number of bytes from 1024 to 268435456/);
    }
  });

  it.each([1024, 268_435_456])('can be %s', (maxPageBytes) => {
    expect(() => service().api({ db: database.db, resources: [], maxPageBytes })).not.toThrow();
  });

  it('is said of the pages in the OpenAPI description', () => {
    const shop = service();
    const document = openapiDocument(
      shop.api({ db: database.db, resources: [shop.resource({ model: Doc }), shop.resource({ model: Doc, path: 'n', paging: byNumber })] }),
    );
    const limitOf = (path: string) => {
      const { parameters } = (document.paths[path] as { get: { parameters: { name: string; description: string }[] } }).get;
      return parameters.find(({ name }) => name === 'limit')?.description;
    };
    expect(limitOf('/docs')).toBe('Page size; above 100 it is 100. A page of large records may have fewer, with more behind it.');
    expect(limitOf('/n')).toBe('Page size; above 1000 it is 1000. A page of too many bytes is 400: ask for fewer records.');
  });
});
