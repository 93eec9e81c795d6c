import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { type Block, blocksOf, fileBlocksOf, root } from './pages.ts';

/** A block as TypeScript reads it, and where it stands in its page. */
interface Module {
  readonly text: string;
  readonly page: string;
  /** The line of the page that the first line of the text would have. */
  readonly firstLine: number;
}

/** In a setup, the line that stands for the block. Without one, the block follows the setup. */
const place = /^…$/m;

function moduleOf({ page, line, code, setup, file }: Block): Module {
  if (file !== undefined) return { text: code, page, firstLine: line };
  const [before = '', after = ''] = setup.split(place);
  // Without an import or export, the names of a block would be those of all blocks.
  return { text: `${before}\n${code}\n${after}\nexport {};\n`, page, firstLine: line - before.split('\n').length };
}

/**
 * The blocks and files of pages as modules, each page in a folder of its own. The folder is in the repository, so that
 * packages are found from there.
 */
function modulesOf(pages: readonly string[]): Map<string, Module> {
  const found = pages.flatMap((page) => {
    const folder = join(root, '.tmp/docs', page.replace(/\.md$/, ''));
    const blocks = [...blocksOf(page).filter(({ file }) => file === undefined), ...fileBlocksOf(page).values()];
    return blocks
      .filter(({ language, compiledBy }) => /^tsx?$/.test(language) && compiledBy === undefined)
      .map((block): [string, Module] => [join(folder, block.file ?? `block-${block.line}.${block.language}`), moduleOf(block)]);
  });
  return new Map(found);
}

/** The options of the repository, with every entry point of the package as its source. */
function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.entries<{ types?: string }>(exports).flatMap(([entry, { types }]) =>
    types === undefined ? [] : [[join(name, entry), [types.replace(/^\.\/dist\/(.*)\.d\.ts$/, './src/$1.ts')]]],
  );
  return { ...options, paths: Object.fromEntries(entries), jsx: ts.JsxEmit.ReactJSX };
}

/**
 * What TypeScript says of all blocks of pages, in one strict program with the sources of the package, as
 * `page:line: message`.
 */
export function compileBlocks(pages: readonly string[]): string[] {
  const modules = modulesOf(pages);
  const folders = new Set([...modules.keys()].flatMap((path) => parentsOf(path)));
  const options = readOptions();
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile, directoryExists } = host;
  host.fileExists = (path) => modules.has(path) || fileExists(path);
  host.directoryExists = (path) => folders.has(path) || (directoryExists?.(path) ?? true);
  host.readFile = (path) => modules.get(path)?.text ?? readFile(path);
  host.getSourceFile = (path, target, ...rest) => {
    const text = modules.get(path)?.text;
    return text === undefined ? getSourceFile(path, target, ...rest) : ts.createSourceFile(path, text, target);
  };
  const program = ts.createProgram([...modules.keys()], options, host);
  return [...modules].flatMap(([path, { text, page, firstLine }]) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(({ messageText, start = 0 }) => {
      const line = firstLine + text.slice(0, start).split('\n').length - 1;
      return `${page}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}

/** The folders of a path up to the root of the repository. */
function parentsOf(path: string): string[] {
  const folder = dirname(path);
  return folder === root ? [] : [folder, ...parentsOf(folder)];
}
