import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { crossings } from './crossings.ts';
import { removePlugin } from './remove-plugin.ts';

/**
 * `npm run test:plugins`: removes the plug-ins of `src/features/` from copies of the repository, with their lines in
 * the lists and what `crossings.ts` says, and checks that the rest stands: its types without each of them, and some of
 * its tests without all.
 *
 * - `npm run test:plugins -- counters` checks types and tests without one plug-in.
 * - Texts behind another `--` choose the tests by their paths: `npm run test:plugins -- counters -- feature/views`.
 */
const root = resolve(import.meta.dirname, '../..');
const given = process.argv.slice(2);
const end = given.includes('--') ? given.indexOf('--') : given.length;
const patterns =
  given.length > end ? given.slice(end + 1) : ['test/rooms', 'test/model/', 'test/store/', 'test/resource/', 'test/openapi/'];
/** Pages and READMEs stay, and name what is gone: who removes a plug-in for good writes them anew. */
const notOfPages = String.raw`^(?!CONTRIBUTING\.md|(?:docs|src)/\S+\.md names)`;
const plugins = readdirSync(join(root, 'src/features'), { withFileTypes: true }).filter((one) => one.isDirectory());
const chosen = given.slice(0, end);

for (const { own, crossing } of Object.values(crossings))
  for (const path of [...own, ...crossing])
    if (!existsSync(join(root, path))) throw new Error(`crossings.ts names ${path}, which does not exist.`);

if (chosen.length > 0) for (const name of chosen) check([name], ['types', 'tests']);
else {
  const all = plugins.map(({ name }) => name);
  for (const name of all) check([name], ['types']);
  check(all, ['types', 'tests']);
}

/** Checks a copy without some plug-ins. */
function check(names: readonly string[], checks: readonly ('types' | 'tests')[]): void {
  const copy = copyRepository();
  try {
    const gone = names.flatMap((name) => removePlugin(copy, name));
    for (const args of [
      ['init', '--quiet'],
      ['add', '--all'],
    ])
      execFileSync('git', args, { cwd: copy }); // some tests ask git for files
    const tests = gone.filter((file) => file.endsWith('.test.ts'));
    console.log(`Without ${names.join(', ')}, the lines in the lists and ${gone.length} other files, of which ${tests.length} have tests:`);
    const commands = { types: ['npm', 'run', 'types'], tests: ['npx', 'jest', '--ci', '--testNamePattern', notOfPages, ...patterns] };
    if (!checks.every((what) => stands(copy, what, commands[what]))) process.exitCode = 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Copies what git would commit, with the packages that are installed. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'without-plugin-'));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const files = listed.trim().split('\n');
  for (const file of files) if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Runs a command in the copy, and tells what it says if it fails. */
function stands(cwd: string, what: string, [command = '', ...args]: readonly string[]): boolean {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 100_000_000 });
  console.log(`  ${what}: ${status === 0 ? 'pass' : `fail\n${stdout}${stderr}`}`);
  return status === 0;
}
