import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useListener } from '../support/http/listen.ts';

const dist = join(import.meta.dirname, '../../site/dist');
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

const listen = useListener();
let browser: Browser;
let page: Page;
let origin: string;
/** Errors of scripts, requests that fail, and requests to another host. */
let complaints: string[];

beforeAll(async () => {
  if (!existsSync(join(dist, 'index.html'))) throw new Error('Build the site first: `npm ci && npm run build` in site/.');
  const port = await listen(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname));
    const file = join(dist, path.endsWith('/') ? `${path}index.html` : path);
    const body = await readFile(file).catch(() => undefined);
    response.writeHead(body ? 200 : 404, { 'content-type': types[extname(file)] ?? 'text/plain; charset=utf-8' }).end(body);
  });
  origin = `http://127.0.0.1:${port}`;
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '' });
});
afterAll(() => browser.close());

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  complaints = [];
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('response', (response) => response.status() >= 400 && complaints.push(`${response.status()}: ${response.url()}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) complaints.push(`foreign: ${request.url()}`);
  });
});
afterEach(async () => {
  await page.close();
  expect(complaints).toEqual([]);
});

/** A picture of the page in the folder that `SITE_SCREENSHOTS` names, to look at. */
async function takePicture(name: string): Promise<void> {
  const { SITE_SCREENSHOTS: folder } = process.env;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

describe('the site', () => {
  it('leads from the home page to the first step of the tutorial, and on', async () => {
    await page.goto(origin);
    await takePicture('home');
    await page.getByRole('link', { name: 'Tutorial: a shop' }).first().click();
    await page.getByRole('link', { name: '1. A model' }).first().click();
    await page.locator('.file-name', { hasText: 'products.ts' }).waitFor();
    await takePicture('step-1');
    await page.locator('.pager-link.next').click();
    expect(await page.getByRole('heading', { level: 1, name: '2. Changes' }).innerText()).toContain('2. Changes');
  });

  it('draws diagrams', async () => {
    await page.goto(`${origin}/start/why.html`);
    await page.locator('.diagram svg').waitFor();
    expect(await page.locator('.diagram').innerText()).toContain('guards');
    await takePicture('why');
  });

  it('finds a word', async () => {
    await page.goto(`${origin}/reference/lists.html`);
    await page.locator('.DocSearch-Button').click();
    await page.locator('#localsearch-input').fill('precondition');
    expect(await page.locator('#localsearch-list li').first().innerText()).toMatch(/changes|precondition/i);
    await takePicture('search');
  });

  it('shows sources to which pages lead', async () => {
    await page.goto(`${origin}/clients/typed-client.html`);
    await page.getByRole('link', { name: 'orders', exact: true }).first().click();
    await page.getByRole('link', { name: 'api.ts' }).click();
    expect(await page.getByText('createShop').first().innerText()).toContain('createShop');
    await takePicture('source');
  });

  it('has every page as Markdown for programs, and a list of them', async () => {
    const index = await (await page.request.get(`${origin}/llms.txt`)).text();
    const paths = [...index.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path = '']) => path);
    const written = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) => /^(?!source\/).*\/.*\.html$/.test(path));
    expect(paths.length).toBe(written.length);
    for (const path of paths) expect([path, (await page.request.get(origin + path)).status()]).toEqual([path, 200]);
    expect(await (await page.request.get(`${origin}/reference/lists.md`)).text()).not.toContain('<!-- setup');
  });
});
