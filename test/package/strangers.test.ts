import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../dev/free-port.ts';
import { app } from './schemas-app.ts';
import { Stranger } from './stranger.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const compilers = ['typescript-5.6', 'typescript-newest'];
const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const nodes = { 22: '22.23.0', 24: '24.9.0' };

/** The README's first program, as somebody copies it. */
const [, readme = ''] = /```ts\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
/** What a library exports is written into its declarations. */
const exported = readme.replaceAll(/^const (?=Note|notebook|notes|api)/gm, 'export const ');

/** The examples: definitions of every kind, and no server. */
const examples = ['orders', 'custom-operations', 'middleware-only', 'answering-with-errors'].flatMap((folder) =>
  readdirSync(join(root, 'examples', folder))
    .filter((name) => name.endsWith('.ts') && name !== 'server.ts') // not the data of one that was started
    .map((name) => `examples/${folder}/${name}`),
);

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  declaration: true,
  outDir: 'out',
};

const modules = [
  { name: 'nodenext', compilerOptions: { module: 'nodenext' } },
  { name: 'a bundler', compilerOptions: { module: 'esnext', moduleResolution: 'bundler' } },
];

/**
 * The data providers of admin interfaces. The test of `examples/admin` compiles them with the types of their
 * frameworks.
 */
const admin = `import { dataProvider, type HttpError } from 'koa-mongo-resource/react-admin';
import { dataProvider as refineProvider } from 'koa-mongo-resource/refine';
const provider = dataProvider('/api', { headers: { authorization: 'Bearer a' }, credentials: 'include', fetch });
export const page = await provider.getList<{ id: string; total: string }>('orders', { filter: { total_gte: 5 } });
export const first: string | undefined = page.data[0]?.total;
export const errors = (error: HttpError): string | undefined => error.errors?.['shipTo.city'];
export const record = await refineProvider('/api').getOne<{ id: string }>({ resource: 'orders', id: 1 });
`;

/** The client of live lists, with types as openapi-typescript writes them. */
const liveClient = `import { live, type Live, type LiveList, type Problem } from 'koa-mongo-resource/client';
interface Order { id: string; total: string }
interface paths { '/orders': { get: { responses: { 200: { content: { 'application/json': { data: Order[]; page: { size: number } } } } } } } }
export const orders = live<paths, '/orders'>('/orders', { headers: { authorization: 'Bearer a' }, onChange: ({ data }) => data[0]?.total, fetch });
export const untyped: Live<LiveList<Order>> = live('/orders', { onChange: ({ data }: LiveList<Order>) => data });
export const codeOf = ({ code }: Problem): string | undefined => code;
`;

let stranger: Stranger;
beforeAll(async () => {
  stranger = await Stranger.install({
    dependencies: {
      koa: '^3.3.0',
      mongodb: '^7.0.0',
      '@koa/router': '^15.0.0',
      zod: '^4.6.7',
      '@types/node': '^20.19.0',
      'typescript-5.6': 'npm:typescript@5.6.3',
      'typescript-newest': 'npm:typescript@7.0.2',
      ...Object.fromEntries(Object.entries(nodes).map(([major, version]) => [`node-${major}`, `npm:node-${platform}@${version}`])),
    },
    files: {
      'app.ts': exported,
      'admin.ts': admin,
      'client.ts': liveClient,
      'schemas.ts': app,
      ...Object.fromEntries(examples.map((path) => [path, read(path)])),
    },
  });
});
afterAll(() => stranger.remove());

const compile = (compiler: string, project: string) =>
  stranger.run(process.execPath, [`node_modules/${compiler}/bin/tsc`, '--project', project]);

describe.each(compilers)('under %s, with declarations and without skipLibCheck', (compiler) => {
  it.each(modules)('the README, the examples and the types of schemas compile for $name', async ({ name, compilerOptions }) => {
    const project = `${name.replaceAll(' ', '-')}.json`;
    const options = { ...strict, ...compilerOptions, emitDeclarationOnly: true, allowImportingTsExtensions: true };
    await stranger.write(
      project,
      JSON.stringify({ compilerOptions: options, include: ['app.ts', 'admin.ts', 'client.ts', 'schemas.ts', 'examples'] }),
    );
    expect(await compile(compiler, project)).toEqual({ code: 0, output: '' });
  });
});

describe('the package', () => {
  it('is loaded as two modules, and a single middleware as one', async () => {
    const dist = join(stranger.folder, 'node_modules/koa-mongo-resource/dist');
    const imports = (file: string) => readFileSync(join(dist, file), 'utf8').match(/from '\.[^']*'/g) ?? [];
    expect(new Set(imports('index.js'))).toEqual(new Set(["from './shared.js'"]));
    expect(imports('shared.js')).toEqual([]);
    for (const file of readdirSync(join(dist, 'middleware')).filter((name) => name.endsWith('.js')))
      expect(imports(`middleware/${file}`)).toEqual(["from '../shared.js'"]);
  });

  it('has providers and a client for browsers that load nothing of the server', () => {
    const dist = join(stranger.folder, 'node_modules/koa-mongo-resource/dist');
    const imports = (file: string) => readFileSync(join(dist, file), 'utf8').match(/from '[^']*'/g) ?? [];
    for (const file of ['react-admin.js', 'refine.js']) expect(new Set(imports(file))).toEqual(new Set(["from './records.js'"]));
    for (const file of ['records.js', 'client.js']) expect(imports(file)).toEqual([]);
  });

  it('names the lines of its sources in stack traces', async () => {
    await stranger.write(
      'trace.js',
      "import { defineModel } from 'koa-mongo-resource';\ntry { defineModel(1); } catch (error) { console.log(error.stack); }\n",
    );
    const { code, output } = await stranger.run(process.execPath, ['--enable-source-maps', 'trace.js']);
    expect(code).toBe(0);
    expect(output).toMatch(/koa-mongo-resource\/src\/model\/define\/define-model\.ts:\d+/);
  });

  it.each([
    [
      'a CommonJS file',
      'index.cts',
      "import { defineModel, t } from 'koa-mongo-resource';\nexport const A = defineModel('A', { collection: 'a', fields: { n: t.int() } });\n",
    ],
  ])('compiles in %s', async (_what, path, text) => {
    await stranger.write(path, text);
    await stranger.write('commonjs.json', JSON.stringify({ compilerOptions: { ...strict, module: 'nodenext' }, files: [path] }));
    expect(await compile('typescript-newest', 'commonjs.json')).toEqual({ code: 0, output: '' });
  });

  const programs = { '20': process.execPath, '22': 'node_modules/node-22/bin/node', '24': 'node_modules/node-24/bin/node' };
  describe.each(Object.entries(programs))('under Node %s', (_version, node) => {
    it.each([
      [
        'import',
        'import.mjs',
        "import * as all from 'koa-mongo-resource';\nimport { guards } from 'koa-mongo-resource/middleware/guards';\n",
      ],
      [
        'require',
        'require.cjs',
        "const all = require('koa-mongo-resource');\nconst { guards } = require('koa-mongo-resource/middleware/guards');\n",
      ],
    ])('is taken by `%s` in plain JavaScript', async (_how, path, text) => {
      await stranger.write(path, `${text}console.log(typeof all.defineModel, all.guards === guards);\n`);
      const { code, output } = await stranger.run(node, [path]);
      expect([code, output]).toEqual([0, expect.stringContaining('function true\n')]);
    });

    it('runs the README’s example, and ends on SIGTERM', async () => {
      const port = await freePort();
      const uri = process.env.MONGODB_URI ?? '';
      const text = exported
        .replace('mongodb://127.0.0.1:27017', uri)
        .replace("client.db('minimal')", `client.db('package_${randomBytes(4).toString('hex')}')`)
        .replace('listen(3000)', `listen(${port})`);
      await stranger.write('run/app.ts', text);
      const project = {
        compilerOptions: { ...strict, module: 'nodenext', rootDir: 'run', outDir: 'run', skipLibCheck: true },
        files: ['run/app.ts'],
      };
      await stranger.write('run.json', JSON.stringify(project));
      expect(await compile('typescript-newest', 'run.json')).toEqual({ code: 0, output: '' });
      const app = stranger.start(node, ['run/app.js']);
      try {
        const created = await untilAnswered(() =>
          fetch(`http://127.0.0.1:${port}/notes`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{"title":"a"}',
          }),
        );
        expect([created.status, await created.json()]).toEqual([
          201,
          { data: expect.objectContaining({ title: 'a', done: false, revision: 0 }) },
        ]);
      } finally {
        app.kill('SIGTERM');
      }
      expect(await once(app, 'exit')).toEqual([0, null]);
    });
  });
});

/** Until the server listens. */
async function untilAnswered(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50)); // the README's program does not say when it listens
    }
  }
}
