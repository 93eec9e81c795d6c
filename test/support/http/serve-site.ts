import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { readAddress } from '../../../site/address.ts';
import { useListener } from './listen.ts';

/** What the build of the site has written. */
export const dist = join(import.meta.dirname, '../../../site/dist');

/** Where the build was to stand. */
export const address = readAddress(process.env.SITE_URL);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

export interface Site {
  readonly page: Page;
  /** With the path of the site, which ends with a slash. */
  readonly url: string;
}

/**
 * Serves the site, and opens a page of Chromium for each test: no script and no request may fail, and no request may
 * leave the host.
 */
export function useSite(options: BrowserContextOptions = {}): Site {
  const listen = useListener();
  let browser: Browser;
  let complaints: string[];
  const site = { page: undefined as unknown as Page, url: '' };

  beforeAll(async () => {
    if (!existsSync(join(dist, 'index.html'))) throw new Error('Build the site first: `npm ci && npm run build` in site/.');
    const port = await listen(async (request, response) => {
      const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname)).slice(address.base.length);
      const file = join(dist, path === '' || path.endsWith('/') ? `${path}index.html` : path);
      const body = await readFile(file).catch(() => undefined);
      response.writeHead(body ? 200 : 404, { 'content-type': types[extname(file)] ?? 'text/plain; charset=utf-8' }).end(body);
    });
    site.url = `http://127.0.0.1:${port}${address.base}`;
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '' });
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    site.page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, ...options });
    complaints = [];
    site.page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
    site.page.on('response', (response) => response.status() >= 400 && complaints.push(`${response.status()}: ${response.url()}`));
    site.page.on('request', (request) => {
      if (!request.url().startsWith(site.url) && !request.url().startsWith('data:')) complaints.push(`foreign: ${request.url()}`);
    });
  });
  afterEach(async () => {
    await site.page.close();
    expect(complaints).toEqual([]);
  });
  return site;
}
