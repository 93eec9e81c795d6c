import { cursorPaging, defineModel, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useExplain } from '../support/database/explain.ts';
import { useApi } from '../support/http/api.ts';

const contains = { filter: ['eq', 'contains'], sort: true } as const;
const Place = defineModel('Place', {
  collection: 'places',
  fields: {
    id: t.string({ policy: { insert: true, sort: true } }),
    owner: t.string({ policy: { private: true } }),
    name: t.string({ caseless: true, policy: contains }),
    code: t.string({ default: '', policy: contains }),
    kind: t.enum(['town', 'lake'], { policy: { filter: true, group: true } }),
    tags: t.array(t.string(), { default: [], policy: { filter: ['contains'] } }),
    parts: t.array(t.object('Part', { label: t.string({ policy: contains }), size: t.int({ policy: { filter: true } }) }), { default: [] }),
    labels: t.map(t.string(), { default: {}, filterKeys: ['colour'], policy: { filter: ['contains'] } }),
    country: t.optional(t.ref('Country', { id: t.string(), policy: { filter: true } })),
  },
  indexes: [{ fields: ['owner', 'kind', 'id'] }],
});
const Country = defineModel('Country', {
  collection: 'countries',
  fields: {
    id: t.string({ policy: { insert: true } }),
    name: t.string({ policy: contains }),
    places: t.hasMany('Place', { via: 'country' }),
  },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const explain = useExplain(database, commands);
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({
      model: Place,
      scope: (ctx) => ({ owner: ctx.requirePrincipal() }),
      paging: cursorPaging({ max: 10, total: true }),
      through: ['country'],
      export: {},
      aggregate: true,
      ops: ['list', 'get', 'create', 'patch', 'delete', 'deleteMany'],
      serverFields: (ctx) => ({ owner: ctx.requirePrincipal() }),
      operations: {
        find: {
          method: 'POST',
          path: '/find',
          async handler(ctx) {
            const found = await ctx.store(Place).find({ code: { contains: ctx.get('x-part') } });
            ctx.body = { data: found.map(({ id }) => id) };
          },
        },
      },
    }),
    shop.resource({ model: Country, through: ['places'], nested: ['places'] }),
  ],
  { authenticate: (ctx) => ctx.get('x-owner') || 'ann', maxContainsMatches: 4 },
);

beforeAll(async () => {
  const post = (owner: string, body: object) => api.request('POST', '/api/places', { headers: { 'x-owner': owner }, body });
  await api.request('POST', '/api/countries', { body: { id: 'ch', name: 'Schweiz' } });
  const towns = [
    { id: 'zurich', name: 'Zürich', code: 'a.*b', tags: ['am See', 'gross'], labels: { colour: 'blau-weiss' } },
    {
      id: 'ostergaard',
      name: 'Østergård',
      code: '(x)\n^y$',
      parts: [
        { label: 'north end', size: 1 },
        { label: 'south', size: 9 },
      ],
    },
    { id: 'lodz', name: 'Łódź', code: 'a-b/c#d' },
    { id: 'gross', name: 'Großenhain', code: 'C:\\dir' },
  ];
  for (const town of towns) expect((await post('ann', { kind: 'town', ...town })).status).toBe(201);
  for (const n of [1, 2]) await post('ann', { id: `lake${n}`, kind: 'lake', name: `See ${n}` });
  for (const n of [1, 2, 3, 4, 5]) await post('ben', { id: `b${n}`, kind: n === 5 ? 'lake' : 'town', name: `Zürich ${n}` });
  await database.db.collection('places').createIndex({ owner: 1, kind: 1, _id: 1 });
});

async function ask(query: string, owner = 'ann', path = 'places'): Promise<string> {
  const { status, body } = await api.request('GET', `/api/${path}?${query}`, { headers: { 'x-owner': owner } });
  if (status === 200) return body.data.map((one: { id: string }) => one.id).join(' ');
  return `${status} ${body.code}${body.errors ? ` ${body.errors.map(({ rule }: { rule: string }) => rule)}` : ''}`;
}

const towns = (query: string) => ask(`kind=town&${query}`);
const inFilter = (text: string) => ask(`filter=${encodeURIComponent(text)}`);

describe('`contains` finds a part of a text', () => {
  it.each([
    ['name', 'zur', 'zurich'],
    ['name', 'RIC', 'zurich'],
    ['name', 'ostergard', 'ostergaard'],
    ['name', 'sterg', 'ostergaard'],
    ['name', 'lodz', 'lodz'],
    ['name', 'grossen', 'gross'],
    ['code', 'a.*b', 'zurich'],
    ['code', '.*', 'zurich'],
    ['code', 'A.', ''],
    ['code', '^y', 'ostergaard'],
    ['code', 'y$', 'ostergaard'],
    ['code', ')\n^', 'ostergaard'],
    ['code', '-b/c#', 'lodz'],
    ['code', ':\\d', 'gross'],
    ['code', '\\d\\d', ''],
    ['tags', 'See', 'zurich'],
    ['parts.label', 'th e', 'ostergaard'],
    ['labels.colour', '-w', 'zurich'],
  ])('of %s, literally, and without case where the field ignores it: %j', async (field, text, ids) => {
    expect(await towns(`${field}[contains]=${encodeURIComponent(text)}`)).toBe(ids);
  });

  it.each([
    ['kind = "town" AND contains(name, "zur")', 'zurich'],
    ['kind = "town" AND (contains(name, "zur") OR contains(code, "#d"))', 'lodz zurich'],
    ['kind = "town" AND NOT contains(name, "zur")', 'gross lodz ostergaard'],
    ['kind = "town" AND any(parts, contains(label, "th") AND size > 5)', 'ostergaard'],
    ['kind = "town" AND any(parts, contains(label, "north") AND size > 5)', ''],
    ['kind = "town" AND none(parts, contains(label, "north"))', 'gross lodz zurich'],
  ])('in a filter: %s', async (filter, ids) => {
    expect(await inFilter(filter)).toBe(ids);
  });

  it('in a page, its total and an export alike', async () => {
    const page = await api.request('GET', '/api/places?kind=town&code[contains]=a.&limit=1&total=true');
    expect([page.body.data.length, page.body.page.total, page.body.page.has_next]).toEqual([1, 1, false]);
    const accept = 'application/x-ndjson';
    commands.clear();
    const whole = await api.request('GET', '/api/places?kind=town&code[contains]=a.', { headers: { accept } });
    expect(commands.names.slice(-3)).toEqual(['aggregate', 'aggregate', 'find']); // what it looks at, its number, and its records
    expect(whole.text).toContain('"id":"zurich"');
    expect(whole.text).not.toContain('"id":"lodz"');
  });

  it('and binds the cursors of its list', async () => {
    const page = await api.request('GET', '/api/places?kind=lake&name[contains]=see&limit=1');
    const { next_cursor: after } = page.body.page;
    expect(await ask(`kind=lake&name[contains]=see&limit=1&after=${after}`)).toBe('lake2');
    expect(await ask(`kind=lake&name[contains]=ee&limit=1&after=${after}`)).toBe('400 invalid_cursor');
  });

  it('below a record, too', async () => {
    await api.request('PATCH', '/api/places/zurich', { body: { country: 'ch' } });
    expect(await ask('name[contains]=zur', 'ann', 'countries/ch/places')).toBe('zurich');
    expect(await ask('name[contains]=lod', 'ann', 'countries/ch/places')).toBe('');
  });

  it('and numbers about the records that have it', async () => {
    const { status, body } = await api.request('GET', '/api/places/aggregate?kind=town&name[contains]=zur&group=kind');
    expect([status, body.data]).toEqual([200, [{ group: { kind: 'town' }, count: 1 }]]);
  });
});

describe('`contains` is refused', () => {
  it.each([
    ['where a policy does not name it: `true` does not', 'kind[contains]=ow', '400 invalid_query unknown_operator'],
    ['for one character', 'name[contains]=z', '400 invalid_query minLength'],
    ['for nothing', 'name[contains]=', '400 invalid_query minLength'],
    ['for 101 characters', `code[contains]=${'x'.repeat(101)}`, '400 invalid_query maxLength'],
    ['with NUL', 'code[contains]=a%00b', '400 invalid_query nul_character'],
    ['twice', 'code[contains]=ab&code[contains]=cd', '400 invalid_query repeated_parameter'],
    ['through a relation, where no count could bound it', 'country.name[contains]=we', '400 invalid_query unknown_operator'],
  ])('%s', async (_why, query, told) => {
    expect(await ask(query)).toBe(told);
  });

  it.each([
    ['for one character', 'contains(name, "z")'],
    ['through a relation', 'contains(country.name, "we")'],
    ['of what is no text', 'contains(name, 12)'],
  ])('in a filter %s', async (_why, filter) => {
    expect(await inFilter(filter)).toMatch(/^400 invalid_query/);
  });

  it('with a NUL in a body', async () => {
    const { status } = await api.request('POST', '/api/places/query', { body: { 'code[contains]': 'a\0b' } });
    expect(status).toBe(400);
  });

  it('for writes to many records', async () => {
    const { status, body } = await api.request('DELETE', '/api/places?name[contains]=zur');
    expect([status, body.errors[0].rule]).toEqual([400, 'unknown_operator']);
  });

  it.each([100, 2])('neither for %i characters, whatever they are', async (length) => {
    expect(await towns(`code[contains]=${encodeURIComponent('😀'.repeat(length))}`)).toBe('');
  });
});

describe('a `contains` looks at `maxContainsMatches` records at most', () => {
  const tooMany = {
    status: 422,
    body: expect.objectContaining({
      code: 'too_many_matches',
      detail: 'More than 4 records match all but `contains`, too many to be looked at. Narrow the list by other filters.',
    }),
  };

  it.each([
    'name[contains]=zur',
    'filter=contains(name, "zur")',
    'filter=kind = "lake" OR contains(name, "zur")',
    'filter=NOT (kind = "lake" AND contains(name, "zur"))',
    'filter=none(parts, contains(label, "zur"))',
  ])('which fulfil all else: %s', async (query) => {
    for (const path of ['places', 'places/aggregate'])
      expect(await api.request('GET', `/api/${path}?${encodeURI(query)}`)).toMatchObject(tooMany);
  });

  it('of those in its scope, and of no others', async () => {
    expect(await ask('name[contains]=zur&kind=town', 'ben')).toBe('b1 b2 b3 b4');
    expect(await ask('name[contains]=zur', 'ben')).toBe('422 too_many_matches');
    expect(await ask('name[contains]=zur', 'nobody')).toBe('');
  });

  it('which one count finds out before the page, from the keys of an index where there is one', async () => {
    await ask('kind=town&name[contains]=zur');
    expect(commands.names).toEqual(['aggregate', 'find']);
    const pipeline: object[] = commands.events[0]?.command.pipeline;
    expect(pipeline).toEqual([{ $match: { kind: { $eq: 'town' }, owner: { $eq: 'ann' } } }, { $limit: 5 }, { $count: 'count' }]);
    commands.clear();
    await database.db.collection('places').aggregate(pipeline).toArray();
    const { stages, keys, documents } = await explain();
    expect([[...stages].includes('FETCH'), keys, documents]).toEqual([false, 4, 0]);
  });

  it('and a list without it is one command', async () => {
    await ask('kind=town');
    expect(commands.names).toEqual(['find']);
  });

  it('but for the application, which has no limit but the shortest length', async () => {
    const find = (part: string) => api.request('POST', '/api/places/find', { headers: { 'x-part': part } });
    expect((await find('b/c')).body.data).toEqual(['lodz']);
    expect((await find('b')).status).toBe(500);
    expect(api.errors.splice(0).map(({ message }) => message)).toEqual([
      '`contains` on `code` in a filter must have at least 2 characters.',
    ]);
  });
});
