import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../dev/free-port.ts';
import { createShop } from '../../examples/orders/api.ts';
import { applyIndexes } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { blocksOf, root } from '../support/docs/pages.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { generated, generators, runScript } from './generators.ts';

// The clients and programs of docs/clients/generated.md, which `start.ts` has written.
const made = { 'Hey API': 'hey-api/sdk.gen.ts', orval: 'orval/shop.ts', Kubb: 'kubb/shop.ts' };
const examples = readdirSync(generated).filter((name) => name !== 'tanstack-query' && name !== 'live-lists');
const read = (...path: string[]) => readFileSync(join(generated, ...path), 'utf8');

const database = useDatabase();
const serve = useServer();
let shop: TestServer;
let customerId: string;

beforeAll(async () => {
  const api = createShop(database.db);
  await applyIndexes(api);
  shop = await serve(api.routes());
  const customer = { body: { name: 'Dora', email: 'dora@example.org' }, headers: { authorization: 'Bearer root-token' } };
  customerId = (await shop.request('POST', '/api/customers', customer)).body.data.id;
});

it('the page installs the versions that are tested', () => {
  const { dependencies } = JSON.parse(readFileSync(join(generators, 'package.json'), 'utf8'));
  const installed = blocksOf('docs/clients/generated.md').flatMap(({ code }) => [...code.matchAll(/ ((?:@[\w-]+\/)?[\w-]+)@([\d.]+)/g)]);
  const ofKubb = { '@kubb/cli': dependencies['@kubb/core'] }; // the command only, which CI does not use
  const known = { ...dependencies, ...ofKubb, typescript: dependencies.typescript.split('.')[0] };
  expect(installed.map(([, name = '', version]) => [name, version])).toEqual(installed.map(([, name = '']) => [name, known[name]]));
  expect(installed).toHaveLength(8);
});

it('the page shows parts of the programs that it names', () => {
  const programs = ['with-orval.ts', 'with-kubb.ts'].map((name) => readFileSync(join(root, 'examples/clients', name), 'utf8'));
  const parts = blocksOf('docs/clients/generated.md').filter(({ language, file }) => language === 'ts' && file === undefined);
  expect(parts.map(({ code }, index) => code.split('\n\n').filter((part) => !programs[index]?.includes(part.trim())))).toEqual([[], []]);
});

const compiler = join(generators, 'node_modules/typescript-newest/bin/tsc');
describe('the compiler', () => {
  it.each([
    ['the clients of all examples and the programs of the pages', 'tsconfig.json'],
    ['the configurations of the page', 'tsconfig.configs.json'],
  ])('accepts %s', async (_what, project) => {
    expect(await runScript(compiler, '--project', join(generators, project))).toBe('');
  });
});

it('with `exactOptionalPropertyTypes`, it refuses what is of Hey API, and nothing else', async () => {
  const refused = await runScript(compiler, '--project', generators, '--exactOptionalPropertyTypes').catch(({ message }: Error) => message);
  const files = [...refused.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !file.includes('hey-api'))).toEqual([]);
});

describe.each(Object.entries(made))('what %s generates', (_generator, file) => {
  it.each(examples)('has a function for each operation of the document of %s', (example) => {
    const operations = [...read(example, 'shop.json').matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
    expect(operations.length).toBeGreaterThan(0);
    const functions = new Set([...read(example, file).matchAll(/^export (?:const|async function) (\w+)/gm)].map(([, name]) => name));
    expect(operations.filter((id) => !functions.has(id))).toEqual([]);
  });
});

it('Kubb loses the null of items of arrays, as the page says', () => {
  expect(read('every-builder/kubb/models.ts')).toContain('grid?: number[][];');
});

describe.each([
  ['Hey API', 'with-hey-api'],
  ['orval', 'with-orval'],
  ['Kubb', 'with-kubb'],
])('the program for %s', (generator, name) => {
  let program: Any;
  beforeAll(async () => {
    program = await import(join(generated, 'orders', `${name}.ts`));
    program.connect(`http://127.0.0.1:${shop.port}`, 'ann-token');
  });
  const place = (number: string, total: string) => program.place({ number: `${generator}-${number}`, total, customerId });
  const failureOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'nothing was thrown',
      (error: unknown) => error,
    );

  it('places an order, and reads it with its customer', async () => {
    const { order, etag } = await place('1', '1.10');
    expect(etag).toBe('"0"');
    expect(await program.find(order.id)).toEqual({ ...order, customer: expect.objectContaining({ name: 'Dora' }) });
  });

  it('changes an order only if nobody else has changed it', async () => {
    const { order, etag } = await place('2', '1.10');
    expect(await program.pay(order.id, etag)).toMatchObject({ status: 'paid', revision: 1 });
    expect(await program.pay(order.id, etag)).toBeUndefined();
  });

  it('reads a list by operators, in the order of the sort, page by page to the end', async () => {
    for (const total of ['100.5', '99.99', '300', '1e2', '200']) await place(`list-${total}`, total);
    const found: string[] = [];
    for await (const order of program.open('100')) if (order.number.startsWith(generator)) found.push(order.total);
    expect(found).toEqual(['300', '200', '100.5', '1E+2']);
  });

  it('knows an order that is not there', async () => {
    expect(await program.find('f'.repeat(24))).toBeUndefined();
  });

  it('throws the problem of a refused order, with the fields that are wrong', async () => {
    const error = await failureOf(place('3', 'much'));
    expect(error).toBeInstanceOf(program.RefusedError);
    expect(error).toMatchObject({ problem: { status: 422, code: 'validation_failed', errors: [{ field: 'total', rule: 'type' }] } });
  });

  it('throws something else if the service does not answer', async () => {
    program.connect(`http://127.0.0.1:${await freePort()}`, 'ann-token');
    expect(await failureOf(place('4', '1'))).not.toBeInstanceOf(program.RefusedError);
  });
});
