import mount from 'koa-mount';
import { type Api, cursorPaging, defineModel, openapiDocument, openapiText, service, t, Unauthorized } from '../../src/index.ts';
import { compileSchema, type Fits } from '../openapi/published.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { type Answer, type Sent, type TestServer, useServer } from '../support/http/serve.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ policy: { insert: true, filter: true } }),
    number: t.int64({ policy: { filter: true, sort: true } }),
    status: t.enum(['open', 'paid'], { default: 'open', policy: { filter: true } }),
    shipTo: t.nullable(t.object('Address', { city: t.string(), zip: t.optional(t.string()) })),
    owner: t.string({ default: 'ann', policy: { private: true } }),
    revision: t.revision(),
    createdAt: t.createdAt(),
  },
});

const database = useDatabase();
const serve = useServer();

function makeApi(options: object = {}): Api {
  const shop = service<string>({
    authenticate(ctx) {
      if (ctx.get('authorization') === 'bad') throw new Unauthorized('No.', { 'www-authenticate': 'Bearer' });
      return ctx.get('authorization') || undefined;
    },
  });
  const isSignedIn = (ctx: { requirePrincipal(): string }) => ctx.requirePrincipal() !== 'guest';
  return shop.api({
    db: database.db,
    prefix: '/api',
    title: 'Shop',
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'authorization' } },
    maxBody: 1000,
    resources: [
      shop.resource({
        model: Order,
        ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
        guards: [isSignedIn],
        scope: (ctx) => ({ owner: ctx.requirePrincipal() }),
        paging: cursorPaging({ max: 2, total: true }),
      }),
      shop.resource({ model: Order, path: 'careful', ops: ['patch', 'delete'], preconditionRequired: true }),
    ],
    ...options,
  });
}

let server: TestServer;
beforeAll(async () => {
  server = await serve(makeApi().routes());
});

describe('GET /openapi.json', () => {
  it('answers with the document, to everybody', async () => {
    const { status, headers, text, body } = await server.request('GET', '/api/openapi.json');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers.etag).toMatch(/^"[\w-]{43}"$/);
    expect(body).toEqual(JSON.parse(openapiText(makeApi())));
    expect(text).toContain('"minimum":-9223372036854775808');
    expect((await server.request('GET', '/api/openapi.json', { headers: { authorization: 'bad' } })).status).toBe(200);
  });

  it('answers 304 to who has it', async () => {
    const { headers } = await server.request('GET', '/api/openapi.json');
    const again = await server.request('GET', '/api/openapi.json', { headers: { 'if-none-match': `W/"x", ${headers.etag}` } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    expect((await server.request('GET', '/api/openapi.json', { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  });

  it('answers HEAD with the headers of GET', async () => {
    const get = await server.request('GET', '/api/openapi.json');
    const head = await server.request('HEAD', '/api/openapi.json');
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['etag', 'content-type', 'content-length']) expect(head.headers[name]).toBe(get.headers[name]);
  });

  it('answers 405 to other methods, and 404 below it', async () => {
    const { status, headers } = await server.request('POST', '/api/openapi.json', { body: {} });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    expect((await server.request('GET', '/api/openapi.json/x')).status).toBe(404);
    expect((await server.request('GET', '/api/openapi.json/')).status).toBe(404);
  });

  it('is not there when the api says so', async () => {
    const other = await serve(makeApi({ openapi: false }).routes());
    expect((await other.request('GET', '/api/openapi.json')).status).toBe(404);
  });

  it('is at the root without a prefix', async () => {
    const other = await serve(makeApi({ prefix: '' }).routes());
    const { body } = await other.request('GET', '/openapi.json');
    expect(body.servers).toEqual([{ url: '/' }]);
    expect(Object.keys(body.paths)).toContain('/orders/{id}');
  });

  it('says where it is mounted: server and path are the URL of every operation', async () => {
    const routes = makeApi().routes();
    const other = await serve(mount('/v1', routes), mount('/v2/deep', routes));
    for (const base of ['/v1', '/v2/deep', '/v1']) {
      const { body, headers } = await other.request('GET', `${base}/api/openapi.json`);
      expect(body.servers).toEqual([{ url: base }]);
      const url = `${base}${Object.keys(body.paths)[0]}`;
      expect((await other.request('GET', url, { headers: { authorization: 'ann' } })).status).toBe(200);
      expect((await other.request('GET', `${base}/api/openapi.json`, { headers: { 'if-none-match': headers.etag } })).status).toBe(304);
    }
    const [one, two] = await Promise.all(['/v1', '/v2/deep'].map((base) => other.request('GET', `${base}/api/openapi.json`)));
    expect(one?.headers.etag).not.toBe(two?.headers.etag);
  });
});

/** What the document says of an operation, and whether an answer is as it says. */
function expectDocumented(method: string, path: string, { status, headers, text, body }: Answer): void {
  const document = openapiDocument(makeApi());
  const resolve = (part: Any): Any =>
    part?.$ref
      ? part.$ref
          .split('/')
          .slice(1)
          .reduce((at: Any, key: string) => at[key], document)
      : part;
  const operation = (document.paths[path] as Any)[method.toLowerCase()];
  const response = resolve(operation.responses[status]);
  expect({ method, path, status, documented: Object.keys(operation.responses) }).toMatchObject({
    documented: expect.arrayContaining([String(status)]),
  });
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    if (resolve(header).required) expect(Object.keys(headers)).toContain(name.toLowerCase());
  }
  if (headers.etag) expect(Object.keys(response.headers)).toContain('ETag');
  if (!response.content) {
    expect(text).toBe('');
    return;
  }
  const [[type, { schema }]] = Object.entries(response.content) as [[string, { schema: unknown }]];
  expect(headers['content-type']).toMatch(new RegExp(`^${type.replace('+', '\\+')}(?:;|$)`));
  const fits: Fits = compileSchema(document, schema);
  expect([body, fits(body)]).toEqual([body, true]);
}

describe('every answer is as the document says', () => {
  const whole = { id: 'a', number: 9007199254740991, shipTo: { city: 'Rome' } };
  const ann = { authorization: 'ann' };

  it.each<[string, number, string, string, Sent & { ready?: boolean }]>([
    ['a create', 201, 'POST', '/api/orders', { body: whole }],
    ['an id that is taken', 409, 'POST', '/api/orders', { body: whole, ready: true }],
    ['a body that is no JSON', 400, 'POST', '/api/orders', { body: '{' }],
    ['a body that is too large', 413, 'POST', '/api/orders', { body: { ...whole, id: 'x'.repeat(2000) } }],
    ['a body of another type', 415, 'POST', '/api/orders', { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ['a body with errors', 422, 'POST', '/api/orders', { body: { id: 5 } }],
    ['bad credentials', 401, 'POST', '/api/orders', { body: whole, headers: { authorization: 'bad' } }],
    ['a closed guard', 403, 'POST', '/api/orders', { body: whole, headers: { authorization: 'guest' } }],
    ['a list', 200, 'GET', '/api/orders?total=true&sort=-number&status[in]=open,paid', { ready: true }],
    ['a page before another', 200, 'GET', '/api/orders?limit=1', { ready: true }],
    ['an unknown parameter', 400, 'GET', '/api/orders?x=1', {}],
    ['a damaged cursor', 400, 'GET', '/api/orders?after=x', {}],
    ['an integer beyond 64 bits', 422, 'GET', '/api/orders?number[gt]=9223372036854775808', {}],
    ['a get', 200, 'GET', '/api/orders/a', { ready: true }],
    ['a get of what is known', 304, 'GET', '/api/orders/a', { ready: true, headers: { 'if-none-match': '*' } }],
    ['a get of nothing', 404, 'GET', '/api/orders/a', {}],
    ['a patch', 200, 'PATCH', '/api/orders/a', { ready: true, body: { shipTo: { zip: '1' } } }],
    ['a patch that clears', 200, 'PATCH', '/api/orders/a', { ready: true, body: { shipTo: null } }],
    [
      'a patch of a record that has changed',
      412,
      'PATCH',
      '/api/orders/a',
      { ready: true, body: { status: 'paid' }, headers: { 'if-match': '"9"' } },
    ],
    ['a malformed If-Match', 400, 'PATCH', '/api/orders/a', { body: {}, headers: { 'if-match': '9' } }],
    ['a put', 200, 'PUT', '/api/orders/a', { ready: true, body: { number: 1 } }],
    ['a put that lacks something', 422, 'PUT', '/api/orders/a', { ready: true, body: {} }],
    ['a put to nothing', 404, 'PUT', '/api/orders/a', { body: { number: 1 } }],
    ['a delete', 204, 'DELETE', '/api/orders/a', { ready: true }],
    ['a delete of nothing', 404, 'DELETE', '/api/orders/a', {}],
    ['a write without If-Match', 428, 'PATCH', '/api/careful/a', { ready: true, body: {} }],
  ])('%s: %i', async (_what, status, method, path, { ready, ...sent }) => {
    await database.db.collection('orders').deleteMany({});
    if (ready) {
      await server.request('POST', '/api/orders', { body: whole, headers: ann });
      await server.request('POST', '/api/orders', { body: { ...whole, id: 'b' }, headers: ann });
    }
    const answer = await server.request(method, path, { ...sent, headers: { ...ann, ...sent.headers } });
    expect(answer.status).toBe(status);
    expectDocumented(method, path.replace(/\?.*/, '').replace(/\/a$/, '/{id}'), answer);
  });

  it('a body that its schema accepts is one that the service accepts', async () => {
    const document = openapiDocument(makeApi());
    const fits = compileSchema(document, { $ref: '#/components/schemas/OrderCreate' });
    await database.db.collection('orders').deleteMany({});
    expect(fits(whole)).toBe(true);
    expect(fits({ ...whole, owner: 'eve' })).toBe(false);
    expect((await server.request('POST', '/api/orders', { body: { ...whole, owner: 'eve' }, headers: ann })).status).toBe(422);
  });
});
