import { type Browser, chromium } from 'playwright-core';
import { useDatabase } from '../../test/support/database/database.ts';
import { useServer } from '../../test/support/http/serve.ts';
import { createAtlas } from '../atlas/api.ts';
import { loadAtlas, readAtlasData } from '../atlas/load.ts';
import { buildPage } from './build-page.ts';

const database = useDatabase();
const serve = useServer();
let browser: Browser;
let port: number;

beforeAll(async () => {
  const { CHROMIUM_PATH } = process.env;
  if (!CHROMIUM_PATH) throw new Error('The global setup finds a Chromium.');
  const { countries, cities } = readAtlasData();
  const some = { countries, cities: cities.filter(({ country }) => country === 'CH' || country === 'DK') };
  await loadAtlas(
    database.db,
    () => {},
    () => some,
  );
  ({ port } = await serve(await buildPage('autocomplete.tsx'), createAtlas(database.db).routes()));
  browser = await chromium.launch({ executablePath: CHROMIUM_PATH });
});
afterAll(() => browser.close());

describe('an AutocompleteInput over the atlas', () => {
  it.each([
    ['zur', 'Zürich', 'Winterthur'],
    ['URIC', 'Zürich', 'Winterthur'],
    ['ronderS', 'Brønderslev', 'Zürich'],
    ['ndbyv', 'Brøndbyvester', 'Zürich'],
  ])('finds by %s: %s', async (typed, name, other) => {
    const tab = await browser.newPage();
    tab.setDefaultTimeout(20_000);
    await tab.goto(`http://127.0.0.1:${port}/`);
    await tab.getByLabel('City').fill(typed);
    const options = tab.getByRole('option');
    await options.filter({ hasText: name }).first().waitFor();
    expect(await options.filter({ hasText: other }).count()).toBe(0);
    await tab.close();
  });
});
