import { findChromium } from '../../dev/find-chromium.ts';
import startDatabase from '../support/database/start-database.ts';

/** Runs once before the tests with a browser. The browser first: where there is none, nothing is left running. */
export default async function startAll(): Promise<void> {
  process.env.CHROMIUM_PATH = await findChromium();
  await startDatabase();
}
