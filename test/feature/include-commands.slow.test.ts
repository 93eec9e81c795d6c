import { cursorPaging, defineModel, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import type { Stored } from '../support/models/books.ts';

const id = t.string();
const Region = defineModel('Region', { collection: 'regions', maxTimeMS: 3_000, fields: { id, name: t.string() } });
const Town = defineModel('Town', {
  collection: 'towns',
  fields: { id, name: t.string(), region: t.ref('Region', { id }), twins: t.array(t.ref('Town', { id })) },
});
const Slow = defineModel('Slow', { collection: 'slow', maxTimeMS: 100, fields: { id } });
const Visit = defineModel('Visit', {
  collection: 'visits',
  fields: {
    id: t.int({ policy: { sort: true } }),
    town: t.ref('Town', { id }),
    nextId: t.nullable(t.ref('Town', { id, as: 'next' })),
    stops: t.array(t.ref('Town', { id }), { default: [] }),
    slow: t.optional(t.array(t.ref('Slow', { id }))),
  },
});

const database = useDatabase({ monitorCommands: true, readPreference: 'secondaryPreferred' });
const commands = useCommands(database);
const include = ['town', 'next', 'stops', 'town.region', 'next.region', 'town.twins.region', 'town.twins.twins', 'slow'] as const;
const paging = cursorPaging({ max: 1000 });
const api = useApi(database, (shop) => [shop.resource({ model: Visit, include, paging }), shop.resource({ model: Town })], {
  models: [Region, Slow],
  maxTimeMS: 4_000,
});

const towns = Array.from(
  { length: 300 },
  (_, index): Stored => ({ _id: `t${index}`, name: `Town ${index}`, region: `r${index % 3}`, twins: [`t${(index + 1) % 300}`] }),
);

beforeAll(async () => {
  await database.db.collection<Stored>('regions').insertMany(['r0', 'r1', 'r2'].map((one) => ({ _id: one, name: one.toUpperCase() })));
  await database.db.collection<Stored>('towns').insertMany(towns);
  const visits = Array.from({ length: 1000 }, (_, index) => ({ _id: index as never, town: `t${index % 5}`, nextId: `t${index % 300}` }));
  await database.db.collection('visits').insertMany(visits);
});
beforeEach(() => commands.clear());

/** The collections that were asked, with every further batch. */
const found = () => commands.events.map(({ command }) => (command.find ?? `more ${command.collection}`) as string);
/** The ids that each lookup of related records asks for. */
const asked = () => commands.events.flatMap(({ command }) => (command.filter?._id?.$in ? [command.filter._id.$in as string[]] : []));

describe('the commands of include', () => {
  it.each<[string, readonly string[]]>([
    ['visits?limit=1000', ['visits']],
    ['visits/7', ['visits']],
    ['visits/7?include=town', ['visits', 'towns']],
    ['visits?limit=1000&include=town', ['visits', 'towns']],
    ['visits?limit=1000&include=town,next', ['visits', 'towns', 'towns']],
    ['visits?limit=1000&include=town.region', ['visits', 'towns', 'regions']],
    ['visits?limit=1000&include=town&include=town.region', ['visits', 'towns', 'regions']],
    ['visits?limit=1000&include=next.region,town.region', ['visits', 'towns', 'towns', 'regions', 'regions']],
    ['visits?limit=1000&include=town.twins.region', ['visits', 'towns', 'towns', 'regions']],
    ['visits?limit=1000&include=stops', ['visits']], // no id, no query
    ['visits/-1?include=town', ['visits']],
    ['visits?include=twn', []],
    ['visits/7?include=twn', []],
  ])('are one per relation and page, not per record: %s', async (path, collections) => {
    await api.request('GET', `/api/${path}`);
    expect([...found()].sort()).toEqual([...collections].sort());
  });

  it('ask for each id once, and get all records at once', async () => {
    const { body } = await api.request('GET', '/api/visits?limit=1000&include=town,next&sort=id');
    expect(body.data).toHaveLength(1000);
    for (const [index, visit] of body.data.entries()) {
      expect([visit.id, visit.town.id, visit.town.name, visit.next.name]).toEqual([
        index,
        `t${index % 5}`,
        `Town ${index % 5}`,
        `Town ${index % 300}`,
      ]);
    }
    expect(
      asked()
        .map((ids) => [ids.length, new Set(ids).size])
        .sort(([a = 0], [b = 0]) => a - b),
    ).toEqual([
      [5, 5],
      [300, 300],
    ]);
    expect([...found()].sort()).toEqual(['towns', 'towns', 'visits']);
  });

  it('share the time limit of the operation, and have the read preference of the client, and a filter of values only', async () => {
    await api.request('GET', '/api/visits/7?include=town.region');
    const read = commands.events.map(({ command }) => [command.find, command.$readPreference?.mode]);
    expect(read).toEqual(['visits', 'towns', 'regions'].map((collection) => [collection, 'secondaryPreferred']));
    const [first = 0, second = 0, third = 0] = commands.events.map(({ command }) => command.maxTimeMS as number);
    // The budget begins with the first command, which a busy machine may send a millisecond later.
    expect(Math.ceil(first / 1_000)).toBe(4);
    expect([second <= first, third <= second, third > 0]).toEqual([true, true, true]);
    expect(commands.events[1]?.command.filter).toEqual({ _id: { $in: ['t2'] } });
  });
});

describe('a relation that takes too long to read', () => {
  it('is 504 by the limit of the operation, and app.on(error) hears why', async () => {
    const sleep = { $function: { body: 'function () { sleep(2000); return 1; }', args: [], lang: 'js' } };
    await database.db.createCollection('slow', { viewOn: 'towns', pipeline: [{ $set: { slept: sleep } }] });
    await database.db.collection('visits').insertOne({ _id: 4000 as never, town: 't0', slow: ['t0', 't1', 't2'] });
    const { status, body, text } = await api.request('GET', '/api/visits/4000?include=slow');
    await database.db.collection('visits').deleteOne({ _id: 4000 as never });
    expect([status, body.code]).toEqual([504, 'database_timeout']);
    expect(text).not.toMatch(/Mongo|"slow"|Slow|maxTimeMS/);
    expect(api.errors.map(({ cause }) => cause)).toEqual([expect.any(Error)]);
  });
});

describe('ids that no record can have', () => {
  it('never reach the database, and stay what they are', async () => {
    const odd = [{ $gt: '' }, { $regex: '.*' }, /.*/, 5, true, ['t1'], null, 't1', new Date(0)];
    await database.db.collection<Stored>('visits').insertOne({ _id: 5000 as never, town: { $ne: null }, nextId: /^t/, stops: odd });
    const plain = await api.request('GET', '/api/visits/5000');
    commands.clear();
    const { status, body } = await api.request('GET', '/api/visits/5000?include=town,next,stops');
    expect([status, body.data.town, body.data.next]).toEqual([200, plain.body.data.town, null]);
    expect(body.data.stops.toSpliced(7, 1, 't1')).toEqual(plain.body.data.stops);
    expect(body.data.stops[7].name).toBe('Town 1');
    expect(asked()).toEqual([['t1']]);
    await database.db.collection('visits').deleteOne({ _id: 5000 as never });
  });
});

describe('a page that leads to too much', () => {
  const store = (visit: object) => database.db.collection('visits').insertOne({ _id: 6000 as never, town: 't0', ...visit });
  const get = () => api.request('GET', '/api/visits/6000?include=stops');
  const ids = (count: number, length = 1) => Array.from({ length: count }, (_, index) => `${index}`.padStart(length, 'x'));
  beforeEach(() => database.db.collection('visits').deleteOne({ _id: 6000 as never }));

  it('is read in several queries where one would be too large', async () => {
    await store({ stops: [...ids(19_999), 't7'] });
    commands.clear();
    const { status, body } = await get();
    expect([status, body.data.stops.length, body.data.stops[19_999].name]).toEqual([200, 20_000, 'Town 7']);
    expect(asked().map(({ length }) => length)).toEqual([10_000, 10_000]);
  });

  it('is read in several queries where the ids are long', async () => {
    await store({ stops: [...ids(7, 900_000), 't7'] });
    commands.clear();
    const { body } = await get();
    expect(body.data.stops[7].name).toBe('Town 7');
    expect(asked().map(({ length }) => length)).toEqual([2, 2, 2, 2]);
  });

  it('is 400 beyond 50,000 records of a relation', async () => {
    await store({ stops: ids(50_001) });
    commands.clear();
    const { status, body } = await get();
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'invalid_query', 'include']);
    expect(asked()).toEqual([]);
  });

  it('ends before a record with more ids than that', async () => {
    await store({ stops: ids(50_001) });
    await database.db.collection('visits').insertOne({ _id: 6001 as never, town: 't0', stops: ['t7'] });
    const { status, body } = await api.request('GET', '/api/visits?sort=-id&limit=5&include=stops');
    expect([status, body.data.map(({ id }: { id: number }) => id), body.page.has_next]).toEqual([200, [6001], true]);
    await database.db.collection('visits').deleteOne({ _id: 6001 as never });
  });

  it('is 400 where a large record would be shown again and again', async () => {
    await database.db.collection<Stored>('towns').insertOne({ _id: 'large', name: 'x'.repeat(1_000_000), region: 'r0', twins: [] });
    await store({ stops: Array(100).fill('large') });
    const { status, headers, body } = await get();
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'invalid_query', 'include']);
    expect(headers).not.toHaveProperty('etag');
    expect((await api.request('GET', '/api/visits?sort=-id&limit=5&include=stops')).status).toBe(400);
    expect((await api.request('GET', '/api/visits/6000')).status).toBe(200);
  });
});
