import type { ApiDescription } from '../../../src/openapi/api-description.ts';
import { middlewareNames } from '../../middleware/exported-functions.ts';
import { useDatabase } from '../../support/database/database.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { type Answer, type Sent, type TestServer, useServer } from '../../support/http/serve.ts';
import { canary, seed, viewsApi } from '../../support/models/views.ts';

const ruled = useDatabase();
const plain = useDatabase();
const serve = useServer();
let withRules: TestServer;
let without: TestServer;

beforeAll(async () => {
  withRules = await serve(viewsApi(ruled, true).routes());
  without = await serve(viewsApi(plain, false).routes());
});

type Request = readonly [method: string, path: string, body?: unknown, accept?: string | undefined];

/** Whether both databases hold what they are compared with: a request that only reads leaves it so. */
let isSeeded = false;

beforeEach(async () => {
  if (!isSeeded) await Promise.all([seed(ruled, true), seed(plain, false)]);
  isSeeded = true;
});

const onlyReads = ([method, path]: Request) => method === 'GET' || method === 'QUERY' || path.endsWith('/query');

const exportTypes = ['application/x-ndjson', 'text/csv'];
const live = 'text/event-stream';

/** Hidden fields, and near misses of them. */
const hiddenNames = 'secret margin place.code inner.text lines.sku lines.cost boss extra tag stamp place.mark secrte margn place.cod'.split(
  ' ',
);

/** Every way by which a client can name a field, or be shown one. */
const requests: readonly Request[] = [
  ['GET', '/orders'],
  ['GET', '/orders?total=true&sort=-title&limit=2'],
  ...hiddenNames.flatMap((name): Request[] => [
    ['GET', `/orders?${name}=${canary}`],
    ['GET', `/orders?${name}[gte]=a`],
    ['GET', `/orders?${name}[exists]=true`],
    ['GET', `/orders?filter=${encodeURIComponent(`title != "x" OR ${name} = "${canary}"`)}`],
    ['GET', `/orders?filter=${encodeURIComponent(`NOT exists(${name})`)}`],
    ['POST', '/orders/query', { filter: `any(${name}, sku = "${canary}")` }],
    ['POST', '/orders/query', { [`${name}[gte]`]: 'a' }],
    ['QUERY', '/orders', { filter: `prefix(${name}, "zq")`, sort: [name] }],
    ['GET', `/orders/aggregate?group=${name}`],
    ['GET', `/orders/aggregate?group=title,${name}&sum=${name}`],
    ['GET', `/orders/aggregate?max=${name}`],
    ['GET', `/orders/aggregate?${name}=${canary}`],
    ['GET', `/orders/aggregate?filter=${encodeURIComponent(`title != "x" OR ${name} = "${canary}"`)}`],
    ['GET', `/orders/o1/history?path=${name}`],
    ['GET', `/orders/o1/history?path[in]=title,${name}`],
    ['GET', `/orders/o1/history?filter=${encodeURIComponent(`path = "${name}"`)}`],
    ['GET', `/orders/o1?at=1&fields=title,${name}`],
    ['GET', `/orders?sort=${name}`],
    ['GET', `/orders?sort=-title,${name}`],
    ['GET', `/orders?fields=${name}`],
    ['GET', `/orders/o1?fields=title,${name}`],
    ['PATCH', '/orders/o1', { [name]: canary }],
    ['PATCH', '/orders/o1', { title: 'new', [name]: null }],
    ['POST', '/orders', { id: 'new', title: 'new', [name]: canary }],
    ['PUT', '/orders/o1', { title: 'new', [name]: canary }],
    ['PATCH', `/orders?${name}=${canary}&max_affected=3`, { title: 'all' }],
    ['DELETE', `/orders?${name}=${canary}&max_affected=3`],
    ...exportTypes.flatMap((accept): Request[] => [
      ['GET', `/orders?${name}=${canary}`, undefined, accept],
      ['GET', `/orders?sort=${name}`, undefined, accept],
      ['GET', `/orders?fields=title,${name}`, undefined, accept],
      ['GET', `/orders?filter=${encodeURIComponent(`NOT exists(${name})`)}`, undefined, accept],
      ['POST', '/orders/query', { filter: `any(${name}, sku = "${canary}")`, sort: [name] }, accept],
      ['QUERY', '/orders', { fields: ['title', name] }, accept],
    ]),
    ['GET', `/orders?${name}=${canary}`, undefined, live],
    ['GET', `/orders?sort=${name}`, undefined, live],
    ['GET', `/orders?fields=title,${name}`, undefined, live],
    ['GET', `/orders?filter=${encodeURIComponent(`NOT exists(${name})`)}`, undefined, live],
    ['GET', `/orders/o1?fields=title,${name}`, undefined, live],
  ]),
  ...[
    'near=8,47,1000',
    'near[spot]=8,47,1000',
    'near=x',
    'naer=8,47,1',
    'distances=true',
    'near=8,47,1000&q=lamp',
    'distances=false&q=lamp',
    'near[]=8&near[]=47&near[]=1',
    'spot[exists]=true',
  ].flatMap((query): Request[] => [
    ['GET', `/orders?${query}`],
    ['GET', `/orders?${query}&sort=title&total=true`],
    ['GET', `/orders/aggregate?${query}`],
    ['DELETE', `/orders?${query}`],
    ['GET', `/customers/c1/orders?${query}`],
    ...exportTypes.map((accept): Request => ['GET', `/orders?${query}`, undefined, accept]),
  ]),
  ['POST', '/orders/query', { near: [8, 47, 1000], distances: true }],
  ['QUERY', '/orders', { 'near[spot]': [8, 47, 1000] }],
  ['PATCH', '/orders/o1', { spot: { type: 'Point', coordinates: [8, 47] } }],
  ...[
    '/orders',
    '/orders?sort=-title&limit=2',
    '/orders?include=customer',
    '/orders?include=chief',
    '/orders?chief.name=name',
    '/orders?customer.name=name%200',
    '/orders?total=true',
    '/orders/o1',
    '/orders/o1?include=customer.orders',
    '/orders/o1?include=boss',
    '/orders/none',
  ].map((path): Request => ['GET', path, undefined, live]),
  ...exportTypes.flatMap((accept): Request[] => [
    ['GET', '/orders', undefined, accept],
    ['GET', '/orders?sort=-title', undefined, accept],
    ['GET', '/orders?fields=place', undefined, accept],
    ['GET', '/orders?include=boss', undefined, accept],
    ['GET', '/orders?chief.name=name', undefined, accept],
    ['GET', '/orders?customer.name=name%200', undefined, accept],
    ['POST', '/orders/query', {}, accept],
    ['POST', '/orders/query', { filter: 'any(customer, rating = "zq") OR chief.name = "name 1"' }, accept],
    ['QUERY', '/orders', { filter: 'none(chief)', sort: ['-title'] }, accept],
  ]),
  ...[`q=${canary}`, 'q=title', 'q=', 'q=a&q=b', 'q[eq]=a', 'q[]=a', 'qq=a', 'q=title&sort=title', `q=${'x'.repeat(300)}`].flatMap(
    (query): Request[] => [
      ['GET', `/orders?${query}`],
      ['GET', `/orders?total=true&${query}`],
      ['GET', `/orders/aggregate?${query}`],
      ['GET', `/customers/c1/orders?${query}`],
      ['PATCH', `/orders?title=x&${query}`, { title: 'x' }],
      ...exportTypes.map((accept): Request => ['GET', `/orders?${query}`, undefined, accept]),
    ],
  ),
  ...[canary, 5, null, ['a'], true].flatMap((q): Request[] => [
    ['POST', '/orders/query', { q }],
    ['QUERY', '/orders', { q, sort: ['title'] }],
    ['POST', '/customers/c1/orders/query', { q }],
  ]),
  ['PATCH', '/orders/o1', { place: { city: 'Bern', code: canary } }],
  ['PATCH', '/orders/o1', { place: { city: 'Bern' } }],
  ['PUT', '/orders/o1', { title: 'new', place: { city: 'Bern' } }],
  ['POST', '/orders', { id: 'o9', title: 'new', place: { city: 'Bern' } }],
  ['POST', '/orders', { id: 'o1', title: 'taken' }],
  ['POST', '/orders', {}],
  ['GET', '/orders/o1'],
  ['GET', '/orders/o1?include=customer.orders'],
  ['GET', '/orders?include=customer'],
  ['GET', '/orders/o1?include=chief'],
  ['GET', '/orders/o1?include=customer&fields=title,customer.rating'],
  ['GET', '/orders?include=customer&fields=title,customer.name'],
  ['GET', '/orders?include=chief&fields=chief.name'],
  ['GET', '/orders/o1?include=chief.led'],
  ['GET', '/orders?include=cheif'],
  ['GET', '/orders?include=boss'],
  ['GET', '/orders?boss.name=name'],
  ['GET', '/orders?chief.name=name'],
  ['GET', '/orders?sort=chief.name'],
  ['GET', '/orders?sort=boss.name'],
  ['GET', '/orders/o1/history'],
  ['GET', '/orders/o1/history?sort=revision&limit=1'],
  ['GET', '/orders/o1/history?path=place'],
  ['GET', '/orders/o1/history?path=place.city'],
  ...[0, 1, 2, 3, 4].map((at): Request => ['GET', `/orders/o1?at=${at}`]),
  ['GET', '/orders/aggregate'],
  ['GET', '/orders/aggregate?group=title&count=true'],
  ['GET', '/orders/aggregate?customer.rating=zq'],
  ['GET', '/orders/aggregate?customer.name=name%200'],
  ['GET', '/orders/aggregate?chief.name=name%201'],
  ['GET', '/orders?customer.rating=zq'],
  ['GET', '/orders?sort=customer.rating'],
  ['GET', '/orders?customer.name=name%200&include=customer'],
  ...['customer.rating = "zq"', 'any(customer, rating = "zq")', 'none(chief)', 'chief.name = "name 1"', 'none(boss)'].flatMap(
    (filter): Request[] => [
      ['GET', `/orders?filter=${encodeURIComponent(filter)}`],
      ['POST', '/orders/query', { filter }],
    ],
  ),
  ...['any(led, title = "title 1")', 'none(led)', 'any(orders, secret = "x")', 'any(orders, title = "title 1")', 'none(ledCount)'].flatMap(
    (filter): Request[] => [
      ['GET', `/customers?filter=${encodeURIComponent(filter)}`],
      ['POST', '/customers/query', { filter }],
    ],
  ),
  ['QUERY', '/customers', { name: 'name 1', include: ['led'] }],
  ['QUERY', '/orders', { include: ['customer'] }],
  ['POST', '/customers/c1/orders/query', { filter: `secret = "${canary}"` }],
  ['POST', '/customers/c1/orders/query', { include: ['chief'], limit: 1 }],
  ['QUERY', '/customers/c1/orders', { sort: ['title'] }],
  ['POST', '/customers/c2/led/query', {}],
  ['QUERY', '/customers/c2/led', {}],
  ['GET', '/customers?include=led'],
  ['GET', '/customers/c2?include=ledCount'],
  ['GET', '/customers/c1?include=orders'],
  ['GET', '/customers/c1/orders'],
  ['GET', `/customers/c1/orders?secret=${canary}`],
  ['GET', '/customers/c2/led'],
  ['POST', '/customers/c2/led', { id: 'o8', title: 'new' }],
  ...[{ add: 1 }, { add: 'x' }, {}, []].map((body): Request => ['POST', '/orders/o1/hits', body]),
  ['POST', '/orders/none/hits', { add: 1 }],
  ['PATCH', '/orders/o1', { hits: 1 }],
  ['POST', '/orders', { id: 'o7', title: 'new', hits: 1 }],
  ['PUT', '/customers/c2', { name: 'new', rating: canary }],
  ['PUT', '/customers/c2', { name: 'new' }],
  ['POST', '/orders/o1/touch'],
  ['POST', '/orders/o1/stored'],
  ['POST', '/customers/c1/orders', { id: 'o6', title: 'new' }],
  ['POST', '/customers/c1/orders', { id: 'o6', title: 'new', secret: canary }],
  ['GET', '/orders/all'],
  ['GET', '/orders/found'],
  ['GET', '/orders/found?secret=a'],
  ['GET', '/orders/found?titel=a'],
  ['GET', '/orders/paged'],
  ['GET', '/orders/described'],
  ['GET', '/orders/copied'],
  ['DELETE', '/orders/o1'],
  ['POST', '/customers', { id: 'c9', name: 'new', rating: canary }],
  ['PATCH', '/customers/c1', { name: 'new' }],
  ['GET', '/customers?rating=zq'],
  [
    'POST',
    '/batch',
    {
      operations: [
        { method: 'PATCH', path: '/orders/o1', body: { title: 'batched' } },
        { method: 'PUT', path: '/orders/o2', body: { title: 'put', place: { city: 'Bern' } } },
        { method: 'POST', path: '/orders', body: { id: 'o7', title: 'seven' } },
      ],
    },
  ],
  ['POST', '/batch', { operations: [{ method: 'PATCH', path: '/orders/o1', body: { secret: canary } }] }],
  ['PATCH', '/orders?title=title%200&max_affected=3', { title: 'many' }],
];

const volatile = new Set(['date', 'connection', 'keep-alive']);

/** What a client can tell. Times of writes differ, and so do cursors, which belong to their view. */
function told({ status, headers, text }: Answer) {
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        volatile.has(name) ? [] : [[name, String(value).replace(/after=[^>]*/, 'after=…')]],
      ),
    ),
    text: text
      .replace(/^retry: \d+\n/, 'retry: …\n')
      .replaceAll(/^id: .*$/gm, 'id: …') // a digest of what is replaced below, too
      .replaceAll(/"updatedAt":"[^"]*"/g, '"updatedAt":"…"')
      .replaceAll(/_cursor":"[^"]*"/g, '_cursor":"…"'),
  };
}

async function ask(server: TestServer, [method, path, body, accept]: Request, sent: Sent = {}): Promise<Answer> {
  if (!onlyReads([method, path])) isSeeded = false;
  if (accept === live) return begin(server, path, sent);
  const link = { ...sent.headers, ...(accept === undefined ? {} : { accept }) };
  return server.request(method, `/api${path}`, { ...sent, headers: link, ...(body === undefined ? {} : { body }) });
}

/** The answer until its first event. */
async function begin(server: TestServer, path: string, { headers = {} }: Sent): Promise<Answer> {
  const authorization = headers.authorization === undefined ? {} : { authorization: String(headers.authorization) };
  const stream = await new LiveStream(server.port, `/api${path}`, authorization).opened();
  stream.close();
  const { status, text } = stream;
  return { status, headers: stream.headers, text, body: undefined } as Answer;
}

describe('the requests', () => {
  /** What no byte of a field passes, in either direction. */
  const without = {
    afterHooks: 'runs functions of the application, which see everything',
    affected: 'answers numbers and ids',
    answerTimeout: 'is about time',
    authenticate: 'is about the caller',
    beforeHooks: 'runs functions of the application, which see everything',
    bodyLimit: 'is about the size of a body',
    caching: 'sets headers that depend on no record',
    checkBody: 'reads bodies that are no records',
    crossOrigin: 'is about origins',
    deleted: 'reads one parameter, which names no field',
    guards: 'runs functions of the application',
    ifMatch: 'compares the revision, which every caller reads',
    inFlightLimit: 'is about places',
    noContent: 'answers nothing',
    observe: 'tells the application',
    problems: 'writes what others throw',
    requestId: 'is about the request',
    requestTimeout: 'is about time',
    restore: 'takes nothing; `record` shows its record',
    rules: 'asks about the caller',
    scope: 'runs a function of the application; its 422 names what the caller may write',
    stores: 'gives functions of the application what sees everything',
    typedQuery: 'reads the parameters of an operation, which are no fields of the model',
    withinTransaction: 'runs functions of the application, which see everything',
  };

  it('pass every middleware by which a byte of a field can pass', () => {
    const { description } = viewsApi(ruled, true, false) as unknown as { readonly description: ApiDescription };
    const passed = new Set(
      description.resources.flatMap(({ rows }) => rows.flatMap(({ whole, chain }) => [...whole(), ...chain()].map((one) => one.name))),
    );
    expect(middlewareNames.filter((name) => !passed.has(name) && !(name in without)).sort()).toEqual([]);
    // Every operation of the api is asked for, each with a path of its own.
    const asked = requests.map(([method, path]) => `${method} ${path.split('?')[0]?.replace(/\/(?:o\d|c\d)/, '/:id')}`);
    const operations = description.resources.flatMap(({ path, rows }) =>
      rows.map((one) => `${one.method} /${path}${one.path === '/' ? '' : one.path}`),
    );
    expect(operations.filter((operation) => !asked.includes(operation))).toEqual([]);
  });
});

describe.each([
  ['anonymous', undefined],
  ['a caller for whom no rule holds', 'anna'],
])('for %s, a field outside the view does not exist', (_name, authorization) => {
  it.each(
    requests.map((request) => [`${request[0]} ${request[1]} ${JSON.stringify(request[2] ?? '')} ${request[3] ?? ''}`, request] as const),
  )('%s answers byte for byte as without the field', async (_text, request) => {
    const headers = { authorization };
    const seen = told(await ask(withRules, request, { headers }));
    expect(seen).toEqual(told(await ask(without, request, { headers })));
    // The answer may repeat what the client has sent.
    if (!JSON.stringify(request).includes(canary)) expect(JSON.stringify(seen)).not.toContain(canary);
    expect(withRules.errors).toEqual([]);
  });
});

describe('a caller for whom the rules hold', () => {
  it.each([
    ['GET', '/orders'],
    ['GET', `/orders?secret=${canary}1`],
    ['GET', '/orders?sort=margin'],
    ['GET', '/orders/o1?fields=secret'],
    ['GET', '/orders/o1?fields=tag'],
    ['GET', '/orders/o1?fields=stamp'],
    ['GET', '/orders?fields=place.mark'],
    ['GET', '/orders/o1/history'],
    ['GET', '/orders/o1/history?path=secret'],
    ['GET', '/orders/o1?at=1'],
    ['GET', '/orders/o1?include=chief.led'],
    ['GET', '/orders?chief.name=name%201'],
    ['GET', '/customers/c2?include=ledCount'],
    ['GET', '/customers/c2/led'],
    ['POST', '/orders/o1/touch'],
    ['POST', '/orders/o1/stored'],
    ['GET', '/orders/found'],
    ['GET', '/orders/paged'],
    ['GET', '/orders/described'],
    ['GET', '/orders/copied'],
    ...[...exportTypes, live].map((accept) => ['GET', '/orders', undefined, accept] as const),
    ['GET', '/orders/o1', undefined, live],
  ] as const)('%s %s shows the field %s %s', async (...request) => {
    const [, path] = request;
    const { status, text } = await ask(withRules, request, { headers: { authorization: 'staff finance' } });
    expect([status, text]).toEqual([200, expect.stringContaining(path.includes('ledCount') ? '"ledCount":3' : canary)]);
  });
});

describe('200 callers of different views at once', () => {
  it('are each shown their own, though they share round trips', async () => {
    const names = ['anna', 'staff', 'finance', 'staff finance'];
    const shownTo = { anna: [false, false], staff: [true, true], finance: [false, true], 'staff finance': [true, true] } as const;
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const authorization = names[index % names.length] as keyof typeof shownTo;
        const { body } = await ask(withRules, ['GET', index % 8 < 4 ? '/orders/o1' : '/orders?limit=1'], { headers: { authorization } });
        const record = Array.isArray(body.data) ? body.data[0] : body.data;
        return [authorization, 'secret' in record, 'margin' in record] as const;
      }),
    );
    for (const [authorization, ...shown] of answers) expect(shown).toEqual(shownTo[authorization]);
  });
});
