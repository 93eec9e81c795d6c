import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { removePlugin } from './remove-plugin.ts';

/**
 * `npm run test:plugins`: removes each plug-in of `src/features/` from a copy of the repository, with its lines in the
 * lists and what `crossings.ts` says, and checks that the rest stands: its types, and some of its tests.
 *
 * - `npm run test:plugins -- counters` takes one plug-in.
 * - Texts behind another `--` choose the tests by their paths: `npm run test:plugins -- counters -- feature/views`.
 */
const root = resolve(import.meta.dirname, '../..');
const given = process.argv.slice(2);
const end = given.includes('--') ? given.indexOf('--') : given.length;
const patterns =
  given.length > end ? given.slice(end + 1) : ['test/rooms', 'test/model/', 'test/store/', 'test/resource/', 'test/openapi/'];
const all = readdirSync(join(root, 'src/features'), { withFileTypes: true }).filter((one) => one.isDirectory());
const chosen = end > 0 ? given.slice(0, end) : all.map(({ name }) => name);

for (const name of chosen) {
  const copy = copyRepository();
  try {
    const gone = removePlugin(copy, name);
    for (const args of [
      ['init', '--quiet'],
      ['add', '--all'],
    ])
      execFileSync('git', args, { cwd: copy }); // some tests ask git for files
    const tests = gone.filter((file) => file.endsWith('.test.ts'));
    console.log(`Without ${name}, its lines in the lists and ${gone.length} other files, of which ${tests.length} have tests:`);
    if (!(stands(copy, 'types', ['npm', 'run', 'types']) && stands(copy, 'tests', ['npx', 'jest', '--ci', ...patterns])))
      process.exitCode = 1;
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
