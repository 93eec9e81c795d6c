import { Decimal128 } from 'mongodb';
import { everything } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Doc, place, stored } from '../support/models/scoped-docs.ts';

const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
const database = useDatabase();
/** What the scope and the server fields return in the test at hand. */
let scope: unknown;
let serverFields: object;
const handOver = {
  handler: async (ctx: { load(): Promise<object>; save(record: object): Promise<object> }) =>
    ctx.save(Object.assign(await ctx.load(), { owner: 'ben' })),
};
const api = useApi(database, (shop) => [
  shop.resource({
    model: Doc,
    ops,
    scope: () => scope as never,
    serverFields: () => serverFields,
    operations: { handOver: handOver as never },
  }),
  shop.resource({ model: Doc, path: 'replacing', ops, scope: () => scope as never, mergePatch: false }),
  shop.resource({ model: Doc, path: 'explicit', ops, scope: () => scope as never, explicitWrites: true }),
  shop.resource({ model: Doc, path: 'unbound', ops, scope: () => scope as never, scopeWrites: false }),
]);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');
beforeEach(async () => {
  api.errors.length = 0;
  scope = { owner: 'ann' };
  serverFields = {};
  await docs().deleteMany({});
  await docs().insertMany([stored, { ...stored, _id: 'p', place }, { ...stored, _id: 'b', owner: 'ben' }]);
});

interface Asked {
  readonly path?: string;
  readonly id?: string;
}
const write = (method: string, body: object, { path = 'docs', id = 'a' }: Asked = {}) =>
  api.request(method, `/api/${path}${method === 'POST' ? '' : `/${id}`}`, { body: method === 'POST' ? { id: 'new', ...body } : body });
const fieldsOf = (body: { errors?: { field: string }[] }) => body.errors?.map(({ field }) => field);

type Case = readonly [rule: string, method: string, scope: object, body: object, asked: Asked];

describe('a write whose record would lie outside of the scope', () => {
  it.each<readonly [...Case, fields: string[]]>([
    ['a create with a value of somebody else', 'POST', { owner: 'ann' }, { owner: 'ben' }, {}, ['owner']],
    ['a create without the value, where the default is another', 'POST', { owner: 'ben' }, {}, {}, ['owner']],
    ['a patch', 'PATCH', { owner: 'ann' }, { owner: 'ben' }, {}, ['owner']],
    ['a put with the value', 'PUT', { owner: 'ann' }, { owner: 'ben' }, {}, ['owner']],
    ['a put without the value, which returns to its default', 'PUT', { owner: { ne: 'ann' } }, { text: 'new' }, { id: 'b' }, ['owner']],
    ['a private field that the client may write', 'PATCH', { secretOwner: 'ann' }, { secretOwner: 'ben' }, {}, ['secretOwner']],
    ['two fields at fault', 'POST', { owner: 'ann', text: 'x' }, { owner: 'ben', text: 'y' }, {}, ['owner', 'text']],
    [
      'one field at fault, of several conditions',
      'POST',
      { owner: { in: ['ann', 'ben'], ne: 'ben', prefix: 'a' } },
      { owner: 'ben' },
      {},
      ['owner'],
    ],
    ['one of two fields', 'PATCH', { owner: 'ann', count: { gte: 1 } }, { count: 0, text: 'new' }, {}, ['count']],
    ['null, where the scope wants a value', 'PATCH', { count: { gte: 1 } }, { count: null }, {}, ['count']],
    ['a value, where the scope wants none', 'PATCH', { price: null }, { price: '1' }, {}, ['price']],
    [
      'a decimal against an equal one of more digits',
      'PATCH',
      { price: { ne: Decimal128.fromString('1.0') } },
      { price: '1.00' },
      {},
      ['price'],
    ],
    ['a date', 'PATCH', { at: { exists: false } }, { at: '2026-01-01T00:00:00Z' }, {}, ['at']],
    ['the id that the client chose', 'POST', { id: { prefix: 'a-' } }, { id: 'b-1' }, {}, ['id']],
    ['a list without the element', 'PATCH', { tags: 't' }, { tags: ['u', 'v'] }, {}, ['tags']],
    ['a list with the element', 'PATCH', { tags: { ne: 'v' } }, { tags: ['u', 'v'] }, {}, ['tags']],
    ['objects of a list', 'PATCH', { 'items.sku': 'i' }, { items: [{ sku: 'j' }] }, {}, ['items.sku']],
    ['a list that loses all objects', 'PATCH', { 'items.sku': 'i' }, { items: [] }, {}, ['items.sku']],
    ['a key of an embedded object', 'PATCH', { 'place.city': 'Ulm' }, { place: { city: 'Bonn' } }, { id: 'p' }, ['place.city']],
    ['a key of an object in it', 'PATCH', { 'place.geo.lat': 1 }, { place: { geo: { lat: 2 } } }, { id: 'p' }, ['place.geo.lat']],
    ['an object in it that is cleared', 'PATCH', { 'place.geo.lat': 1 }, { place: { geo: null } }, { id: 'p' }, ['place.geo.lat']],
    ['an object that must not be there, created by a merge', 'PATCH', { place: null }, { place: { city: 'Ulm' } }, {}, ['place']],
    [
      'an object replaced',
      'PATCH',
      { 'place.zone': 'z' },
      { place: { city: 'Ulm', zone: 'y' } },
      { id: 'p', path: 'replacing' },
      ['place.zone'],
    ],
    [
      'an object replaced without the key',
      'PATCH',
      { 'place.zone': { ne: 'z' } },
      { place: { city: 'Ulm' } },
      { path: 'replacing' },
      ['place.zone'],
    ],
    ['a default of an object that a merge creates', 'PATCH', { 'place.zone': { ne: 'z' } }, { place: { city: 'Ulm' } }, {}, ['place.zone']],
    [
      'a default of an object in an object that a merge creates',
      'PATCH',
      { 'place.geo.grid': { ne: 'g' } },
      { place: { geo: { lat: 1 } } },
      { id: 'q' },
      ['place.geo.grid'],
    ],
    ['an object of a create', 'POST', { 'place.zone': 'y' }, { place: { city: 'Ulm' } }, {}, ['place.zone']],
    ['no object in a create', 'POST', { 'place.zone': 'z' }, { text: 'new' }, {}, ['place.zone']],
  ])('is 422 on the fields at fault, and nothing is written: %s', async (_rule, method, given, body, asked, fields) => {
    await docs().insertOne({ ...stored, _id: 'q', place: { ...place, geo: null } });
    const before = await docs().find().toArray();
    scope = given;
    const answer = await write(method, body, asked);
    expect([answer.status, fieldsOf(answer.body)]).toEqual([422, fields]);
    expect(answer.body.code).toBe('validation_failed');
    expect(answer.text).not.toMatch(/red|ann(?!ot)|\bben\b/);
    expect([await docs().find().toArray(), api.errors]).toEqual([before, []]);
  });

  it.each<Case>([
    ['a field closed to clients on create', 'POST', { team: 'blue' }, { text: 'new' }, {}],
    ['one that the resource closes by explicitWrites', 'POST', { owner: 'ben' }, {}, { path: 'explicit' }],
    [
      'a closed value of an object that is replaced',
      'PATCH',
      { 'place.seal': { ne: 's' } },
      { place: { city: 'Ulm' } },
      { path: 'replacing' },
    ],
  ])(
    "is the deployer's fault where the client may not write the field: 500, reported, and nothing is written: %s",
    async (_rule, method, given, body, asked) => {
      const before = await docs().find().toArray();
      scope = given;
      const answer = await write(method, body, asked);
      expect(answer.body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
      expect(api.errors.map(({ message }) => message)).toEqual([
        expect.stringMatching(/outside of its own scope, by `(?:team|owner|place\.seal)`, which clients may not write/),
      ]);
      expect(await docs().find().toArray()).toEqual(before);
    },
  );

  it("is the deployer's fault where the server has set the field, whatever the client sent", async () => {
    serverFields = { owner: 'ben' };
    expect((await write('POST', { id: 'new', owner: 'ann' })).status).toBe(500);
    expect(api.errors).toHaveLength(1);
    serverFields = { owner: 'ann' };
    expect((await write('POST', { id: 'new', owner: 'ben' })).status).toBe(201);
    expect(await docs().findOne({ _id: 'new' })).toMatchObject({ owner: 'ann' });
  });

  it('tells the client of its own faults first', async () => {
    scope = { owner: 'ann', team: 'blue' };
    const { status, body } = await write('POST', { id: 'new', owner: 'ben' });
    expect([status, fieldsOf(body), api.errors]).toEqual([422, ['owner'], []]);
  });

  it('is refused behind what is wrong with the body, and before anybody looks for the record', async () => {
    expect(fieldsOf((await write('PATCH', { owner: 5 })).body)).toEqual(['owner']);
    expect((await write('PATCH', { owner: 'ben' }, { id: 'none' })).status).toBe(422);
    expect((await api.request('PATCH', '/api/docs/a', { body: { owner: 'ben' }, headers: { 'if-match': '"9"' } })).status).toBe(422);
    expect((await api.request('PATCH', '/api/docs/a', { body: { owner: 'ben' }, headers: { 'if-match': 'x' } })).status).toBe(400);
  });
});

describe('a write within the scope', () => {
  it.each<Case>([
    ['a create with its value', 'POST', { owner: 'ann' }, { id: 'new', owner: 'ann' }, {}],
    ['a create whose default is within', 'POST', { owner: 'ann', team: 'red' }, { id: 'new' }, {}],
    [
      'a create, by conditions of many kinds',
      'POST',
      { owner: { prefix: 'a' }, count: { gte: 1, lt: 3 }, at: { exists: false }, price: null },
      { id: 'new', count: 2 },
      {},
    ],
    ['a patch to the same value', 'PATCH', { owner: 'ann' }, { owner: 'ann', text: 'new' }, {}],
    ['a patch to another value within', 'PATCH', { owner: { in: ['ann', 'ben'] } }, { owner: 'ben' }, {}],
    ['a patch of other fields', 'PATCH', { owner: 'ann', team: 'red', count: 1 }, { text: 'new' }, {}],
    ['a patch of nothing', 'PATCH', { owner: 'ann' }, {}, {}],
    ['a put', 'PUT', { owner: 'ann', team: 'red' }, { text: 'new' }, {}],
    ['a list with the element', 'PATCH', { tags: 't' }, { tags: ['u', 't'] }, {}],
    ['a merge beside what the scope names', 'PATCH', { 'place.city': 'Ulm' }, { place: { zone: 'y' } }, { id: 'p' }],
    [
      'a merge that would create with a default outside, where the object is there',
      'PATCH',
      { 'place.zone': { ne: 'z' } },
      { place: { city: 'Bonn' } },
      { id: 'y' },
    ],
    ['a merge that creates, and names the key', 'PATCH', { 'place.zone': { ne: 'z' } }, { place: { city: 'Ulm', zone: 'y' } }, {}],
    ['a revision and a timestamp, which no client writes', 'PATCH', { revision: 0 }, { text: 'new' }, {}],
  ])('is carried out: %s', async (_rule, method, given, body, asked) => {
    await docs().insertOne({ ...stored, _id: 'y', place: { ...place, zone: 'y' } });
    scope = given;
    const { status } = await write(method, body, asked);
    expect([status, api.errors]).toEqual([method === 'POST' ? 201 : 200, []]);
  });

  it('is not asked for where the scope is everything', async () => {
    scope = everything;
    expect((await write('POST', { id: 'new', owner: 'zoe' })).status).toBe(201);
    expect((await write('PATCH', { owner: 'zoe' })).status).toBe(200);
  });
});

describe('a default outside of the scope, in an object that a patch may create', () => {
  const outside = { 'place.seal': { ne: 's' } };

  it('is 422 where clients may not write it and there is no object yet: only the server can create it', async () => {
    scope = outside;
    const { status, body } = await write('PATCH', { place: { city: 'Ulm' } });
    expect([status, fieldsOf(body)]).toEqual([422, ['place']]);
    expect((await docs().findOne({ _id: 'a' }))?.place).toBeUndefined();
  });

  it('does not matter where the object is there', async () => {
    await docs().insertOne({ ...stored, _id: 'w', place: { ...place, seal: 'wax' } });
    scope = outside;
    expect((await write('PATCH', { place: { city: 'Bonn' } }, { id: 'w' })).status).toBe(200);
    expect(await docs().findOne({ _id: 'w' })).toMatchObject({ place: { city: 'Bonn', seal: 'wax' } });
  });
});

describe('a scope that does not bind a write', () => {
  it('is that of `ctx.save`, so that a handler can hand a record over', async () => {
    expect((await api.request('POST', '/api/docs/a/handOver')).status).toBe(200);
    expect(await docs().findOne({ _id: 'a' })).toMatchObject({ owner: 'ben' });
  });

  it('is that of a resource with `scopeWrites: false`: its queries have the scope, its writes have not', async () => {
    expect((await write('POST', { id: 'new', owner: 'ben' }, { path: 'unbound' })).status).toBe(201);
    expect((await write('PATCH', { owner: 'ben' }, { path: 'unbound' })).status).toBe(200);
    expect((await write('PATCH', { owner: 'ann' }, { path: 'unbound' })).status).toBe(404);
    scope = undefined; // it is not asked on create
    expect((await write('POST', { id: 'newer' }, { path: 'unbound' })).status).toBe(201);
  });
});
