import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../../dev/free-port.ts';
import { reportApi, staleFiles } from '../../release/api-report.ts';
import { untilAnswered } from './processes.ts';
import { Stranger, tarball } from './stranger.ts';

/**
 * What docs/about/compatibility.md promises. A file or two more is no reason to raise them; find out what was added.
 */
const most = { packedBytes: 2_000_000, files: 1_750, packages: 13, declarationPackages: 18, loadedBytes: 0.9, loadedModules: 0.6 };

let stranger: Stranger;
let folder: string;
let paths: string[];
beforeAll(async () => {
  stranger = await Stranger.install({ dependencies: { koa: '^3.3.0', '@koa/router': '^15.0.0', mongodb: '^7.0.0', tsx: '^4.23.0' } });
  folder = join(stranger.folder, 'node_modules/koa-mongo-resource');
  paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
});
afterAll(() => stranger.remove());

describe('the tarball', () => {
  it('is no larger than the docs say', () => {
    expect(statSync(tarball().replace('file:', '')).size).toBeLessThan(most.packedBytes);
    expect(paths.length).toBeLessThan(most.files);
    expect(paths.length).toBeGreaterThan(most.files * 0.8); // else the docs promise too little
  });

  it('has of all declarations only those that an entry point leads to, and the sources of all maps', () => {
    const maps = paths.filter((path) => path.endsWith('.map'));
    const sources = maps.flatMap((map) =>
      (JSON.parse(readFileSync(map, 'utf8')).sources as string[]).map((source) => join(dirname(map), source)),
    );
    expect(new Set(sources).size).toBeGreaterThan(500);
    expect(sources.filter((source) => !existsSync(source))).toEqual([]);
    const declared = paths.filter((path) => path.endsWith('.d.ts'));
    expect(declared.filter((path) => !existsSync(`${path}.map`))).toEqual([]);
    const imports = (path: string) =>
      Array.from(readFileSync(path, 'utf8').matchAll(/(?:from |import\()["'](\.[^"']*)\.ts["']/g), ([, to = '']) =>
        join(dirname(path), `${to}.d.ts`),
      );
    const entries = Object.values(
      JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).exports as Record<string, { types?: string }>,
    );
    const reached = new Set(entries.flatMap(({ types }) => (types === undefined ? [] : [join(folder, types)])));
    for (const path of reached) for (const to of imports(path)) reached.add(to); // a set is walked with what is added meanwhile
    expect([...reached].sort()).toEqual(declared.sort());
  });

  it('exports what release/api says: `npm run api-report` writes it anew', async () => {
    expect(await staleFiles(reportApi(folder))).toEqual([]);
  });

  it('has examples that start, with a MongoDB of one’s own', async () => {
    const port = await freePort();
    const env = { MONGODB_URI: process.env.MONGODB_URI, PORT: String(port) };
    const args = ['--import', 'tsx', 'node_modules/koa-mongo-resource/examples/minimal.ts'];
    const { code, output } = await stranger.run(process.execPath, args, { ...env, MONGODB_URI: undefined });
    expect([code, output]).toEqual([1, 'Set MONGODB_URI to a MongoDB, such as mongodb://127.0.0.1:27017.\n']);
    const example = stranger.start(process.execPath, args, env);
    try {
      const answer = await untilAnswered(example, () => fetch(`http://127.0.0.1:${port}/notes?limit=1`));
      expect(answer.status).toBe(200);
    } finally {
      example.kill('SIGTERM');
    }
  });
});

describe('an installation', () => {
  /** What npm would install, without doing so. */
  async function lock(...commands: string[][]): Promise<{ name: string; hasInstallScript?: true }[]> {
    const app = await Stranger.make();
    try {
      await app.write('package.json', '{"private":true}');
      for (const [program = '', ...args] of commands) {
        const { code, output } = await app.run(program, args);
        if (code !== 0) throw new Error(output);
      }
      const { packages } = JSON.parse(readFileSync(join(app.folder, 'package-lock.json'), 'utf8'));
      return Object.entries<object>(packages).flatMap(([path, locked]) =>
        path === '' ? [] : [{ ...locked, name: path.replace(/^.*node_modules\//, '') }],
      );
    } finally {
      await app.remove();
    }
  }
  const install = (...names: string[]) => ['npm', 'install', '--package-lock-only', '--no-audit', '--no-fund', ...names];

  it('adds a few packages to those of an app that has Koa, a router and the driver, and none of them has an install script', async () => {
    const without = await lock(install('koa@3', '@koa/router@15', 'mongodb@7'));
    const added = await lock(install('koa@3', '@koa/router@15', 'mongodb@7', tarball()));
    const names = new Set(without.map(({ name }) => name));
    const more = added.filter(({ name }) => !names.has(name));
    const declarations = more.filter(({ name }) => /^(?:@types\/|undici-types$)/.test(name));
    expect(more.length - declarations.length).toBeLessThanOrEqual(most.packages);
    expect(declarations.length).toBeLessThanOrEqual(most.declarationPackages);
    expect(added.filter(({ hasInstallScript }) => hasInstallScript)).toEqual([]);
  });

  it('of the docs page has an install script, unless the app overrides it as the docs say', async () => {
    const page = install('koa@3', 'mongodb@7', tarball(), 'swagger-ui-dist@5');
    const [, override = ''] =
      /^npm pkg set "(overrides\.[^"]+)"$/m.exec(readFileSync(join(folder, 'docs/reference/openapi.md'), 'utf8')) ?? [];
    const scripts = async (...commands: string[][]) =>
      (await lock(...commands)).filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    expect(await scripts(page)).toEqual(['@scarf/scarf']); // else the override is no longer needed
    expect(await scripts(['npm', 'pkg', 'set', override], page)).toEqual([]);
  });
});

describe('an import', () => {
  it('loads less code than Koa, a router and the driver together', () => {
    const program = `import { Session } from 'node:inspector';
const session = new Session();
const loaded = [];
session.connect();
session.on('Debugger.scriptParsed', ({ params: { url, length } }) => url.startsWith('file:') && loaded.push(length));
session.post('Debugger.enable');
const sum = () => ({ bytes: loaded.splice(0), get total() { return this.bytes.reduce((a, b) => a + b, 0); } });
sum();
for (const name of ['koa', '@koa/router', 'mongodb']) await import(name);
const theirs = sum();
await import('koa-mongo-resource');
const ours = sum();
console.log(JSON.stringify({ bytes: ours.total / theirs.total, modules: ours.bytes.length / theirs.bytes.length }));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: stranger.folder, encoding: 'utf8' });
    const ratio = JSON.parse(said) as { bytes: number; modules: number };
    expect(ratio.bytes).toBeLessThan(most.loadedBytes);
    expect(ratio.bytes).toBeGreaterThan(0.2); // it has been loaded
    expect(ratio.modules).toBeLessThan(most.loadedModules);
  });
});
