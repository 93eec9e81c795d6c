import { cursorPaging, defineModel, offsetPaging, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { idsOf, walkList } from '../support/http/walk-list.ts';

const id = t.string({ policy: { sort: true } });
const Town = defineModel('Town', {
  collection: 'towns',
  fields: {
    id,
    name: t.string({ default: '' }),
    secret: t.nullable(t.string({ policy: { private: true } })),
    visits: t.hasMany('Visit', { via: 'town', max: 10, sort: 'id' }),
    tours: t.hasMany('Tour', { via: 'town', max: 10 }),
    count: t.hasMany('Visit', { via: 'town', count: true, max: 100 }),
    twin: t.nullable(t.ref('Town', { id: t.string() })),
  },
});
const Visit = defineModel('Visit', {
  collection: 'visits',
  fields: {
    id,
    town: t.ref('Town', { id: t.string() }),
    text: t.string({ default: '' }),
    guide: t.nullable(t.ref('Guide', { id: t.string() })),
  },
});
const Tour = defineModel('Tour', { collection: 'tours', fields: { id, town: t.ref('Town', { id: t.string() }), text: t.string() } });
const Guide = defineModel('Guide', { collection: 'guides', fields: { id, text: t.string() } });

const maxPageBytes = 10_000;
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const include = ['visits', 'tours', 'count', 'twin', 'visits.guide'] as const;
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Town, include, paging: cursorPaging({ max: 100, size: 100 }) }),
    shop.resource({ model: Town, path: 'numbered', include, paging: offsetPaging({ max: 100, size: 100 }) }),
  ],
  { maxPageBytes, models: [Visit, Tour, Guide] },
);
const collection = (name: string) => database.db.collection<{ _id: string; [key: string]: unknown }>(name);
const letters = (count: number) => Array.from({ length: count }, (_, index) => String.fromCharCode(97 + index));
const text = (bytes: number) => 'x'.repeat(bytes);
const addVisits = (town: string, count: number, bytes: number, rest: object = {}) =>
  collection('visits').insertMany(letters(count).map((one) => ({ _id: `${town}${one}`, town, text: text(bytes), ...rest })));
const get = (path: string) => api.request('GET', `/api/${path}`);

beforeEach(async () => {
  for (const name of ['towns', 'visits', 'tours', 'guides']) await collection(name).deleteMany({});
  await collection('towns').insertMany(letters(20).map((_id) => ({ _id, twin: _id, secret: text(5_000) })));
  await collection('visits').createIndex({ town: 1 });
  await collection('tours').createIndex({ town: 1 });
  commands.clear();
});

describe('a page that leads to more than fits', () => {
  it.each([
    ['visits', ['find', 'aggregate', 'aggregate', 'aggregate']],
    ['visits,count', ['find', 'aggregate', 'aggregate', 'aggregate', 'aggregate', 'aggregate']],
  ])('measures it in one more command, and reads it for the records that fit: %s', async (names, expected) => {
    for (const town of letters(20)) await addVisits(town, 2, 500);
    commands.clear();
    const { status, body } = await get(`towns?sort=id&include=${names}`);
    expect([status, body.data.length]).toEqual([200, 8]);
    expect(commands.names).toEqual(expected);
    expect(body.data[7].visits).toHaveLength(2);
    expect(body.page.has_next).toBe(true);
  });

  it('does so for references, each of which counts once, and not what is private', async () => {
    await collection('towns').updateMany({}, { $set: { name: text(900) } });
    const { there, back } = await walkList(api, '/api/towns?sort=id&include=twin');
    for (const pages of [there, back]) expect(idsOf(pages)).toEqual(letters(20));
    commands.clear();
    const { body } = await get('towns?sort=id&include=twin');
    expect(body.data.length).toBeGreaterThan(3);
    expect(commands.names.length).toBeLessThanOrEqual(4);
  });

  it('measures the relations of included records too, however many records the page has', async () => {
    await collection('guides').insertMany(letters(20).map((_id) => ({ _id, text: text(900) })));
    for (const town of letters(20)) await addVisits(town, 2, 10, { guide: town });
    commands.clear();
    const { status, body } = await get('towns?sort=id&include=visits.guide');
    expect([status, body.data.length, body.page.has_next]).toEqual([200, 4, true]); // the guide is shown in each visit
    expect(commands.names).toEqual(['find', 'aggregate', 'find', 'aggregate', 'aggregate', 'aggregate', 'aggregate', 'find']);
    const { there, back } = await walkList(api, '/api/towns?sort=id&include=visits.guide');
    for (const pages of [there, back]) expect(idsOf(pages)).toEqual(letters(20));
    for (const { bytes } of there) expect(bytes).toBeLessThanOrEqual(maxPageBytes);
  });

  it('shows the others where what one included record leads to does not fit', async () => {
    await collection('guides').insertMany([
      { _id: 'small', text: text(10) },
      { _id: 'large', text: text(20_000) },
    ]);
    for (const town of letters(20)) await addVisits(town, 2, 10, { guide: town === 'c' ? 'large' : 'small' });
    const { there, back } = await walkList(api, '/api/towns?sort=id&include=visits.guide');
    for (const pages of [there, back]) expect(idsOf(pages)).toEqual(letters(20));
    const { body } = await get('towns/c?include=visits.guide');
    expect([body.data.visits, body.data.visits_has_next]).toEqual([[], true]);
  });

  it('shows the others in a list with one record that leads to too much', async () => {
    for (const town of letters(5)) await addVisits(town, 2, 100);
    await addVisits('f', 10, 3_000);
    await addVisits('g', 2, 100);
    const { there, back } = await walkList(api, '/api/towns?sort=id&include=visits');
    for (const pages of [there, back]) expect(idsOf(pages)).toEqual(letters(20));
    for (const { bytes } of there) expect(bytes).toBeLessThanOrEqual(maxPageBytes);
  });

  it('is 400 by number, and nothing is measured', async () => {
    for (const town of letters(20)) await addVisits(town, 2, 500);
    commands.clear();
    expect((await get('numbered?include=visits')).body.errors[0]).toMatchObject({ field: 'limit', rule: 'page_too_large' });
    expect(commands.names).toEqual(['find', 'aggregate']);
  });
});

describe('one record that leads to more than fits', () => {
  it.each(['towns/a?include=visits', 'towns?limit=1&sort=id&include=visits', 'numbered?limit=1&sort=id&include=visits'])(
    'is cut, and says so: %s',
    async (path) => {
      await addVisits('a', 10, 2_000);
      commands.clear();
      const { status, body } = await get(path);
      const [one] = [body.data].flat();
      expect([status, one.visits.map((visit: { id: string }) => visit.id), one.visits_has_next]).toEqual([
        200,
        ['aa', 'ab', 'ac', 'ad'],
        true,
      ]);
      expect(commands.names).toEqual(['find', 'aggregate', 'aggregate', 'aggregate']);
    },
  );

  it('shares the room among its relations, in the order of the model', async () => {
    await addVisits('a', 3, 2_000);
    await collection('tours').insertMany(letters(4).map((_id) => ({ _id, town: 'a', text: text(2_000) })));
    const { body } = await get('towns/a?include=tours,visits,count');
    expect([body.data.visits.length, body.data.visits_has_next, body.data.tours.length, body.data.tours_has_next, body.data.count]).toEqual(
      [3, undefined, 1, true, 3],
    );
  });

  it('shows none where not even the first fits', async () => {
    await addVisits('a', 1, 20_000);
    const { status, body } = await get('towns/a?include=visits');
    expect([status, body.data.visits, body.data.visits_has_next]).toEqual([200, [], true]);
  });

  it('is cut further where JSON takes more than is stored, or what is included in the children does not fit', async () => {
    await collection('visits').insertMany(letters(5).map((_id) => ({ _id, town: 'a', text: '\u0001'.repeat(1_000) })));
    const escaped = (await get('towns/a?include=visits')).body.data;
    expect([escaped.visits.length, escaped.visits_has_next]).toEqual([1, true]);
    await collection('visits').deleteMany({});
    await collection('guides').insertMany(letters(4).map((_id) => ({ _id, text: text(4_000) })));
    await collection('visits').insertMany(letters(4).map((_id) => ({ _id, town: 'a', guide: _id })));
    commands.clear();
    const nested = (await get('towns/a?include=visits.guide')).body.data;
    expect(commands.names).toEqual(['find', 'aggregate', 'find', 'aggregate', 'aggregate', 'aggregate', 'aggregate', 'find']);
    expect([nested.visits.map(({ guide }: { guide: { id: string } }) => guide.id), nested.visits_has_next]).toEqual([['a', 'b'], true]);
  });

  it('is 400 where a reference is too large: it cannot be cut, and is not read again after it was measured', async () => {
    await collection('towns').insertOne({ _id: 'z', name: text(20_000) });
    await collection('towns').updateOne({ _id: 'a' }, { $set: { twin: 'z' } });
    await addVisits('a', 1, 10);
    for (const [path, expected] of [
      ['towns/a?include=twin', ['find', 'find', 'aggregate']],
      ['towns?limit=1&sort=id&include=twin', ['find', 'find', 'aggregate']],
      ['towns/a?include=twin,visits', ['find', 'find', 'aggregate', 'aggregate', 'aggregate']],
    ] as const) {
      commands.clear();
      const { status, body } = await get(path);
      expect([status, body.errors[0]]).toMatchObject([400, { field: 'include', rule: 'too_much_included' }]);
      expect(commands.names.toSorted()).toEqual([...expected].sort());
    }
  });
});
