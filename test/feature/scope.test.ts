import { ObjectId } from 'mongodb';
import { cursorPaging, defineModel, everything, scope as scopeOf, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true, filter: true } }),
    text: t.string({ default: '', policy: { filter: true } }),
    owner: t.string({ default: 'eve', policy: { private: true, insert: true } }),
    count: t.nullable(t.int()),
    at: t.nullable(t.date()),
    ref: t.nullable(t.objectId()),
    kind: t.nullable(t.enum(['one', 'two'])),
    tags: t.array(t.string(), { default: [] }),
    place: t.nullable(t.object('Place', { city: t.string(), zone: t.nullable(t.string()) })),
    any: t.optional(t.any()),
    revision: t.revision(),
  },
});

const ref = new ObjectId();
const at = new Date('2026-01-01T00:00:00Z');
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
const database = useDatabase();
/** What the scope of `free` returns in the test at hand. */
let scope: unknown;
const api = useApi<{ name: string }>(
  database,
  (shop) => [
    shop.resource({ model: Doc, ops, scope: (ctx) => ({ owner: ctx.requirePrincipal().name }), paging: cursorPaging({ total: true }) }),
    shop.resource({ model: Doc, path: 'free', ops, scope: async () => scope as never }),
    shop.resource({ model: Doc, path: 'unscoped', ops }),
    shop.resource({
      model: Doc,
      path: 'narrowed',
      ops: [],
      scope: (ctx) => ({ owner: ctx.requirePrincipal().name }),
      operations: {
        mark: {
          use: [(ctx, next) => scopeOf(Doc, () => ({ text: 'x' }))(ctx as never, next)],
          handler: async (ctx) => ctx.save(Object.assign(await ctx.load(), { count: 9 })),
        },
      },
    }),
  ],
  { authenticate: (ctx) => (ctx.get('x-user') ? { name: ctx.get('x-user') } : undefined) },
);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');
const ann = { 'x-user': 'ann' };
const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id).sort();

beforeEach(async () => {
  api.errors.length = 0;
  scope = everything;
  await docs().deleteMany({});
  await docs().insertMany([
    { _id: 'a1', owner: 'ann', text: 'x', count: 1, at, ref, kind: 'one', tags: ['red'], place: { city: 'Ulm', zone: 'z' }, revision: 0 },
    { _id: 'a2', owner: 'ann', text: 'y', count: 2, kind: 'two', revision: 0 },
    { _id: 'b1', owner: 'ben', text: 'x', count: null, place: null, revision: 0 },
  ]);
});

describe('a record out of scope', () => {
  it.each([
    ['GET', undefined],
    ['HEAD', undefined],
    ['PATCH', { text: 'new' }],
    ['PATCH', {}],
    ['PUT', { text: 'new' }],
    ['DELETE', undefined],
  ])('is 404 for %s %j, exactly as one that does not exist, and stays as it is', async (method, body) => {
    const sent = { headers: ann, ...(body && { body }) };
    const outside = await api.request(method, '/api/docs/b1', sent);
    const missing = await api.request(method, '/api/docs/none', sent);
    expect([outside.status, outside.text]).toEqual([404, missing.text]);
    const { date: _a, ...headers } = outside.headers;
    expect(missing.headers).toMatchObject(headers);
    expect(await docs().findOne({ _id: 'b1' })).toMatchObject({ text: 'x', revision: 0 });
    expect((await api.request(method, '/api/docs/a1', sent)).status).toBeLessThan(300);
  });

  it('is in no list and in no total, whatever the filter says', async () => {
    for (const [query, ids] of [
      ['', ['a1', 'a2']],
      ['text=x', ['a1']],
      ['id=b1', []],
      ['id[in]=a1,b1', ['a1']],
      ['id[ne]=a1', ['a2']],
    ] as const) {
      const { body } = await api.request('GET', `/api/docs?total=true&${query}`, { headers: ann });
      expect([query, idsOf(body), body.page.total]).toEqual([query, ids, ids.length]);
    }
  });

  it('cannot be created either', async () => {
    const { status, body } = await api.request('POST', '/api/docs', { headers: ann, body: { id: 'new', owner: 'ben' } });
    expect([status, body.errors]).toEqual([422, [{ field: 'owner', message: 'must keep the record within your reach', rule: 'scope' }]]);
  });

  it('is 401 for an anonymous request, where the scope requires a principal, also before the body is looked at', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/a1'],
      ['POST', ''],
      ['PATCH', '/a1'],
      ['PUT', '/a1'],
      ['DELETE', '/a1'],
    ] as const) {
      const { status } = await api.request(method, `/api/docs${path}`, method.startsWith('P') ? { body: '{' } : {});
      expect([method, status]).toEqual([method, 401]);
    }
    expect(api.errors).toEqual([]);
  });
});

describe('a scope in the `use` of an operation', () => {
  it.each([
    ['a1', 200],
    ['a2', 404],
    ['b1', 404],
  ])('narrows that of the resource: of %s the answer is %i', async (id, status) => {
    expect((await api.request('POST', `/api/narrowed/${id}/mark`, { headers: ann })).status).toBe(status);
    expect((await docs().findOne({ _id: id }))?.count === 9).toBe(status === 200);
  });
});

describe('what a scope may return', () => {
  it.each<[name: string, filter: () => unknown, ids: string[]]>([
    ['everything', () => everything, ['a1', 'a2', 'b1']],
    ['a value', () => ({ owner: 'ann' }), ['a1', 'a2']],
    ['several fields, which hold together', () => ({ owner: 'ann', text: 'x' }), ['a1']],
    ['the id', () => ({ id: 'b1' }), ['b1']],
    ['a number', () => ({ count: 2 }), ['a2']],
    ['a date', () => ({ at }), ['a1']],
    ['an ObjectId', () => ({ ref }), ['a1']],
    ['null for a nullable field', () => ({ count: null }), ['b1']],
    ['null for an embedded object', () => ({ place: null }), ['a2', 'b1']],
    ['a dotted path', () => ({ 'place.city': 'Ulm' }), ['a1']],
    ['an element of a list', () => ({ tags: 'red' }), ['a1']],
    ['operators of the library', () => ({ count: { gte: 1, lt: 2 } }), ['a1']],
    ['in', () => ({ owner: { in: ['ann', 'zoe'] } }), ['a1', 'a2']],
    ['nin', () => ({ owner: { nin: ['ann'] } }), ['b1']],
    ['ne', () => ({ kind: { ne: 'one' } }), ['a2', 'b1']],
    ['exists', () => ({ 'place.city': { exists: true } }), ['a1']],
    ['prefix', () => ({ owner: { prefix: 'b' } }), ['b1']],
    ['prefix of an enum', () => ({ kind: { prefix: 'o' } }), ['a1']],
    ['an empty in, which matches nothing', () => ({ owner: { in: [] } }), []],
  ])('%s', async (_name, filter, ids) => {
    scope = filter();
    const { status, body } = await api.request('GET', '/api/free');
    expect([status, api.errors]).toEqual([200, []]);
    expect(idsOf(body)).toEqual(ids);
    for (const id of ['a1', 'a2', 'b1']) expect((await api.request('GET', `/api/free/${id}`)).status).toBe(ids.includes(id) ? 200 : 404);
  });

  it('stands beside a filter on the same field', async () => {
    scope = { text: 'x', id: { ne: 'b1' } };
    expect(idsOf((await api.request('GET', '/api/free?text=y')).body)).toEqual([]);
    expect(idsOf((await api.request('GET', '/api/free?text=x&id[in]=a1,b1')).body)).toEqual(['a1']);
    expect((await api.request('GET', '/api/free/b1')).status).toBe(404);
    expect((await api.request('DELETE', '/api/free/b1')).status).toBe(404);
  });

  const undefinedFunction = () => undefined;
  it.each<[name: string, filter: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['false', false],
    ['true', true],
    ['text', 'owner'],
    ['an empty filter', {}],
    ['a list', [{ owner: 'ann' }]],
    ['an empty list', []],
    ['a function', undefinedFunction],
    ['a Map', new Map([['owner', 'ann']])],
    ['another symbol', Symbol('everything')],
    ['an undefined value', { owner: undefined }],
    ['an undefined value beside another', { text: 'x', owner: undefined }],
    ['an undefined operand', { owner: { eq: undefined } }],
    ['an undefined element', { owner: { in: ['ann', undefined] } }],
    ['an undefined list', { owner: { in: undefined } }],
    ['an undefined prefix', { owner: { prefix: undefined } }],
    ['an undefined exists', { 'place.city': { exists: undefined } }],
    ['no operator at all', { owner: {} }],
    ['an open prefix beside a value', { owner: { prefix: '' }, count: 1 }],
    ['an open nin beside a value', { owner: 'ann', id: { nin: [] } }],
    ['a value beside one that is inherited', Object.assign(Object.create({ owner: 'ann' }), { text: 'x' })],
    ['null for a field that cannot be null', { owner: null }],
    ['a field that does not exist', { onwer: 'ann' }],
    ['_id instead of id', { _id: 'a1' }],
    ['an operator of MongoDB', { owner: { $ne: null } }],
    ['an operator of MongoDB at the top', { $or: [{ owner: 'ann' }] }],
    ['an operator that does not exist', { owner: { like: 'a' } }],
    ['a regular expression', { owner: /a/ }],
    ['a value of another type', { owner: 5 }],
    ['a list as a value', { owner: ['ann'] }],
    ['NaN', { count: Number.NaN }],
    ['an invalid date', { at: new Date('x') }],
    ['an untyped field', { any: 1 }],
    ['an object for an embedded object', { place: { city: 'Ulm' } }],
    ['prefix of a number', { count: { prefix: '1' } }],
    ['prefix of null', { kind: { prefix: null } }],
  ])('%s is refused: 500 in every operation, told to app.on(error), never an open door', async (_name, filter) => {
    scope = filter;
    const requests = [
      ['GET', ''],
      ['GET', '/a1'],
      ['POST', ''],
      ['PATCH', '/a1'],
      ['PUT', '/a1'],
      ['DELETE', '/a1'],
    ] as const;
    for (const [method, path] of requests) {
      const answer = await api.request(method, `/api/free${path}`, method.startsWith('P') ? { body: { text: 'new' } } : {});
      expect(answer.body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
    }
    expect(api.errors).toHaveLength(requests.length);
    expect(await docs().countDocuments({ text: 'x', revision: 0 })).toBe(2);
  });

  it('is no matter for a resource without one: it serves every record', async () => {
    expect(idsOf((await api.request('GET', '/api/unscoped')).body)).toEqual(['a1', 'a2', 'b1']);
  });
});
