import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { titleOf } from '../../sidebar.ts';

/**
 * Links whose text is the name of the file, as in `[lists.md](../reference/lists.md)`, show the title of that page. The
 * name is what somebody needs who reads the file in a folder.
 */
export function showTitles(md: MarkdownRenderer): void {
  md.core.ruler.before('link_sources', 'show_titles', ({ env, tokens }) => {
    const page: string | undefined = env.realPath ?? env.path;
    if (page === undefined) return;
    for (const { children } of tokens)
      for (const [index, token] of children?.entries() ?? []) {
        const text = children?.[index + 1];
        if (token.type !== 'link_open' || !text?.content.endsWith('.md')) continue;
        const file = join(
          dirname(page),
          token
            .attrGet('href')
            ?.split('#')[0]
            ?.replace(/\.html$/, '.md') ?? '',
        );
        if (file.endsWith(`/${text.content}`) && existsSync(file)) text.content = titleOf(readFileSync(file, 'utf8'));
      }
  });
}
