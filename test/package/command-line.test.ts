import { randomBytes } from 'node:crypto';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Stranger } from './stranger.ts';

const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const cli = 'node_modules/koa-mongo-resource/dist/cli.js';
const node20 = process.execPath;

const javascript = `import { defineModel, service, t } from 'koa-mongo-resource';
const Note = defineModel('Note', { collection: 'notes', fields: { title: t.string(), price: t.decimal() } });
const notebook = service();
export default (db) => notebook.api({ db, resources: [notebook.resource({ model: Note })], title: 'Notebook' });
`;
const typescript = javascript.replace('import { d', "import type { Db } from 'mongodb';\nimport { d").replace('(db)', '(db: Db)');
/** What TypeScript has to be compiled for. */
const compiled = `${typescript.replace(/^const Note = .*\n/m, "import { Note } from './model.js';\n").replace("'Notebook'", 'Title.Short')}enum Title { Short = 'Notebook' }\n`;
const model = `import { defineModel, t } from 'koa-mongo-resource';
export const Note = defineModel('Note', { collection: 'notes', fields: { title: t.string() as never, price: t.decimal() } });
`;

const database = `package_${randomBytes(4).toString('hex')}`;
const atDatabase = () => ['--uri', process.env.MONGODB_URI ?? '', '--db', database];

let stranger: Stranger;
beforeAll(async () => {
  stranger = await Stranger.install({
    dependencies: {
      koa: '^3.3.0',
      mongodb: '^7.0.0',
      'tsx-newest': 'npm:tsx@^4.23.0', // found by a folder that links to it
      'node-22': `npm:node-${platform}@22.23.0`,
    },
    files: {
      'api.js': javascript,
      'api.ts': typescript,
      'enum.ts': compiled,
      'model.ts': model,
      'commonjs/package.json': '{"type":"commonjs"}',
      'commonjs/api.ts': compiled,
      'commonjs/model.ts': model,
      'esm/package.json': '{"type":"module"}',
      'esm/api.ts': compiled,
      'esm/model.ts': model,
      'built/package.json': '{"type":"commonjs"}',
      'built/api.js': `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n${javascript
        .replace(
          "import { defineModel, service, t } from 'koa-mongo-resource'",
          "const { defineModel, service, t } = require('koa-mongo-resource')",
        )
        .replace('export default', 'exports.default =')}`,
      'fill.js': `import { MongoClient } from 'mongodb';
const client = new MongoClient(process.env.MONGODB_URI);
const notes = client.db('${database}').collection('notes');
if (process.argv[2] === 'drop') await client.db('${database}').dropDatabase();
else await notes.insertMany([{ title: 'a', price: '1.50' }, { title: 5, price: 1.5, __v: 0 }]);
await client.close();
`,
    },
  });
  for (const folder of ['commonjs', 'esm']) {
    await mkdir(join(stranger.folder, folder, 'node_modules'));
    await symlink('../../node_modules/tsx-newest', join(stranger.folder, folder, 'node_modules/tsx'), 'junction');
  }
  await stranger.run(node20, ['fill.js'], { MONGODB_URI: process.env.MONGODB_URI });
});
afterAll(async () => {
  await stranger.run(node20, ['fill.js', 'drop'], { MONGODB_URI: process.env.MONGODB_URI });
  await stranger.remove();
});

const found = [
  ['price', 'type', 1],
  ['title', 'type', 1],
];

/** What an audit finds, which another copy of the library than the api's would not. */
async function audit(node: string, path: string): Promise<unknown> {
  const { code, output } = await stranger.run(node, [cli, 'audit', path, '--json', ...atDatabase()]);
  const [, json = 'null'] = /(\{[\s\S]*\})\s*$/.exec(output) ?? [];
  const [first] = JSON.parse(json)?.audits ?? [];
  return [
    code,
    first?.misfits.map(({ path, rule, records }: { path: string; rule: string; records: number }) => [path, rule, records]) ?? output,
  ];
}

describe('npx koa-mongo-resource', () => {
  it('is installed with the package', async () => {
    const command = join(stranger.folder, 'node_modules/.bin/koa-mongo-resource');
    const output = expect.stringMatching(/^No mistakes: notes\.\n\nnotes\n {2}operation /);
    expect(await stranger.run(command, ['check', 'api.js'])).toEqual({ code: 0, output });
    expect(await stranger.run(command, ['--version'])).toEqual({ code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it.each([
    ['JavaScript', 'api.js'],
    ['CommonJS that was compiled from TypeScript', 'built/api.js'],
    ['TypeScript, by tsx', 'esm/api.ts'],
    ['TypeScript of a CommonJS project, by tsx', 'commonjs/api.ts'],
  ])('takes a module in %s', async (_what, path) => {
    const { code, output } = await stranger.run(node20, [cli, 'openapi', path]);
    expect([code, JSON.parse(output).info.title]).toEqual([0, 'Notebook']);
    expect(await audit(node20, path)).toEqual([1, found]);
    expect(await stranger.run(node20, [cli, 'indexes', path, ...atDatabase()])).toEqual({ code: 0, output: 'notes\n' });
  });

  it('takes a module in TypeScript by the type stripping of Node', async () => {
    expect(await audit('node_modules/node-22/bin/node', 'api.ts')).toEqual([1, found]);
  });

  it('says what to do if nothing can read a module in TypeScript, or not all of it', async () => {
    const without = await stranger.run(node20, [cli, 'check', 'api.ts']);
    expect([without.code, without.output]).toEqual([
      2,
      expect.stringContaining('Install tsx (`npm install --save-dev tsx`), use Node 22.18 or newer, or name the compiled JavaScript.'),
    ]);
    const partly = await stranger.run('node_modules/node-22/bin/node', [cli, 'check', 'enum.ts']);
    expect([partly.code, partly.output]).toEqual([2, expect.stringContaining('enum')]);
  });
});
