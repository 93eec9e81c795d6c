import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toAbsolute, toPagePath } from '../../site/address.ts';
import { redirects } from '../../site/redirects.ts';
import { order } from '../../site/sidebar.ts';
import { address, dist, useSite } from '../support/http/serve-site.ts';

const site = useSite();

/** A picture of the page in the folder that `SITE_SCREENSHOTS` names, to look at. */
async function takePicture(name: string): Promise<void> {
  const { SITE_SCREENSHOTS: folder } = process.env;
  if (folder) await site.page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** The picture site/public/preview.png, which messengers show beside a link, to the folder of `DOCS_SCREENSHOT`. */
async function takePreview(): Promise<void> {
  const { DOCS_SCREENSHOT: folder } = process.env;
  if (!folder) return;
  await site.page.setViewportSize({ width: 1200, height: 630 });
  await site.page.screenshot({ path: join(folder, 'preview.png') });
}

describe('the site', () => {
  it('leads from the home page to the first step of the tutorial, and on', async () => {
    const { page } = site;
    await page.goto(site.url);
    await takePicture('home');
    await takePreview();
    await page.getByRole('link', { name: 'Tutorial: a shop' }).first().click();
    await page.getByRole('link', { name: '1. A model' }).first().click();
    await page.locator('.file-name', { hasText: 'products.ts' }).waitFor();
    await takePicture('step-1');
    await page.locator('.pager-link.next').click();
    expect(await page.getByRole('heading', { level: 1, name: '2. Changes' }).innerText()).toContain('2. Changes');
  });

  it('draws diagrams', async () => {
    const { page } = site;
    await page.goto(`${site.url}start/why.html`);
    await page.locator('.diagram svg').waitFor();
    expect(await page.locator('.diagram').innerText()).toContain('guards');
    await takePicture('why');
  });

  it('shows sources to which pages lead', async () => {
    const { page } = site;
    await page.goto(`${site.url}clients/typed-client.html`);
    await page.getByRole('link', { name: 'orders', exact: true }).first().click();
    await page.getByRole('link', { name: 'api.ts' }).click();
    expect(await page.getByText('createShop').first().innerText()).toContain('createShop');
    await takePicture('source');
  });

  it('has the pages of a section in its sidebar, with the one that is shown in view', async () => {
    const { page } = site;
    await page.setViewportSize({ width: 1366, height: 768 });
    for (const { path, section, name } of [
      { path: 'reference/serving.html', section: 'Reference', name: 'Serving an api' },
      { path: 'guides/tenants.html', section: 'Guides', name: 'Tenants' },
    ] as const) {
      await page.goto(site.url + path);
      const sidebar = page.locator('.VPSidebar');
      expect(await sidebar.locator('h2').allInnerTexts()).toEqual(Object.keys(order[section]));
      const { y = -1 } = (await sidebar.locator('.is-active', { hasText: name }).last().boundingBox()) ?? {};
      expect([name, y > 64 && y < 740, await page.evaluate('scrollY')]).toEqual([name, true, 0]);
    }
  });

  it('has every page as Markdown for programs, and a list of them', async () => {
    const { page } = site;
    const index = await (await page.request.get(`${site.url}llms.txt`)).text();
    const start = toAbsolute('', address);
    const paths = [...index.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path = '']) => path);
    const old = Object.keys(redirects).map(toPagePath);
    const written = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
      (path) => /^(?!source\/).*\/.*\.html$/.test(path) && !old.includes(path),
    );
    expect(paths.length).toBe(written.length);
    for (const path of paths) {
      expect(path.startsWith(start)).toBe(true);
      expect([path, (await page.request.get(site.url + path.slice(start.length))).status()]).toEqual([path, 200]);
    }
    const lists = await (await page.request.get(`${site.url}reference/lists.md`)).text();
    expect([lists.startsWith('# Lists\n'), lists.includes('<!-- setup')]).toEqual([true, false]);
  });

  it('leads from the address of a page that was merged into another to that one', async () => {
    const { page } = site;
    for (const [from, to] of Object.entries(redirects)) {
      await page.goto(site.url + toPagePath(from));
      const target = site.url + to.replace(/\.md(?=#|$)/, '.html');
      await page.waitForURL(target);
      expect(page.url()).toBe(target);
    }
  });
});
