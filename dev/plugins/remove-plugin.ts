import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { crossings } from './crossings.ts';

/**
 * Removes a plug-in from a copy of the repository: its folder, its lines in the lists, its entry points, and what is
 * about it outside of `src/`. Returns the files outside of `src/` that are gone.
 */
export function removePlugin(copy: string, name: string): string[] {
  const { own, crossing, lines = {} } = crossings[name] ?? { own: [], crossing: [] };
  const lists = readdirSync(join(copy, 'src/features')).filter((file) => file.endsWith('.ts'));
  for (const list of [...lists.map((file) => `src/features/${file}`), 'src/index.ts', 'dev/power/small-areas.ts'])
    removeLinesOf(name, join(copy, list));
  for (const [file, text] of Object.entries(lines)) removeLines(join(copy, file), (line) => line.includes(text));
  removeEntries(name, join(copy, 'package.json'));
  const folder = `src/features/${name}`;
  rmSync(join(copy, folder), { recursive: true });
  const named = [...own, ...crossing].flatMap((path) => filesIn(copy, path));
  const gone = withImporters(copy, [...named]);
  for (const file of gone) rmSync(join(copy, file));
  return gone;
}

/** Removes the lines that name the folder of a plug-in, or something that the file imports from it. */
function removeLinesOf(plugin: string, path: string): void {
  const lines = readFileSync(path, 'utf8').split('\n');
  const isOfFolder = (line: string) => new RegExp(`(?<![\\w-])${plugin}/`).test(line);
  const imported = lines.flatMap((line) => (isOfFolder(line) ? (/^import (?:type )?\{ (.*) \}/.exec(line)?.[1]?.split(', ') ?? []) : []));
  const isOfPlugin = (line: string) => isOfFolder(line) || imported.some((one) => new RegExp(`\\b${one}\\b`).test(line));
  removeLines(path, isOfPlugin);
}

/** Removes the entry points that are files of the plug-in. */
function removeEntries(plugin: string, path: string): void {
  const described = JSON.parse(readFileSync(path, 'utf8'));
  for (const [entry, { types }] of Object.entries<{ readonly types?: string }>(described.exports))
    if (types?.startsWith(`./dist/features/${plugin}/`)) delete described.exports[entry];
  writeFileSync(path, `${JSON.stringify(described, undefined, 2)}\n`);
}

function removeLines(path: string, isToGo: (line: string) => boolean): void {
  if (!existsSync(path)) return; // it went with another plug-in
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, lines.filter((line) => !isToGo(line)).join('\n'));
}

function filesIn(copy: string, path: string): string[] {
  if (!existsSync(join(copy, path))) return []; // it went with another plug-in
  if (!statSync(join(copy, path)).isDirectory()) return [path];
  return readdirSync(join(copy, path), { recursive: true, encoding: 'utf8' })
    .map((file) => join(path, file))
    .filter((file) => statSync(join(copy, file)).isFile());
}

/** Files, and those outside of `src/` that import one of them, and so on. */
function withImporters(copy: string, files: readonly string[]): string[] {
  const sources = ['bench', 'dev', 'examples', 'release', 'test']
    .flatMap((folder) => filesIn(copy, folder))
    .filter((file) => /\.m?ts$/.test(file));
  const imports = new Map(sources.map((file) => [file, importsOf(copy, file)]));
  const gone = new Set(files);
  for (const file of gone) for (const [importer, names] of imports) if (names.includes(file)) gone.add(importer);
  return [...gone];
}

function importsOf(copy: string, file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(copy, file), 'utf8'));
  return importedFiles.map(({ fileName }) => join(dirname(file), fileName));
}
