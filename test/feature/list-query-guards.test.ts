import { METHODS } from 'node:http';
import { ConfigurationError, defineModel, openapiDocument, type RequestContext, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: { id: t.string({ policy: { insert: true } }), customer: t.ref('Customer', { id: t.string() }) },
});
const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: { id: t.string({ policy: { insert: true } }), orders: t.hasMany('Order', { via: 'customer' }) },
});

const asked: string[] = [];
const asks = (name: string) => (ctx: RequestContext<string>) => asked.push(name) > 0 && ctx.get('x-shut') !== name;
const both = asks('both');

const database = useDatabase();
const api = useApi<string>(database, (shop) => [
  shop.resource({
    model: Order,
    ops: ['list', 'get'],
    guards: [asks('all')],
    guardsFor: { read: [asks('read')], list: [asks('list'), both], get: [], query: [asks('query'), both], export: [asks('export'), both] },
    export: {},
  }),
  shop.resource({ model: Customer, nested: ['orders'] }),
]);

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('customers').insertOne({ _id: 'c1' });
});

/** The status of the answer, and the guards that were asked. */
async function send(method: string, path: string, headers = {}): Promise<[status: number, guards: string]> {
  asked.length = 0;
  const { status } = await api.request(method, `/api${path}`, { ...(method === 'GET' ? {} : { body: {} }), headers });
  return [status, asked.join(' ')];
}

const posts = ['/orders/query', '/customers/c1/orders/query'].map((path) => ['POST', path] as const);
const queries = ['/orders', '/customers/c1/orders'].map((path) => ['QUERY', path] as const);

describe('`query` in `guardsFor`', () => {
  it.each([...posts, ...(METHODS.includes('QUERY') ? queries : [])])('is asked by %s %s after the guards of the list', async (...place) => {
    expect(await send(...place)).toEqual([200, 'all read list both query']);
    expect(await send(...place, { 'x-shut': 'query' })).toEqual([403, 'all read list both query']);
    expect(await send(...place, { 'x-shut': 'list' })).toEqual([403, 'all read list']);
  });

  it.each(['/orders', '/customers/c1/orders'])('is not asked by GET %s', async (path) => {
    expect(await send('GET', path, { 'x-shut': 'query' })).toEqual([200, 'all read list both']);
  });

  it('is asked before `export` if the parameters of an export stand in a body', async () => {
    const accept = 'application/x-ndjson';
    expect(await send('POST', '/orders/query', { accept })).toEqual([200, 'all read list both query export']);
    expect(await send('POST', '/orders/query', { accept, 'x-shut': 'query' })).toEqual([403, 'all read list both query']);
    expect(await send('GET', '/orders', { accept, 'x-shut': 'query' })).toEqual([200, 'all read list both export']);
  });

  it('is described: a caller must be known to query, and not to list', () => {
    const shop = service({ authenticate: () => 'ann' });
    const securitySchemes = { basic: { type: 'http', scheme: 'basic' } } as const;
    const orders = shop.resource({ model: Order, guardsFor: { query: [() => true] } });
    const customers = shop.resource({ model: Customer, nested: ['orders'] });
    const { paths }: Any = openapiDocument(shop.api({ db: database.db, securitySchemes, resources: [orders, customers] }));
    for (const path of ['/orders', '/customers/{id}/orders']) {
      const [list, query] = [paths[path].get, paths[`${path}/query`].post];
      expect([list.security, list.responses[403]]).toEqual([[{ basic: [] }, {}], undefined]);
      expect([query.security, query.responses[403]]).toEqual([undefined, expect.anything()]);
    }
  });
});

describe('`guardsFor.query`', () => {
  const Plain = defineModel('Plain', { collection: 'plains', fields: {} });
  const define = (options: object) => () => {
    const shop = service();
    shop.api({ db: database.db, resources: [shop.resource({ model: Plain, ...options } as never)] });
  };
  const custom = { summary: 'x', handler: () => undefined };

  it.each<[what: string, options: object, message: RegExp]>([
    ['without a list', { ops: ['get'], guardsFor: { query: [] } }, /`query` is not an operation in `guardsFor`/],
    ['as a hook', { after: { query: [] } }, /`query` is not an operation in `after`/],
    ['without functions', { guardsFor: { query: ['x'] } }, /`guardsFor\.query` of resource `plains` must be an array of functions/],
    [
      'beside a custom operation of this name',
      { operations: { query: custom }, guardsFor: { query: [] } },
      /`guardsFor\.query` of resource `plains` can mean a custom operation or the query of its list: give the custom operation another/,
    ],
    [
      'beside a custom operation at its path',
      { operations: { find: { ...custom, path: '/query' } }, guardsFor: { query: [] } },
      /`list\.query` and `find` of resource `plains` are both POST `\/query`/,
    ],
  ])('is a configuration error %s', (_what, options, message) => {
    expect(define(options)).toThrow(ConfigurationError);
    expect(define(options)).toThrow(message);
  });

  it('is of the custom operation of this name if there is no list', () => {
    expect(define({ ops: ['get'], operations: { query: custom }, guardsFor: { query: [() => true] } })).not.toThrow();
    expect(define({ operations: { query: custom } })).not.toThrow();
  });
});
