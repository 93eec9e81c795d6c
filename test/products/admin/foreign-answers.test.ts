import { type DataProvider, dataProvider, HttpError } from '../../../src/products/admin/react-admin.ts';
import { dataProvider as refine } from '../../../src/products/admin/refine.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useServer } from '../../support/http/serve.ts';
import { createArticles } from './serve-articles.ts';

const database = useDatabase();
const serve = useServer();
let openapi: object;

beforeAll(async () => {
  const server = await serve(createArticles(database).routes());
  openapi = (await server.request('GET', '/api/openapi.json')).body;
});

const page = { size: 5, has_next: false };

/** A provider whose requests are answered by a function, and not by the api. */
function answeredBy(answer: (query: URLSearchParams) => Response): DataProvider {
  const fetch = async (input: unknown) => answer(new URL(String(input)).searchParams);
  return dataProvider('http://here/api', { openapi, revision: 'version', fetch });
}

describe('a list by number', () => {
  it('ends with an error if the size of its pages changes from answer to answer', async () => {
    let requests = 0;
    const provider = answeredBy(() => {
      if (++requests > 100) throw new Error('it asks for ever');
      const size = 3 + (requests % 2);
      return Response.json({ data: [{ id: 1 }], page: { size, number: 1, has_next: true } });
    });
    const reading = provider.getList<Any>('numbered', { pagination: { page: 30, perPage: 7 } });
    await expect(reading).rejects.toThrow('This list cannot be read: the size of its pages changes.');
    expect(requests).toBe(2);
  });
});

const message = (status: number) => `The server has answered with ${status}, but this is not an answer of the api.`;

/** What no request of the provider is answered with, except that a delete has no body. */
const foreign = ['null', '{}', '[]', '"x"', '1', '<!doctype html>', '{"data":null}', '{"data":"xyz"}', '{"data":[]}', '{"data":[null]}'];
const pages: unknown[] = [
  { data: 'xyz', page: {} },
  { data: 'xyz', page },
  { data: [null], page },
  { data: [{ name: 'a' }], page },
  { data: [], page: null },
  { data: [], page: { ...page, size: 0 } },
  { data: [], page: { ...page, size: 2.5 } },
  { data: [], page: { ...page, size: '5' } },
  { data: [], page: { ...page, has_next: 1 } },
  { data: [], page: { ...page, total: '9007199254740993' } },
];

describe('an answer of another form than that of the api', () => {
  const params = { id: 'a', data: { name: 'a' }, previousData: {} };
  it.each<[string, (provider: DataProvider) => Promise<unknown>, readonly string[]]>([
    ['getList', (provider) => provider.getList('articles', {}), [...foreign, '', ...pages.map((one) => JSON.stringify(one))]],
    ['getList by number', (provider) => provider.getList('numbered', {}), [...foreign, '', ...pages.map((one) => JSON.stringify(one))]],
    ['getMany', (provider) => provider.getMany('articles', { ids: ['a'] }), [...foreign, '']],
    ['getMany one by one', (provider) => provider.getMany('tags', { ids: ['a'] }), [...foreign, '']],
    ['getOne', (provider) => provider.getOne('articles', params), [...foreign, '']],
    ['create', (provider) => provider.create('articles', params), [...foreign, '']],
    ['update', (provider) => provider.update('articles', params), [...foreign, '']],
    ['delete', (provider) => provider.delete('articles', params), foreign],
  ])('is an error with its status, for %s', async (_name, call, texts) => {
    for (const text of texts)
      for (const status of [200, 201]) {
        const failed = await call(answeredBy(() => new Response(text, { status }))).catch((error: unknown) => error);
        expect([text, failed]).toEqual([text, expect.any(HttpError)]);
        expect(failed).toMatchObject({ status, message: message(status) });
      }
  });

  it('is an error of a list by cursor that goes on without a cursor', async () => {
    for (const next_cursor of [undefined, null, '', 5]) {
      const provider = answeredBy(() => Response.json({ data: [{ id: 1 }], page: { size: 5, has_next: true, next_cursor } }));
      await expect(provider.getList('articles', {})).rejects.toThrow(message(200));
    }
  });

  it('is an error where the description of the api should be', async () => {
    for (const text of ['null', '{}', '[]', '"x"', '', '<!doctype html>', '{"paths":[]}']) {
      const provider = dataProvider('http://here/api', { fetch: async () => new Response(text) });
      await expect(provider.getList('articles', {})).rejects.toMatchObject({ name: 'HttpError', status: 200, message: message(200) });
    }
  });

  it('is an error of `custom` of Refine only if it is no JSON', async () => {
    const custom = (text: string) =>
      refine('http://here/api', { fetch: async () => new Response(text) }).custom({ url: '/x', method: 'get' });
    await expect(custom('<!doctype html>')).rejects.toMatchObject({ name: 'HttpError', status: 200 });
    expect([await custom('"x"'), await custom('null'), await custom('')]).toEqual([{ data: 'x' }, { data: null }, { data: undefined }]);
  });
});
