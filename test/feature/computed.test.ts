import { cursorPaging, defineModel, jsonBody, openStore, service, t } from '../../src/index.ts';
import { auditCollection } from '../../src/products/audit/audit-collection.ts';
import { connect } from '../products/mcp/connect.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { expectPoll } from '../support/expect.ts';
import { useApi } from '../support/http/api.ts';
import { LiveStream } from '../support/http/live-stream.ts';

const Place = t.object('Place', {
  street: t.string(),
  city: t.string(),
  label: t.computed(t.string(), { from: ['street', 'city'], get: ({ street, city }) => `${street}, ${city}` }),
});
const Line = t.object('Line', {
  count: t.int(),
  price: t.decimal(),
  cheap: t.computed(t.boolean(), { from: ['count'], get: ({ count }: { count: number }) => count > 9 }),
});
const Person = defineModel('Person', {
  collection: 'people',
  history: true,
  fields: {
    id: t.string({ policy: { insert: true } }),
    first: t.string({ policy: { filter: true, sort: true, group: true } }),
    last: t.string(),
    born: t.optional(t.date()),
    card: t.optional(t.string({ policy: { private: true, insert: true, update: true } })),
    place: t.nullable(Place),
    lines: t.array(Line, { default: [] }),
    rooms: t.map(Place, { default: {} }),
    boss: t.optional(t.ref('Person', { id: t.string(), as: 'head', policy: { filter: true } })),
    fullName: t.computed(t.string({ description: 'As on a letter.' }), {
      from: ['first', 'last'],
      get: ({ first, last }) => `${first} ${last}`,
    }),
    year: t.computed(t.nullable(t.int()), { from: ['born'], get: ({ born }: { born?: Date }) => born?.getUTCFullYear() ?? null }),
    day: t.computed(t.optional(t.date()), { from: ['born'], get: ({ born }: { born?: Date }) => born }),
    digits: t.computed(t.optional(t.string({ policy: { read: true } })), {
      from: ['card'],
      get: ({ card }: { card?: string }) => card?.slice(-2),
    }),
    link: t.computed(t.string(), { from: ['id'], get: ({ id }) => `/p/${id}` }),
    revision: t.revision(),
  },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const seen: unknown[] = [];
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Person,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
      fields: true,
      export: {},
      live: true,
      history: true,
      aggregate: true,
      include: ['head'],
      paging: cursorPaging({ total: true }),
      after: { patch: [(_ctx, document) => void seen.push(document)] },
      operations: {
        marry: {
          summary: 'Take a name',
          answer: 'record',
          use: [jsonBody({ schema: t.object('Marry', { last: t.string() }) })],
          async handler(ctx) {
            const person = await ctx.load();
            seen.push(person);
            person.last = (ctx.request.body as Any).last;
            return ctx.save(person);
          },
        },
        all: { method: 'GET', path: '/all', summary: 'All', answer: 'records', handler: (ctx) => ctx.store(Person).find({}) },
      },
    }),
  ],
  { batch: true },
);
const people = () => database.db.collection<{ _id: string }>('people');
const ann = {
  first: 'Ann',
  last: 'Lee',
  born: new Date('1980-02-01T00:00:00Z'),
  card: 'zqcanary42',
  place: { street: 'A 1', city: 'Ulm' },
  lines: [{ count: 3, price: 5 }],
  rooms: { a: { street: 'B 2', city: 'Bern' } },
  boss: 'bob',
  revision: 0,
};
const shown = { fullName: 'Ann Lee', year: 1980, day: '1980-02-01T00:00:00.000Z', digits: '42', link: '/p/ann' };

beforeEach(async () => {
  await people().deleteMany({});
  await people().insertMany([{ _id: 'ann', ...ann }, { _id: 'bob', first: 'Bob', last: 'Ray', place: null, revision: 0 } as never]);
  commands.clear();
  seen.length = 0;
});

const send = (method: string, path: string, body?: unknown, headers = {}) => api.request(method, `/api/people${path}`, { body, headers });

describe('a computed field is shown', () => {
  it('by get, at every depth, after the fields that are stored', async () => {
    const { body, text } = await send('GET', '/ann');
    expect(body.data).toMatchObject({
      ...shown,
      place: { street: 'A 1', city: 'Ulm', label: 'A 1, Ulm' },
      lines: [{ count: 3, price: '5', cheap: false }],
      rooms: { a: { label: 'B 2, Bern' } },
    });
    expect(text).not.toContain('zqcanary');
    expect(Object.keys(body.data).slice(-5)).toEqual(['fullName', 'year', 'day', 'digits', 'link']);
  });

  it('as absent, null or its type says, of what a record lacks', async () => {
    const { data } = (await send('GET', '/bob')).body;
    expect(data).toMatchObject({ fullName: 'Bob Ray', year: null, place: null, lines: [], link: '/p/bob' });
    expect(data).not.toHaveProperty('day');
    expect(data).not.toHaveProperty('digits');
  });

  it('by lists, included records, stores in handlers, and the answers of writes', async () => {
    const of = async (...request: Parameters<typeof send>): Promise<Any> => (await send(...request)).body.data;
    expect((await of('GET', '?sort=first')).map((one: Any) => one.fullName)).toEqual(['Ann Lee', 'Bob Ray']);
    expect((await of('GET', '/ann?include=head')).head).toMatchObject({ fullName: 'Bob Ray', link: '/p/bob' });
    expect((await of('GET', '/ann?include=head&fields=head.fullName')).head).toEqual({ id: 'bob', fullName: 'Bob Ray' });
    expect((await of('GET', '/all')).map((one: Any) => one.fullName).sort()).toEqual(['Ann Lee', 'Bob Ray']);
    expect(await of('PATCH', '/ann', { first: 'Eva' })).toMatchObject({ fullName: 'Eva Lee', digits: '42' });
    expect(await of('POST', '/ann/marry', { last: 'Ray' })).toMatchObject({ fullName: 'Eva Ray' });
    expect(await of('PUT', '/bob', { first: 'Rob', last: 'R', card: 'xx99' })).toMatchObject({ fullName: 'Rob R', digits: '99' });
    expect(await of('POST', '', { id: 'cid', first: 'Cid', last: 'C' })).toMatchObject({ fullName: 'Cid C', link: '/p/cid' });
    const { body } = await api.request('POST', '/api/batch', {
      body: { operations: [{ method: 'PATCH', path: '/people/bob', body: { last: 'Batched' } }] },
    });
    expect(body.data[0].body.data.fullName).toBe('Rob Batched');
    for (const document of seen) expect(document).not.toHaveProperty('fullName'); // documents have what is stored
    expect(await people().findOne({ _id: 'ann' })).not.toHaveProperty('fullName');
  });

  it('by exports', async () => {
    const lines = (await send('GET', '?sort=first', undefined, { accept: 'application/x-ndjson' })).text.split('\n');
    expect(JSON.parse(lines[0] as string)).toMatchObject(shown);
    const csv = await send('GET', '?sort=first&fields=fullName,place.label,year', undefined, { accept: 'text/csv' });
    expect(csv.text).toBe('id,place.label,fullName,year\r\nann,"A 1, Ulm",Ann Lee,1980\r\nbob,,Bob Ray,\r\n');
  });

  it('by live lists, when a field of which it is made changes', async () => {
    const stream = await new LiveStream(api.port, '/api/people?fields=fullName&sort=first').opened();
    expect(stream.state?.data[0]).toEqual({ id: 'ann', fullName: 'Ann Lee' });
    await people().updateOne({ _id: 'ann' }, { $set: { last: 'Live' } });
    await expectPoll(() => expect(stream.state?.data[0]).toEqual({ id: 'ann', fullName: 'Ann Live' }));
    stream.close();
  });

  it('by an earlier state of the record, of what was then', async () => {
    await send('PATCH', '/ann', { last: 'New' });
    const { body } = await send('GET', '/ann?at=0');
    expect(body.data).toMatchObject({ last: 'Lee', fullName: 'Ann Lee' });
    expect((await send('GET', '/ann/history')).text).not.toContain('"fullName"');
    expect((await send('GET', '/ann/history?path=fullName')).status).toBe(400);
  });

  it('by the tools of an agent, which describe it', async () => {
    const shop = service();
    const agent = await connect(shop.api({ db: database.db, resources: [shop.resource({ model: Person, fields: true })] }));
    expect((await agent.call('people_get', { id: 'ann' })).json.data).toMatchObject(shown);
    expect((await agent.call('people_list', { fields: ['fullName'] })).json.data).toContainEqual({ id: 'ann', fullName: 'Ann Lee' });
  });
});

describe('what a computed field is made of', () => {
  const projection = async (path: string) => {
    commands.clear();
    await send('GET', path);
    return commands.events[0]?.command.projection;
  };

  it('is fetched only when the field is shown', async () => {
    expect(await projection('/ann?fields=fullName')).toEqual({ _id: 1, first: 1, last: 1, revision: 1 });
    expect(await projection('/ann?fields=first')).toEqual({ _id: 1, first: 1, revision: 1 });
    expect(await projection('/ann?fields=place.label,lines.cheap')).toEqual({
      _id: 1,
      'place.street': 1,
      'place.city': 1,
      'lines.count': 1,
      revision: 1,
    });
    expect(await projection('/ann?fields=place.label,place')).toMatchObject({ place: 1 });
    expect(await projection('/ann?fields=digits')).toEqual({ _id: 1, card: 1, revision: 1 });
    expect(await projection('/ann')).toBeUndefined();
    expect((await send('GET', '/ann?fields=lines.cheap,place.label')).body.data).toEqual({
      id: 'ann',
      place: { label: 'A 1, Ulm' },
      lines: [{ cheap: false }],
    });
  });
});

describe('a computed field is not stored', () => {
  it.each([
    ['POST', '', { id: 'new', first: 'a', last: 'b', fullName: 'x' }, 'fullName', 'not_writable'],
    ['PATCH', '/ann', { fullName: 'x' }, 'fullName', 'not_writable'],
    ['PUT', '/ann', { first: 'a', last: 'b', fullName: null }, 'fullName', 'not_writable'],
    ['PATCH', '/ann', { place: { label: 'x' } }, 'place.label', 'not_writable'],
    ['PATCH', '/ann', { lines: [{ count: 1, price: 1, cheap: true }] }, 'lines.0.cheap', 'not_writable'],
    ['PATCH', '/ann', { rooms: { a: { street: 'a', city: 'b', label: 'x' } } }, 'rooms.a.label', 'not_writable'],
    ['PATCH', '/ann', { fullNmae: 'x' }, 'fullNmae', 'unknown_field'],
  ])('%s %s with %j is 422', async (method, path, body, field, rule) => {
    const answer = await send(method, path, body);
    expect([answer.status, answer.body.errors]).toMatchObject([422, [{ field, rule }]]);
  });

  it.each([
    ['?fullName=x', '?fullNume=x'],
    ['?fullName[exists]=true', '?fullNume[exists]=true'],
    ['?sort=fullName', '?sort=fullNume'],
    ['?filter=fullName%20%3D%20%22x%22', '?filter=fullNume%20%3D%20%22x%22'],
    ['/aggregate?group=fullName', '/aggregate?group=fullNume'],
    ['/aggregate?max=fullName', '/aggregate?max=fullNume'],
    ['?place.label=x', '?place.lobel=x'],
  ])('%s is answered as an unknown field is', async (computed, unknown) => {
    const [one, other] = [await send('GET', computed), await send('GET', unknown)];
    expect([one.status, one.text.replaceAll('fullName', 'fullNume').replaceAll('label', 'lobel')]).toEqual([400, other.text]);
  });

  it('and neither a store nor a handler writes it', async () => {
    const store = openStore(Person as never, { db: database.db });
    const wrong = '`fullName` is computed from other fields';
    await expect(store.create({ id: 'x', first: 'a', last: 'b', fullName: 'x' } as never)).rejects.toThrow(wrong);
    await expect(store.update('ann', { fullName: 'x' } as never)).rejects.toThrow(wrong);
    expect(await store.get('ann')).not.toHaveProperty('fullName');
    await people().updateOne({ _id: 'ann' }, { $set: { fullName: 'stored by another program' } });
    expect((await send('GET', '/ann')).body.data.fullName).toBe('Ann Lee');
    let report: Any;
    for await (const one of auditCollection(Person as never, { db: database.db })) report = one;
    expect(report.unknownKeys).toMatchObject([{ path: 'fullName' }]);
  });
});
