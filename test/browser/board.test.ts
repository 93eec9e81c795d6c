import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { runVisibly } from '../../dev/run.ts';
import { createBoard } from '../../examples/board/api.ts';
import { buildPage } from '../../examples/board/build-page.ts';
import { Card } from '../../examples/board/model.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const folder = join(import.meta.dirname, '../../examples/board');
const database = useDatabase();
const serve = useServer();
let board: ReturnType<typeof createBoard>;
let server: TestServer;
let browser: Browser;
let windows: BrowserContext[];
/** Errors of a script, and answers that are not expected. */
let complaints: string[];

beforeAll(async () => {
  board = createBoard(database.db);
  server = await serve(await buildPage(), board.routes());
  const { CHROMIUM_PATH } = process.env;
  if (!CHROMIUM_PATH) throw new Error('Run these tests by `npm run test:browser`, which finds a Chromium or installs it.');
  browser = await chromium.launch({ executablePath: CHROMIUM_PATH });
});
afterAll(async () => {
  await browser.close();
  await board.close();
});

beforeEach(async () => {
  await database.db.collection('cards').deleteMany({});
  for (const title of ['Write the page', 'Draw the picture', 'Tell the others'])
    await board.store(Card).create({ title, changedBy: 'ann' });
  windows = [];
  complaints = [];
});
afterEach(() => Promise.all(windows.map((window) => window.close())));

/** A browser of its own for each user, with all cards on its board. */
async function openBoard(name: string): Promise<Page> {
  const window = await browser.newContext({ viewport: { width: 560, height: 330 } });
  windows.push(window);
  const page = await window.newPage();
  page.setDefaultTimeout(20_000);
  page.on('pageerror', ({ message }) => complaints.push(`script: ${message}`));
  page.on('response', (response) => response.status() >= 400 && complaints.push(`${response.status()} of ${name}`));
  await page.goto(`http://127.0.0.1:${server.port}/?as=${name}`);
  await page.locator('li').nth(2).waitFor();
  return page;
}

const column = (page: Page, name: string): Locator => page.locator(`[data-column=${name}]`);
const card = (page: Page, title: string): Locator => page.locator('li', { hasText: title });
const cardIn = (page: Page, title: string, name: string): Locator => column(page, name).locator('li', { hasText: title });

/** Takes a card with the mouse, and holds it over a column. */
async function hold(page: Page, title: string, name: string): Promise<void> {
  await card(page, title).hover();
  await page.mouse.down();
  await column(page, name).hover({ position: { x: 20, y: 20 } });
  await column(page, name).hover({ position: { x: 25, y: 25 } }); // Chromium begins a drag with a second move
}

it('the page compiles for browsers', async () => {
  await expect(runVisibly(process.execPath, ['node_modules/typescript-newest/bin/tsc', '-p', folder])).resolves.toBeUndefined();
});

describe('the board, in two windows of Chromium', () => {
  it('shows a card where the other one has dragged it, and new ones', async () => {
    const [ann, ben] = [await openBoard('ann'), await openBoard('ben')];
    await card(ann, 'Write the page').dragTo(column(ann, 'doing'));
    await cardIn(ben, 'Write the page', 'doing').waitFor();
    await cardIn(ann, 'Write the page', 'doing').waitFor();
    await card(ben, 'Write the page').dragTo(column(ben, 'done'));
    await cardIn(ann, 'Write the page', 'done').getByText('by ben').waitFor();
    await ben.getByLabel('Title').fill('Have a break');
    await ben.getByRole('button').click();
    await cardIn(ann, 'Have a break', 'planned').getByText('by ben').waitFor();
    expect(await ann.locator('li').count()).toBe(4);
    expect(complaints).toEqual([]);
  });

  it('says who was faster when both move the same card', async () => {
    const [ann, ben] = [await openBoard('ann'), await openBoard('ben')];
    await hold(ann, 'Draw the picture', 'done');
    await card(ben, 'Draw the picture').dragTo(column(ben, 'doing'));
    await cardIn(ben, 'Draw the picture', 'doing').getByText('by ben').waitFor();
    await ann.mouse.up();
    await cardIn(ann, 'Draw the picture', 'doing').getByText('ben was faster').waitFor();
    expect(complaints).toEqual(['412 of ann']);
    expect(await board.store(Card).count({ column: 'doing', changedBy: 'ben' })).toBe(1);
    await takePicture(ann, ben);

    await card(ann, 'Draw the picture').dragTo(column(ann, 'done'));
    await cardIn(ben, 'Draw the picture', 'done').getByText('by ann').waitFor();
    await cardIn(ann, 'Draw the picture', 'done').getByText('by ann').waitFor();
  });

  it('says that the connection is broken, until it is there again', async () => {
    const ann = await openBoard('ann');
    const streams = '**/api/cards?limit=100';
    await ann.route(streams, (route) => route.abort());
    await ann.reload();
    await ann.locator('output').getByText('The connection is broken.').waitFor();
    expect(await ann.locator('li').count()).toBe(0);
    await ann.unroute(streams);
    await ann.locator('li').nth(2).waitFor();
    expect(await ann.locator('output').innerText()).toBe('');
  });
});

/** The picture of docs/clients/live-lists.md, where `DOCS_SCREENSHOT` names the folder to put it. */
async function takePicture(...pages: Page[]): Promise<void> {
  const { DOCS_SCREENSHOT: path } = process.env;
  if (!path) return;
  const shots = await Promise.all(pages.map((page) => page.screenshot({ animations: 'disabled' })));
  const [both] = windows;
  const sheet = await (both as BrowserContext).newPage();
  await sheet.setViewportSize({ width: 1140, height: 330 });
  await sheet.setContent(
    `<body style="margin:0;display:flex;gap:20px;background:#889">${shots
      .map((shot) => `<img src="data:image/png;base64,${shot.toString('base64')}">`)
      .join('')}</body>`,
  );
  await sheet.screenshot({ path: join(path, 'live-board.png') });
  await sheet.close();
}
