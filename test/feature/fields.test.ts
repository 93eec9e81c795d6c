import fc from 'fast-check';
import {
  ConfigurationError,
  defineModel,
  fields,
  findRecord,
  problems,
  type ResourceMiddleware,
  record,
  service,
  t,
} from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { useApi } from '../support/http/api.ts';
import { useServer } from '../support/http/serve.ts';

const sort = { policy: { sort: true, filter: true } } as const;
const Place = t.object('Place', {
  city: t.string({ policy: { sort: true } }),
  zip: t.nullable(t.string()),
  country: t.string({ default: 'DE' }),
  zone: t.optional(t.string({ policy: { private: true } })),
});
const Part = t.object('Part', { sku: t.string(), size: t.optional(t.int()) });
const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string(sort),
    title: t.string(sort),
    kind: t.string({ default: 'plain' }),
    hint: t.optional(t.string()),
    due: t.nullable(t.date()),
    place: t.optional(Place),
    home: t.nullable(Place, { storeNone: true, default: { city: 'Ulm', zip: null, country: 'DE' } }),
    part: t.nullable(Part),
    last: t.optional(t.nullable(Part, { storeNone: true })),
    parts: t.array(Part, { default: [] }),
    gaps: t.array(t.nullable(Part), { default: [] }),
    places: t.array(Place, { default: [] }),
    byName: t.map(Part, { default: {} }),
    any: t.optional(t.any()),
    secret: t.optional(t.string({ policy: { private: true } })),
    revision: t.revision(),
  },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const seen: unknown[] = [];
const api = useApi(database, (shop) => [
  shop.resource({ model: Note, fields: true }),
  shop.resource({ model: Note, path: 'closed' }),
  shop.resource({
    model: Note,
    path: 'hooked',
    fields: true,
    after: { get: [(_ctx, document) => seen.push(document)], list: [(_ctx, documents) => seen.push(...documents)] },
  }),
]);
const serve = useServer();
const notes = () => database.db.collection<{ _id: string; [key: string]: unknown }>('notes');

const part = { sku: 's', size: 1 };
const place = { city: 'Rom', zip: '1', country: 'IT', zone: 'z' };
const whole = {
  title: 'whole',
  kind: 'k',
  hint: 'h',
  due: new Date(0),
  place,
  home: place,
  part,
  last: part,
  parts: [part, { sku: 'x' }],
  gaps: [part, null],
  places: [place, { city: 'Bern' }],
  byName: { a: part },
  any: { $where: [1] },
  secret: 's',
  revision: 7,
};

beforeAll(async () => {
  await notes().insertMany([
    { _id: 'whole', ...whole },
    { _id: 'bare', title: 'bare' },
    { _id: 'nulls', ...Object.fromEntries(Object.keys(whole).map((name) => [name, null])), title: 'nulls', revision: null },
    { _id: 'empty', title: 'empty', place: {}, home: {}, part: {}, last: {}, parts: [{}], places: [{}], byName: {}, any: {} },
  ]);
});
beforeEach(() => {
  commands.clear();
  seen.length = 0;
});

const get = (path: string, headers = {}) => api.request('GET', `/api/${path}`, { headers });

describe('GET /:id?fields=', () => {
  it('answers with the id and what was chosen, by a projection in the database', async () => {
    const { status, headers, body } = await get('notes/whole?fields=title,place.city,parts.sku');
    expect([status, headers.etag]).toEqual([200, '"7"']);
    expect(body).toEqual({ data: { id: 'whole', title: 'whole', place: { city: 'Rom' }, parts: [{ sku: 's' }, { sku: 'x' }] } });
    expect(commands.events[0]?.command.projection).toEqual({ _id: 1, title: 1, 'place.city': 1, 'parts.sku': 1, revision: 1 });
  });

  it('does not fetch private values of an object that is chosen whole', async () => {
    const { body } = await get('notes/whole?fields=place');
    expect(body.data).toEqual({ id: 'whole', place: { city: 'Rom', zip: '1', country: 'IT' } });
    expect(commands.events[0]?.command.projection).toEqual({ _id: 1, 'place.city': 1, 'place.zip': 1, 'place.country': 1, revision: 1 });
  });

  it("has the whole record's ETag, and 304 and 412 by it", async () => {
    expect((await get('notes/whole?fields=title', { 'if-none-match': '"7"' })).status).toBe(304);
    expect((await get('notes/whole?fields=title', { 'if-match': '"6"' })).status).toBe(412);
    expect((await get('notes/bare?fields=title')).headers.etag).toBe('"0"');
  });

  it('ignores every other parameter, and malformed ones', async () => {
    const { status, body } = await get('notes/bare?x[=1&limit=0&fields[eq]=x&fields=title&%ff=1');
    expect([status, body.data]).toEqual([200, { id: 'bare', title: 'bare' }]);
  });

  it('answers 400 to names that it does not have, before it looks for the record', async () => {
    const { status, headers, body } = await get('notes/none?fields=titel');
    expect([status, body.code]).toEqual([400, 'invalid_query']);
    expect(body.errors).toMatchObject([{ field: 'fields', message: 'cannot select `titel`; did you mean `title`?' }]);
    expect(headers).not.toHaveProperty('etag');
    expect(commands.names).toEqual([]);
  });

  it('reports a private field exactly as an unknown one', async () => {
    for (const [hidden, unknown] of [
      ['secret', 'sekret'],
      ['place.zone', 'place.zune'],
    ] as const) {
      const [private_, missing] = [await get(`notes/whole?fields=${hidden}`), await get(`notes/whole?fields=${unknown}`)];
      expect(private_.status).toBe(400);
      expect(private_.text.replaceAll(hidden, unknown)).toBe(missing.text);
    }
  });

  it('is ignored where the resource does not offer it', async () => {
    expect(Object.keys((await get('closed/whole?fields=title')).body.data)).toContain('kind');
  });

  it('shows a hook the whole document, and the client what it chose', async () => {
    const { body } = await get('hooked/whole?fields=title');
    expect(body.data).toEqual({ id: 'whole', title: 'whole' });
    expect(seen).toEqual([expect.objectContaining({ id: 'whole', secret: 's', kind: 'k', place: expect.objectContaining({ zone: 'z' }) })]);
    expect(commands.events[0]?.command).not.toHaveProperty('projection');
  });

  it('works alone in a chain', async () => {
    const toId: ResourceMiddleware = async (ctx, next) => {
      ctx.params = { id: ctx.path.slice(1) };
      await next();
    };
    const { request } = await serve(problems(), toId, fields(Note), findRecord(Note, { db: database.db }), record());
    expect((await request('GET', '/whole?fields=hint')).body).toEqual({ data: { id: 'whole', hint: 'h' } });
    expect((await request('GET', '/whole')).body.data).toHaveProperty('title');
  });
});

describe('GET /?fields=', () => {
  it('answers with what was chosen of each record; the keys of the sort are fetched as well, for the cursor, and not shown', async () => {
    const { body } = await get('notes?fields=kind&sort=-title,place.city&limit=2');
    expect(body.data).toEqual([
      { id: 'whole', kind: 'k' },
      { id: 'nulls', kind: 'plain' },
    ]);
    expect(commands.events[0]?.command.projection).toEqual({ _id: 1, kind: 1, revision: 1, title: 1, 'place.city': 1 });
    const next = await get(`notes?fields=hint&sort=-title,place.city&limit=2&after=${body.page.next_cursor}`);
    expect(next.body.data).toEqual([{ id: 'empty' }, { id: 'bare' }]);
    expect(next.body.page.has_next).toBe(false);
  });

  it('asks for a path once, where a key of the sort lies below what is chosen', async () => {
    const { status } = await get('notes?fields=place,part,id&sort=place.city,id');
    expect(status).toBe(200);
    expect(Object.keys(commands.events[0]?.command.projection)).toEqual([
      '_id',
      'place.city',
      'place.zip',
      'place.country',
      'part',
      'revision',
    ]);
  });

  it('may be given several times, and repeats itself in the Link', async () => {
    const { headers, body } = await get('notes?fields=hint&fields=kind&id=whole&limit=1');
    expect(body.data).toEqual([{ id: 'whole', kind: 'k', hint: 'h' }]);
    expect(headers).not.toHaveProperty('link');
    expect((await get('notes?fields=hint&limit=1')).headers.link).toMatch(/^<\/api\/notes\?fields=hint&limit=1&after=/);
  });

  it('answers 400 to names that it does not have, beside all other mistakes', async () => {
    const { status, body } = await get('notes?fields=titel,hint&limit=0');
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, ['limit', 'fields']]);
    expect((await get('notes?fields=')).status).toBe(400);
    expect((await get('closed?fields=title')).body.errors).toMatchObject([{ field: 'fields', message: 'is not available for this list' }]);
  });

  it('shows hooks whole documents', async () => {
    const { body } = await get('hooked?fields=title&sort=title&limit=1');
    expect(body.data).toEqual([{ id: 'bare', title: 'bare' }]);
    expect(seen).toEqual([expect.objectContaining({ id: 'bare', kind: 'plain', revision: 0 })]);
  });
});

describe('a choice of fields', () => {
  const names = Object.keys(whole).filter((name) => name !== 'secret');
  const below = [
    ...['place', 'home', 'places'].flatMap((name) => [`${name}.city`, `${name}.zip`, `${name}.country`]),
    ...['part', 'last', 'parts', 'gaps'].flatMap((name) => [`${name}.sku`, `${name}.size`]),
  ];

  /** What is left of a whole answer. */
  function pick(value: unknown, chosen: readonly string[]): unknown {
    if (Array.isArray(value)) return value.map((item) => pick(item, chosen));
    if (typeof value !== 'object' || value === null || chosen.includes('')) return value;
    const kept = Object.entries(value).flatMap(([name, member]) => {
      const within = chosen.filter((path) => path === name || path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1));
      return within.length > 0 ? [[name, pick(member, within)]] : [];
    });
    return Object.fromEntries(kept);
  }

  it('is exactly that part of the whole answer, for whole, bare, empty and null records, with hooks and without', async () => {
    const all = new Map<string, unknown>();
    for (const id of ['whole', 'bare', 'nulls', 'empty']) all.set(id, (await get(`closed/${id}`)).body.data);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray([...names, ...below], { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...all.keys()),
        fc.constantFrom('notes', 'hooked'),
        async (chosen, id, path) => {
          const expected = pick(all.get(id), ['id', ...chosen]);
          const one = await get(`${path}/${id}?fields=${chosen.join()}`);
          const list = await get(`${path}?id=${id}&fields=${chosen.join()}`);
          expect([one.body.data, list.body.data]).toEqual([expected, [expected]]);
        },
      ),
      cases(100),
    );
  }, 120_000);
});

describe('the option `fields`', () => {
  it('must be true or false', () => {
    const shop = service();
    expect(() => shop.api({ db: database.db, resources: [shop.resource({ model: Note, fields: 'all' as never })] })).toThrow(
      ConfigurationError,
    );
  });
});
