import { createHash } from 'node:crypto';
import { type Db, type Document, MongoClient } from 'mongodb';
import { type Api, cursorPaging, defineModel, openStore, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { type TestDatabase, useDatabase } from '../../support/database/database.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { openStream, readToEnd } from '../../support/http/read-stream.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';
import { type Case, casesOf } from '../../support/matrix/requests.ts';

const id = t.string({ policy: { insert: true } });
const hidden = () => t.optional(t.string({ policy: { read: 'staff' } }));
/** It is shown to callers who do not see what it is made of. */
const isOpen = (): Any =>
  t.computed(t.boolean({ policy: { private: false } }), { from: ['secret'], get: ({ secret }: Any) => secret !== 'x' } as Any);
const Line = t.object('Line', { name: t.string(), secret: hidden(), isOpen: isOpen() });
const Place = t.object('Place', { city: t.string(), secret: hidden(), isOpen: isOpen() });

/** Every place that something hidden may have, and what is computed of it. */
const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id,
    text: t.string({ policy: { filter: true, sort: true, group: true } }),
    filling: t.string({ default: '' }),
    secret: hidden(),
    isOpen: isOpen(),
    lines: t.array(Line, { default: [] }),
    place: t.nullable(Place),
    byKey: t.map(Line, { default: {} }),
    inner: t.optional(t.object('Inner', { secret: t.string() }, { policy: { read: 'staff' } })),
    tagIds: t.array(t.ref('Tag', { id: t.string(), as: 'tags' }), { default: [] }),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
  history: true,
});
const Tag = defineModel('Tag', {
  collection: 'tags',
  fields: {
    id,
    text: t.string(),
    secret: hidden(),
    isOpen: isOpen(),
    byKey: t.map(Line, { default: {} }),
    notes: t.hasMany('Note', { via: 'tagIds' }),
    ofNotes: t.hasMany('Note', { via: 'tagIds', count: true }),
  },
});

/** With hooks, records are fetched whole. */
function serveReads(db: Db, hasHooks: boolean): Api {
  const shop = service({ rules: { staff: () => false } });
  const after = hasHooks ? { after: { list: [() => undefined], get: [() => undefined] } } : {};
  const whole = hasHooks ? {} : { export: {}, aggregate: {} }; // which refuse hooks
  const paging = cursorPaging({ total: true });
  const reads = { ops: ['list', 'get'], paging, ...after } as const;
  return shop.api({
    db,
    warnOnScan: false,
    batch: true,
    maxPageBytes: 65_536,
    maxTimeMS: 60_000, // megabytes take their time
    resources: [
      shop.resource({ model: Note, ...reads, ...whole, history: true, live: true, include: ['tags'] } as Any),
      shop.resource({ model: Tag, ...reads, nested: ['notes'], live: true, include: ['notes', 'notes.tags', 'ofNotes'] } as Any),
    ],
  });
}

/** How a request of a row is asked further. */
const queries: Readonly<Record<string, readonly string[]>> = {
  list: ['limit=3', 'sort=-text&total=true', 'fields=text,isOpen', 'fields=lines,byKey', 'include=tags', 'include=notes'],
  nested: ['limit=2', 'include=tags'],
  get: ['fields=text,isOpen', 'include=tags', 'include=notes.tags', 'include=ofNotes'],
  'get.at': ['at=0', 'at=1', 'at=2', 'at=3', 'at=4', 'at=5', 'at=6', 'at=7', 'at=3&fields=lines'],
  history: ['limit=1', 'limit=100', 'path=lines', 'path=place.city', 'sort=revision'],
  aggregate: ['group=text', 'group=text&limit=2'],
};

function asked({ row, path }: Case): string[] {
  const [bare = '', own] = path.split('?');
  const further =
    queries[row.name] ?? (row.name.endsWith('.list') ? queries.nested : row.name.startsWith('list') ? queries.list : queries.get);
  return [own, ...(further ?? [])].map((query) => (query === undefined ? bare : `${bare}?${query}`));
}

async function seed(db: Db, size: number): Promise<void> {
  const x = (letter: string) => letter.repeat(size);
  const line = (name: string, letter: string) => ({ name, secret: x(letter) });
  const notes: Any = openStore(Note, { db });
  const tags: Any = openStore(Tag, { db });
  await tags.createMany([...'abcd'].map((one) => ({ id: one, text: 't'.repeat(2_000), secret: x('a'), byKey: { k: line('k', 'a') } })));
  await notes.create({ id: 'a', text: 'a', secret: x('a'), lines: [line('l', 'a')], byKey: { k: line('k', 'a') }, tagIds: [...'abcd'] });
  await notes.update('a', { secret: x('b'), inner: { secret: x('a') } });
  await notes.update('a', { place: { city: 'Bern', secret: x('a') } });
  await notes.update('a', { lines: [line('m', 'b'), line('n', 'a')], text: 'b', filling: 'f'.repeat(30_000) });
  await notes.update('a', { byKey: { k: line('k', 'b'), l: line('l', 'b') }, filling: 'g'.repeat(30_000) });
  await notes.update('a', { place: null, filling: 'h'.repeat(60_000) });
  await notes.update('a', { secret: x('c'), lines: [], filling: 'i'.repeat(70_000) });
  await notes.update('a', { text: 'a', filling: '' });
  // More of them than one reply of the database has room for.
  for (let n = 10; n < 29; n++) {
    const others = { lines: [{ name: 'l' }], place: { city: 'Bern' }, byKey: {}, tagIds: ['a'], revision: 0 };
    await db
      .collection('notes')
      .insertOne({ _id: `n${n}`, text: `${n}`, filling: 'f'.repeat(4_000), secret: x('a'), ...others } as Document);
  }
  await db.collection('notes_history').updateMany({}, { $set: { at: new Date(0) } });
}

const sizes = { 'no bytes': 0, '1 KB': 1_000, '50 KB': 50_000, '70 KB': 70_000, '1 MB': 1_000_000 } as const;
const databases = Object.fromEntries(Object.keys(sizes).map((name) => [name, useDatabase()])) as Record<keyof typeof sizes, TestDatabase>;
const serve = useServer();
const servers = new Map<string, TestServer>();
const apis = new Map<string, Api>();
const without = (hasHooks: boolean) => (hasHooks ? ' with hooks' : '');

beforeAll(async () => {
  for (const [name, size] of Object.entries(sizes)) {
    const { db } = databases[name as keyof typeof sizes];
    await seed(db, size);
    for (const hasHooks of [false, true]) {
      const api = serveReads(db, hasHooks);
      apis.set(name + without(hasHooks), api);
      servers.set(name + without(hasHooks), await serve(api.routes()));
    }
  }
}, 120_000);

const compared = Object.keys(sizes);
/** The table alone says which rows there are. */
const unconnected = (hasHooks: boolean) => serveReads(new MongoClient('mongodb://127.0.0.1').db('none'), hasHooks);

async function answerOf(name: string, { method, accept, body }: Case, path: string): Promise<unknown> {
  const server = servers.get(name) as TestServer;
  if (accept === 'text/event-stream' && method === 'GET') {
    const stream = await new LiveStream(server.port, path).opened();
    stream.close();
    return [stream.status, stream.problem, stream.events[0]?.event, digestOf(JSON.stringify(stream.state))];
  }
  const { status, text, headers } = await server.request(method, path, { body, ...(accept && { headers: { accept } }) });
  return [status, digestOf(text), headers.etag, headers.link];
}

/** Answers are long: a few characters say what kind of answer it is. */
function digestOf(text = ''): string {
  return `${text.slice(0, 100)} … (${text.length}) ${createHash('sha256').update(text).digest('hex')}`;
}

describe.each([false, true])('what is hidden has no size (with hooks: %s)', (hasHooks) => {
  const rows = (api: Api) => api.description.resources.flatMap((resource) => resource.rows.flatMap((row) => casesOf(resource, row)));
  const cases = rows(unconnected(hasHooks));

  it.each(cases.map((one) => [one.name, one] as const))('in the answers of %s', async (_name, one) => {
    for (const path of asked(one)) {
      const answers = await Promise.all(compared.map((name) => answerOf(name + without(hasHooks), one, path)));
      for (const answer of answers) expect([path, answer]).toEqual([path, answers[0]]);
    }
  });

  it('in pages of a caller who wants less than the api allows', async () => {
    for (const path of ['/notes', '/notes?fields=text,isOpen', '/tags?include=notes', '/notes/a/history']) {
      const answers = await Promise.all(
        compared.map(async (name) => {
          const api = apis.get(name + without(hasHooks)) as Api;
          const answer = await api.fetch(new Request(`http://in-process${path}`), { maxPageBytes: 20_000 });
          return [answer.status, digestOf(await answer.text())];
        }),
      );
      for (const answer of answers) expect([path, answer]).toEqual([path, answers[0]]);
    }
  });
});

it('does not tell where an export breaks off', async () => {
  const failing = t.computed(t.boolean(), {
    from: ['id'],
    get({ id }: Any) {
      if (id === 350) throw new Error('fails');
      return true;
    },
  } as Any);
  const fields = { id: t.int(), secret: hidden(), isOpen: isOpen(), failing };
  const Broken = defineModel('Broken', { collection: 'broken', fields } as Any);
  const ends: Any[] = [];
  for (const size of [0, 20_000]) {
    const { db } = databases['no bytes'];
    const all = Array.from({ length: 400 }, (_, _id) => ({ _id, secret: 'a'.repeat(size) }));
    await db.collection('broken').deleteMany({});
    await db.collection('broken').insertMany(all as Document[]);
    const shop = service({ rules: { staff: () => false } });
    const api = shop.api({ db, resources: [shop.resource({ model: Broken, ops: ['list'], export: {} })], onError: () => undefined });
    const { port } = await serve(api.routes());
    const { lines } = await readToEnd(await openStream(port, '/broken', { accept: 'application/x-ndjson' }));
    ends.push(lines.at(-1));
  }
  expect(ends[1]).toEqual(ends[0]);
  expect(ends[0]).toMatchObject({ end: false, count: 100, next_cursor: expect.any(String), problem: { status: 500 } });
});

it('sees records that no page can hold, and values that are too large to be kept', async () => {
  const get = async (path: string) => (servers.get('1 MB') as TestServer).request('GET', path);
  expect((await get('/notes?limit=100')).body).toMatchObject({ page: { has_next: true } });
  expect((await get('/notes/a?at=0')).body.data).toMatchObject({
    text: 'a',
    lines: [{ name: 'l' }],
    byKey: { k: { name: 'k' } },
    place: null,
  });
  expect((await get('/notes/a?at=2')).body.data).toMatchObject({ place: { city: 'Bern' } });
  expect((await get('/notes/a?at=6')).body.code).toBe('not_kept');
});
