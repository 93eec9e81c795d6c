import type { ServerResponse } from 'node:http';
import { everything, openapiText, service, t } from '../../../src/index.ts';
import { defineWebhooks } from '../../../src/products/webhooks/webhooks.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';
import { useListener } from '../../support/http/listen.ts';
import { until } from '../../support/until.ts';
import { local, type Received, receive } from './receivers.ts';

const database = useDatabase();
const listen = useListener();
const tenant = t.string({ policy: { insert: false, update: false } });
const webhooks = defineWebhooks('Subscription', { collection: 'subscriptions', fields: { tenant }, ...local });
const strict = defineWebhooks('Strict', { collection: 'strict' });
const short = defineWebhooks('Short', { collection: 'short', ...local, timeout: 100 });
const ofTenant = (ctx: { requirePrincipal(): { name: string } }) => ({ tenant: ctx.requirePrincipal().name });

const api = useApi<{ name: string }>(
  database,
  (shop) => [
    shop.resource({
      model: webhooks.model,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
      operations: webhooks.operations,
      guardsFor: { test: [(ctx) => ctx.principal?.name !== 'reader'] },
      scope: ofTenant,
      serverFields: ofTenant,
    }),
    shop.resource({ model: strict.model, operations: strict.operations, scope: () => everything }),
    shop.resource({ model: short.model, operations: short.operations }),
  ],
  { authenticate: (ctx) => ({ name: ctx.get('authorization') }) },
);

const as = (name: string, body?: object) => ({ headers: { authorization: name }, ...(body && { body }) });
const create = async (json: object, name = 'acme') => {
  const { status, body } = await api.request('POST', '/api/subscriptions', as(name, { types: ['*'], ...json }));
  expect(status).toBe(201);
  return body.data as { id: string; revision: number };
};

describe('subscriptions', () => {
  it('never show their secrets, but for the answer of `secret`', async () => {
    const { id } = await create({ url: 'https://example.com/hooks' });
    const path = `/api/subscriptions/${id}`;
    const stored = () => database.db.collection('subscriptions').findOne({ url: 'https://example.com/hooks' });
    const first = await stored();
    expect(first?.secret).toMatch(/^whsec_/);
    const answer = await api.request('POST', `${path}/secret`, as('acme'));
    expect(answer).toMatchObject({ status: 200, body: { data: { secret: expect.stringMatching(/^whsec_.{44}$/) } } });
    expect(answer.headers['cache-control']).toBe('no-store');
    const second = await stored();
    expect(second).toMatchObject({ secret: answer.body.data.secret, previousSecret: first?.secret, secretChangedAt: expect.any(Date) });
    for (const [method, to, sent] of [
      ['GET', path, {}],
      ['GET', '/api/subscriptions', {}],
      ['GET', '/api/subscriptions?fields=secret', {}],
      ['GET', '/api/subscriptions?secret=a', {}],
      ['GET', '/api/subscriptions?sort=secret', {}],
      ['PATCH', path, { types: ['order.*'] }],
      ['PATCH', path, { secret: 'whsec_mine' }],
      ['POST', '/api/subscriptions', { url: 'https://example.com/', types: ['*'], secret: 'mine' }],
    ] as const) {
      const { text } = await api.request(method, to, as('acme', method === 'GET' ? undefined : sent));
      for (const value of [first, second].flatMap((one) => [one?.secret, one?.previousSecret ?? one?.secret]))
        expect(text).not.toContain(value);
      expect(text).not.toMatch(/"(secret|previousSecret)":/);
    }
    expect((await stored())?.secret).toBe(second?.secret);
  });

  it('are those of their scope', async () => {
    const { id } = await create({ url: 'https://example.com/mine' });
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/secret'],
      ['POST', '/test'],
      ['DELETE', ''],
    ] as const)
      expect(await api.request(method, `/api/subscriptions/${id}${path}`, as('other'))).toMatchObject({ status: 404 });
    expect((await api.request('GET', '/api/subscriptions', as('other'))).body.data).toEqual([]);
  });

  it('say what is stored', async () => {
    const answer = await api.request('POST', '/api/subscriptions', as('acme', { url: 'https://example.com/', types: ['order.patched'] }));
    expect(answer.body.data).toEqual({
      id: expect.any(String),
      url: 'https://example.com/',
      types: ['order.patched'],
      isEnabled: true,
      tenant: 'acme',
      revision: 0,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  it.each([
    [['order.patched', 'order.*', 'a-b.c.created'], 201],
    [['*'], 201],
    [[], 422],
    [['order.*', 'order.*'], 422],
    [['order'], 422],
    [['order.renamed'], 422],
    [['**'], 422],
    [['$where.created '], 422],
    [Array.from({ length: 51 }, (_, at) => `a${at}.*`), 422],
  ])('take the types %j with %i', async (types, status) => {
    expect(await api.request('POST', '/api/subscriptions', as('acme', { url: 'https://example.com/', types }))).toMatchObject({ status });
  });

  it.each(['http://example.com/', 'https://127.0.0.1/', 'https://[::1]/', 'https://a:b@example.com/', 'https://example.com/#a'])(
    'are refused the URL %s by every write',
    async (url) => {
      const body = { url: 'https://example.com/', types: ['*'] };
      expect(await api.request('POST', '/api/strict', { body: { ...body, url } })).toMatchObject({ status: 422 });
      const { id } = (await api.request('POST', '/api/strict', { body })).body.data;
      expect(await api.request('PATCH', `/api/strict/${id}`, { body: { url } })).toMatchObject({
        status: 422,
        body: { errors: [expect.objectContaining({ rule: 'pattern' })] },
      });
    },
  );

  it('cannot have a field of an application with a name that all of them have', () => {
    const fields = { secret: t.string() };
    expect(() => defineWebhooks('A', { collection: 'a', fields })).toThrow('`fields` of `defineWebhooks` cannot have `secret`');
    expect(() => defineWebhooks('A', { collection: 'a', htpp: true } as never)).toThrow('`htpp` is not an option of `defineWebhooks`');
    expect(() => defineWebhooks('A', { collection: 'a', timeout: 0 })).toThrow('`timeout`');
  });

  it('are described without their secrets', () => {
    const shop = service();
    const resource = shop.resource({ model: webhooks.model, operations: webhooks.operations, serverFields: () => ({ tenant: 'acme' }) });
    const text = openapiText(shop.api({ db: database.db, resources: [resource] }));
    expect(text).toContain('/subscriptions/{id}/test');
    expect(text).not.toContain('previousSecret');
  });
});

describe('POST /:id/test', () => {
  it('sends an event that the present secret and the one before verify, and tells the status', async () => {
    const received: Received[] = [];
    let secret = '';
    const port = await listen(
      receive(
        () => secret,
        received,
        () => (received.length === 0 ? 202 : 410),
      ),
    );
    const { id } = await create({ url: `http://127.0.0.1:${port}/` });
    const path = `/api/subscriptions/${id}`;
    secret = (await api.request('POST', `${path}/secret`, as('acme'))).body.data.secret;
    await api.request('POST', `${path}/secret`, as('acme'));
    const answer = await api.request('POST', `${path}/test`, as('acme'));
    expect(answer.body).toEqual({ data: { status: 202, duration: expect.any(Number) } });
    expect(received).toMatchObject([{ event: { type: 'webhook.test', data: {} }, id: expect.stringMatching(/^test_/) }]);
    expect((await api.request('POST', `${path}/test`, as('acme'))).body.data).toMatchObject({ status: 410 });
    expect((await api.request('GET', path, as('acme'))).body.data).toMatchObject({ isEnabled: true });
  });

  it('runs behind the guards of the resource', async () => {
    const { id } = await create({ url: 'https://example.com/' }, 'reader');
    expect(await api.request('POST', `/api/subscriptions/${id}/test`, as('reader'))).toMatchObject({ status: 403 });
  });

  it('tells neither whether a name exists nor where it leads', async () => {
    const answers = [];
    for (const url of ['https://localhost/', 'https://no-such-name.invalid/']) {
      const { body } = await api.request('POST', '/api/strict', { body: { url, types: ['*'] } });
      answers.push((await api.request('POST', `/api/strict/${body.data.id}/test`)).body);
    }
    expect(answers).toEqual(answers.map(() => ({ data: { failure: 'address', duration: expect.any(Number) } })));
  });

  it('gives up in time', async () => {
    const port = await listen(() => undefined);
    const { body } = await api.request('POST', '/api/short', { body: { url: `http://127.0.0.1:${port}/`, types: ['*'] } });
    expect(await api.request('POST', `/api/short/${body.data.id}/test`)).toMatchObject({
      status: 200,
      body: { data: { failure: 'timeout' } },
    });
  });

  it('runs ten at a time', async () => {
    const held: ServerResponse[] = [];
    const port = await listen((_request, response) => held.push(response));
    const { id } = await create({ url: `http://127.0.0.1:${port}/` });
    const test = () => api.request('POST', `/api/subscriptions/${id}/test`, as('acme'));
    const ten = Array.from({ length: 10 }, test);
    await until(() => held.length === 10);
    const refused = await test();
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '10' } });
    for (const response of held) response.writeHead(204).end();
    for (const answer of await Promise.all(ten)) expect(answer).toMatchObject({ status: 200, body: { data: { status: 204 } } });
  });
});
