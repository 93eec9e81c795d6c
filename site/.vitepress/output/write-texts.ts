import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { docs, sections } from '../../sidebar.ts';

/**
 * Writes what programs read (https://llmstxt.org): each page as Markdown beside its HTML, `llms.txt` with a line for
 * each, and `llms-full.txt` with all of them.
 */
export async function writeTexts(outDir: string, base: string): Promise<void> {
  const lines = ['# koa-mongo-resource', '', '> Describe documents once and serve them as REST resources on Koa and MongoDB.', ''];
  const texts: string[] = [];
  for (const { text: section, pages } of sections()) {
    lines.push(`## ${section}`, '');
    for (const { path, title } of pages) {
      const text = withoutComments(await readFile(join(docs, path), 'utf8'));
      lines.push(`- [${title}](${base}${path}): ${introductionOf(text)}`);
      texts.push(text);
      await mkdir(dirname(join(outDir, path)), { recursive: true });
      await writeFile(join(outDir, path), text);
    }
    lines.push('');
  }
  await writeFile(join(outDir, 'llms.txt'), lines.join('\n'));
  await writeFile(join(outDir, 'llms-full.txt'), texts.join('\n'));
}

/** Without what only the tests read. */
const withoutComments = (page: string) => page.replace(/^<!-- (?:setup|compiled by|continues)[\s\S]*?-->\n\n?/gm, '');

/** The first sentence after the title, without links. */
export function introductionOf(page: string): string {
  const [, paragraph = ''] = /^# .+\n\n([^\n#|`][\s\S]*?)\n\n/m.exec(page) ?? [];
  const text = paragraph.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
}
