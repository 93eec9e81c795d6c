import { createAtlas } from '../../examples/atlas/api.ts';
import { type AtlasData, loadAtlas, readAtlasData } from '../../examples/atlas/load.ts';
import { City, Country } from '../../examples/atlas/model.ts';
import { applyIndexes, type Context, checkCreate, planIndexes } from '../../src/index.ts';
import { foldText } from '../../src/model/fold/fold-text.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useExplain } from '../support/database/explain.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const explainLast = useExplain(database, commands);
const serve = useServer();
const silently = () => {};
const fail = (message: string) => () => {
  throw new Error(message);
};

/** All countries, and the cities of three: the data that the tests need. */
function readAlpineData(): AtlasData {
  const { countries, cities } = readAtlasData();
  return { countries, cities: cities.filter(({ country }) => ['AT', 'CH', 'LI'].includes(country)) };
}
const { cities } = readAlpineData();

async function counts(): Promise<number[]> {
  return [await database.db.collection('countries').countDocuments(), await database.db.collection('cities').countDocuments()];
}

describe('loadAtlas', () => {
  beforeEach(async () => void (await database.db.dropDatabase()));

  it('begins again after a load that was cut off', async () => {
    const cutOff = loadAtlas(database.db, fail('cut off'), readAlpineData);
    await expect(cutOff).rejects.toThrow('cut off');
    expect(await counts()).toEqual([250, 0]);
    await loadAtlas(database.db, silently, readAlpineData);
    expect(await counts()).toEqual([250, cities.length]);
  });

  it('leaves alone what it has loaded before', async () => {
    await loadAtlas(database.db, silently, readAlpineData);
    await database.db.collection('cities').deleteOne({ name: 'Zwingen' });
    await loadAtlas(database.db, silently, fail('there is nothing to read'));
    expect(await counts()).toEqual([250, cities.length - 1]);
  });

  it('tells how far it is, from the countries to the end', async () => {
    const told: unknown[] = [];
    await loadAtlas(database.db, (...progress) => told.push(progress), readAlpineData);
    const total = 250 + cities.length;
    expect([told[0], told.at(-1)]).toEqual([
      [250, total],
      [total, total],
    ]);
  });
});

const regions = ['Africa', 'Americas', 'Antarctic', 'Asia', 'Europe', 'Oceania'];

describe('the atlas', () => {
  let atlas: TestServer;
  const get = (path: string) => atlas.request('GET', `/api${path}`);

  beforeAll(async () => {
    await database.db.dropDatabase();
    await loadAtlas(database.db, silently, readAlpineData);
    await applyIndexes(createAtlas(database.db));
    atlas = await serve(createAtlas(database.db).routes());
  });

  it('exports its cities as a table and as lines', async () => {
    const whole = (accept: string) => atlas.request('GET', '/api/cities?country=LI&sort=name', { headers: { accept } });
    const own = cities.filter(({ country }) => country === 'LI').length;
    const lines = (await whole('application/x-ndjson')).text.trim().split('\n');
    expect(JSON.parse(lines.at(-1) as string)).toEqual({ end: true, count: own });
    const rows = (await whole('text/csv')).text.split('\r\n');
    expect([rows.length, rows[0]]).toEqual([own + 2, expect.stringContaining('id,')]);
  });

  it('has the indexes that it needs, and no other', async () => {
    const { collections } = await planIndexes(createAtlas(database.db));
    expect(collections).toMatchObject(
      [{ collection: 'countries' }, { collection: 'cities' }].map((one) => ({ ...one, missing: [], conflicting: [], unused: [] })),
    );
  });

  it.each([
    ['/cities?sort=country,name&limit=50', 'country_1_name[fold2]_1__id_1'],
    ['/cities?sort=-country,-name&limit=50', 'country_1_name[fold2]_1__id_1'],
    ['/cities?country=CH&sort=name&limit=50', 'country_1_name[fold2]_1__id_1'],
    ['/cities?country=CH&name[prefix]=Z&sort=name&limit=50', 'country_1_name[fold2]_1__id_1'],
    ['/cities?country=CH&admin1=ZH&admin2=112&sort=name&limit=50', 'country_1_admin1_1_admin2_1_name[fold2]_1__id_1'],
    ['/countries?location.lat[gte]=47&sort=-location.lat&limit=50', 'location.lat_1__id_1'],
    ['/countries?sort=name.common&limit=50', 'name.common_1__id_1'],
    ['/countries?borders=DEU', 'borders_1__id_1'],
  ])('finds %s by %s, on the first page and behind it', async (path, index) => {
    const first = await get(path);
    const { next_cursor } = first.body.page;
    for (const cursor of next_cursor ? ['', `&after=${next_cursor}`] : ['']) {
      expect((await get(`${path}${cursor}`)).status).toBe(200);
      const { stages, indexes, documents } = await explainLast();
      expect([[...indexes], stages.has('SORT'), documents <= 102]).toEqual([[index], false, true]);
    }
  });

  it('holds all 250 countries as the library would store what it shows of them', async () => {
    const shown = (await Promise.all(regions.map((region) => get(`/countries?region=${region}&limit=100`)))).flatMap(
      ({ body }) => body.data,
    );
    expect(shown).toHaveLength(250);

    const create = checkCreate(Country);
    const exact = { promoteValues: false } as const;
    const copies = database.db.collection('copies');
    const created = shown.map(async ({ revision, ...country }) => {
      const ctx = { request: { body: country } } as Context;
      await create(ctx, async () => {});
      return ctx.created as object;
    });
    await copies.insertMany(await Promise.all(created));
    const byId = { sort: { _id: 1 }, ...exact } as const;
    const stored = await database.db.collection('countries').find({}, byId).toArray();
    expect(await copies.find({}, byId).toArray()).toEqual(stored);
  });

  it('reads nested objects, maps and what is not known', async () => {
    const { body } = await get('/countries?name.common=Switzerland');
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({
      id: 'CH',
      name: { official: 'Swiss Confederation', native: { gsw: { common: 'Schweiz' } } },
      currencies: { CHF: { name: 'Swiss franc', symbol: 'Fr.' } },
      languages: { gsw: 'Swiss German' },
      location: { lat: 47, lng: 8 },
      revision: 0,
    });
    expect((await get('/countries/XK')).body.data).toMatchObject({ independent: null, ccn3: null });
    expect((await get('/countries/AQ')).body.data).toMatchObject({ idd: null, subregion: null, currencies: {}, capital: [] });
    expect((await get('/countries/SJ')).body.data).toMatchObject({ area: null });
    expect((await get('/countries/BV')).body.data).toMatchObject({ demonyms: {} });
  });

  it.each([
    ['/countries?borders=DEU&landlocked=true&sort=-area', ['AT', 'CZ', 'CH', 'LU']],
    ['/countries?id[in]=CH,AT', ['AT', 'CH']],
    ['/countries?independent=null', ['XK']],
    ['/countries?area[lt]=3&sort=area', ['VA', 'MC']],
    ['/countries?name.common[prefix]=Switz', ['CH']],
  ])('answers %s', async (path, ids) => {
    const { body } = await get(path);
    expect(body.data.map((country: { id: string }) => country.id)).toEqual(ids);
  });

  it.each([
    ['/cities?country=CH&name[prefix]=Z&admin1=ZH&sort=name&limit=3', ['Zollikerberg', 'Zollikon', 'Zumikon']],
    ['/cities?near=8.54,47.37,10000&limit=2', ['Zürich (Kreis 1)', 'Zürich (Kreis 1) / Lindenhof']],
    ['/cities?near=8.54,47.37,100000&country=LI&limit=3', ['Gamprin', 'Bendern', 'Ruggell']],
    ['/cities?name=zurich', ['Zürich']],
    ['/cities?name[prefix]=Z%C3%9CRICH&limit=1', ['Zürich']],
    ['/cities?country[in]=DE,FR', []],
  ])('answers %s', async (path, names) => {
    const { body } = await get(path);
    expect(body.data.map((city: { name: string }) => city.name)).toEqual(names);
  });

  it('shows each city once on a walk by cursor, in order, and each could have been created by a client', async () => {
    const create = checkCreate(City);
    const walked: { id: string; country: string; name: string; revision: number }[] = [];
    for (let path: string | undefined = '/api/cities?sort=country,name&limit=500'; path !== undefined; ) {
      const { body, headers } = await atlas.request('GET', path);
      walked.push(...body.data);
      path = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1];
    }
    expect(new Set(walked.map(({ id }) => id)).size).toBe(cities.length);
    // MongoDB compares the bytes of UTF-8, JavaScript those of Latin-1.
    const order = walked.map(({ country, name }) => Buffer.from(`${country} ${foldText(name)}`).toString('latin1'));
    expect(order).toEqual([...order].sort());
    for (const { id, revision, ...city } of walked) {
      await create({ request: { body: city } } as Context, async () => {});
    }
  });

  it.each([
    ['/cities?contry=CH', 'contry', /did you mean `country`/],
    ['/cities?sort=nmae', 'sort', /did you mean `name`/],
    ['/countries?region=Europa', 'region', /did you mean `Europe`/],
    ['/countries?languages=fra', 'languages', /cannot be filtered/],
  ])('answers 400 to %s, and says why', async (path, field, message) => {
    const { status, body } = await get(path);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ field, message: expect.stringMatching(message) }]);
  });

  it('changes one nested key of what nobody else has changed since', async () => {
    const patch = (body: unknown) => atlas.request('PATCH', '/api/countries/LI', { headers: { 'if-match': '"0"' }, body });
    const before = await get('/countries/LI');
    expect(await patch({ name: { native: { eng: { common: 'x' } } } })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'name.native.eng.official' }] },
    });
    expect(await patch({ cca3: 'LIX' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'cca3', message: 'cannot be set on update' }] },
    });
    const after = await patch({ name: { common: 'Ländle' } });
    expect(after).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect(after.body.data.name).toEqual({ ...before.body.data.name, common: 'Ländle' });
    expect(await patch({ name: { common: 'Liechtenstein' } })).toMatchObject({ status: 412 });
  });

  it('refuses a country that is there already, by id and by code', async () => {
    const { revision, ...country } = (await get('/countries/CH')).body.data;
    const create = (body: unknown) => atlas.request('POST', '/api/countries', { body });
    expect(await create(country)).toMatchObject({ status: 409, body: { errors: [{ field: 'id' }] } });
    expect(await create({ ...country, id: 'CX' })).toMatchObject({ status: 409 });
    expect(await create({ ...country, id: 'ZZ' })).toMatchObject({ status: 409, body: { errors: [{ field: 'cca3' }] } });
    expect(await create({ ...country, id: 'ch', cca3: 'ZZZ' })).toMatchObject({ status: 422, body: { errors: [{ field: 'id' }] } });
  });
});
