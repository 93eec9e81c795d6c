import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTypeErrors } from './find-type-errors.ts';
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

/** The blocks and files of pages as modules by their paths, each page in a folder of its own. */
function modulesOf(pages: readonly string[]): Map<string, Module> {
  const found = pages.flatMap((page) => {
    const folder = page.replace(/\.md$/, '');
    const blocks = [...blocksOf(page).filter(({ file }) => file === undefined), ...fileBlocksOf(page).values()];
    return blocks
      .filter(({ language, compiledBy }) => /^tsx?$/.test(language) && compiledBy === undefined)
      .map((block): [string, Module] => [join(folder, block.file ?? `block-${block.line}.${block.language}`), moduleOf(block)]);
  });
  return new Map(found);
}

/** Every entry point of the package, as its source. */
function entryPoints(): Readonly<Record<string, string[]>> {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.entries<{ types?: string }>(exports).flatMap(([entry, { types }]) =>
    types === undefined ? [] : [[join(name, entry), [join(root, types.replace(/^\.\/dist\/(.*)\.d\.ts$/, 'src/$1.ts'))]]],
  );
  return Object.fromEntries(entries);
}

/**
 * What TypeScript says of all blocks of pages, in one strict program with the sources of the package, as
 * `page:line: message`.
 */
export async function compileBlocks(pages: readonly string[]): Promise<string[]> {
  const modules = modulesOf(pages);
  const files = Object.fromEntries([...modules].map(([path, { text }]) => [path, text]));
  const mistakes = await findTypeErrors(files, { paths: entryPoints(), jsx: 'react-jsx' });
  return mistakes.map(({ file, line, message }) => {
    const module = modules.get(file);
    return module ? `${module.page}:${module.firstLine + line - 1}: ${message}` : `${file}:${line}: ${message}`;
  });
}
