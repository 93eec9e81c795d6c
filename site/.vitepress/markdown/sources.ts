import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { toPagePath } from '../../address.ts';
import { docs } from '../../sidebar.ts';

/** The repository. */
export const root = join(docs, '..');

/**
 * Files and folders outside of docs/ to which pages lead, by their paths from the root. The build writes a page for
 * each.
 */
export const linked = new Set<string>();

/**
 * Links of pages to files outside of docs/, such as `../../examples/orders/api.ts`, lead to pages of the site that show
 * these files: the site knows no address of a repository, and shows the sources that it was built from. A file that
 * does not exist fails the build.
 */
export function linkSources(md: MarkdownRenderer, base: string): void {
  md.core.ruler.push('link_sources', (state) => {
    const page: string | undefined = state.env.realPath ?? state.env.path;
    if (page === undefined) return;
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet('href');
      if (token.type !== 'link_open' || href === null || /^(?:[a-z]+:|\/|#)/.test(href)) continue;
      const [path = '', anchor] = href.split('#');
      const file = relative(root, join(dirname(page), path));
      const isPage = file.startsWith('docs/');
      if (isPage && page.startsWith(docs)) continue; // VitePress knows the way from page to page
      if (file.startsWith('..') || !existsSync(join(root, file))) throw new Error(`${page}: ${href} does not exist.`);
      if (!isPage) linked.add(file);
      const to = isPage ? base + toPagePath(file.slice('docs/'.length)) : addressOf(file, base);
      token.attrSet('href', to + (anchor === undefined ? '' : `#${anchor}`));
      token.attrSet('target', '_self'); // not a page of VitePress: its router must not look for it
    }
  });
}

/** The page of a file or folder. */
export function addressOf(file: string, base: string): string {
  return `${base}source/${file}${statSync(join(root, file)).isDirectory() ? '/' : '.html'}`;
}
