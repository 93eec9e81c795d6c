import { applyIndexes, openapiDocument } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';
import { canary, seed, viewsApi } from '../../support/models/views.ts';

const database = useDatabase();
const serve = useServer();
let server: TestServer;

beforeAll(async () => {
  const api = viewsApi(database, true);
  await applyIndexes(api);
  await seed(database, true);
  server = await serve(api.routes());
});

const ask = (query: string, authorization: string) => server.request('GET', `/api/orders?${query}`, { headers: { authorization } });

describe('q where rules hide some of its fields', () => {
  it('searches them for a caller who may read all of them', async () => {
    const { body } = await ask(`q=${canary}1&total=true`, 'staff finance');
    expect(body.page.total).toBeGreaterThan(0);
    expect(JSON.stringify(body.data)).toContain(`${canary}1`);
  });

  it.each(['anna', 'finance'])('does not exist for a caller who may not read one of them: %s', async (caller) => {
    const { status, body } = await ask(`q=${canary}1`, caller);
    expect([status, body.errors]).toEqual([
      400,
      [{ field: 'q', message: 'is not a field or parameter of this list', rule: 'unknown_parameter' }],
    ]);
  });

  it('is described for those who have it', () => {
    const { paths } = openapiDocument(viewsApi(database, true)) as Any;
    expect(paths['/api/orders'].get.parameters.some(({ name }: Any) => name === 'q')).toBe(true);
    expect(paths['/api/customers'].get.parameters.some(({ name }: Any) => name === 'q')).toBe(false);
  });
});
