import { openapiDocument } from '../../src/index.ts';
import { compileTools } from '../../src/products/mcp/compile-tools.ts';
import { endpointsOf, usualOf } from '../../src/resource/table/row.ts';
import { allCases, unconnected } from '../support/matrix/describe-matrix.ts';
import { expectedOf } from '../support/matrix/expected.ts';
import { phases } from '../support/matrix/given.ts';
import { requests } from '../support/matrix/requests.ts';
import { wayNames, ways } from '../support/matrix/ways.ts';

const matrix = unconnected();
const { api, line } = matrix;
const { resources } = api.description;
const cases = allCases(matrix);
const rows = resources.flatMap((resource) => resource.rows.map((row) => ({ resource, row, key: `${resource.path}.${row.name}` })));
afterAll(() => api.close());

/** `GET /notes/:id`: the places of the rows. */
const places = resources.flatMap(({ path, rows }) =>
  endpointsOf(rows).map((one) => ({
    method: one.method,
    path: `/${path}${one.path === '/' ? '' : one.path}`,
    mayBeRecord: usualOf(one).mayBeRecord,
  })),
);
const byCode = (texts: Iterable<string>) => [...texts].sort();

/** What an api serves beside its rows. */
const beside = ['GET /openapi.json', 'POST /batch'];

describe('the matrix of rows', () => {
  it('has a request for each row, and none for another', () => {
    expect(byCode(Object.keys(requests))).toEqual(byCode(new Set(rows.map(({ row }) => row.name))));
  });

  it('has each row by HTTP/1, HTTP/2 and fetch, and each form of a list and a get in the media types that it has', () => {
    for (const { key, row, resource } of rows) {
      const own = cases.filter((one) => one.row === row && one.resource === resource);
      const forms = row.when && 'accept' in row.when ? row.when.accept.length : 1;
      for (const name of ['HTTP/1', 'HTTP/2', 'api.fetch'] as const) expect([key, own.filter(ways[name].has).length]).toEqual([key, forms]);
    }
  });

  it('has at least as many requests by each way, and with keys, as it had when it was written', () => {
    const least = { 'HTTP/1': [48, 13], 'HTTP/2': [48, 13], 'api.fetch': [48, 13], batch: [16, 16], MCP: [36, 0] };
    for (const name of wayNames) {
      const everywhere = cases.filter(({ method }) => method !== 'QUERY'); // which Node does not know in all versions
      const [sent, kept] = [everywhere.filter(ways[name].has).length, everywhere.filter(ways[name].keeps).length];
      expect([name, sent >= (least[name][0] as number), kept >= (least[name][1] as number)]).toEqual([name, true, true]);
    }
  });

  it('has guards for the resource, for each name that a row asks, and for all of its groups', () => {
    for (const { key, row } of rows)
      for (const { resource, names } of row.asks) {
        const { guards, guardsFor } = matrix.givenOf(resource.path);
        expect([key, names.filter((name) => guardsFor[name] === undefined), guards.length]).toEqual([key, [], 1]);
      }
    for (const one of cases) expect([one.name, expectedOf(one, matrix).guards.length > 2]).toEqual([one.name, true]);
  });

  it('has hooks of all phases for each row that may have some', () => {
    const without = cases
      .filter((one) => expectedOf(one, matrix).hooks.length === 0)
      .map(({ row, resource }) => `${resource.path}.${row.name}`);
    expect([...new Set(without)]).toEqual([
      'items.list',
      'items.aggregate',
      'items.list.export',
      'items.list.export.query',
      'items.list.live',
      'items.list.query',
    ]);
    const writing = cases.filter(({ row }) => row.runs.resource.path === 'notes' && row.isMember);
    for (const one of writing) {
      const { hooks } = expectedOf(one, matrix);
      expect([one.name, phases.filter((phase) => hooks.some((hook) => hook.startsWith(phase)))]).toEqual([one.name, phases]);
    }
  });
});

describe('what an api serves', () => {
  it('are the endpoints of its rows: no path takes another method', async () => {
    for (const path of new Set(places.map((one) => one.path))) {
      // A path of the library's own may also be that of a record, for other methods.
      const alsoAt = places.some((one) => one.path === path && one.mayBeRecord) ? path.replace(/[^/]+$/, ':id') : path;
      const methods = [...new Set(places.filter((one) => one.path === path || one.path === alsoAt).map(({ method }) => method))];
      const shared = path.replaceAll(/:\w+/g, 'a');
      const allow = (await api.fetch(new Request(`http://x${shared}`, { method: 'OPTIONS' }))).headers.get('allow') ?? '';
      expect([path, byCode(allow.split(', '))]).toEqual([
        path,
        byCode(['OPTIONS', ...(methods.includes('GET') ? ['HEAD'] : []), ...methods]),
      ]);
    }
  });

  it('is described: each endpoint but those of QUERY, which OpenAPI 3.1 does not know, and what is not a row', () => {
    const { paths } = openapiDocument(api);
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => /^(?:get|put|post|delete|patch)$/.test(key))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = places
      .filter(({ method }) => method !== 'QUERY')
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(byCode(described)).toEqual(byCode([...served, ...beside]));
  });

  it('becomes tools: each endpoint of a row that is no other spelling of one', () => {
    const tools = [...compileTools(api, { write: true }).values()].map(({ operation }) => operation);
    const usual = rows.filter(({ row }) => row.when === undefined && row.twinOf === undefined).map(({ key }) => key);
    expect(byCode(tools)).toEqual(byCode(usual));
  });

  it('is in no batch unless its row says so', async () => {
    for (const { name, method, path, body } of cases.filter(({ row }) => !row.isMember)) {
      line.events = [];
      const operations = [{ method, path, ...(body && { body }) }];
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ operations }) };
      const { status } = await api.fetch(new Request('http://x/batch', init));
      expect([name, status >= 400 && status < 500, line.events]).toEqual([name, true, []]);
    }
  });
});
