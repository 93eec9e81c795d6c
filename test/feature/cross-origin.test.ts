import { ConfigurationError, defineModel, openapiDocument, service, t, Unauthorized } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }) },
});
const resource = {
  model: Doc,
  ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
  operations: { mark: { handler: () => undefined }, look: { method: 'GET', handler: () => undefined } },
} as const;

const database = useDatabase();
let asked = 0;
const authenticate = () => {
  asked++;
  throw new Unauthorized();
};
const api = useApi(database, (shop) => [shop.resource(resource)], {
  authenticate,
  crossOrigin: { trustedOrigins: ['https://app.example'] },
});
const open = useApi(database, (shop) => [shop.resource(resource)]);

beforeEach(() => {
  asked = 0;
});

const unsafe = [
  ['POST', ''],
  ['PATCH', '/a'],
  ['PUT', '/a'],
  ['DELETE', '/a'],
  ['POST', '/a/mark'],
] as const;

describe('`crossOrigin` of an api', () => {
  it.each(unsafe)('refuses %s %s that a page of another site sends, before anybody is asked who is calling', async (method, path) => {
    const answer = await api.request(method, `/api/docs${path}`, { headers: { 'sec-fetch-site': 'cross-site' }, body: '{' });
    expect([answer.status, answer.body.code, asked]).toEqual([403, 'cross_origin', 0]);
  });

  it.each(unsafe)('lets %s %s of its own pages, of trusted ones and of no browser pass', async (method, path) => {
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' }, {}]) {
      expect((await api.request(method, `/api/docs${path}`, { headers })).status).toBe(401);
    }
  });

  it('lets everything pass that is safe', async () => {
    for (const path of ['', '/a', '/a/look']) {
      expect((await api.request('GET', `/api/docs${path}`, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(401);
    }
  });

  it('says first that there is nothing: 404 and 405', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await api.request('POST', '/api/nothing', { headers })).status).toBe(404);
    expect((await api.request('POST', '/api/docs/a', { headers })).status).toBe(405);
  });

  it('is off unless it is asked for', async () => {
    expect((await open.request('POST', '/api/docs', { headers: { 'sec-fetch-site': 'cross-site' }, body: { id: 'x' } })).status).toBe(201);
  });

  it('is in the description of what is not safe, and of nothing else', () => {
    const shop = service();
    const describeApi = (options: object): Any =>
      openapiDocument(shop.api({ db: database.db, resources: [shop.resource(resource)], ...options } as never));
    const { paths } = describeApi({ crossOrigin: true });
    const refused = Object.entries<Any>(paths).flatMap(([path, item]) =>
      ['get', 'post', 'patch', 'put', 'delete'].flatMap((method) => (item[method]?.responses[403] ? [`${method} ${path}`] : [])),
    );
    expect(refused.sort()).toEqual([
      'delete /docs/{id}',
      'patch /docs/{id}',
      'post /docs',
      'post /docs/query',
      'post /docs/{id}/mark',
      'put /docs/{id}',
    ]);
    expect(JSON.stringify(describeApi({}).paths)).not.toContain('CrossOrigin');
    expect(describeApi({ crossOrigin: false })).toEqual(describeApi({}));
  });

  it.each([1, 'yes', null, ['https://app.example'], { trustedOrigins: 'https://app.example' }, { trusted: [] }, undefined])(
    'is true, false or an object with `trustedOrigins`: %j is a configuration error',
    (crossOrigin) => {
      const shop = service();
      const build = () => shop.api({ db: database.db, resources: [shop.resource(resource)], crossOrigin } as never);
      if (crossOrigin === undefined) expect(build).not.toThrow();
      else expect(build).toThrow(ConfigurationError);
    },
  );
});
