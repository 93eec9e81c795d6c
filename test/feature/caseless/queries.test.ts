import { applyIndexes, cursorPaging, defineModel, planIndexes, type Service, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const all = { filter: true, sort: true } as const;
const listed = { filter: true } as const;

const Town = defineModel('Town', {
  collection: 'towns',
  fields: {
    id: t.string({ policy: { insert: true } }),
    name: t.string({ caseless: true, policy: all }),
    note: t.nullable(t.string({ caseless: true }), { policy: all }),
    place: t.optional(t.object('Place', { street: t.string({ caseless: true, policy: all }), zip: t.string({ policy: all }) })),
    tags: t.array(t.string({ caseless: true }), { default: [], policy: listed }),
    lines: t.array(t.object('Line', { sku: t.string({ caseless: true, policy: listed }), count: t.int({ policy: listed }) }), {
      default: [],
    }),
    twin: t.optional(t.ref('Town', { id: t.string() })),
    fans: t.hasMany('Town', { via: 'twin' }),
    tenant: t.string({ caseless: true, default: 'A', policy: listed }),
  },
});

const resourceOps = ['create', 'list', 'get', 'patch', 'put', 'patchMany', 'deleteMany'] as const;
const database = useDatabase();
const define = (shop: Service<never>) => [
  shop.resource({ model: Town, through: ['twin', 'fans'], paging: cursorPaging({ max: 100, total: true }), ops: [...resourceOps] }),
  shop.resource({ model: Town, path: 'scoped', scope: (ctx) => ({ tenant: ctx.get('x-tenant') || 'A' }), ops: ['list', 'get'] }),
];
const api = useApi(database, define);
const planned = () => {
  const shop = service();
  return shop.api({ db: database.db, resources: define(shop) });
};

const towns = [
  {
    id: '1',
    name: 'Zürich',
    note: 'Straße',
    place: { street: 'Bahnhofstraße', zip: 'a' },
    tags: ['Ört', 'x'],
    lines: [{ sku: 'Ab', count: 1 }],
  },
  {
    id: '2',
    name: 'ZURICH',
    note: 'STRASSE',
    place: { street: 'BAHNHOFSTRASSE', zip: 'A' },
    tags: ['ORT'],
    lines: [{ sku: 'aB', count: 2 }],
    twin: '1',
  },
  { id: '3', name: 'Ålesund', note: null, tags: [], lines: [], twin: '1' },
  {
    id: '4',
    name: 'alesund',
    note: '',
    place: { street: 'x', zip: 'b' },
    tags: ['y'],
    lines: [
      { sku: 'c', count: 1 },
      { sku: 'ÁB', count: 3 },
    ],
    tenant: 'a',
  },
  { id: '5', name: 'กา', note: 'ก่า', tags: [], lines: [], twin: '2' },
];

beforeAll(async () => {
  for (const body of towns) expect((await api.request('POST', '/api/towns', { body })).status).toBe(201);
  await applyIndexes(planned());
});

async function find(query: string, path = 'towns', headers = {}): Promise<string> {
  const { status, body } = await api.request('GET', `/api/${path}?${query}`, { headers });
  if (status !== 200) return `${status} ${body.code} ${body.errors?.map(({ field, rule }: Record<string, string>) => `${field} ${rule}`)}`;
  return body.data.map(({ id }: { id: string }) => id).join('');
}

const encode = (query: string) => encodeURI(query);

describe('a filter of a caseless field', () => {
  it.each([
    ['name=zurich', '12'],
    ['name=ZÜRICH', '12'],
    ['name=Zu\u0308rich', '12'],
    ['name[ne]=zurich', '345'],
    ['name[in]=zürich,ÅLESUND', '1234'],
    ['name[nin]=zürich,ÅLESUND', '5'],
    ['name[prefix]=ZÜ', '12'],
    ['name[prefix]=å', '34'],
    ['name[prefix]=.*', ''],
    ['name[gt]=ALESUND', '125'],
    ['name[gte]=Ålesund&name[lt]=b', '34'],
    ['note=strasse', '12'],
    ['note=ก่า', '5'],
    ['note=กา', ''],
    ['note=', '4'],
    ['note[ne]=strasse', '345'],
    ['note[exists]=true', '1245'],
    ['place.street=bahnhofstrasse', '12'],
    ['place.street[prefix]=BAHN', '12'],
    ['place.zip=a', '1'],
    ['tags=ort', '12'],
    ['tags[ne]=ört', '345'],
    ['lines.sku=AB', '124'],
    ['lines.sku[in]=c', '4'],
    ['twin.name=zurich', '235'],
    ['twin.place.street[prefix]=bahnhofS', '235'],
  ])('%s finds %j', async (query, ids) => {
    expect(await find(encode(query))).toBe(ids);
  });

  it.each([
    ['name = "zurich"', '12'],
    ['name != "zurich"', '345'],
    ['NOT name IN ("zürich", "ÅLESUND")', '5'],
    ['prefix(name, "ZÜ") OR note = "ก่า"', '125'],
    ['NOT exists(note)', '3'],
    ['exists(place.street) AND place.street != "x"', '12'],
    ['any(lines, sku = "AB" AND count > 1)', '24'],
    ['any(lines, NOT sku = "AB")', '4'],
    ['any(lines, exists(sku))', '124'],
    ['twin.name = "zurich" AND NOT name = "กา"', '23'],
    ['any(fans, name = "ZURICH")', '1'],
  ])('%s finds %j as an expression', async (expression, ids) => {
    expect(await find(`filter=${encodeURIComponent(expression)}`)).toBe(ids);
  });

  it('is not the key of the folded value', async () => {
    expect(await find('name[fold2]=zurich')).toBe('400 invalid_query name[fold2] unknown_operator');
    expect(await find('sort=name[fold2]')).toMatch(/^400 invalid_query sort/);
    expect(await find('fields=name[fold2]')).toMatch(/^400 invalid_query fields/);
    expect(await find(`filter=${encodeURIComponent('name[fold2] = "zurich"')}`)).toMatch(/^400 invalid_query filter/);
  });

  it('counts and writes what it finds', async () => {
    const { body } = await api.request('GET', '/api/towns?name=zurich&total=true&limit=1');
    expect(body.page.total ?? body.total).toBe(2);
    const patched = await api.request('PATCH', '/api/towns?name=ZURICH', { body: { tags: ['Ört', 'x'] } });
    expect(patched.body.data).toMatchObject({ matched: 2 });
    expect(await find('tags=ORT')).toBe('12');
  });
});

describe('a sort by a caseless field', () => {
  it.each([['sort=name'], ['sort=-name'], ['sort=note'], ['sort=name,-place.zip'], ['sort=twin.name']])('%s', async (query) => {
    const direct = await find(query);
    let [walked, at] = ['', `/api/towns?${query}&limit=1`];
    for (let page = 0; page < 9 && at !== ''; page++) {
      const { body } = await api.request('GET', at);
      walked += body.data.map(({ id }: { id: string }) => id).join('');
      const next = body.page?.next_cursor ?? body.next_cursor;
      at = next ? `/api/towns?${query}&limit=1&after=${next}` : '';
    }
    expect(walked).toBe(direct);
    expect(walked.length).toBe(5);
  });

  it('ignores case and accents, and puts records without a value first', async () => {
    expect(await find('sort=name')).toBe('34125');
    expect(await find('sort=note')).toBe('34125');
    expect(await find('sort=-note')).toBe('52143');
  });
});

describe('a scope on a caseless field', () => {
  it('compares exactly', async () => {
    expect(await find('', 'scoped')).toBe('1235');
    expect(await find('', 'scoped', { 'x-tenant': 'a' })).toBe('4');
    expect(await find('tenant=a', 'scoped')).toBe('1235');
    expect((await api.request('GET', '/api/scoped/4')).status).toBe(404);
  });
});

describe('the indexes of a caseless field', () => {
  it('are those of its folded values', async () => {
    const plan = `${await planIndexes(planned())}`;
    expect(plan).toContain("{ 'name[fold2]': 1, _id: 1 }");
    expect(plan).not.toContain('missing');
  });

  it('serve the filters that the resource declares', async () => {
    const shop = service();
    const resource = shop.resource({ model: Town, filters: ['tenant = … AND prefix(name, …) AND any(lines, sku = …)'], ops: ['list'] });
    const plan = `${await planIndexes(shop.api({ db: database.db, resources: [resource] }))}`;
    expect(plan).toContain("{ 'tenant[fold2]': 1, 'lines.sku[fold2]': 1, 'name[fold2]': 1, _id: 1 }");
  });

  it('serve filters and sorts', async () => {
    const explained = await database.db
      .collection('towns')
      .find({ 'name[fold2]': { $regex: '^zu' } })
      .sort({ 'name[fold2]': 1, _id: 1 })
      .explain('queryPlanner');
    expect(JSON.stringify(explained)).toContain('IXSCAN');
  });
});
