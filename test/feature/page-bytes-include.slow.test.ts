import { cursorPaging, defineModel, offsetPaging, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { idsOf, walkList } from '../support/http/walk-list.ts';
import type { Stored } from '../support/models/books.ts';

const id = t.string({ policy: { sort: true } });
const Region = defineModel('Region', { collection: 'regions', fields: { id, name: t.string() } });
const Town = defineModel('Town', {
  collection: 'towns',
  fields: { id, name: t.string(), region: t.optional(t.ref('Region', { id: t.string() })) },
});
const Visit = defineModel('Visit', {
  collection: 'visits',
  fields: { id, town: t.optional(t.ref('Town', { id: t.string() })), stops: t.array(t.ref('Town', { id: t.string() }), { default: [] }) },
});

const maxPageBytes = 10_000;
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
let hookIds: unknown[] = [];
const include = ['town', 'stops', 'town.region'] as const;
const paging = cursorPaging({ max: 1000, size: 1000 });
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Visit, include, paging }),
    shop.resource({
      model: Visit,
      path: 'hooked',
      include,
      paging,
      after: { list: [(_ctx, visits) => void hookIds.push(...visits.map((visit) => visit.id))] },
    }),
    shop.resource({ model: Visit, path: 'numbered', include, paging: offsetPaging({ max: 1000, size: 1000 }) }),
  ],
  { maxPageBytes, models: [Town, Region] },
);
const usual = useApi(database, (shop) => [shop.resource({ model: Visit, include, paging })], { models: [Town, Region] });
const roomy = useApi(database, (shop) => [shop.resource({ model: Visit, include, paging })], {
  models: [Town, Region],
  maxPageBytes: 32 * 1024 * 1024,
});

const collection = (name: string) => database.db.collection<Stored>(name);
const letters = (count: number) => Array.from({ length: count }, (_, index) => String.fromCharCode(97 + index));
const towns = (count: number, length: number, rest: object = {}) =>
  collection('towns').insertMany(letters(count).map((_id) => ({ _id, name: 'x'.repeat(length), ...rest })));
const found = () => commands.events.map(({ commandName, command }) => command.find ?? commandName);

beforeEach(async () => {
  hookIds = [];
  for (const name of ['visits', 'towns', 'regions']) await collection(name).deleteMany({});
  commands.clear();
});

describe('a page by cursor that leads to more bytes than maxPageBytes', () => {
  it.each(['visits', 'hooked'])('ends early: a walk visits each record once, in both directions: %s', async (path) => {
    await towns(20, 3000);
    await collection('visits').insertMany(letters(20).map((_id) => ({ _id, town: _id })));
    const { there, back } = await walkList(api, `/api/${path}?include=town&sort=-id`);
    for (const pages of [there, back]) {
      expect(idsOf(pages)).toEqual(letters(20).reverse());
      for (const { bytes } of pages) expect(bytes).toBeLessThanOrEqual(maxPageBytes);
    }
    expect(there[0]?.page).toMatchObject({ has_next: true, prev_cursor: null });
    // Hooks are given what is shown, and only that; the last page there is the first one back.
    if (path === 'hooked')
      expect(hookIds).toEqual([
        ...idsOf(there),
        ...back
          .slice(0, -1)
          .reverse()
          .flatMap(({ ids }) => ids),
      ]);
  });

  it('counts a record wherever it is shown, and reads it once', async () => {
    await towns(1, 3000);
    await collection('visits').insertMany(letters(7).map((_id) => ({ _id, town: 'a' })));
    commands.clear();
    const { there, back } = await walkList(api, '/api/visits?include=town');
    expect(there.map(({ ids }) => ids.length)).toEqual([3, 3, 1]);
    expect(idsOf(back)).toEqual(letters(7));
    expect(found()).toEqual(Array(5).fill(['visits', 'towns']).flat());
  });

  it('counts what is included in what is included', async () => {
    await collection('regions').insertOne({ _id: 'r', name: 'x'.repeat(3000) });
    await towns(7, 10, { region: 'r' });
    await collection('visits').insertMany(letters(7).map((_id) => ({ _id, town: _id })));
    const { there } = await walkList(api, '/api/visits?include=town.region');
    expect(idsOf(there)).toEqual(letters(7));
    for (const { bytes } of there) expect(bytes).toBeLessThanOrEqual(maxPageBytes);
  });

  it('ends early where it leads to more than 50,000 records of a relation', async () => {
    const stops = (letter: string) => Array.from({ length: 20_000 }, (_, index) => `${letter}${index}`);
    await collection('visits').insertMany(letters(3).map((_id) => ({ _id, stops: stops(_id) })));
    const { there } = await walkList(usual, '/api/visits?include=stops&sort=id');
    expect(there.map(({ ids }) => ids)).toEqual([['a', 'b'], ['c']]);
  });

  it('shows a large record beside a small one that is included', async () => {
    await towns(1, 10);
    await collection('visits').insertOne({ _id: 'a', town: 'a', stops: Array(3000).fill('none') });
    const { body } = await api.request('GET', '/api/visits?include=town');
    expect([body.data[0].town.id, body.data[0].stops.length]).toEqual(['a', 3000]);
  });
});

describe('one record that leads to more bytes than maxPageBytes', () => {
  const refusal = { field: 'include', message: expect.stringContaining('include less') };

  it.each<[string, object]>([
    ['of several records', { stops: letters(4) }],
    ['of one that is shown again and again', { stops: Array(4).fill('a') }],
  ])('%s is the 400 of include, in every list and alone', async (_what, rest) => {
    await towns(4, 3000);
    await collection('visits').insertMany([{ _id: 'a' }, { _id: 'b', ...rest }, { _id: 'c' }]);
    const first = await api.request('GET', '/api/visits?include=stops&sort=id');
    expect([first.status, first.body.data.length]).toEqual([200, 1]);
    for (const path of [`visits?sort=id&after=${first.body.page.next_cursor}&`, 'visits/b?', 'numbered?sort=id&limit=1&page=2&']) {
      const { status, body } = await api.request('GET', `/api/${path}include=stops`);
      expect([path, status, body.code, body.errors]).toMatchObject([path, 400, 'invalid_query', [refusal]]);
    }
    expect((await api.request('GET', '/api/visits/b')).status).toBe(200);
    expect(hookIds).toEqual([]);
  });
});

describe('a page by number that leads to more bytes than maxPageBytes', () => {
  it('is 400, and asks for a smaller limit or for fewer relations', async () => {
    await towns(4, 3000);
    await collection('visits').insertMany(letters(4).map((_id) => ({ _id, town: _id })));
    const { status, body } = await api.request('GET', '/api/numbered?include=town');
    expect([status, body.errors]).toMatchObject([
      400,
      [{ field: 'limit', message: 'leads to a page of more than 10000 bytes: ask for fewer records, or for fewer relations by include' }],
    ]);
    expect((await api.request('GET', '/api/numbered?include=town&limit=2')).status).toBe(200);
    expect((await api.request('GET', '/api/numbered')).status).toBe(200);
  });
});

describe('records of a relation that are together more than a reply of the database holds', () => {
  beforeEach(async () => {
    for (const ten of 'abc') await collection('towns').insertMany(letters(8).map((one) => ({ _id: ten + one, name: 'x'.repeat(1e6) })));
    await collection('visits').insertOne({ _id: 'a', stops: [...'abc'].flatMap((ten) => letters(8).map((one) => ten + one)) });
    commands.clear();
  });

  it('are counted as they come: what is beyond the bound is not read', async () => {
    const { status, body } = await usual.request('GET', '/api/visits/a?include=stops');
    expect([status, body.errors[0].field]).toEqual([400, 'include']);
    // The read ends with the second of its batches. What was measured as too large is not read again.
    expect(found()).toEqual(['visits', 'towns', 'getMore', 'aggregate']);
  });

  it('are read in several batches where the bound is larger', async () => {
    const { status, body } = await roomy.request('GET', '/api/visits/a?include=stops');
    expect([status, body.data.stops.length, body.data.stops[23].id]).toEqual([200, 24, 'ch']);
    expect(found()).toEqual(['visits', 'towns', 'getMore']);
  });
});
