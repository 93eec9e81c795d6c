import { beforeAll, describe, expect, it } from '@jest/globals';
import { type DataProvider, dataProvider } from '../../src/admin/react-admin.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';
import { createArticles } from './serve-articles.ts';

const database = useDatabase();
const serve = useServer();
let openapi: object;

beforeAll(async () => {
  const server = await serve(createArticles(database).routes());
  openapi = (await server.request('GET', '/api/openapi.json')).body;
});

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
