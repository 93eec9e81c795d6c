import type { RequestContext } from '../../src/index.ts';
import { ConfigurationError, defineModel, type Guard, service, t, Unauthorized } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

interface User {
  readonly name: string;
}
type Context = RequestContext<User>;

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});

const calls: string[] = [];
/** What the guard of `free` returns in the test at hand. */
let answer: unknown;
const signedIn: Guard<Context> = (ctx) => {
  calls.push('signedIn');
  ctx.requirePrincipal();
  return true;
};
const isAdmin: Guard<Context> = async (ctx) => {
  calls.push('isAdmin');
  await Promise.resolve();
  return ctx.principal?.name === 'admin';
};
const tells: Guard<Context> = (ctx) => {
  calls.push(`tells ${ctx.principal?.name}`);
  ctx.state.told = true;
  return true;
};

const database = useDatabase();
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
const api = useApi<User>(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops,
      guards: [signedIn, signedIn, tells],
      guardsFor: { delete: [signedIn, isAdmin], put: [isAdmin, signedIn] },
    }),
    shop.resource({ model: Doc, path: 'free', ops, guards: [() => answer as boolean] }),
    shop.resource({ model: Doc, path: 'public', ops }),
  ],
  {
    async authenticate(ctx) {
      const [scheme, token] = ctx.get('authorization').split(' ');
      if (!scheme) return undefined;
      if (scheme !== 'Bearer' || !token || token === 'stolen')
        throw new Unauthorized('The token is not known.', { 'www-authenticate': 'Bearer' });
      return token === 'nobody' ? null : { name: token };
    },
  },
);
const docs = () => database.db.collection<{ _id: string }>('docs');
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const requests = [
  ['GET', '', 200],
  ['GET', '/a', 200],
  ['HEAD', '/a', 200],
  ['POST', '', 201],
  ['PATCH', '/a', 200],
  ['PUT', '/a', 200],
  ['DELETE', '/a', 204],
] as const;
const bodyOf = (method: string) => (method === 'POST' ? { body: { id: 'new' } } : method.startsWith('P') ? { body: { text: 'x' } } : {});

beforeEach(async () => {
  calls.length = 0;
  api.errors.length = 0;
  answer = true;
  await docs().deleteMany({});
  await docs().insertOne({ _id: 'a' });
});

describe('a guard', () => {
  it.each(requests)('opens %s%s by true alone: everything else is 403, and nothing is done', async (method, path, status) => {
    for (const other of [false, undefined, null, 1, 'true', {}, [], Promise.resolve(false), Promise.resolve(1)]) {
      answer = other;
      const refused = await api.request(method, `/api/free${path}`, bodyOf(method));
      expect(refused.status).toBe(403);
      if (method !== 'HEAD')
        expect(refused.body).toEqual({
          type: 'about:blank',
          title: 'Forbidden',
          status: 403,
          detail: expect.any(String),
          code: 'forbidden',
        });
      expect(refused.headers).not.toHaveProperty('etag');
    }
    expect(await docs().find().toArray()).toEqual([{ _id: 'a' }]);
    answer = Promise.resolve(true);
    expect((await api.request(method, `/api/free${path}`, bodyOf(method))).status).toBe(status);
    expect(api.errors).toEqual([]);
  });

  it('answers 401 when it finds no principal', async () => {
    for (const [method, path] of requests)
      expect([method, (await api.request(method, `/api/docs${path}`, bodyOf(method))).status]).toEqual([method, 401]);
    expect(new Set(calls)).toEqual(new Set(['signedIn']));
  });

  it('runs once per request however often it is listed, guards for all operations first and then those of the operation, in order', async () => {
    await api.request('DELETE', '/api/docs/a', as('admin'));
    expect(calls).toEqual(['signedIn', 'tells admin', 'isAdmin']);
    calls.length = 0;
    await api.request('GET', '/api/docs', as('ann'));
    expect(calls).toEqual(['signedIn', 'tells ann']);
    calls.length = 0;
    await api.request('GET', '/api/docs', as('ann'));
    expect(calls).toEqual(['signedIn', 'tells ann']);
  });

  it('of one operation does not cover another', async () => {
    expect((await api.request('DELETE', '/api/docs/a', as('ann'))).status).toBe(403);
    expect((await api.request('PUT', '/api/docs/a', { ...as('ann'), body: {} })).status).toBe(403);
    expect((await api.request('PATCH', '/api/docs/a', { ...as('ann'), body: { text: 'x' } })).status).toBe(200);
  });

  it('that throws something unexpected closes the door: 500', async () => {
    const failed = Promise.reject(new Error('lookup failed'));
    failed.catch(() => undefined); // it is awaited later
    answer = failed;
    const refused = await api.request('DELETE', '/api/free/a');
    expect(refused.body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
    expect(api.errors.map(({ message }) => message)).toEqual(['lookup failed']);
    expect(await docs().countDocuments()).toBe(1);
  });
});

describe('authenticate', () => {
  it.each(['Bearer stolen', 'Basic YTpi', 'Bearer'])(
    'that throws Unauthorized is 401 with its headers, also where no guard asks: %s',
    async (authorization) => {
      const { status, headers, body } = await api.request('GET', '/api/public', { headers: { authorization } });
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe('Bearer');
      expect(body).toEqual({
        type: 'about:blank',
        title: 'Unauthorized',
        status: 401,
        detail: 'The token is not known.',
        code: 'unauthorized',
      });
      expect(api.errors).toEqual([]);
    },
  );

  it('that finds no credential leaves the request anonymous: a public resource answers, a guarded one is 401', async () => {
    for (const headers of [{}, { authorization: 'Bearer nobody' }]) {
      expect((await api.request('GET', '/api/public', { headers })).status).toBe(200);
      const guarded = await api.request('GET', '/api/docs', { headers });
      expect(guarded.status).toBe(401);
      expect(guarded.headers).not.toHaveProperty('www-authenticate');
    }
  });

  it('may be left out: then every request is anonymous', async () => {
    const shop = service();
    expect(() => shop.api({ db: database.db, resources: [shop.resource({ model: Doc })] })).not.toThrow();
  });
});

describe('guards and hooks must name an operation that the resource has', () => {
  it.each<[string, object]>([
    ['put where it is not listed', { guardsFor: { put: [] } }],
    ['a misspelt operation', { guardsFor: { lst: [] } }],
    ['a hook of put where it is not listed', { after: { put: [] } }],
    ['a hook of a misspelt operation', { after: { craete: [] } }],
    ['an operation that ops leaves out', { ops: ['get'], guardsFor: { list: [] } }],
    ['a guard that is no function', { guards: ['admin'] }],
    ['a hook that is no function', { after: { get: [undefined] } }],
  ])('%s is a configuration error when the routes are built', (_name, options) => {
    const shop = service();
    const resource = shop.resource({ model: Doc, ...options } as never);
    expect(() => shop.api({ db: database.db, resources: [resource] })).toThrow(ConfigurationError);
  });
});
