import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { namesOf } from '../../create/names.js';
import { writeApp } from '../../create/write-app.js';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const readJson = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'));
const readTemplate = (path: string) => readFile(join(root, 'create/template', path), 'utf8');
const folder = useTemporaryFolder();
const names = { name: 'shop', database: 'shop' };

describe('namesOf()', () => {
  it.each([
    ['my-app', 'my-app', 'my_app'],
    ['My App', 'my-app', 'my_app'],
    ['Café.Zürich', 'cafe.zurich', 'cafe_zurich'],
    ['.hidden_', 'hidden', 'hidden'],
    ['admin', 'admin', 'admin_app'],
    ['x'.repeat(120), 'x'.repeat(100), 'x'.repeat(60)],
  ])('calls the package and the database of %j %j and %j', (base, name, database) => {
    expect(namesOf(`/somewhere/${base}`)).toEqual({ name, database });
  });

  it.each(['日本', '...', 'koa', 'MongoDB', 'node_modules'])('refuses the folder %j, in a sentence', (base) => {
    expect(() => namesOf(`/somewhere/${base}`)).toThrow(/^The package is named after its folder, and .*: choose another (?:one|folder)\.$/);
  });

  it('refuses the name of every package that the app depends on', async () => {
    const { dependencies, devDependencies } = await readJson('create/template/package.json');
    const all = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !name.startsWith('@'));
    for (const name of all) expect(() => namesOf(`/${name}`)).toThrow();
  });
});

describe('writeApp()', () => {
  it('renames once, also where one name holds the other', async () => {
    const target = join(folder.path, 'twice');
    await writeApp(target, { name: 'my_app.v2', database: 'my_app_v2' });
    expect(JSON.parse(await readFile(join(target, 'package.json'), 'utf8')).name).toBe('my_app.v2');
  });

  it('writes the app with its names into a new folder', async () => {
    const target = join(folder.path, 'new/shop');
    const written = await writeApp(target, names);
    expect(written.map((path) => path.slice(target.length + 1)).sort()).toEqual([
      '.dockerignore',
      '.env.example',
      '.github/workflows/ci.yml',
      '.gitignore',
      'Dockerfile',
      'README.md',
      'biome.json',
      'compose.yaml',
      'package.json',
      'scripts/db.ts',
      'scripts/dev.ts',
      'src/api.ts',
      'src/auth.ts',
      'src/log.ts',
      'src/model.ts',
      'src/server.ts',
      'src/settings.ts',
      'test/notes.test.ts',
      'tsconfig.build.json',
      'tsconfig.json',
    ]);
    const texts = await Promise.all(written.map((path) => readFile(path, 'utf8')));
    expect(texts.join('')).not.toMatch(/my[-_]app/);
    expect(JSON.parse(await readFile(join(target, 'package.json'), 'utf8')).name).toBe('shop');
  });

  it('takes an empty folder and a new Git repository', async () => {
    const target = join(folder.path, 'repository');
    await mkdir(join(target, '.git'), { recursive: true });
    expect(await writeApp(target, names)).toHaveLength(20);
  });

  it('refuses a file, and a folder that is not empty, and writes nothing there', async () => {
    const target = join(folder.path, 'full');
    await mkdir(target);
    await writeFile(join(target, 'README.md'), 'mine');
    await expect(writeApp(target, names)).rejects.toThrow(
      `${target} is not empty (README.md), and nothing is overwritten: name a new or empty folder.`,
    );
    await expect(writeApp(join(target, 'README.md'), names)).rejects.toThrow('README.md is a file: name a new or empty folder.');
    expect(await readdir(target)).toEqual(['README.md']);
  });
});

describe('the created app', () => {
  it('depends on this version of the library, and on the versions that it is tested with', async () => {
    const [own, ours, app] = await Promise.all(['create/package.json', 'package.json', 'create/template/package.json'].map(readJson));
    expect(own.version).toBe(ours.version);
    const { 'koa-mongo-resource': library, ...others } = { ...app.dependencies, ...app.devDependencies };
    expect(library).toBe(`^${ours.version}`);
    const known = { ...ours.dependencies, ...ours.devDependencies };
    const majorOf = (range: string) => range.replace(/^[\^~]/, '').split('.')[0];
    for (const [name, range] of Object.entries<string>(others)) expect([name, majorOf(range)]).toEqual([name, majorOf(known[name])]);
  });

  it('has one URI for its machine in the settings and in .env.example, and the ports of compose.yaml', async () => {
    const [settings, example, compose] = await Promise.all(['src/settings.ts', '.env.example', 'compose.yaml'].map(readTemplate));
    const [uri] = /mongodb:[^']+/.exec(settings as string) ?? [];
    expect(example).toContain(`MONGODB_URI=${uri}\n`);
    const { mongo, release, app } = parse(compose as string).services;
    expect([mongo.ports, app.ports]).toEqual([['127.0.0.1:27017:27017'], ['127.0.0.1:3000:3000']]);
    expect(uri).toContain('127.0.0.1:27017');
    expect(release.depends_on).toEqual({ mongo: { condition: 'service_healthy' } });
    expect(app.depends_on).toEqual({ release: { condition: 'service_completed_successfully' } });
    expect(release.environment).toEqual(app.environment);
  });

  it('is checked on GitHub by its own scripts, with the replica set of compose.yaml', async () => {
    const { scripts } = await readJson('create/template/package.json');
    const { services } = parse(await readTemplate('compose.yaml'));
    const { jobs, permissions } = parse(await readTemplate('.github/workflows/ci.yml'));
    const runs: string[] = jobs.test.steps.flatMap(({ run }: { run?: string }) => run ?? []);
    expect(permissions).toEqual({ contents: 'read' });
    expect(runs).toEqual([
      'npm ci',
      ...['lint', 'types', 'check'].map((name) => `npm run ${name}`),
      'docker compose up --detach --wait mongo',
      'npm test',
      'npm run build',
    ]);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['lint', 'types', 'check', 'test', 'build']));
    expect(services).toHaveProperty('mongo.healthcheck');
  });

  it('runs in its container as another user than root, with node as the process that gets signals', async () => {
    const instructions = (await readTemplate('Dockerfile')).replaceAll('\\\n', '').split('\n');
    expect(instructions.filter((line) => line.startsWith('USER'))).toEqual(['USER node']);
    const commands = instructions
      .filter((line) => /(?:^| )CMD /.test(line) && !line.startsWith('#'))
      .map((line) => JSON.parse(line.slice(line.indexOf('CMD ') + 4)));
    expect(commands).toEqual([
      ['node', '-e', expect.stringContaining('/api/health/live')],
      ['node', 'dist/server.js'],
    ]);
    const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'src'];
    const copied = instructions.filter((line) => /^COPY (?!--from)/.test(line)).flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied).toEqual(files);
    expect(parse(await readTemplate('compose.yaml')).services.app.init).toBe(true);
  });
});
