import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');

/** The README and every page of docs/, by their paths from the root. */
export const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
    .sort(),
];

/** The TypeScript files of a directory and below it, by their paths from the root. */
export function sourcesIn(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .map((path) => `${directory}/${path.replaceAll('\\', '/')}`)
    .filter((path) => /^(?!.*(?:node_modules|\.d\.ts$)).*\.ts$/.test(path))
    .sort();
}

const readPage = (page: string): string => readFileSync(join(root, page), 'utf8');

export interface Block {
  readonly page: string;
  /** The line of the page where its code begins. */
  readonly line: number;
  /** `ts`, `json`, … or an empty text. */
  readonly language: string;
  /** The name of the file, if the fence has one: ```ts [model.ts]. */
  readonly file?: string;
  readonly code: string;
  /** What the tests put around it: the last `<!-- setup` comment before it. A file has none. */
  readonly setup: string;
  /** Whether the page shows it, and it is not the file of a comment `<!-- setup [api.ts]`. */
  readonly isShown: boolean;
  /**
   * The test that compiles it in place of `test/docs/blocks.slow.test.ts`: the last `<!-- compiled by` comment before
   * it.
   */
  readonly compiledBy?: string;
}

/** A fence with its language and the name of its file, or a comment for the tests. CONTRIBUTING.md describes them. */
const fence = /^( *)```(\w*)(?: \[([^\]]+)\])?[^\n]*\n([\s\S]*?)^ *```$/;
const comment = /^<!-- (setup|compiled by)(?: \[([^\]]+)\])?\s([\s\S]*?)-->$/;
const parts = new RegExp(`${fence.source}|${comment.source}`, 'gm');

/** The code blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = readPage(page);
  const blocks: Block[] = [];
  let setup = '';
  let compiledBy: string | undefined;
  for (const match of text.matchAll(parts)) {
    const [, indent = '', language = '', file, code = '', kind, hiddenFile, words = ''] = match;
    const where = { page, line: text.slice(0, match.index).split('\n').length + 1, ...(compiledBy && { compiledBy }) };
    if (hiddenFile !== undefined)
      blocks.push({ ...where, language: extensionOf(hiddenFile), file: hiddenFile, code: words, setup: '', isShown: false });
    else if (kind === 'setup') setup = words;
    else if (kind !== undefined) compiledBy = words.trim() || undefined;
    else if (file !== undefined) blocks.push({ ...where, language, file, code: dedent(code, indent), setup: '', isShown: true });
    else blocks.push({ ...where, language, code: dedent(code, indent), setup, isShown: true });
  }
  return blocks;
}

const extensionOf = (file: string) => file.slice(file.lastIndexOf('.') + 1);
const dedent = (code: string, indent: string) => (indent === '' ? code : code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));

/**
 * The blocks that are files of a page, by name, as a reader has them at its end: with those of the page that it
 * continues (`<!-- continues 1-a-model.md -->`).
 */
export function fileBlocksOf(page: string): Map<string, Block> {
  const [, before] = /^<!-- continues (\S+) -->$/m.exec(readPage(page)) ?? [];
  const files = before === undefined ? new Map<string, Block>() : fileBlocksOf(join(dirname(page), before));
  for (const block of blocksOf(page)) if (block.file !== undefined) files.set(block.file, block);
  return files;
}

/** The texts of these files. */
export function filesOf(page: string): Record<string, string> {
  return Object.fromEntries([...fileBlocksOf(page)].map(([name, { code }]) => [name, code]));
}
