import { MongoClient } from 'mongodb';
import type { Api } from '../../../src/index.ts';
import type { ApiDescription } from '../../../src/openapi/api-description.ts';
import { type TestDatabase, useDatabase } from '../../support/database/database.ts';
import { seed, viewsApi } from '../../support/models/views.ts';

const ruled = useDatabase();
const plain = useDatabase();

/** The table alone says which paths there are. */
const unconnected = { db: new MongoClient('mongodb://127.0.0.1').db('none') } as TestDatabase;
const { resources } = (viewsApi(unconnected, true) as unknown as { readonly description: ApiDescription }).description;
const idOf = (resource: string) => (resource === 'orders' ? 'o1' : 'c2');
const paths = resources.flatMap(({ path, rows }) =>
  rows.map((row) => `/api/${path}${row.path === '/' ? '' : row.path.replace(':id', idOf(path))}`),
);
const methods = ['OPTIONS', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'QUERY', 'PROPFIND', 'DELETE'];

/** Times of writes differ, and so do cursors, which belong to their view. */
async function told(api: Api, method: string, path: string, principal: string) {
  const response = await api.fetch(new Request(`http://in-process${path}`, { method }), { principal: principal as never });
  const { status, headers } = response;
  const text = (await response.text()).replaceAll(/"updatedAt":"[^"]*"|_cursor":"[^"]*"/g, '…');
  return { status, text, headers: Object.fromEntries([...headers].filter(([name]) => name !== 'date')) };
}

describe('a path that a caller does not know', () => {
  const apis = { ruled: undefined as unknown as Api, plain: undefined as unknown as Api };
  beforeAll(async () => {
    await Promise.all([seed(ruled, true), seed(plain, false)]);
    Object.assign(apis, { ruled: viewsApi(ruled, true), plain: viewsApi(plain, false) });
  });

  it.each([...new Set(paths)])('is none of the api for any method: %s', async (path) => {
    for (const method of methods)
      expect([method, await told(apis.ruled, method, path, 'anna')]).toEqual([method, await told(apis.plain, method, path, 'anna')]);
  });

  it.each([
    ['/api/customers/c2/led', 'GET', 200],
    ['/api/customers/c2/led', 'PUT', 404],
    ['/api/customers/c2/led', 'OPTIONS', 404],
    ['/api/customers/c2/orders', 'PUT', 405],
    ['/api/customers/c2/orders', 'OPTIONS', 204],
  ])('is %s for a caller who knows it, where rules are asked: %s is %i', async (path, method, status) => {
    expect(await told(apis.ruled, method, path, 'staff')).toMatchObject({ status });
  });
});
