import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { readAddress } from '../address.ts';
import { redirects } from '../redirects.ts';
import { docs, sections } from '../sidebar.ts';
import { drawDiagrams } from './markdown/diagrams.ts';
import { showFileNames } from './markdown/file-names.ts';
import { anchorOf } from './markdown/headings.ts';
import { foldLines } from './markdown/lines.ts';
import { linkSources } from './markdown/sources.ts';
import { boxTables, labelCells } from './markdown/tables.ts';
import { showTitles } from './markdown/titles.ts';
import { writeRedirects } from './output/write-redirects.ts';
import { writeSources } from './output/write-sources.ts';
import { writeTexts } from './output/write-texts.ts';
import { describePage } from './pages/describe.ts';
import { introductionOf } from './pages/introduction.ts';
import { renderForSearch } from './pages/search.ts';
import { resolveFromSite } from './resolve-from-site.ts';

const address = readAddress(process.env.SITE_URL);
const { base, url } = address;

/** The beginning of a page is worth more than its sections, and any page more than the list of what has changed. */
function boostDocument(id: string, _term: string, stored?: Readonly<Record<string, unknown>>): number {
  if (id.includes('about/changelog')) return 0.2;
  return String(stored?.titles) === '' ? 1.25 : 1;
}

export default defineConfig({
  title: 'koa-mongo-resource',
  description: 'Describe documents once and serve them as REST resources on Koa and MongoDB.',
  base,
  srcDir: '../docs',
  srcExclude: ['README.md'],
  outDir: 'dist',
  cacheDir: '.cache',
  lang: 'en',
  ignoreDeadLinks: 'localhostLinks', // the reader's own server
  ...(url !== undefined && { sitemap: { hostname: url } }),
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}favicon.svg` }],
    ['link', { rel: 'alternate', type: 'text/plain', title: 'llms.txt', href: `${base}llms.txt` }],
  ],
  transformPageData(page) {
    if (page.relativePath && !page.description) page.description = introductionOf(readFileSync(join(docs, page.relativePath), 'utf8'));
  },
  transformHead: ({ pageData: { title, description, relativePath } }) =>
    relativePath === '404.md' ? [] : describePage({ title: title || 'koa-mongo-resource', description, path: relativePath }, address),
  markdown: {
    anchor: { slugify: anchorOf },
    codeTransformers: [foldLines],
    config(md) {
      drawDiagrams(md);
      showFileNames(md);
      linkSources(md, base);
      showTitles(md);
      labelCells(md);
      boxTables(md);
    },
  },
  vite: {
    plugins: [resolveFromSite()],
    ssr: { noExternal: ['estree-walker'] }, // Vue's own: beside docs/ is one of another version, which Vite would take
    publicDir: join(import.meta.dirname, '../public'),
  },
  themeConfig: {
    nav: sections().map(({ text, pages: [first] }) => ({ text, link: `/${first?.path}`, activeMatch: `^/${text.toLowerCase()}/` })),
    sidebar: Object.fromEntries(
      sections().map(({ text, groups }) => [
        `/${text.toLowerCase()}/`,
        groups.map(({ text: name, pages }) => ({
          text: name,
          items: pages.map(({ path, title }) => ({ text: title, link: `/${path}` })),
        })),
      ]),
    ),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        _render: renderForSearch,
        miniSearch: {
          searchOptions: {
            fuzzy: (term) => (term.length > 5 ? 0.2 : false), // misspelt words are found, but `sort` is not `soft`
            boostDocument,
          },
        },
      },
    },
  },
  async buildEnd({ outDir }) {
    await writeRedirects(outDir, redirects, address);
    await writeSources(outDir, base);
    await writeTexts(outDir, address);
  },
});
