import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
import { byName } from './parts/by-name.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/feature-flags.md';
const database = useDatabase();
const serve = useServer();
const findUser = byName({ ann: { name: 'ann', tenant: 'acme' }, bob: { name: 'bob', tenant: 'globex' } });

let port: number;
let provider: Any;
const asked: string[] = [];
beforeAll(async () => {
  const written = await writePage(page);
  ({ provider } = await written.load('provider.ts'));
  const { OpenFeature } = await import('@openfeature/server-sdk');
  OpenFeature.addHooks({ before: ({ flagKey, context }) => void asked.push(`${flagKey} of ${context.targetingKey}`) });
  ({ port } = await serve((await written.load('api.ts')).createApi(database.db, findUser).routes()));
});

const as = (user: string, method: string, path: string, body?: unknown) =>
  send(port, method, `/api${path}`, { headers: { authorization: `Bearer ${user}` }, ...(body !== undefined && { body }) });

describe('the guide on feature flags', () => {
  it('is answered as it shows', async () => {
    await new Player(port).playAll(exchangesOf(page));
  });

  it('asks for each flag once in a request', async () => {
    asked.length = 0;
    expect((await as('ann', 'GET', '/orders?discount[gte]=10&sort=-discount')).body.data).toHaveLength(1);
    expect(asked).toEqual(['discounts of acme', 'refunds of acme']);
  });

  it('answers those without a flag as if there were nothing, byte for byte', async () => {
    const { body } = await as('bob', 'POST', '/orders', { number: 'B-1', total: '1.00' });
    const path = `/orders/${body.data.id}`;
    const hidden = [
      await as('bob', 'POST', `${path}/refund`),
      await as('bob', 'PATCH', path, { discount: '1.00' }),
      await as('bob', 'GET', '/orders?sort=discount'),
    ];
    const unknown = [
      await as('bob', 'POST', `${path}/nonsens`),
      await as('bob', 'PATCH', path, { nonsensx: '1.00' }),
      await as('bob', 'GET', '/orders?sort=nonsensx'),
    ];
    expect(hidden.map(({ status }) => status)).toEqual([404, 422, 400]);
    const shown = ({ text }: { text: string }) => text.replaceAll(/discount|nonsensx/g, '…');
    expect(hidden.map(shown)).toEqual(unknown.map(shown));
  });

  it('describes the fields of the caller', async () => {
    const fieldsOf = async (user: string) =>
      Object.keys((await as(user, 'GET', '/openapi.json')).body.components.schemas.OrderRead.properties);
    expect(await fieldsOf('ann')).toEqual(['id', 'number', 'total', 'status', 'discount', 'revision']);
    expect(await fieldsOf('bob')).toEqual(['id', 'number', 'total', 'status', 'revision']);
  });

  it('follows a flag from the next request on, and keeps what is stored', async () => {
    await as('ann', 'POST', '/orders', { number: 'A-2', total: '1.00' });
    const first = (await as('ann', 'GET', '/orders?sort=number&limit=1')).body;
    const path = `/orders/${first.data[0].id}`;
    const give = (defaultVariant: 'on' | 'off') =>
      provider.putConfiguration({ discounts: { variants: { on: true, off: false }, defaultVariant, disabled: false } });
    await give('off');
    expect((await as('ann', 'PATCH', path, { total: '81.00' })).body.data).not.toHaveProperty('discount');
    expect((await as('ann', 'GET', `/orders?sort=number&limit=1&after=${first.page.next_cursor}`)).body.code).toBe('invalid_cursor');
    expect((await as('ann', 'POST', `${path}/refund`)).status).toBe(404); // the provider does not know this flag any more
    await give('on');
    expect((await as('ann', 'GET', path)).body.data).toMatchObject({ total: '81.00', discount: '20.00' });
    expect((await as('bob', 'POST', '/orders', { number: 'B-2', total: '1.00', discount: '2.00' })).status).toBe(201);
  });
});
