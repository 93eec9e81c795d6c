import type { Middleware } from 'koa';
import mount from 'koa-mount';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createAtlas } from '../../examples/atlas/api.ts';
import { loadAtlas, readAtlasData } from '../../examples/atlas/load.ts';
import { createShop } from '../../examples/orders/api.ts';
import { Order } from '../../examples/orders/model.ts';
import { type Api, type RequestContext, service } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

/** What the functions that run in the page use there: Node has not its types. */
interface PageWindow {
  addEventListener(name: string, listener: (event: Record<'violatedDirective' | 'blockedURI', string>) => void): void;
  complain(text: string): void;
  readonly document: { createElement(name: string): { textContent: string }; readonly body: { append(element: object): void } };
}

const database = useDatabase();
const serve = useServer();
let browser: Browser;
let port: number;
let origin: string;
let atlas: Api;

beforeAll(async () => {
  const api = createShop(database.db);
  atlas = createAtlas(database.db);
  const served: Middleware[] = [api.routes(), createGuarded().routes(), mount('/atlas', noteStreams), mount('/atlas', atlas.routes())];
  ({ port } = await serve(mount('/v1', api.routes()), ...served));
  origin = `http://127.0.0.1:${port}`;
  const { CHROMIUM_PATH } = process.env;
  if (!CHROMIUM_PATH) throw new Error('Run these tests by `npm run test:browser`, which finds a Chromium or installs it.');
  browser = await chromium.launch({ executablePath: CHROMIUM_PATH });
});

afterAll(async () => {
  await browser.close();
  await atlas.close();
});

/** The streams that the atlas has open, by their addresses. */
const streams = new Set<string>();
const noteStreams: Middleware = async ({ url, response, res }, next) => {
  await next();
  if (!response.is('text/event-stream')) return;
  streams.add(url);
  res.on('close', () => streams.delete(url));
};

/** An api that shows itself to those only who have signed in, as a browser remembers it. */
function createGuarded(): Api {
  const shop = service({ authenticate: (ctx) => ctx.cookies.get('session') });
  const guards = [(ctx: RequestContext<string>) => ctx.requirePrincipal() === 'ann'];
  return shop.api({ db: database.db, prefix: '/guarded', docs: true, openapi: { guards }, resources: [shop.resource({ model: Order })] });
}

let page: Page;
/**
 * What no visit may bring: errors in the console or of a script, violations of the policy, requests to another host.
 */
let complaints: string[];

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
  complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on(
    'request',
    (request) => /^(?:data|blob):/.test(request.url()) || isOwn(request.url()) || complaints.push(`foreign: ${request.url()}`),
  );
  await page.exposeFunction('complain', (text: string) => complaints.push(`policy: ${text}`));
  await page.addInitScript(() => {
    const window = globalThis as unknown as PageWindow;
    window.addEventListener('securitypolicyviolation', (event) => window.complain(`${event.violatedDirective} ${event.blockedURI}`));
  });
});

afterEach(() => page.close());

const isOwn = (url: string) => new URL(url).origin === origin;

async function authorize(token: string): Promise<void> {
  await page.locator('.auth-wrapper .btn.authorize').click();
  await page.locator('.auth-container input').fill(token);
  await page.locator('.modal-btn.auth.authorize').click();
  await page.locator('.btn-done').click();
}

/** Opens an operation, tries it, and gives the status and body that the page shows. */
async function execute(tag: string, operationId: string, body?: unknown): Promise<{ status: string; answer: string }> {
  const operation = page.locator(`#operations-${tag}-${operationId}`);
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.try-out__btn').click();
  if (body !== undefined) await operation.locator('.body-param__text').fill(JSON.stringify(body));
  await operation.locator('.execute').click();
  const live = operation.locator('.live-responses-table');
  await live.waitFor();
  return {
    status: (await live.locator('.response-col_status').nth(1).innerText()).trim(),
    answer: await live.locator('.response-col_description .highlight-code').first().innerText(),
  };
}

/** The picture in docs/reference/openapi.md, where `DOCS_SCREENSHOT` says where to put it. */
async function takePicture(): Promise<void> {
  const { DOCS_SCREENSHOT: path } = process.env;
  if (!path) return;
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path, clip: { x: 0, y: 0, width: 1100, height: 1750 }, fullPage: true });
}

describe('the docs page of the orders example, in Chromium', () => {
  it.each(['', '/v1'])('authorizes, tries requests and shows their answers, below "%s"', async (base) => {
    await page.goto(`${origin}${base}/api/docs`);
    await page.locator('.opblock').first().waitFor();
    expect(await page.title()).toBe('Shop');
    expect(await page.locator('.opblock-summary-path').allInnerTexts()).toContain('/api/orders/{id}');

    await authorize('ann-token');
    const number = `A-1${base}`;
    const order = {
      number,
      total: '12.50',
      customerId: '65f1a2b3c4d5e6f708192a3b',
      shipTo: { street: 'Main Street 1', city: 'Springfield' },
    };
    const created = await execute('orders', 'createOrder', order);
    expect(created.status).toBe('201');
    expect(created.answer).toContain('"owner": "ann"');
    expect(await database.db.collection('orders').countDocuments({ number, owner: 'ann' })).toBe(1);
    if (base === '') await takePicture();

    const list = await execute('orders', 'listOrders');
    expect(list.status).toBe('200');
    expect(list.answer).toContain(`"number": "${number}"`);

    expect(complaints).toEqual([]);
  });

  it('sees the violations that there would be', async () => {
    await page.goto(`${origin}/api/docs`);
    await page.locator('.opblock').first().waitFor();
    await page.evaluate(async () => {
      const { document } = globalThis as unknown as PageWindow;
      const script = document.createElement('script');
      script.textContent = 'window.intruded = true';
      document.body.append(script);
      await fetch('https://example.org/').catch(() => {});
    });
    expect(await page.evaluate(() => 'intruded' in globalThis)).toBe(false);
    expect(complaints).toContain('policy: script-src-elem inline');
    expect(complaints).toContain('policy: connect-src https://example.org/');
  });

  it('is opened behind guards with what a browser sends by itself', async () => {
    expect((await page.request.get(`${origin}/guarded/docs`)).status()).toBe(401);
    await page.context().addCookies([{ name: 'session', value: 'ann', url: origin }]);
    await page.goto(`${origin}/guarded/docs`);
    await page.locator('.opblock').first().waitFor();
    expect(await page.locator('.opblock-summary-path').allInnerTexts()).toContain('/guarded/orders/{id}');
    expect(complaints).toEqual([]);
  });
});

describe('the docs page of the atlas, in Chromium', () => {
  const countries = () => page.locator('#operations-countries-listCountries');
  const shown = () => countries().locator('.live-responses-table .response-col_description .highlight-code');

  /** Chooses the stream among the forms of the answer, and asks for the countries of a region. */
  async function subscribe(region: string): Promise<void> {
    await countries().locator('tr[data-param-name="region[eq]"] select').selectOption(region);
    await countries().locator('.response-control-media-type select').first().selectOption('text/event-stream');
    await countries().locator('.execute').click();
  }

  const rename = (id: string, common: string) => send(port, 'PATCH', `/atlas/api/countries/${id}`, { body: { name: { common } } });

  beforeAll(() => {
    const { countries } = readAtlasData();
    return loadAtlas(
      database.db,
      () => {},
      () => ({ countries: countries.filter(({ cca2 }) => ['CH', 'LI', 'NZ'].includes(cca2)), cities: [] }),
    );
  });

  beforeEach(async () => {
    await page.goto(`${origin}/atlas/api/docs`);
    await countries().locator('.opblock-summary-control').click();
    await countries().locator('.try-out__btn').click();
  });

  it('shows the events of a live list as they come, until it is cleared', async () => {
    await subscribe('Europe');
    await shown().getByText('event: page').first().waitFor();
    expect(await countries().locator('.live-responses-table .response-col_status').nth(1).innerText()).toBe('200');
    expect(await shown().innerText()).toContain('Liechtenstein');
    expect(streams.size).toBe(1);

    expect(await rename('LI', 'Ländle')).toMatchObject({ status: 200 });
    await shown().getByText('Ländle').first().waitFor();
    await rename('CH', 'Helvetia');
    await shown().getByText('Helvetia').first().waitFor();
    const events = [...(await shown().innerText()).matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(events).toEqual(['page', 'change', 'change']);

    await countries().locator('.btn-clear').click();
    await until(() => streams.size === 0);
    expect(await shown().count()).toBe(0);
    expect(complaints).toEqual([expect.stringMatching(/^failed: .*=Europe/)]); // the stream, which the page has ended
  });

  it('has one stream for an operation: the last that was executed', async () => {
    await subscribe('Europe');
    await shown().getByText('event: page').first().waitFor();
    await subscribe('Oceania');
    await shown().getByText('New Zealand').first().waitFor();
    await until(() => streams.size === 1);
    expect([...streams]).toEqual([expect.stringContaining('=Oceania')]);

    await rename('LI', 'Liechtenstein');
    await rename('NZ', 'Aotearoa');
    await shown().getByText('Aotearoa').first().waitFor();
    expect(await shown().innerText()).not.toContain('Liechtenstein');

    await page.goto('about:blank');
    await until(() => streams.size === 0);
  });

  it('keeps the last events where they are too many', async () => {
    await subscribe('Oceania');
    await shown().getByText('event: page').first().waitFor();
    for (const round of ['first', 'second', 'third', 'fourth']) {
      await rename('NZ', `${round} ${'x'.repeat(18_000)}`);
      await shown().getByText(`${round} xxx`).first().waitFor();
    }
    const rounds = [...(await shown().innerText()).matchAll(/^event: (\w+)\n.*\n.*?"common":"(\w+) xxx/gm)];
    expect(rounds.map(([, event, round]) => `${event} ${round}`)).toEqual(['change second', 'change third', 'change fourth']);
    expect(((await shown().innerText()).match(/^event/gm) ?? []).length).toBe(3);
    await countries().locator('.btn-clear').click();
    await until(() => streams.size === 0);
  });

  it('shows a problem as ever', async () => {
    await countries().locator('tr[data-param-name=after] input').fill('x'); // a stream has only the first page
    await subscribe('Europe');
    await shown().getByText('invalid_query').first().waitFor();
    expect(await countries().locator('.live-responses-table .response-col_status').nth(1).innerText()).toContain('400');
    expect(streams.size).toBe(0);
  });

  it('says that a stream has ended, and shows why', async () => {
    await subscribe('Europe');
    await shown().getByText('event: page').first().waitFor();
    await atlas.close();
    await shown().getByText(': The stream has ended.').first().waitFor();
    expect(await shown().innerText()).toMatch(/^event: end\ndata: .*"code":"shutting_down".*\n\n: The stream has ended\.\n/m);
  });
});
