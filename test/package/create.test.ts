import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { parse } from 'yaml';
import { freePort } from '../../dev/free-port.ts';
import { MongodProcess } from '../../dev/mongod-process.ts';
import { mongodBinary } from '../support/database/own-mongod.ts';
import { until } from '../support/until.ts';
import { pack, Stranger, tarball } from './stranger.ts';

const root = join(import.meta.dirname, '../..');
let stranger: Stranger;
let app: Stranger;
let mongod: MongodProcess;
const children: ChildProcess[] = [];

beforeAll(async () => {
  stranger = await Stranger.make();
  const packed = await pack('create');
  const command = ['exec', '--yes', `--package=${packed}`, '--', 'create-koa-mongo-resource', 'my-shop'];
  const { code, output } = await stranger.run('npm', command);
  expect([code, output]).toEqual([
    0,
    expect.stringContaining('Wrote 20 files to my-shop. Next:\n\n  cd my-shop\n  npm install\n  npm run dev'),
  ]);
  app = stranger.within('my-shop');
  const manifest = JSON.parse(await read('package.json'));
  manifest.dependencies['koa-mongo-resource'] = tarball(); // the registry may not have this version
  await app.write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  await expectSuccess('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline']);
  mongod = await startMongod();
  await app.write('.env', (await read('.env.example')).replace(':27017', `:${mongod.port}`));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL'); // of a test that has failed
  await mongod.stop();
  await stranger.remove();
});

const read = (path: string) => readFile(join(app.folder, path), 'utf8');
const clean = { MONGODB_URI: undefined, PORT: undefined, NODE_ENV: undefined, DEV_TOKEN: undefined }; // what is in `.env` counts

async function expectSuccess(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, output } = await app.run(program, args, { ...clean, ...env });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${code}: ${output}`);
  return output;
}

/**
 * A mongod by the command of compose.yaml, but only on 127.0.0.1 and a free port, that its healthcheck has made a
 * replica set.
 */
async function startMongod(): Promise<MongodProcess> {
  const { mongo } = parse(await read('compose.yaml')).services;
  expect(mongo.command).toEqual(['--replSet', 'rs0', '--bind_ip_all']);
  await app.write('data/.gitkeep', '');
  const started = await MongodProcess.launch({ binary: await mongodBinary(), dbPath: join(app.folder, 'data'), replSet: 'rs0' });
  const [, , , , script] = mongo.healthcheck.test;
  const host = `127.0.0.1:${started.port}`;
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`);
  await until(async () => (await runInShell(client, script.replace('mongo:27017', host))) === 0);
  await client.close();
  return started;
}

/** Runs what mongosh would, with its objects by the driver; mongosh awaits by itself. Returns the exit status. */
async function runInShell(client: MongoClient, script: string): Promise<number> {
  const admin = client.db('admin');
  const rs = {
    status: () => admin.command({ replSetGetStatus: 1 }),
    initiate: (config: object) => admin.command({ replSetInitiate: config }),
  };
  const db = { hello: () => admin.command({ hello: 1 }) };
  let status = 0;
  const quit = (code: number) => {
    status = code;
  };
  const awaiting = script.replaceAll(/(rs\.\w+\(.*?\)(?= })|db\.\w+\(\))/g, '(await $1)');
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  await new AsyncFunction('rs', 'db', 'quit', awaiting)(rs, db, quit);
  return status;
}

/** Starts a server of the app, and returns its URL when it is there. */
async function serve(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = app.start(program, args, { ...clean, ...env });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  await until(() => /(?:Open|Serving) http/.test(output) || child.exitCode !== null);
  const [url = output] = /http:[^\s"]+(?=\/api["/])/.exec(output) ?? [];
  return { child, url, printed: () => output };
}

describe('npm create koa-mongo-resource', () => {
  it('says what it is for, refuses in a sentence, and has an exit status for each', async () => {
    const create = (...args: string[]) => stranger.run(process.execPath, [join(root, 'create/cli.js'), ...args]);
    expect(await create('--help')).toEqual({ code: 0, output: expect.stringContaining('Usage: npm create koa-mongo-resource [folder]') });
    expect(await create('my-shop')).toEqual({
      code: 1,
      output: expect.stringMatching(/ is not empty \(\.dockerignore, .*\), and nothing is overwritten/),
    });
    expect(await create()).toEqual({ code: 2, output: expect.stringContaining('Name a folder: npm create koa-mongo-resource my-app') });
    for (const args of [['a', 'b'], ['--folder', 'a'], ['']]) expect(await create(...args)).toMatchObject({ code: 2 });
  });
});

describe('the created app', () => {
  it('has types, no mistakes, code that its linter takes, and tests that pass on the replica set of compose.yaml', async () => {
    await expectSuccess('npm', ['run', 'types']);
    await expectSuccess('npm', ['run', 'lint']);
    expect(await expectSuccess('npm', ['run', 'check'])).toContain('No mistakes: notes.');
    const output = await expectSuccess('npm', ['test']);
    expect(output).toMatch(/^# pass 5$/m);
    expect(output).toMatch(/^# fail 0$/m);
  });

  it('plans and creates its indexes', async () => {
    expect(await app.run('npm', ['run', 'indexes'], clean)).toEqual({ code: 1, output: expect.stringContaining('Missing indexes: 3.') });
    await expectSuccess('npm', ['run', 'indexes', '--', '--apply']);
  });

  it('is built, served and ended as its Dockerfile does it, with the settings of compose.yaml', async () => {
    const dockerfile = (await read('Dockerfile')).replaceAll('\\\n', '');
    const [build = ''] = /(?<=^RUN ).*build/m.exec(dockerfile) ?? [];
    await expectSuccess('sh', ['-c', build]);
    const [probe = [], serving = []] = [...dockerfile.matchAll(/CMD (\[.*\])$/gm)].map(([, words = '']) => JSON.parse(words));
    const { app: service, release } = parse(await read('compose.yaml')).services;
    const env = {
      NODE_ENV: 'production', // of the Dockerfile
      MONGODB_URI: service.environment.MONGODB_URI.replace('mongo:27017/my_shop', `127.0.0.1:${mongod.port}/released`),
      PORT: String(await freePort()),
      HOST: '127.0.0.1',
    };
    expect(dockerfile).toMatch(/^ENV NODE_ENV=production /m);
    const [program, ...args] = serving;
    const { child, url, printed } = await serve(program, args, env);
    await expectSuccess(probe[0], probe.slice(1), env);
    const indexesOf = () => app.run(release.command[0], release.command.slice(1, -1), { ...clean, ...env });
    expect(await indexesOf()).toEqual({ code: 1, output: expect.stringContaining('Missing indexes: 3.') });
    await expectSuccess(release.command[0], release.command.slice(1), env);
    expect(await indexesOf()).toMatchObject({ code: 0 });
    const statuses = ['notes', 'docs', 'health/ready'].map((path) => fetch(`${url}/api/${path}`).then(({ status }) => status));
    expect(await Promise.all(statuses)).toEqual([401, 404, 200]);
    const headers = { authorization: 'Bearer dev-token' };
    expect((await fetch(`${url}/api/notes`, { headers })).status).toBe(401);
    await until(() => printed().includes('"status":404'));
    const lines = printed().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ msg: 'request', method: 'GET', path: '/api/notes', operation: 'list', status: 401, level: 40 }),
    );
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await app.run(probe[0], probe.slice(1), env)).toMatchObject({ code: 1 });
    const away = await serve(program, args, { ...env, MONGODB_URI: 'mongodb://127.0.0.1:1/x', PORT: String(await freePort()) });
    const paths = ['health/live', 'health/ready', 'openapi.json'];
    const answers = paths.map((path) => fetch(`${away.url}/api/${path}`).then(({ status }) => status));
    expect(await Promise.all(answers)).toEqual([200, 503, 200]);
    away.child.kill('SIGTERM');
    await once(away.child, 'exit');
    await expectSuccess('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline']); // what the build has pruned
  });

  it('is served by npm run dev, and again when its model changes', async () => {
    const port = String(await freePort());
    const { child, url, printed } = await serve(process.execPath, ['node_modules/tsx/dist/cli.mjs', 'watch', 'scripts/dev.ts'], {
      PORT: port,
    });
    const [, token = ''] = /Authorization: Bearer ([0-9a-f]{32})\n/.exec(printed()) ?? [];
    const titles = () =>
      fetch(`${url}/api/openapi.json`).then(
        async (response) => (await response.text()).includes('"subtitle"'),
        () => false,
      );
    expect(JSON.parse(await read('package.json')).scripts.dev).toBe('tsx watch scripts/dev.ts');
    expect(await titles()).toBe(false);
    expect((await fetch(`${url}/api/docs`)).status).toBe(200);
    const body = JSON.stringify({ title: 'Buy milk' });
    const send = (token: string) =>
      fetch(`${url}/api/notes`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      });
    expect([(await send('guess')).status, (await send('dev-token')).status]).toEqual([401, 401]);
    const created = await send(token);
    expect([created.status, await created.json()]).toMatchObject([201, { data: { title: 'Buy milk', done: false } }]);
    await app.write(
      'src/model.ts',
      (await read('src/model.ts')).replace('    text:', "    subtitle: t.string({ default: '' }),\n    text:"),
    );
    await until(titles);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  it.each([
    ['its port is no number', { PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535; it is "abc".'],
    ['its port is too large', { PORT: '65536' }, 'PORT must be a whole number from 0 to 65535; it is "65536".'],
    [
      'production has no database',
      { NODE_ENV: 'production', MONGODB_URI: '' },
      'Set MONGODB_URI: in production there is no default database.',
    ],
    [
      'production has the token of everybody',
      { NODE_ENV: 'production', DEV_TOKEN: 'dev-token' },
      'DEV_TOKEN must not be set in production: everybody who knows it would be let in.',
    ],
  ])('says in a sentence that %s, and ends with 1', async (_what, env, sentence) => {
    const bare = stranger.within('bare'); // without .env
    for (const path of ['package.json', ...['server', 'api', 'auth', 'log', 'model', 'settings'].map((name) => `src/${name}.ts`)])
      await bare.write(`${path}`, await read(path));
    await symlink(join(app.folder, 'node_modules'), join(bare.folder, 'node_modules')).catch(() => undefined);
    const run = bare.run(process.execPath, ['--import', 'tsx', 'src/server.ts'], { ...clean, ...env });
    expect(await run).toEqual({ code: 1, output: `${sentence}\n` });
  });

  it('says in a sentence that there is no database, that its port is taken, or that its definition has a mistake', async () => {
    const server = ['--import', 'tsx', 'src/server.ts'];
    const away = { MONGODB_URI: 'mongodb://127.0.0.1:1/x' };
    const ends = await Promise.all(
      ['src/server.ts', 'scripts/db.ts'].map((script) => app.run(process.execPath, ['--import', 'tsx', script], away)),
    );
    expect(ends).toEqual([
      { code: 1, output: expect.stringMatching(/^The server cannot start: .*does not answer.*\n$/) },
      { code: 1, output: expect.stringMatching(/^No MongoDB answers at MONGODB_URI\. Set MONGODB_URI.*\n$/) },
    ]);
    const taken = { ...clean, PORT: String(mongod.port) };
    const onTaken = await app.run(process.execPath, server, taken);
    expect(onTaken).toEqual({
      code: 1,
      output: `The server cannot start: port ${mongod.port} is taken. Set PORT to another one, in .env or in the environment.\n`,
    });
    await app.write('src/model.ts', (await read('src/model.ts')).replace('minLength', 'minLenght'));
    expect(await app.run(process.execPath, server, clean)).toEqual({
      code: 1,
      output: expect.stringMatching(/^The server cannot start: Model `Note`: .*did you mean `minLength`\?.*\n$/),
    });
  });
});
