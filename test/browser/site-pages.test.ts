import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toPagePath } from '../../site/address.ts';
import { sections } from '../../site/sidebar.ts';
import { address, dist, useSite } from '../support/http/serve-site.ts';

const site = useSite();
const paths = ['', ...sections().flatMap(({ pages }) => pages.map(({ path }) => toPagePath(path)))];
const read = (path: string) => readFile(join(dist, path === '' || path.endsWith('/') ? `${path}index.html` : path), 'utf8');

const phone = { width: 375, height: 667 };
const laptop = { width: 1366, height: 768 };

it.each([phone, laptop])('the first screen has code, at a width of $width px', async (viewport) => {
  const { page } = site;
  await page.setViewportSize(viewport);
  await page.goto(site.url);
  const { y = Number.NaN, height = Number.NaN } = (await page.locator('pre', { hasText: 'defineModel' }).first().boundingBox()) ?? {};
  const needed = viewport === laptop ? height : 60;
  expect(y + needed).toBeLessThan(viewport.height);
});

it('on a phone, the cells of a row stand below each other, with the headings of their columns', async () => {
  const { page } = site;
  await page.setViewportSize(phone);
  await page.goto(`${site.url}reference/options.html`);
  const row = page.locator('.vp-doc tr', { hasText: 'maxConcurrency' }).first();
  const [first, second] = [await row.locator('td').nth(0).boundingBox(), await row.locator('td').nth(1).boundingBox()];
  expect((second?.y ?? 0) >= (first?.y ?? 0) + (first?.height ?? 0)).toBe(true);
  expect(await row.locator('td').nth(1).getAttribute('data-label')).toBe('Default');
});

it('each page has a description of its own, and says what a link to it shows', async () => {
  const descriptions: string[] = [];
  for (const path of paths) {
    const html = await read(path);
    const [, description = ''] = /<meta name="description" content="([^"]*)">/.exec(html) ?? [];
    descriptions.push(description);
    expect([path, html.includes(`<meta property="og:description" content="${description}">`)]).toEqual([path, true]);
    expect([path, /<meta property="og:title" content="[^"]+">/.test(html)]).toEqual([path, true]);
    expect([path, html.includes(`<link rel="icon" type="image/svg+xml" href="${address.base}favicon.svg">`)]).toEqual([path, true]);
  }
  expect(descriptions.filter((one, index) => descriptions.indexOf(one) !== index)).toEqual([]);
});

it('links are shown by titles and not by names of files, and lead somewhere', async () => {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const known = new Set([...files, ...files.map((file) => file.replace(/(^|\/)index\.html$/, '$1'))]);
  const mistakes: string[] = [];
  for (const file of files.filter((path) => path.endsWith('.html') && path !== '404.html')) {
    const html = await readFile(join(dist, file), 'utf8');
    for (const [, href = '', text = ''] of html.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([\s\S]*?)<\/a>/g)) {
      if (!file.startsWith('source/') && /^[\w/-]+\.md$/.test(text)) mistakes.push(`${file} shows ${text}`);
      if (/^[a-z]+:/.test(href)) continue;
      const to = new URL(href, `http://site${address.base}${file}`).pathname.slice(address.base.length);
      if (!known.has(to)) mistakes.push(`${file} leads to ${href}`);
    }
  }
  expect(mistakes).toEqual([]);
});

it('has a sitemap and addresses of its pages where it knows its own', async () => {
  const expected = address.url === undefined ? [] : paths.map((path) => address.url + path);
  const sitemap = await read('sitemap.xml').catch(() => '');
  expect([...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => url).sort()).toEqual([...expected].sort());
  for (const [index, path] of paths.entries()) {
    const html = await read(path);
    const said = [...html.matchAll(/<(?:meta property="og:url" content|link rel="canonical" href)="([^"]*)">/g)].map(([, url]) => url);
    expect(said).toEqual(expected[index] === undefined ? [] : [expected[index], expected[index]]);
  }
});
