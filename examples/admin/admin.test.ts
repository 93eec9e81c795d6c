import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Long, ObjectId } from 'mongodb';
import { type Browser, chromium, type Page } from 'playwright-core';
import { runVisibly } from '../../dev/run.ts';
import { useDatabase } from '../../test/support/database/database.ts';
import { blocksOf, fileBlocksOf } from '../../test/support/docs/pages.ts';
import { type TestServer, useServer } from '../../test/support/http/serve.ts';
import { createShop } from './api.ts';
import { buildPage } from './build-page.ts';

const page = 'docs/clients/admin.md';

describe(page, () => {
  const blocks = [...fileBlocksOf(page).values()];

  it('shows this example, and parts of its interface', async () => {
    const ui = await readFile(join(import.meta.dirname, 'admin.tsx'), 'utf8');
    const parts = blocksOf(page).filter(({ language, file }) => language === 'tsx' && file === undefined);
    expect(parts.map(({ code }) => ui.includes(code))).toEqual([true, true, true]);
    for (const name of ['api.ts', 'index.html'])
      expect([name, blocks.find(({ file }) => file === name)?.code]).toEqual([
        name,
        await readFile(join(import.meta.dirname, name), 'utf8'),
      ]);
  });

  it('compiles for browsers, with the types of react-admin and Refine', async () => {
    const folder = join(import.meta.dirname, '.page');
    await mkdir(folder, { recursive: true });
    for (const { file = '', code } of blocks.filter(({ language }) => language === 'tsx')) await writeFile(join(folder, file), code);
    await expect(runVisibly('npx', ['tsc', '-p', import.meta.dirname])).resolves.toBeUndefined();
  });
});

const database = useDatabase();
const serve = useServer();
const duff = new ObjectId();
let shop: TestServer;
let browser: Browser;
let tab: Page;
/** What no visit may bring: errors of a script, requests that fail, requests to another host. */
let complaints: string[];

beforeAll(async () => {
  const { CHROMIUM_PATH } = process.env;
  if (!CHROMIUM_PATH) throw new Error('The global setup finds a Chromium.');
  [shop, browser] = await Promise.all([
    buildPage().then((served) => serve(served, createShop(database.db).routes())),
    chromium.launch({ executablePath: CHROMIUM_PATH }),
  ]);
});
afterAll(() => browser.close());

beforeEach(async () => {
  const { db } = database;
  const customers = [duff, new ObjectId()].map((_id, index) => ({
    _id,
    name: ['Duff', 'Krusty'][index],
    'name[fold2]': ['duff', 'krusty'][index],
    email: `${index}@example.com`,
    revision: 0,
  }));
  await Promise.all(['orders', 'customers'].map((name) => db.collection(name).deleteMany({})));
  await db.collection('customers').insertMany(customers);
  await db.collection('orders').insertMany(Array.from({ length: 23 }, (_, index) => storedOrder(index)));
  tab = await browser.newPage({ viewport: { width: 1100, height: 700 } });
  tab.setDefaultTimeout(20_000);
  complaints = [];
  tab.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  tab.on(
    'request',
    (request) =>
      request.url().startsWith('http') && !request.url().includes(`:${shop.port}/`) && complaints.push(`foreign: ${request.url()}`),
  );
  tab.on('response', (response) => response.status() >= 400 && complaints.push(`${response.status()} ${new URL(response.url()).pathname}`));
});
afterEach(() => tab.close());

/** Order 22 is the newest. */
function storedOrder(index: number): object {
  return {
    number: `A-${index}`,
    status: 'open',
    total: `${index}.50`,
    customerId: duff,
    lines: [{ product: 'Tea', quantity: 1 }],
    labels: { colour: 'green' },
    revision: Long.fromNumber(0),
    createdAt: new Date(Date.UTC(2026, 0, 1 + index)),
  };
}

/** A request beside the page. */
async function change(number: string, body: object): Promise<void> {
  const order = await database.db.collection('orders').findOne({ number });
  const sent = { headers: { authorization: 'Bearer root-token' }, body };
  expect((await shop.request('PATCH', `/api/orders/${order?._id}`, sent)).status).toBe(200);
}

async function signIn(token = 'root-token'): Promise<void> {
  await tab.goto(`http://127.0.0.1:${shop.port}/`);
  await input('Username').fill('root');
  await input('Password').fill(token);
  await tab.getByRole('button', { name: 'Sign in' }).click();
}

/** Exactly, because `Number` would also be the filter `Number begins with` of a list that is still shown. */
const input = (name: string) => tab.getByRole('textbox', { name, exact: true });
/** An input with its label and its error. */
const fieldOf = (name: string) => tab.locator('.MuiFormControl-root', { has: input(name) });
const rows = () => tab.locator('tbody tr');
const numbers = async () => (await rows().locator('td:first-child').allInnerTexts()).map((text) => text.trim());
const notification = () => tab.locator('.MuiSnackbar-root');
async function open(number: string): Promise<void> {
  await rows()
    .filter({ hasText: `${number}` })
    .first()
    .click();
  await input('Total').waitFor();
}

describe('react-admin over an api of orders, in Chromium', () => {
  it('refuses a wrong password, and signs in with a token', async () => {
    await signIn('nobody');
    await notification().getByText('Authentication failed').waitFor();
    expect(complaints).toEqual(['401 /api/orders']);
    await signIn();
    await rows().first().waitFor();
  });

  it('lists pages by cursor, with the customers of all orders in one request, and filters them', async () => {
    const asked: string[] = [];
    tab.on('request', (request) => request.url().includes('/api/customers') && asked.push(new URL(request.url()).search));
    await signIn();
    await rows().nth(9).waitFor();
    expect(await numbers()).toEqual(Array.from({ length: 10 }, (_, index) => `A-${22 - index}`));
    await rows().first().getByText('Duff').waitFor();
    expect(asked).toEqual([`?id%5Bin%5D=${duff}&limit=1`]);
    await takePicture('list');

    await tab.getByRole('button', { name: 'Go to next page' }).click();
    await rows().filter({ hasText: 'A-12' }).waitFor();
    await tab.getByRole('button', { name: 'Go to next page' }).click();
    await rows().filter({ hasText: 'A-2' }).waitFor();
    expect(await numbers()).toEqual(['A-2', 'A-1', 'A-0']);
    expect(await tab.getByRole('button', { name: 'Go to next page' }).isDisabled()).toBe(true);

    await tab.getByLabel('Number begins with').fill('A-1');
    await rows().filter({ hasText: 'A-19' }).waitFor();
    await tab.getByRole('columnheader', { name: 'Total' }).getByRole('button').click();
    await rows().first().filter({ hasText: 'A-1' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('saves only what was changed, and shows errors at their fields', async () => {
    await signIn();
    await rows().first().waitFor();
    await open('A-22');
    await input('Total').fill('a lot');
    await input('City').fill('Springfield');
    await tab.getByRole('button', { name: 'Save' }).click();
    const total = fieldOf('Total');
    await total.getByText('Must be').waitFor();
    expect(await total.innerText()).toMatch(/Must be .*decimal/);
    await takePicture('edit');
    complaints = [];

    await input('Total').fill('12.50');
    await tab.getByRole('button', { name: 'Save' }).click();
    await fieldOf('Street').getByText('Is required').waitFor();
    complaints = [];

    await input('Street').fill('Main Street 1');
    const sent = tab.waitForRequest((request) => request.method() === 'PATCH');
    await tab.getByRole('button', { name: 'Save' }).click();
    expect([(await sent).postDataJSON(), (await sent).headers()['if-match']]).toEqual([
      { total: '12.50', shipTo: { street: 'Main Street 1', city: 'Springfield' } },
      '"0"',
    ]);
    await rows().first().getByText('Springfield').waitFor();
    expect(complaints).toEqual([]);
  });

  it('adds to an array and to a map, sends each as a whole, and shows errors at their items', async () => {
    await signIn();
    await rows().first().waitFor();
    await open('A-22');
    expect(await input('Labels: colour').inputValue()).toBe('green');
    await tab.getByRole('button', { name: 'Add', exact: true }).click();
    await input('Product').nth(1).fill('Cup');
    await tab.getByLabel('Quantity').nth(1).fill('0');
    await tab.getByRole('button', { name: 'Add to Labels' }).click();
    await input('Labels: name').nth(1).fill('size');
    await tab.getByRole('button', { name: 'Save' }).click();
    await tab
      .locator('.MuiFormControl-root', { has: tab.getByLabel('Quantity') })
      .last()
      .getByText('Must be')
      .waitFor();
    await fieldOf('Labels: size').getByText('Must have at least 1 character').waitFor();
    complaints = [];

    await tab.getByLabel('Quantity').nth(1).fill('2');
    await input('Labels: size').fill('large');
    const sent = tab.waitForRequest((request) => request.method() === 'PATCH');
    await tab.getByRole('button', { name: 'Save' }).click();
    expect((await sent).postDataJSON()).toEqual({
      lines: [
        { product: 'Tea', quantity: 1 },
        { product: 'Cup', quantity: 2 },
      ],
      labels: { colour: 'green', size: 'large' },
    });
    await rows().first().waitFor();

    await open('A-22');
    await tab.getByRole('button', { name: 'Remove', exact: true }).last().click();
    await input('Labels: size').waitFor({ state: 'detached' });
    const again = tab.waitForRequest((request) => request.method() === 'PATCH');
    await tab.getByRole('button', { name: 'Save' }).click();
    expect((await again).postDataJSON()).toEqual({ labels: { colour: 'green' } });
    await rows().first().waitFor();
    expect(await database.db.collection('orders').findOne({ number: 'A-22' })).toMatchObject({ labels: { colour: 'green' }, revision: 2 });
    expect(complaints).toEqual([]);
  });

  it('says that somebody else has changed the record, keeps what they have written, and shows it when asked to', async () => {
    await signIn();
    await rows().first().waitFor();
    await open('A-22');
    await change('A-22', { status: 'paid' });
    await input('Total').fill('1');
    await tab.getByRole('button', { name: 'Save' }).click();
    const dialog = tab.getByRole('dialog');
    await dialog.getByText('Somebody has changed this record since you opened it.').waitFor();
    await takePicture('conflict');
    expect(await database.db.collection('orders').findOne({ number: 'A-22' })).toMatchObject({ status: 'paid', total: '22.50' });

    await dialog.getByRole('button', { name: 'Back to the form' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await input('Total').inputValue()).toBe('1');
    await tab.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Reload' }).click();
    await tab.locator('.MuiSelect-select', { hasText: 'paid' }).waitFor();
    expect(await input('Total').inputValue()).toBe('22.50');
    await input('Total').fill('1');
    const sent = tab.waitForRequest((request) => request.method() === 'PATCH');
    await tab.getByRole('button', { name: 'Save' }).click();
    expect([(await sent).postDataJSON(), (await sent).headers()['if-match']]).toEqual([{ total: '1' }, '"1"']);
    await rows().first().filter({ hasText: 'paid' }).waitFor();
  });

  it('creates an order for a customer that is found by name, and deletes one', async () => {
    await signIn();
    await rows().first().waitFor();
    await tab.getByRole('link', { name: 'Create' }).click();
    await input('Number').fill('B-1');
    await input('Total').fill('7');
    await tab.getByLabel('Customer').fill('RUST');
    await tab.getByRole('option', { name: 'Krusty' }).click();
    await tab.getByRole('button', { name: 'Save' }).click();
    await rows().filter({ hasText: 'B-1' }).filter({ hasText: 'Krusty' }).waitFor();

    await open('A-22');
    await tab.getByRole('button', { name: 'Delete' }).click();
    await tab.getByRole('button', { name: 'Confirm' }).click();
    await rows().filter({ hasText: 'A-21' }).waitFor();
    expect(await database.db.collection('orders').countDocuments({ number: 'A-22' })).toBe(0);
    expect(complaints).toEqual([]);
  });
});

/** The pictures of docs/clients/admin.md, where `DOCS_SCREENSHOT` names the folder to put them. */
async function takePicture(name: string): Promise<void> {
  const { DOCS_SCREENSHOT: folder } = process.env;
  if (folder) await tab.screenshot({ path: join(folder, `admin-${name}.png`), animations: 'disabled' });
}
