import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAtlas } from '../../examples/atlas/api.ts';
import { createShop } from '../../examples/orders/api.ts';
import { createProjects } from '../../examples/projects/api.ts';
import { Member, Project } from '../../examples/projects/model.ts';
import { seed } from '../../examples/projects/seed.ts';
import { type Api, applyIndexes, openapiText } from '../../src/index.ts';
import { everyApi } from '../openapi/every-api.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { filesOf } from '../support/docs/pages.ts';
import { useServer } from '../support/http/serve.ts';

const root = join(import.meta.dirname, '../..');
/** In the repository, so that the packages of the recipe are found from there. */
const folder = join(root, `.tmp/typed-client-${process.pid}`);
const run = promisify(execFile);

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false, // the generated declarations are what is tested
  rewriteRelativeImportExtensions: true,
  outDir: 'out',
};

/** Runs a tool of ours as a user would; what it complains about becomes the message. */
async function runTool(path: string, ...args: string[]): Promise<void> {
  await run(process.execPath, [join(root, 'node_modules', path), ...args], {
    cwd: folder,
  }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${path}: ${stdout}${stderr}`);
  });
}

const database = useDatabase();
const serve = useServer();
let shop: Api;
let atlas: Api;
let workspace: ReturnType<typeof createProjects>;
let origin: string;
/** Modules that this test makes: the compiler has checked them on their own. */
let orders: Any, cities: Any, customers: Any, connections: Any, projects: Any, filters: Any, chosen: Any;

beforeAll(async () => {
  shop = createShop(database.db);
  await applyIndexes(shop);
  atlas = createAtlas(database.db);
  workspace = createProjects(database.db);
  await applyIndexes(workspace);
  await mkdir(folder, { recursive: true });
  for (const [name, api] of Object.entries({ shop, atlas, projects: workspace, every: everyApi() })) {
    await writeFile(join(folder, `${name}.json`), openapiText(api));
    await runTool('openapi-typescript/bin/cli.js', `${name}.json`, '--output', `${name}.d.ts`);
  }
  // Those lines included that must not compile: one that does is an error.
  const programs = filesOf('docs/clients/typed-client.md');
  expect(Object.keys(programs)).toEqual(['orders.ts', 'cities.ts', 'filters.ts', 'open-or-large.ts', 'customers.ts', 'connections.ts']);
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text);
  for (const name of ['tasks.ts', 'refused.ts']) await copyFile(join(root, 'examples/clients', name), join(folder, name));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await runTool('typescript-newest/bin/tsc', '--project', '.');
  const load = (name: string) => import(join(folder, 'out', `${name}.js`));
  [orders, cities, customers, projects, connections, filters, chosen] = await Promise.all(
    ['orders', 'cities', 'customers', 'tasks', 'connections', 'filters', 'open-or-large'].map(load),
  );
  origin = `http://127.0.0.1:${(await serve(shop.routes())).port}`;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const customerId = '65f1a2b3c4d5e6f708192a3b';

describe('the typed client of the recipe', () => {
  it.each([
    ['over the network', 'A', () => connections.overNetwork(origin, 'ann-token')],
    ['in the same process', 'B', () => connections.inProcess(shop, 'ann-token')],
    ['in the same process, saying who calls', 'C', () => connections.inProcessAs(shop, 'ann')],
  ])('places and pays an order %s', async (_way, prefix, connect) => {
    const client = connect();
    const wanted = { number: `${prefix}-1`, total: '12.50', customerId, shipTo: { street: 'Main Street 1', city: 'Shelbyville' } };
    const { order, etag } = await orders.place(client, wanted);
    expect([order, etag]).toEqual([expect.objectContaining({ ...wanted, owner: 'ann', status: 'open' }), '"0"']);

    const paid = await orders.pay(client, order.id, etag);
    expect(paid).toMatchObject({ status: 'paid', revision: 1, shipTo: { street: 'Main Street 1', city: 'Springfield' } });

    const late = await orders.pay(client, order.id, etag).catch((error: unknown) => error);
    expect(late).toMatchObject({ problem: { status: 412, code: 'precondition_failed' } });
    const twice = await orders.place(client, wanted).catch((error: unknown) => error);
    expect(twice).toMatchObject({ problem: { status: 409, code: 'duplicate_key' } });
  });

  it('places an order below its customer, and includes the newest', async () => {
    const body = { name: 'Dora', email: 'dora@example.org' };
    const { data } = await connections.inProcess(shop, 'root-token').POST('/api/customers', { body });
    const client = connections.inProcess(shop, 'ann-token');
    const numbers = Array.from({ length: 11 }, (_, index) => `D-${index}`);
    for (const number of numbers) expect((await customers.placeFor(client, data.data.id, number)).customerId).toBe(data.data.id);
    const { orders: newest, count, hasNext } = await customers.newestOrders(client, data.data.id);
    expect([newest.length, count, hasNext]).toEqual([10, 11, true]);
  });

  it('builds filters of what the description has', async () => {
    const client = connections.inProcess(shop, 'ann-token');
    for (const [number, total] of [
      ['F-1', '1'],
      ['F-2', '500'],
      ['G"-1', '500'],
    ])
      await orders.place(client, { number, total, customerId });
    const numbers = async (series: string) => (await chosen.openOrLarge(client, series)).map(({ number }: { number: string }) => number);
    expect(await numbers('F')).toContain('G"-1');
    expect(await numbers('F')).not.toContain('F-2');
    expect(await numbers('G"')).not.toContain('G"-1');
    expect(filters.quote('a"b\\')).toBe('"a\\"b\\\\"');
  });

  it('links, restores, and filters through a relation', async () => {
    await seed(workspace);
    const client = projects.connectProjects({
      baseUrl: 'http://in-process',
      fetch: workspace.fetch,
      headers: { Authorization: 'Bearer ann-token' },
    });
    const { workspaceId } = (await workspace.store(Member).find({ name: 'Ann' }))[0] ?? {};
    const { id } = await workspace.store(Member).create({ workspaceId: String(workspaceId), name: 'Cleo', token: 'cleo-token' });
    const [site] = await workspace.store(Project).find({ name: 'Site' });
    expect(await projects.join(client, String(site?.id), String(id))).toBe(204);
    expect(await projects.deleteAndRestore(client, String(site?.id))).toBe('Site');
    expect(await projects.tasksOfOpenProjects(client)).toMatchObject([{ title: 'Design', project: { name: 'Site' } }]);
    expect((await workspace.store(Project).get(String(site?.id))).memberIds).toHaveLength(3);
  });

  it('reads the pages of a list to the end', async () => {
    const client = orders.connect({ baseUrl: 'http://in-process', fetch: atlas.fetch });
    const names = Array.from({ length: 120 }, (_, index) => `Ober ${String(index).padStart(3, '0')}`);
    for (const [index, name] of [...names, 'Unter'].entries()) {
      const body = { name, country: index % 2 ? 'AT' : 'CH', location: { type: 'Point', coordinates: [8, 47] } } as const;
      expect((await client.POST('/api/cities', { body })).response.status).toBe(201);
    }
    const found: { country: string; name: string }[] = [];
    for await (const city of cities.cities(client, ['AT', 'CH'], 'Ober')) found.push(city);
    const byCountry = (parity: number) => names.filter((_, index) => index % 2 === parity).reverse();
    expect(found.map(({ name }) => name)).toEqual([...byCountry(1), ...byCountry(0)]);
    for await (const city of cities.cities(client, [], 'Ober')) throw new Error(`found ${city.name}`);
  });

  it('takes a value with a comma as one by `[in][]`, and leaves out an empty array', async () => {
    const client = orders.connect({ baseUrl: 'http://in-process', fetch: atlas.fetch });
    const listed = async (query: object) => (await client.GET('/api/cities', { params: { query } })).data?.data.length;
    expect(await listed({ 'country[in]': ['AT,CH'], limit: 1 })).toBe(1);
    expect(await listed({ 'country[in][]': ['AT,CH'], limit: 1 })).toBe(0);
    expect(await listed({ 'country[in][]': ['AT', 'CH'], limit: 1 })).toBe(1);
    expect(await listed({ 'country[in][]': [], limit: 1 })).toBe(1);
  });
});
