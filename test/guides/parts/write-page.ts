import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Any } from '../../support/any.ts';
import { filesOf, root } from '../../support/docs/pages.ts';

/** The files of a guide, in a folder of their own. */
export interface WrittenPage {
  readonly folder: string;
  /** Loads a file of the page, such as `api.ts`. */
  load(file: string): Promise<Any>;
}

/** Writes the files that a page shows. */
type WritePage = (page: string, files?: Readonly<Record<string, string>>) => Promise<WrittenPage>;

/**
 * Lets a test file write the files of pages into folders within the repository, where its packages are found, and
 * removes them after the last test.
 */
export function useWritePage(): WritePage {
  const folders: string[] = [];
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });
  return async function writePage(page, files = filesOf(page)) {
    await mkdir(join(root, '.tmp'), { recursive: true });
    const folder = await mkdtemp(join(root, '.tmp/guide-'));
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
    folders.push(folder);
    return { folder, load: (file) => import(join(folder, file)) };
  };
}
