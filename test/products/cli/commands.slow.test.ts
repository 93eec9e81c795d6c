import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useDatabase } from '../../support/database/database.ts';
import { useTemporaryFolder } from '../../support/temporary-folder.ts';
import { useCli } from './run-cli.ts';

const { driver, library, runCli } = useCli();

const database = useDatabase();
const folder = useTemporaryFolder();
const uri = () => process.env.MONGODB_URI ?? '';
const atDatabase = () => ['--uri', uri(), '--db', database.db.databaseName];

const model = `import { defineModel, service, t } from '${library}';
const Note = defineModel('Note', { collection: 'notes', fields: { title: t.string({ unique: true }), size: t.int({ maximum: 9 }) } });
const Tag = defineModel('Tag', { collection: 'tags', fields: { id: t.string() } });
const notebook = service();
const create = (db, more) => notebook.api({ db, resources: [notebook.resource({ model: Note })], models: [Tag], title: 'Notebook', ...more });
`;
const typed = model
  .replaceAll('(db,', '(db: unknown,')
  .replaceAll(', more)', ', more?: object)')
  .replaceAll('api({ db,', 'api({ db: db as never,');

/** Writes a module of an app. */
async function write(text: string, name = 'api.mjs'): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, text);
  return path;
}

describe('the module', () => {
  it.each<[what: string, name: string, text: string, args: string[]]>([
    [
      'an api',
      'api.mjs',
      `import { MongoClient } from '${driver}';\nexport default create(new MongoClient('mongodb://127.0.0.1').db('none'));`,
      [],
    ],
    [
      'a promise of an api',
      'api.mjs',
      `import { MongoClient } from '${driver}';\nexport default Promise.resolve(create(new MongoClient('mongodb://127.0.0.1').db('none')));`,
      [],
    ],
    ['a function', 'api.mjs', 'export default (db) => create(db);', []],
    ['an async function', 'api.mjs', 'export default async (db) => create(db);', []],
    ['a named function', 'api.mjs', 'export const createNotebook = create;', ['--export', 'createNotebook']],
    ['a function in TypeScript', 'api.mts', 'export default (db: unknown): unknown => create(db);', []],
  ])('exports %s', async (_what, name, text, args) => {
    const isTyped = name.endsWith('.mts');
    if (isTyped) await symlink(join(import.meta.dirname, '../../../node_modules'), join(folder.path, 'node_modules')); // this app has tsx
    const path = await write(`${isTyped ? typed : model}${text}`, name);
    const { code, stdout, stderr } = await runCli(['openapi', path, ...args]);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).info.title).toBe('Notebook');
  });

  it.each<[what: string, text: string, message: string | RegExp]>([
    [
      'that has no default export',
      'export const a = 1, b = 2;',
      /^\S+ has no default export\. Its exports are a, b: name one by --export\.\n$/,
    ],
    ['that exports nothing', '', /^\S+ has no default export\. It exports nothing\.\n$/],
    ['that exports something else', 'export default 5;', /^The default export of \S+ must be an api, .*; it is 5\.\n$/],
    [
      'whose function returns something else',
      'export default () => ({});',
      /^The default export of \S+ must be an api, .*; it returns \{\}\.\n$/,
    ],
    ['that throws', "throw new Error('no such thing');", /Error: no such thing\n +at file:\S+api\.mjs:1:\d+/],
    ['that throws no error', "throw 'thing';", /^thing\n$/],
    ['whose function rejects', "export default async () => { throw new Error('no such thing'); };", /Error: no such thing\n +at /],
    ['that is not JavaScript', 'export default {', /^\S+, or a module that it imports, is not valid JavaScript: Unexpected /],
    ['that imports what is not there', "import './other.mjs';", /Cannot find module '\S+other\.mjs'/],
    [
      'whose function needs a database, without an address',
      'export default async (db) => { await db.command({ ping: 1 }); };',
      /no-uri-was-given\.invalid/,
    ],
  ])('%s ends every command with 2', async (_what, text, message) => {
    const { code, stdout, stderr } = await runCli(['openapi', await write(text)]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('that keeps the process busy does not keep the command from ending', async () => {
    const path = await write(`${model}setInterval(() => {}, 1000);\nexport default create;`);
    expect(await runCli(['check', path])).toMatchObject({ code: 0 });
  });

  it('with a database of its own gets none', async () => {
    const path = await write(
      `import { MongoClient } from '${driver}';\n${model}export default create(new MongoClient(process.env.OWN_URI).db('${database.db.databaseName}'));`,
    );
    const env = { OWN_URI: uri(), MONGODB_URI: 'mongodb://127.0.0.1:1/other' };
    expect(await runCli(['audit', path], env)).toMatchObject({
      code: 0,
      stdout: 'Note (notes): 0 records, all fit\n\nTag (tags): 0 records, all fit\n',
    });
    const { code, stderr } = await runCli(['audit', path, '--db', 'other'], env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is an api with a database of its own: leave --uri and --db out')]);
  });
});

describe('the database', () => {
  it.each<[what: string, args: string[], message: string]>([
    ['without an address', [], 'This command needs a database: give --uri, or set MONGODB_URI.\n'],
    [
      'without a name',
      ['--uri', 'mongodb://127.0.0.1:1'],
      'This command needs the name of the database: give --db, or a URI that ends with it.\n',
    ],
    ['at no URI', ['--uri', 'http://127.0.0.1', '--db', 'x'], 'The URI of the database is not valid: '],
    [
      'that is not there',
      ['--uri', 'mongodb://user:secret@127.0.0.1:1/x'],
      'The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1\n',
    ],
  ])('%s ends a command with 2', async (_what, args, message) => {
    const { code, stdout, stderr } = await runCli(['indexes', await write(`${model}export default create;`), ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.slice(0, message.length)).toBe(message);
    expect(stderr).not.toContain('secret');
  });

  it.each<[what: string, text: string]>([
    ['throws', "throw new Error('no answer from mongodb://user:secret@127.0.0.1/x');"],
    ['has a mistake', `${model}export default (db) => create(db, { prefix: 'mongodb://user:secret@127.0.0.1/x' });`],
  ])('has a password that no message shows, also where the module %s', async (_what, text) => {
    for (const args of [[], ['--json']]) {
      const { stdout, stderr } = await runCli(['check', await write(text), ...args]);
      expect(stdout + stderr).toContain('mongodb://***@127.0.0.1/x');
      expect(stdout + stderr).not.toContain('secret');
    }
  });

  it('has the name at the end of the URI, which MONGODB_URI may give', async () => {
    const [base = '', query = ''] = uri().split(/\/?\?/);
    await database.db.collection('notes').insertOne({ title: 5, size: 1 });
    const env = { MONGODB_URI: `${base.replace(/\/+$/, '')}/${database.db.databaseName}?${query}` };
    const { code, stdout } = await runCli(['audit', await write(`${model}export default create;`), '--model', 'Note'], env);
    expect([code, stdout]).toEqual([1, expect.stringContaining('1 records, 1 does not fit')]);
    await database.db.collection('notes').deleteMany({});
  });
});

describe('check', () => {
  it('ends with 0 if there is no mistake', async () => {
    expect(await runCli(['check', await write(`${model}export default create;`)])).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^No mistakes: notes\.\n\nnotes\n {2}operation /),
      stderr: '',
    });
  });

  it('prints all mistakes, and ends with 1', async () => {
    const { code, stdout, stderr } = await runCli([
      'check',
      await write(`${model}export default (db) => create(db, { prefx: '/a', maxBody: 0 });`),
    ]);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^2 mistakes:\n- `prefx` is not an option .*\n- `maxBody` .*\n$/);
  });

  it('prints mistakes that the module makes while it is loaded', async () => {
    const { code, stdout } = await runCli(['check', await write(`${model}defineModel('A', {});`)]);
    expect([code, stdout]).toEqual([1, expect.stringContaining('`A`')]);
  });

  it('is the only command for which mistakes are 1: they are a failure of the others', async () => {
    const { code, stdout, stderr } = await runCli(['openapi', await write(`${model}export default (db) => create(db, { prefx: '/a' });`)]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('`prefx` is not an option')]);
  });
});

describe('check --json', () => {
  it('describes the api', async () => {
    const { code, stdout, stderr } = await runCli(['check', '--json', await write(`${model}export default create;`)]);
    const { mistakes, resources } = JSON.parse(stdout);
    expect([code, mistakes, stderr]).toEqual([0, [], '']);
    expect(resources).toMatchObject([{ path: 'notes', model: 'Note' }]);
    expect(resources[0].operations[0]).toEqual({
      name: 'list',
      method: 'GET',
      path: '/',
      guards: [],
      before: [],
      within: [],
      after: [],
      isScoped: false,
    });
  });

  it('lists the mistakes', async () => {
    const path = await write(`${model}export default (db) => create(db, { prefx: '/a', maxBody: 0 });`);
    const { code, stdout } = await runCli(['check', path, '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      { mistakes: [expect.stringContaining('`prefx`'), expect.stringContaining('`maxBody`')], resources: [] },
    ]);
  });
});

describe('openapi', () => {
  it('writes the description to a file', async () => {
    const path = await write(`${model}export default create;`);
    const out = join(folder.path, 'openapi.json');
    expect(await runCli(['openapi', path, '--out', out])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse(await readFile(out, 'utf8'))).toEqual(JSON.parse((await runCli(['openapi', path])).stdout));
  });

  it('ends with 2 if the file cannot be written', async () => {
    const { code, stderr } = await runCli([
      'openapi',
      await write(`${model}export default create;`),
      '--out',
      join(folder.path, 'no/such/folder.json'),
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('The description cannot be written: ENOENT')]);
  });
});

describe('diagram', () => {
  it('draws the models of the api, to standard output or to a file', async () => {
    const path = await write(`${model}export default create;`);
    const { code, stdout, stderr } = await runCli(['diagram', path]);
    expect([code, stdout.split('\n')[0], stderr]).toEqual([0, 'erDiagram', '']);
    const out = join(folder.path, 'models.mmd');
    expect(await runCli(['diagram', path, '--out', out])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(out, 'utf8')).toBe(stdout);
  });
});

describe('indexes', () => {
  it('ends with 1 while some are missing, creates them with --apply, and ends with 0 then', async () => {
    const path = await write(`${model}export default create;`);
    const missing = 'notes\n  missing   { title: 1 } unique  Note: unique title\n\ntags\n';
    const exists = missing.replace('missing', 'exists ');
    const told = 'Missing indexes: 1. With --apply, they are created.\n';
    expect(await runCli(['indexes', path, ...atDatabase()])).toEqual({ code: 1, stdout: missing, stderr: told });
    expect(await runCli(['indexes', path, ...atDatabase(), '--apply'])).toEqual({
      code: 0,
      stdout: `Created indexes: 1.\n\n${exists}`,
      stderr: '',
    });
    expect(await runCli(['indexes', path, ...atDatabase(), '--apply'])).toEqual({ code: 0, stdout: exists, stderr: '' });
    expect(await runCli(['indexes', path, ...atDatabase()])).toEqual({ code: 0, stdout: exists, stderr: '' });
  });

  it('prints the plan as JSON with --json, and how many it has created', async () => {
    await database.db.collection('notes').drop();
    const args = ['indexes', await write(`${model}export default create;`), ...atDatabase(), '--json'];
    const index = { key: [['title', 1]], options: { unique: true }, reasons: ['Note: unique title'] };
    const none = { existing: [], missing: [], conflicting: [], unused: [], notes: [] };
    const tags = { collection: 'tags', ...none };
    const before = await runCli(args);
    expect([before.code, JSON.parse(before.stdout)]).toEqual([
      1,
      { created: 0, collections: [{ collection: 'notes', ...none, missing: [index] }, tags] },
    ]);
    const after = await runCli([...args, '--apply']);
    const existing = { name: 'title_1', key: [['title', 1]], options: { unique: true } };
    expect([after.code, JSON.parse(after.stdout)]).toEqual([
      0,
      { created: 1, collections: [{ collection: 'notes', ...none, existing: [{ ...index, existing }] }, tags] },
    ]);
  });

  it('ends with 1 if an index is in the way of another one, with --apply too', async () => {
    await database.db.collection('notes').drop();
    await database.db.collection('notes').createIndex({ title: 1 });
    const path = await write(`${model}export default create;`);
    for (const args of [[], ['--apply']]) {
      const { code, stdout, stderr } = await runCli(['indexes', path, ...atDatabase(), ...args]);
      expect([code, stdout, stderr]).toEqual([
        1,
        expect.stringContaining('conflict'),
        expect.stringContaining('Indexes in the way of others: 1.'),
      ]);
    }
    await database.db.collection('notes').drop();
  });

  it('ends with 2 if stored records violate a unique one', async () => {
    await database.db.collection('notes').insertMany([{ title: 'a' }, { title: 'a' }]);
    const { code, stderr } = await runCli(['indexes', await write(`${model}export default create;`), ...atDatabase(), '--apply']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('The unique index { title: 1 } of `notes` cannot be created')]);
    await database.db.collection('notes').drop();
  });
});
