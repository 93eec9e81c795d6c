import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { commands } from '../../src/cli/commands.ts';
import { run } from '../../src/cli/run.ts';

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

  it.each([...commands])('of `%s` names its options and those of all commands, and needs no module', async (name, { options, summary }) => {
    const { code, written } = await runHere(name, '--help');
    expect(code).toBe(0);
    expect(await runHere(name, '-h')).toMatchObject({ code, written });
    expect(written).toContain(`Usage: koa-mongo-resource ${name} <module> [options]\n\n${summary}.\n`);
    for (const option of [...Object.keys(options), 'export', 'uri', 'db', 'help'])
      expect(written).toMatch(new RegExp(`^  --${option} `, 'm'));
  });

  it('has the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(await runHere('--version')).toEqual({ code: 0, written: `${version}\n`, told: '' });
  });
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
