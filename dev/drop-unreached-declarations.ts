import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';

/**
 * Removes the declarations that no entry point of the package leads to, with their maps: `tsc` writes one file for each
 * source file, and of those of most sources nobody can see anything. Returns how many are left.
 */
export async function dropUnreachedDeclarations(root: string): Promise<number> {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { exports: Record<string, { types?: string }> };
  const reached = new Set(Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [resolve(root, types)])));
  // A set is walked with what is added meanwhile.
  for (const file of reached) for (const imported of await importsOf(file)) reached.add(imported);
  const dist = join(root, 'dist');
  for (const path of await readdir(dist, { recursive: true })) {
    const [declarations] = /^.*\.d\.ts(?=\.map$|$)/.exec(path) ?? [];
    if (declarations !== undefined && !reached.has(join(dist, declarations))) await rm(join(dist, path));
  }
  return reached.size;
}

/** The files of the package that a declaration file imports, also by `import('./file.ts')` within a type. */
async function importsOf(file: string): Promise<string[]> {
  const { importedFiles } = ts.preProcessFile(await readFile(file, 'utf8'));
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => join(dirname(file), fileName.replace(/\.ts$/, '.d.ts')));
}
