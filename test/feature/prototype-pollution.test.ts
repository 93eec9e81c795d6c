import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { assorted } from '../support/models/assorted.ts';

/*
 * Keys that reach a prototype, wherever a client may write a key. The kinds of vectors are those of Olivier Arteau's
 * "Prototype pollution attacks in NodeJS" and of the OWASP Prototype Pollution Prevention Cheat Sheet; the vectors
 * themselves are written here.
 */

const database = useDatabase();
const api = useApi(database, assorted);
const records = () => database.db.collection<{ _id: string }>('assorted');

const builtIns = [Object, Array, String, Number, Boolean, Function, Date, Map, Promise, Error, RegExp, Buffer];
const keysOf = () => builtIns.map((one) => Reflect.ownKeys(one.prototype as object).length + Reflect.ownKeys(one).length);
const before = keysOf();

beforeEach(async () => {
  api.errors.length = 0;
  await records().deleteMany({});
  await records().insertOne({ _id: 'mine', owner: 'ann', revision: 0 } as never);
});

afterEach(() => {
  expect(keysOf()).toEqual(before);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(([] as unknown as Record<string, unknown>).polluted).toBeUndefined();
  expect(api.errors).toEqual([]);
});

const payload = '{"polluted":true,"isAdmin":true,"toString":"x","then":"x"}';

/** JSON as text: an object literal would lose `__proto__` before it is sent. */
const bodies = [
  `{"__proto__":${payload}}`,
  `{"constructor":{"prototype":${payload}}}`,
  `{"prototype":${payload}}`,
  `{"__proto__":{"__proto__":${payload}}}`,
  `{"\\u005f_proto__":${payload}}`,
  `{"__proto__":null}`,
  `{"__proto__":[]}`,
  `{"__proto__.polluted":true}`,
  `{"constructor.prototype.polluted":true}`,
  `{"__defineGetter__":${payload}}`,
  `{"__lookupSetter__":1}`,
  `{"hasOwnProperty":1}`,
  `{"toString":1,"valueOf":1}`,
  `{"toJSON":1}`,
  `{"then":1}`,
];

describe('a key that reaches a prototype', () => {
  it.each(bodies)('is an unknown field where fields are declared, at any depth: %s', async (body) => {
    const inner = body.slice(1, -1);
    for (const [method, path] of [
      ['POST', '/api/assorted'],
      ['PATCH', '/api/assorted/mine'],
      ['PUT', '/api/assorted/mine'],
    ] as const) {
      for (const sent of [body, `{"int":1e0,${inner}}`, `{"place":{"city":"x",${inner}}}`]) {
        const answer = await api.request(method, path, { body: sent });
        expect([method, sent, answer.status, answer.body.code]).toEqual([method, sent, 422, 'validation_failed']);
      }
    }
    expect(await records().find().toArray()).toEqual([{ _id: 'mine', owner: 'ann', revision: 0 }]);
  });

  it.each(bodies)('is data in an untyped value or a map, stored and served as it is: %s', async (body) => {
    for (const sent of [`{"any":${body}}`, `{"any":[1e0,{"deep":${body}}]}`, `{"map":${body}}`, `{"map":{"key":${body}}}`]) {
      const answer = await api.request('PATCH', '/api/assorted/mine', { body: sent });
      expect(answer.status).toBe(200);
      const stored = JSON.stringify(JSON.parse(body));
      expect(answer.text).toContain(stored);
      expect((await api.request('GET', '/api/assorted/mine')).text).toContain(stored);
      expect((await api.request('GET', '/api/assorted?fields=any,map')).text).toContain(stored);
    }
  });

  it.each([
    '__proto__=x',
    '__proto__[polluted]=x',
    '__proto__[eq]=x',
    '__proto__[]=x',
    '__proto__.polluted=x',
    'constructor=x',
    'constructor[prototype]=x',
    'constructor.prototype.polluted=x',
    'text[__proto__]=x',
    'text[constructor]=x',
    'place.__proto__=x',
    'place.constructor.name=x',
    'sort=__proto__',
    'sort=constructor.name',
    'sort[]=toString',
    'fields=__proto__',
    'fields=place.__proto__',
    'include=__proto__',
    'hasOwnProperty=x',
    'toString[prefix]=x',
    '%5f_proto__%5Bpolluted%5D=x',
  ])('is 400 in a query: %s', async (query) => {
    const { status, body } = await api.request('GET', `/api/assorted?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_query']);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__proto__%2Fpolluted'])(
    'is a name like any other in a path: %s',
    async (name) => {
      for (const path of [`/api/${name}`, `/api/${name}/x`, `/api/assorted/mine/${name}`, `/api/assorted/${name}`]) {
        for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
          const { status } = await api.request(method, path, method === 'PATCH' ? { body: {} } : {});
          expect([method, path, status]).toEqual([method, path, method === 'POST' && path === `/api/assorted/${name}` ? 405 : 404]);
        }
      }
      const id = decodeURIComponent(name);
      const { status, headers } = await api.request('POST', '/api/assorted', { body: { id } });
      expect(status).toBe(201);
      expect((await api.request('GET', String(headers.location))).body.data.id).toBe(id);
    },
  );
});
