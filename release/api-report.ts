import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeApi } from './describe-api.ts';

/** Where the report stands: every change of what the package exports is a change of these files. */
export const reportFolder = join(import.meta.dirname, 'api');

/**
 * The files of the report on a built package, by name: one for each entry point, and one for those of all middlewares,
 * which the main entry point exports too.
 */
export function reportApi(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [entry, text] of describeApi(folder)) {
    const [name, part = name, middleware] = entry.split('/');
    const file = `${part}.md`;
    const code = `\`\`\`ts\n${text}\`\`\`\n`;
    if (middleware === undefined) files.set(file, `# \`${entry}\`\n\n${code}`);
    else files.set(file, `${files.get(file) ?? '# The middlewares\n'}\n## \`${entry}\`\n\n${code}`);
  }
  return files;
}

/** The files of the report that are not as the package is: other ones, missing ones, and too many. */
export async function staleFiles(reported: ReadonlyMap<string, string>): Promise<string[]> {
  const names = new Set([...reported.keys(), ...(await readdir(reportFolder))]);
  const stale: string[] = [];
  for (const name of names) {
    const text = await readFile(join(reportFolder, name), 'utf8').catch(() => undefined);
    if (text !== reported.get(name)) stale.push(name);
  }
  return stale.sort();
}

if (process.argv[1] === import.meta.filename) {
  const reported = reportApi(join(import.meta.dirname, '..'));
  await mkdir(reportFolder, { recursive: true });
  const stale = await staleFiles(reported);
  if (process.argv.includes('--check')) {
    if (stale.length > 0) {
      console.error(
        `The public surface is not as ${stale.map((name) => `release/api/${name}`).join(', ')} says: run \`npm run api-report\`.`,
      );
      process.exitCode = 1;
    }
  } else {
    for (const name of stale) {
      const text = reported.get(name);
      await (text === undefined ? rm(join(reportFolder, name)) : writeFile(join(reportFolder, name), text));
      console.log(`release/api/${name}`);
    }
  }
}
