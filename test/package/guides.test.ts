import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { freePort } from '../../dev/free-port.ts';
import { exchangesOf, Player } from '../guides/parts/exchanges.ts';
import { mongodBinary } from '../support/database/own-mongod.ts';
import { filesOf, root } from '../support/docs/pages.ts';
import { send } from '../support/http/serve.ts';
import { untilAnswered } from './processes.ts';
import { Stranger } from './stranger.ts';

/** The guides whose packages the repository does not have, each in a folder of one project. */
const guides = { testing: 'docs/guides/testing.md', mongoose: 'docs/guides/beside-mongoose.md', feathers: 'docs/guides/from-feathers.md' };
const at = (path: string) => join(root, 'node_modules', path);
const compilerOptions = {
  strict: true,
  module: 'nodenext',
  target: 'es2023',
  types: ['node'],
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
};

/** Serves the app of `createApp`, which a module makes of a database. */
const serving = (code: string) => `import { MongoClient } from 'mongodb';
const { MONGODB_URI = '', DATABASE, PORT } = process.env;
${code}
`;
const serveFeathers = serving(`import { createApp } from './app.ts';
const client = await MongoClient.connect(MONGODB_URI);
await createApp(client.db(DATABASE)).listen(Number(PORT), '127.0.0.1');`);

const tryMongoose = `import mongoose from 'mongoose';
import { createApi } from './api.ts';
import { Task } from './task.ts';
await mongoose.connect(process.env.MONGODB_URI ?? '', { dbName: process.env.DATABASE ?? '' });
const api = createApi();
const said: unknown[] = [];
const patch = async (id: unknown, revision: number) => {
  const headers = { 'content-type': 'application/json', 'if-match': \`"\${revision}"\` };
  const request = new Request(\`http://in-process/api/tasks/\${id}\`, { method: 'PATCH', headers, body: '{"done":true}' });
  const response = await api.fetch(request);
  return [response.status, response.headers.get('etag')];
};
const task = await Task.create({ title: 'Buy milk' });
said.push(await patch(task.id, 0));
task.title = 'Buy bread';
said.push(await task.save().then(() => 'saved', (error: Error) => error.name));
const again = await Task.findById(task.id);
again!.title = 'Buy bread';
await again!.save();
said.push(again!.get('revision'), await patch(task.id, 1));
await Task.updateOne({ _id: task.id }, { title: 'Buy cheese' });
await Task.findOneAndUpdate({ _id: task.id }, { $set: { done: false } });
await Task.updateMany({}, { title: 'Buy cheese' });
said.push(await patch(task.id, 2), (await Task.findById(task.id))!.get('revision'));
await Task.replaceOne({ _id: task.id }, { title: 'Buy cheese' });
await Task.bulkWrite([{ updateOne: { filter: { _id: task.id }, update: { done: true } } }]);
said.push(await patch(task.id, 5), await patch(task.id, 7));
await Task.updateOne({ title: 'Buy salt' }, { $set: { done: true } }, { upsert: true });
const { id: made } = (await Task.findOne({ title: 'Buy salt' }))!;
await Task.updateOne({ title: 'Buy salt' }, { $set: { done: false } }, { upsert: true });
said.push(await patch(made, 0), await patch(made, 1));
const response = await api.fetch(new Request('http://in-process/api/tasks?title=Buy%20cheese'));
said.push(((await response.json()) as { data: object[] }).data.length);
await mongoose.connection.db!.dropDatabase();
await mongoose.disconnect();
console.log(JSON.stringify(said));
`;

const database = `package_${randomBytes(4).toString('hex')}`;
const uri = () => process.env.MONGODB_URI ?? '';

const tsconfig = (include: readonly string[]) => JSON.stringify({ compilerOptions, include, exclude: ['**/*.config.ts'] });
const filesIn = (folder: keyof typeof guides) =>
  Object.fromEntries(Object.entries(filesOf(guides[folder])).map(([name, text]) => [`${folder}/${name}`, text]));

let stranger: Stranger;
/** Apart, because Feathers and mongoose 8 need version 6 of the driver. */
let ofFeathers: Stranger;
beforeAll(async () => {
  const common = { koa: '^3.3.0', '@types/node': '^20.19.0' };
  const runners = { vitest: '4.1.12', jest: '30.5.2', '@jest/globals': '30.5.2', '@swc/core': '1.16.18', '@swc/jest': '0.2.39' };
  stranger = await Stranger.install({
    dependencies: { ...common, ...runners, mongodb: '7.9.0', mongoose: '9.12.1', 'mongodb-memory-server': '11.3.0' },
    files: {
      ...filesIn('testing'),
      ...filesIn('mongoose'),
      'mongoose/try.ts': tryMongoose,
      'tsconfig.json': tsconfig(['testing', 'mongoose']),
    },
  });
  const packages = ['@feathersjs/feathers', '@feathersjs/koa', '@feathersjs/mongodb'];
  ofFeathers = await Stranger.install({
    dependencies: { ...common, mongodb: '6.20.0', mongoose: '8.24.10', ...Object.fromEntries(packages.map((name) => [name, '5.0.50'])) },
    files: {
      ...filesIn('feathers'),
      ...filesIn('mongoose'),
      'feathers/serve.ts': serveFeathers,
      'mongoose/try.ts': tryMongoose,
      'tsconfig.json': tsconfig(['feathers', 'mongoose']),
    },
  });
}, 600_000); // two installations, from wherever the registry is
afterAll(() => Promise.all([stranger?.remove(), ofFeathers?.remove()]));

const tsx = ['--import', at('tsx/dist/esm/index.mjs')];
const env = () => ({ MONGODB_URI: uri(), DATABASE: database });

describe('the guides with packages of their own', () => {
  it('compile strictly', async () => {
    for (const project of [stranger, ofFeathers])
      expect(await project.run(process.execPath, [at('typescript-newest/bin/tsc')])).toEqual({ code: 0, output: '' });
  });

  it.each([8, 9])('beside mongoose %i: neither overwrites the other', async (version) => {
    const project = version === 8 ? ofFeathers : stranger;
    const { code, output } = await project.run(process.execPath, [...tsx, 'mongoose/try.ts'], env());
    expect([code, output]).toEqual([0, expect.stringMatching(/^\[.*\]\n$/)]);
    const updated = [[412, null], 5, [412, null], [200, '"8"'], [412, null], [200, '"2"']];
    expect(JSON.parse(output)).toEqual([[200, '"1"'], 'VersionError', 2, [412, null], ...updated, 1]);
  });

  it('from Feathers: both answer as the page shows, and Feathers steps the revision', async () => {
    const client = await MongoClient.connect(uri());
    const port = await freePort();
    const app = ofFeathers.start(process.execPath, [...tsx, 'feathers/serve.ts'], { ...env(), PORT: String(port) });
    try {
      await untilAnswered(app, () => send(port, 'GET', '/messages'));
      for (const [text, likes] of Object.entries({ Hello: 3, World: 7, None: 0 }))
        await send(port, 'POST', '/messages', { body: { text, likes } });
      const player = new Player(port);
      await player.playAll(exchangesOf(guides.feathers));
      const id = player.known.get('6b01b4bf4ace1bf9239ebee2');
      expect((await send(port, 'PATCH', `/messages/${id}`, { body: { likes: 8 } })).body).toMatchObject({ likes: 8, revision: 1 });
      expect((await send(port, 'PATCH', `/messages/${id}`, { body: { likes: 8, revision: 0 } })).body).toMatchObject({ revision: 2 });
      expect((await send(port, 'PUT', `/messages/${id}`, { body: { text: 'World', likes: 9 } })).status).toBe(405);
      const forged = await send(port, 'POST', '/messages', { body: { text: 'Forged', likes: 0, revision: 'x' } });
      expect(forged.body).toMatchObject({ text: 'Forged', revision: 0 });
      const stale = await send(port, 'PATCH', `/v2/messages/${id}`, { headers: { 'if-match': '"0"' }, body: { likes: 9 } });
      expect(stale.status).toBe(412);
    } finally {
      app.kill();
      await client.db(database).dropDatabase();
      await client.close();
    }
  });

  describe('testing', () => {
    const installed = (path: string) => join(stranger.folder, 'node_modules', path);
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
    const runJest = (env: NodeJS.ProcessEnv, ...flags: string[]) => runIn([...flags, installed('jest/bin/jest.js'), '--rootDir', '.'], env);
    /** What mongodb-memory-server would download otherwise. */
    const starting = async () => ({ MONGOMS_SYSTEM_BINARY: await mongodBinary(), MONGOMS_SYSTEM_BINARY_VERSION_CHECK: 'false' });
    const runIn = async (args: readonly string[], env: NodeJS.ProcessEnv) => {
      const { MONGODB_URI: _, ...inherited } = process.env;
      const cwd = join(stranger.folder, 'testing');
      const child = spawn(process.execPath, args, { cwd, env: { ...inherited, CI: 'true', NO_COLOR: '1', ...env } });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      const [code] = await once(child, 'close');
      return { code, output };
    };

    it('runs with Jest, which starts a MongoDB, and fails without its flag', async () => {
      const { code, output } = await runJest(await starting(), ...flags);
      expect([code, output]).toEqual([0, expect.stringMatching(/2 passed/)]);
      const without = await runJest({ MONGODB_URI: uri() });
      expect([without.code, without.output]).toEqual([1, expect.stringMatching(/Must use import to load ES Module/)]);
    });

    it('runs with Vitest as the page says', async () => {
      const test = filesOf(guides.testing)['test/notes.test.ts'] ?? '';
      await stranger.write('testing/test/notes.test.ts', test.replace("'@jest/globals'", "'vitest'"));
      const [config = ''] = /defineConfig\(.*?\)(?=`)/.exec(readFileSync(join(root, guides.testing), 'utf8')) ?? [];
      await stranger.write('testing/vitest.config.ts', `import { defineConfig } from 'vitest/config';\nexport default ${config};\n`);
      const { code, output } = await runIn([installed('vitest/vitest.mjs'), 'run'], await starting());
      expect([code, output]).toEqual([0, expect.stringMatching(/2 passed/)]);
    });
  });
});
