import { Double } from 'mongodb';
import { collectionValidator, defineModel, openStore, type Point, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Place = defineModel('Place', {
  collection: 'places',
  fields: {
    id: t.string({ policy: { insert: true } }),
    at: t.point(),
    gate: t.nullable(t.point(), { storeNone: true }),
    former: t.optional(t.point({ policy: { filter: true } })),
    stops: t.array(t.point(), { default: [], uniqueItems: true }),
    by: t.map(t.point(), { default: {} }),
    yard: t.nullable(t.object('Yard', { centre: t.point(), name: t.string({ default: '' }) })),
    raw: t.optional({ type: ['object', 'null'], bsonType: 'point' }),
    revision: t.revision(),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Place, ops: ['list', 'get', 'create', 'patch', 'put', 'delete'], export: {} }),
]);
const places = () => database.db.collection<Any>('places');
const point = (...coordinates: number[]) => ({ type: 'Point', coordinates }) as unknown as Point;
const create = (body: object) => api.request('POST', '/api/places', { body: { id: 'p', at: point(8.5, 47), ...body } });

beforeEach(async () => {
  await places().deleteMany({});
});

describe('a point', () => {
  it('is GeoJSON in bodies, in answers and in the database, where its coordinates are doubles even if they are whole', async () => {
    const body = { at: point(8, -47), gate: point(180, 90), stops: [point(1, 2), point(1.5, 2)], by: { a: point(0, 0) } };
    const created = await create(body);
    expect([created.status, created.body.data]).toEqual([201, { id: 'p', ...body, yard: null, raw: null, revision: 0 }]);
    expect((await api.request('GET', '/api/places/p')).body.data).toEqual(created.body.data);
    const whole = { at: { $type: 'object' }, 'at.coordinates.0': { $type: 'double' }, 'by.a.coordinates.1': { $type: 'double' } };
    expect(await places().countDocuments({ ...whole, 'stops.coordinates': { $type: 'double' } })).toBe(1);
    expect(await places().countDocuments({ 'at.coordinates': { $type: 'int' } })).toBe(0);
  });

  it('is replaced as a whole by PATCH, within embedded objects too, and by PUT', async () => {
    await create({ yard: { centre: point(1, 1), name: 'north' } });
    const patched = await api.request('PATCH', '/api/places/p', { body: { at: point(2, 3), yard: { centre: point(4, 5) } } });
    expect([patched.status, patched.body.data.at, patched.body.data.yard]).toEqual([
      200,
      point(2, 3),
      { centre: point(4, 5), name: 'north' },
    ]);
    const merged = await api.request('PATCH', '/api/places/p', { body: { at: { coordinates: [9, 9] } } });
    expect([merged.status, merged.body.errors]).toEqual([
      422,
      [{ field: 'at.type', rule: 'const', message: 'must be "Point"', params: { value: 'Point' } }],
    ]);
    const put = await api.request('PUT', '/api/places/p', { body: { at: point(6, 7), gate: point(0.5, 0) } });
    expect([put.status, put.body.data.at, put.body.data.gate, put.body.data.yard]).toEqual([200, point(6, 7), point(0.5, 0), null]);
    expect(Object.keys((await places().findOne({ _id: 'p' }))?.at)).toEqual(['type', 'coordinates']);
  });

  it('may be null, or be removed', async () => {
    await create({ gate: point(1, 1), former: point(1, 1), raw: point(1, 1) });
    const { status, body } = await api.request('PATCH', '/api/places/p', { body: { gate: null, former: null, raw: null } });
    expect([status, body.data.gate, 'former' in body.data, body.data.raw]).toEqual([200, null, false, null]);
    expect(await places().findOne({ _id: 'p' })).not.toHaveProperty('former');
    expect((await api.request('PATCH', '/api/places/p', { body: { at: null } })).body.errors).toMatchObject([
      { field: 'at', rule: 'not_null' },
    ]);
  });

  it.each([
    ['a text', '"8,47"', 'at', 'type'],
    ['an array', '[8,47]', 'at', 'type'],
    ['a member more', '{"type":"Point","coordinates":[8,47],"bbox":[8,47,8,47]}', 'at.bbox', 'unknown_field'],
    ['an operator', '{"$near":[8,47]}', 'at.$near', 'unknown_field'],
    ['__proto__', '{"__proto__":{},"type":"Point","coordinates":[8,47]}', 'at.__proto__', 'unknown_field'],
    ['another type', '{"type":"Polygon","coordinates":[8,47]}', 'at.type', 'const'],
    ['no coordinates', '{"type":"Point"}', 'at.coordinates', 'type'],
    ['one coordinate', '{"type":"Point","coordinates":[8]}', 'at.coordinates', 'type'],
    ['an altitude', '{"type":"Point","coordinates":[8,47,400]}', 'at.coordinates', 'type'],
    ['a text as coordinate', '{"type":"Point","coordinates":["8",47]}', 'at.coordinates.0', 'type'],
    ['null as coordinate', '{"type":"Point","coordinates":[8,null]}', 'at.coordinates.1', 'type'],
    ['a longitude too far east', '{"type":"Point","coordinates":[180.0000001,47]}', 'at.coordinates.0', 'maximum'],
    ['a longitude too far west', '{"type":"Point","coordinates":[-181,47]}', 'at.coordinates.0', 'minimum'],
    ['a latitude too far north', '{"type":"Point","coordinates":[8,90.5]}', 'at.coordinates.1', 'maximum'],
    ['a number beyond doubles', '{"type":"Point","coordinates":[1e400,47]}', 'at.coordinates.0', 'out_of_range'],
    ['a number that would be zero', '{"type":"Point","coordinates":[1e-400,47]}', 'at.coordinates.0', 'underflow'],
  ])('is 422 with %s', async (_name, json, field, rule) => {
    const { status, body } = await api.request('POST', '/api/places', { body: `{"id":"p","at":${json}}` });
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ field, rule })]]);
    expect(api.errors).toEqual([]);
  });

  it('takes numbers however they are written: -0 is 0', async () => {
    const raw = '{"id":"p","at":{"coordinates":[-0,4.70e1],"type":"Point"}}';
    const created = await api.request('POST', '/api/places', { body: raw });
    expect([created.status, created.text]).toEqual([201, expect.stringContaining('"at":{"type":"Point","coordinates":[0,47]}')]);
    expect((await api.request('GET', '/api/places/p')).text).toContain('"at":{"type":"Point","coordinates":[0,47]}');
  });

  it('is filtered by `exists` only', async () => {
    await create({ former: point(1, 1) });
    await create({ id: 'q' });
    const ids = async (query: string) => (await api.request('GET', `/api/places?${query}`)).body.data.map(({ id }: Any) => id);
    expect([await ids('former[exists]=true'), await ids('former[exists]=false')]).toEqual([['p'], ['q']]);
    expect((await api.request('GET', '/api/places?former=1,1')).body.errors).toMatchObject([{ rule: 'unknown_operator' }]);
  });

  it('has the same form in stores, which check it as well', async () => {
    const store = openStore(Place, { db: database.db });
    const record = await store.create({ id: 's', at: point(8, 47) });
    expect(record.at).toEqual(point(8, 47));
    const held = await store.get('s');
    held.at = point(9, 47.5);
    await store.save(held);
    expect((await store.get('s')).at).toEqual(point(9, 47.5));
    await expect(store.create({ id: 'x', at: point(8, 470) })).rejects.toMatchObject({
      errors: [{ field: 'at.coordinates.1', rule: 'maximum' }],
    });
  });

  it('is served as it is stored by another program, integers too', async () => {
    await places().insertOne({ _id: 'i', at: { type: 'Point', coordinates: [8, 47] }, stops: [], by: {} });
    expect((await api.request('GET', '/api/places/i')).body.data.at).toEqual(point(8, 47));
  });

  it('is a cell of JSON in CSV', async () => {
    await create({});
    const { text } = await api.request('GET', '/api/places', { headers: { accept: 'text/csv' } });
    expect(text).toContain('"{""type"":""Point"",""coordinates"":[8.5,47]}"');
  });
});

describe('the validator of a collection', () => {
  it('takes what the library stores, and refuses what is not a point', async () => {
    await database.db.createCollection('checked', { validator: collectionValidator(Place) });
    const checked = database.db.collection<Any>('checked');
    const stored = (coordinates: unknown, more = {}) => ({ type: 'Point', coordinates, ...more });
    const good = { _id: 'a', at: stored([new Double(8), new Double(47)]), gate: null, stops: [], by: {}, revision: 0 };
    await checked.insertOne(good);
    for (const at of [
      stored([8.5]),
      stored([8.5, 200]),
      stored([8.5, 47.5, 1]),
      stored(['8', 47.5]),
      stored([8.5, 47.5], { bbox: [] }),
      { type: 'Point' },
      { type: 'Line', coordinates: [8.5, 47.5] },
      [8.5, 47.5],
      null,
    ])
      await expect(checked.insertOne({ ...good, _id: 'b', at })).rejects.toThrow('Document failed validation');
  });
});

describe('the definition of a point', () => {
  const define = (field: Any) => () => collectionValidator(defineModel('M', { collection: 'm', fields: { field } }));

  it.each([
    ['sorted by', t.point({ policy: { sort: true } }), '`policy.sort` of field `field` needs a single value'],
    ['filtered by eq', t.point({ policy: { filter: ['eq'] } }), 'which its type does not have. Allowed: exists.'],
    ['grouped by', t.point({ policy: { group: true } }), '`policy.group` of field `field` needs a single value'],
    ['unique', t.point({ unique: true }), '`field` must be a single value'],
    ['a map at the same time', { type: 'object', bsonType: 'point', additionalProperties: {} }, '`additionalProperties` of `field`'],
    ['a text', { type: 'string', bsonType: 'point' }, '`type` of `field` must be `object`'],
    ['given a wrong default', t.point({ default: point(8, 100) }), 'must be a latitude from -90 to 90'],
  ])('is a configuration error if it is %s', (_name, field, message) => {
    expect(define(field)).toThrow(message);
  });

  it('is a configuration error as an id', () => {
    const fields = { id: t.point({ policy: { insert: true } }) };
    expect(() => collectionValidator(defineModel('M', { collection: 'm', fields }))).toThrow('`id` must be a single value');
  });
});
