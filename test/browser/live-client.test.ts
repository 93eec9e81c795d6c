import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type OpenStream, type Streams, useStreams } from '../products/client/serve-streams.ts';
import type { Any } from '../support/any.ts';
import { until } from '../support/until.ts';

const serve = useStreams();
let browser: Browser;
let client: string;
let context: BrowserContext;
let service: Streams;

const script = `import { live } from './client.js';
window.told = { states: [], errors: [], ends: [] };
window.open = ({ url = '/orders', ...options }) => {
  window.live = live(url, {
    onChange(state) { told.states.push(state); if (window.fails) throw new Error('It cannot be shown.'); },
    onError: ({ message }) => told.errors.push(message),
    onEnd: (problem) => told.ends.push(problem),
    headers: () => window.headers,
    ...options,
  });
};`;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../../src/products/client/live.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  client = outputFiles[0]?.text ?? '';
  const { CHROMIUM_PATH } = process.env;
  if (!CHROMIUM_PATH) throw new Error('Run these tests by `npm run test:browser`, which finds a Chromium or installs it.');
  browser = await chromium.launch({ executablePath: CHROMIUM_PATH });
});
afterAll(() => browser.close());

beforeEach(async () => {
  context = await browser.newContext();
  service = await serve({
    '/': {
      type: 'text/html',
      body: '<!doctype html><title>Orders</title><link rel="icon" href="data:,"><script type="module" src="page.js"></script>',
    },
    '/page.js': { type: 'text/javascript', body: script },
    '/client.js': { type: 'text/javascript', body: client },
    '/me': { type: 'application/json', body: '{}' },
  });
});
afterEach(() => context.close());

const page = { size: 50, has_next: false };
const list = (...ids: number[]) => ({ data: ids.map((id) => ({ id })), page });
const ann = { Authorization: 'Bearer ann' };
const ben = { Authorization: 'Bearer ben' };

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly share?: string | false;
  readonly url?: string;
}

/** Opens a tab of the browser, and a live list there. */
async function openTab({ headers = {}, ...options }: Options = {}, prepare?: (tab: Page) => Promise<unknown>): Promise<Page> {
  const tab = await context.newPage();
  await prepare?.(tab);
  await tab.goto(service.url.replace('orders', ''));
  await tab.waitForFunction('"open" in window && "told" in window');
  await tab.evaluate(`window.headers = ${JSON.stringify(headers)}; open(${JSON.stringify(options)})`);
  return tab;
}

const told = (tab: Page): Promise<Any> => tab.evaluate('told');
const idsOf = async (tab: Page): Promise<number[] | undefined> => (await told(tab)).states.at(-1)?.data.map(({ id }: Any) => id);
const shows = (tab: Page, ...ids: number[]) =>
  until(async () => String(await idsOf(tab)) === String(ids) && (await idsOf(tab)) !== undefined);

/** Opens a tab that has the stream, with its first list. */
async function openLeader(options: Options, ...ids: number[]): Promise<{ tab: Page; stream: OpenStream }> {
  const tab = await openTab(options);
  const stream = await service.next();
  stream.send('page', list(...ids), 'd1');
  await shows(tab, ...ids);
  return { tab, stream };
}

describe('tabs of one caller', () => {
  it('share one stream, so that more than six of them leave connections for other requests', async () => {
    const { tab, stream } = await openLeader({ headers: ann }, 1, 2);
    const others: Page[] = [];
    for (let count = 0; count < 7; count++) others.push(await openTab({ headers: ann }));
    for (const other of others) await shows(other, 1, 2);
    stream.send('change', { put: [{ id: 3 }], remove: [1] }, 'd2');
    for (const one of [tab, ...others]) await shows(one, 2, 3);
    expect(await others[0]?.evaluate('fetch("/me").then(({ status }) => status)')).toBe(200);
    expect(service.count).toBe(1);
  });

  it('hand the stream on when the tab that has it is closed, with the state that all of them have', async () => {
    const { tab, stream } = await openLeader({ headers: ann }, 1);
    const [second, third] = [await openTab({ headers: ann }), await openTab({ headers: ann })];
    await shows(second, 1);
    await shows(third, 1);
    await tab.close();
    await stream.closed;
    const next = await service.next();
    expect(next.headers['last-event-id']).toBe('d1');
    next.send('same', {}, 'd1');
    next.send('change', { put: [{ id: 2 }] }, 'd2');
    await shows(second, 1, 2);
    await shows(third, 1, 2);
    expect([(await told(third)).errors, service.count]).toEqual([[], 2]);
  });

  it('hear of a stream that has broken, and when it goes on', async () => {
    const { stream } = await openLeader({ headers: ann }, 1);
    const other = await openTab({ headers: ann });
    await shows(other, 1);
    const before = (await told(other)).states.length;
    stream.cut();
    (await service.next()).send('same', {}, 'd1');
    await until(async () => (await told(other)).states.length > before);
    expect((await told(other)).errors).toHaveLength(1);
  });

  it('each hear for themselves that the caller may not go on', async () => {
    const { tab, stream } = await openLeader({ headers: ann }, 1);
    const other = await openTab({ headers: ann });
    await shows(other, 1);
    const problem = { type: 'about:blank', title: 'Unauthorized', status: 401, code: 'unauthorized' };
    stream.send('end', { problem });
    await until(async () => (await told(tab)).ends.length === 1);
    const next = await service.next();
    expect((await told(other)).ends).toEqual([]);
    next.send('end', { problem });
    await until(async () => (await told(other)).ends.length === 1);
    expect(service.count).toBe(2);
  });

  it('have a stream for each URL', async () => {
    await openLeader({ headers: ann }, 1);
    const other = await openTab({ headers: ann, url: '/orders?status=open' });
    (await service.next()).send('page', list(7), 'd7');
    await shows(other, 7);
    expect(service.count).toBe(2);
  });

  it('share it as well under one `share`, whatever their headers are', async () => {
    await openLeader({ share: 'session-1', headers: ann }, 1);
    const other = await openTab({ share: 'session-1', headers: { Authorization: 'Bearer ann-2' } });
    await shows(other, 1);
    expect(service.count).toBe(1);
  });
});

describe('tabs of different callers', () => {
  it.each<[string, Options, Options]>([
    ['have other tokens', { headers: ann }, { headers: ben }],
    ['have other headers besides', { headers: { ...ann, 'X-Tenant': 'a' } }, { headers: { ...ann, 'X-Tenant': 'b' } }],
    ['may have other cookies', {}, {}],
    ['may have other cookies, and say nothing of a caller in their headers', { headers: { 'X-App': 'a' } }, { headers: { 'X-App': 'a' } }],
    ['name other sessions', { share: 'session-1' }, { share: 'session-2' }],
    ['say that they do not share', { headers: ann, share: false }, { headers: ann, share: false }],
  ])('never see each other’s lists: they %s', async (_how, one, another) => {
    const { tab, stream } = await openLeader(one, 1);
    const other = await openTab(another);
    const second = await service.next();
    second.send('page', list(2), 'd1');
    await shows(other, 2);
    stream.send('change', { put: [{ id: 3 }] }, 'd2');
    await shows(tab, 1, 3);
    second.send('change', { put: [{ id: 4 }] }, 'd2');
    await shows(other, 2, 4);
    const seen = async (page: Page) => (await told(page)).states.flatMap(({ data }: Any) => data.map(({ id }: Any) => id));
    expect([new Set(await seen(tab)), new Set(await seen(other))]).toEqual([new Set([1, 3]), new Set([2, 4])]);
  });

  it('part when a tab connects again as another caller', async () => {
    const { tab, stream } = await openLeader({ headers: ann }, 1);
    const other = await openTab({ headers: ann });
    await shows(other, 1);
    await tab.evaluate(`window.headers = ${JSON.stringify(ben)}`);
    stream.cut();
    const streams = [await service.next(), await service.next()];
    const byToken = (token: string) => streams.find(({ headers }) => headers.authorization === `Bearer ${token}`);
    byToken('ben')?.send('page', list(8), 'd8');
    byToken('ann')?.send('page', list(9), 'd9');
    await shows(tab, 8);
    await shows(other, 9);
    expect(service.count).toBe(3);
  });
});

describe('a tab that is hidden for a minute', () => {
  const hide = (tab: Page, state: string) =>
    tab.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);

  it('hands the stream on, and shows the list of now as soon as it is shown again', async () => {
    const tab = await openTab({ headers: ann }, (one) => one.clock.install());
    const stream = await service.next();
    stream.send('page', list(1), 'd1');
    await shows(tab, 1);
    const other = await openTab({ headers: ann });
    await shows(other, 1);
    await hide(tab, 'hidden');
    for (let step = 0; step < 3; step++) {
      stream.write(': \n\n'); // a slow machine adds time of its own, and the stream must not count as dead
      await tab.clock.runFor(20_000);
    }
    await stream.closed;
    const next = await service.next();
    next.send('page', list(1, 2), 'd2');
    await shows(other, 1, 2);
    expect(await idsOf(tab)).toEqual([1]);
    await hide(tab, 'visible');
    await shows(tab, 1, 2);
    next.send('change', { remove: [1] }, 'd3');
    await shows(tab, 2);
    expect([service.count, (await told(tab)).errors]).toEqual([2, []]);
  });
});

describe('a browser without locks', () => {
  it('has a stream for each tab', async () => {
    const prepare = (tab: Page) => tab.addInitScript('Object.defineProperty(navigator, "locks", { value: undefined })');
    for (const id of [1, 2]) {
      const tab = await openTab({ headers: ann }, prepare);
      (await service.next()).send('page', list(id), `d${id}`);
      await shows(tab, id);
    }
    expect(service.count).toBe(2);
  });
});

it('what `onChange` throws is an error of the page, and the list goes on', async () => {
  const { tab, stream } = await openLeader({ headers: ann }, 1);
  const thrown: string[] = [];
  tab.on('pageerror', ({ message }) => thrown.push(message));
  await tab.evaluate('window.fails = true');
  stream.send('change', { put: [{ id: 2 }] }, 'd2');
  stream.send('change', { put: [{ id: 3 }] }, 'd3');
  await shows(tab, 1, 2, 3);
  await until(() => thrown.length === 2);
  expect([thrown[0], (await told(tab)).errors, service.count]).toEqual(['It cannot be shown.', [], 1]);
});
