import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../../../src/errors.ts';
import { type Command, defineCommand } from '../../../src/products/cli/command.ts';
import { commands } from '../../../src/products/cli/commands.ts';
import { openDatabase } from '../../../src/products/cli/database.ts';
import { printableJson } from '../../../src/products/cli/printable.ts';
import { run } from '../../../src/products/cli/run.ts';
import { withoutCredentials } from '../../../src/products/cli/without-credentials.ts';

async function runHere(...args: string[]) {
  let [written, told] = ['', ''];
  const code = await run(args, {
    write(text) {
      written += text;
    },
    tell(message) {
      told += `${message}\n`;
    },
  });
  return { code, written, told };
}

describe('the help', () => {
  it.each(['--help', '-h', 'help'])('of the program names all commands: %s', async (arg) => {
    const { code, written, told } = await runHere(arg);
    expect([code, told]).toEqual([0, '']);
    for (const name of commands.keys()) expect(written).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
  });

  it.each([...commands])(
    'of `%s` names its options and those of all commands, and needs no module',
    async (name, { argument = 'module', options, summary }) => {
      const { code, written } = await runHere(name, '--help');
      expect(code).toBe(0);
      expect(await runHere(name, '-h')).toMatchObject({ code, written });
      expect(written).toContain(`Usage: koa-mongo-resource ${name} <${argument}> [options]\n\n${summary}.\n`);
      for (const option of [...Object.keys(options), ...(argument === 'module' ? ['export'] : []), 'uri', 'db', 'help'])
        expect(written).toMatch(new RegExp(`^  --${option} `, 'm'));
    },
  );

  it('has the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
    expect(await runHere('--version')).toEqual({ code: 0, written: `${version}\n`, told: '' });
  });
});

describe('a text for people does nothing to a terminal', () => {
  it.each<[what: string, args: string[], message: string]>([
    ['a message about an argument', ['check', 'a\u001b[2J\u009b\u202e.ts'], 'There is no file a\\u{1b}[2J\\u{9b}\\u{202e}.ts.\n'],
    ['the name of a command', ['\u001b[2J'], 'There is no command `\\u{1b}[2J`.\n\nUsage: '],
  ])('%s', async (_what, args, message) => {
    const { code, told } = await runHere(...args);
    expect([code, told.slice(0, message.length)]).toEqual([2, message]);
  });

  it.each(['return', 'throw'])('what a command says, and the lines of an error: %s', async (how) => {
    const command = defineCommand({
      summary: '',
      details: '',
      options: {},
      needsDatabase: false,
      async run({ write, writeExactly, tell }) {
        write('a\u001b[2J\nb\u2028\n');
        writeExactly('c\u001b\n');
        tell('d\u0007');
        if (how === 'throw') throw new ConfigurationError('2 mistakes:\n- e\u001b\n- f');
        return 0;
      },
    });
    (commands as Map<string, Command>).set('try', command);
    const { code, written, told } = await runHere('try', 'api.ts').finally(() => (commands as Map<string, Command>).delete('try'));
    expect(written).toBe('a\\u{1b}[2J\nb\\u{2028}\nc\u001b\n');
    expect([code, told]).toEqual(how === 'throw' ? [2, 'd\\u{7}\n2 mistakes:\n- e\\u{1b}\n- f\n'] : [0, 'd\\u{7}\n']);
  });

  it('JSON, which means the same', () => {
    const value = { 'a\u001b\u009b': ['\u202e', '\u{e0001}', 'é😀\n'] };
    const text = printableJson(value);
    expect(text).toBe('{\n  "a\\u001b\\u009b": [\n    "\\u202e",\n    "\\udb40\\udc01",\n    "é😀\\n"\n  ]\n}');
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe('a message has no credentials', () => {
  const forgotten = 'The URI of the database is an option: give it as --uri <uri>.\n';

  it.each<[what: string, args: string[], message: string]>([
    ['of a URI without --uri', ['indexes', 'a.ts', 'mongodb://ann:secret@db.test/shop'], forgotten],
    ['of one before the module', ['check', 'MongoDB+SRV://ann:secret@db.test/shop', 'a.ts'], forgotten],
    ['of one in place of the command', ['mongodb://ann:secret@db.test/shop'], 'There is no command `mongodb://***@db.test/shop`.\n'],
    ['of one beside other text', ['check', 'a.ts', 'x=mongodb://ann:secret@db.test'], 'One module is enough: x=mongodb://***@db.test is'],
    [
      'with characters that are not escaped',
      ['check', 'a.ts', 'x=mongodb://a:secr/e t@secret@db.test'],
      'One module is enough: x=mongodb://***@db',
    ],
    ['of another scheme', ['check', 'https://ann:secret@db.test/a@2.ts'], 'There is no file https://***@db.test/a@2.ts.\n'],
    [
      'in an option',
      ['audit', 'a.ts', '--limit', 'mongodb://ann:secret@db.test'],
      '--limit must be a whole number of at least 1; it is "mongodb://***@',
    ],
    [
      'in a misspelt option',
      ['audit', 'a.ts', '--mongodb://ann:secret@db.test'],
      "Unknown option '--mongodb://***@db.test'. See --help.\n",
    ],
  ])('%s', async (_what, args, message) => {
    const { code, written, told } = await runHere(...args);
    expect([code, written, told.slice(0, message.length)]).toEqual([2, '', message]);
    expect(told).not.toContain('secret');
  });

  it('but the paths in a stack stay as they are', () => {
    const stack = 'at file:///app/node_modules/.pnpm/koa@3/index.js:1:2\nat https://unpkg.test/koa@3';
    expect(withoutCredentials(stack)).toBe(stack);
  });
});

describe('a database that refuses the connection', () => {
  it.each(['mongodb://ann:secret@127.0.0.1:1/x', 'mongodb://localhost:1,127.0.0.1:2/x?replicaSet=rs0'])(
    'is told when it does, and not when the patience for a silent one has ended: %s',
    async (uri) => {
      const opening = openDatabase({ uri, name: 'x' }, true);
      await expect(opening).rejects.toMatchObject({
        message: expect.stringContaining('ECONNREFUSED'),
        cause: { name: 'MongoNetworkError' },
      });
    },
  );
});

describe('bad usage', () => {
  it.each<[what: string, args: string[], message: string]>([
    ['no command', [], 'Name a command.\n\nUsage: '],
    ['an unknown command', ['opnapi', 'api.ts'], 'There is no command `opnapi`; did you mean `openapi`?\n\nUsage: '],
    ['a name that every object has', ['constructor'], 'There is no command `constructor`.\n\nUsage: '],
    ['no module', ['openapi'], 'Name the module of the api: koa-mongo-resource openapi <module>\n'],
    ['two modules', ['openapi', 'a.ts', 'b.ts'], 'One module is enough: b.ts is too much.\n'],
    ['an unknown option', ['openapi', 'a.ts', '--aply'], "Unknown option '--aply'. See --help.\n"],
    ['an option of another command', ['openapi', 'a.ts', '--apply'], "Unknown option '--apply'. See --help.\n"],
    ['an option without its value', ['openapi', 'a.ts', '--out'], "Option '--out <value>' argument missing. See --help.\n"],
    ['an option where its value should be', ['openapi', 'a.ts', '--out', '--help'], "Option '--out' argument is ambiguous. See --help.\n"],
    ['a value for an option without', ['indexes', 'a.ts', '--apply=yes'], "Option '--apply' does not take an argument. See --help.\n"],
    ['a file that is not there', ['check', 'no-such.ts'], 'There is no file no-such.ts.\n'],
    ['a folder', ['check', 'src'], 'There is no file src.\n'],
    ['a limit that is no number', ['audit', 'a.ts', '--limit', 'ten'], '--limit must be a whole number of at least 1; it is "ten".\n'],
    ['a limit of nothing', ['audit', 'a.ts', '--limit', '0'], '--limit must be a whole number of at least 1; it is "0".\n'],
    ['a negative number of samples', ['audit', 'a.ts', '--sample=-1'], '--sample must be a whole number of at least 0; it is "-1".\n'],
  ])('ends with 2 and a message on standard error: %s', async (_what, args, message) => {
    const { code, written, told } = await runHere(...args);
    expect([code, written]).toEqual([2, '']);
    expect(told.slice(0, message.length)).toBe(message);
  });
});
