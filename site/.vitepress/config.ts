import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { sections } from '../sidebar.ts';
import { drawDiagrams } from './markdown/diagrams.ts';
import { showFileNames } from './markdown/file-names.ts';
import { anchorOf } from './markdown/headings.ts';
import { linkSources } from './markdown/sources.ts';
import { writeSources } from './output/write-sources.ts';
import { writeTexts } from './output/write-texts.ts';
import { resolveFromSite } from './resolve-from-site.ts';

/** The path of the site on its host: `SITE_BASE=/koa-mongo-resource/ npm run build`. */
const base = process.env.SITE_BASE ?? '/';

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
  head: [['link', { rel: 'alternate', type: 'text/plain', title: 'llms.txt', href: `${base}llms.txt` }]],
  markdown: {
    anchor: { slugify: anchorOf },
    config(md) {
      drawDiagrams(md);
      showFileNames(md);
      linkSources(md, base);
    },
  },
  vite: {
    plugins: [resolveFromSite()],
    ssr: { noExternal: ['estree-walker'] }, // Vue's own: beside docs/ is one of another version, which Vite would take
    publicDir: join(import.meta.dirname, '../public'),
  },
  themeConfig: {
    nav: sections().map(({ text, pages: [first] }) => ({ text, link: `/${first?.path}`, activeMatch: `^/${text.toLowerCase()}/` })),
    sidebar: sections().map(({ text, pages }) => ({
      text,
      items: pages.map(({ path, title }) => ({ text: title, link: `/${path}` })),
    })),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  async buildEnd({ outDir }) {
    await writeSources(outDir, base);
    await writeTexts(outDir, base);
  },
});
