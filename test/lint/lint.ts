import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

/**
 * What makes a lint run of this repository. The folders of its rules are relative to it, so a copy judges a copy of the
 * tree.
 */
const configuration = ['biome.jsonc', 'dev/lint/awaited-next.grit', '.gitignore'];

/**
 * Lints files as if they stood in this repository, and answers with the rules that each of them breaks.
 * They are written to a temporary folder: a file in `src/` would disturb whoever else reads it.
 */
export async function lint(files: Readonly<Record<string, string>>): Promise<Map<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'koa-mongo-resource-lint-'));
  try {
    for (const path of configuration) await write(join(folder, path), (target) => copyFile(join(root, path), target));
    for (const [path, text] of Object.entries(files)) await write(join(folder, path), (target) => writeFile(target, text));
    return rulesByFile(await report(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function write(path: string, put: (path: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await put(path);
}

interface Report {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: string } }[];
}

/** Biome ends with 1 when it finds something, which is what we want here: only its report counts. */
function report(folder: string): Promise<Report> {
  const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (stdout.startsWith('{')) resolve(JSON.parse(stdout));
      else reject(new Error(`biome gave no report: ${stderr}`, { cause: error }));
    });
  });
}

function rulesByFile({ diagnostics }: Report): Map<string, string[]> {
  const rules = new Map<string, string[]>();
  for (const { category, location } of diagnostics) {
    const path = location.path.replaceAll('\\', '/');
    rules.set(path, [...(rules.get(path) ?? []), category]);
  }
  return rules;
}
