import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Address, toAbsolute } from '../../address.ts';
import { docs, sections } from '../../sidebar.ts';
import { descriptionOf } from '../pages/introduction.ts';

/**
 * Writes what programs read (https://llmstxt.org): each page as Markdown beside its HTML, `llms.txt` with a line for
 * each, and `llms-full.txt` with all of them.
 */
export async function writeTexts(outDir: string, address: Address): Promise<void> {
  const lines = ['# koa-mongo-resource', '', '> Describe documents once and serve them as REST resources on Koa and MongoDB.', ''];
  const texts: string[] = [];
  for (const { text: section, pages } of sections()) {
    lines.push(`## ${section}`, '');
    for (const { path, title } of pages) {
      const page = await readFile(join(docs, path), 'utf8');
      const text = withoutComments(page);
      lines.push(`- [${title}](${toAbsolute(path, address)}): ${descriptionOf(page)}`);
      texts.push(text);
      await mkdir(dirname(join(outDir, path)), { recursive: true });
      await writeFile(join(outDir, path), text);
    }
    lines.push('');
  }
  await writeFile(join(outDir, 'llms.txt'), lines.join('\n'));
  await writeFile(join(outDir, 'llms-full.txt'), texts.join('\n'));
}

/** Without the description, and without what only the tests read. */
const withoutComments = (page: string) =>
  page.replace(/^---\n[\s\S]*?\n---\n\n/, '').replace(/^<!-- (?:setup|compiled by|continues)[\s\S]*?-->\n\n?/gm, '');
