import startDatabase from '../support/database/start-database.ts';
import { pack } from './stranger.ts';

/** Runs once before the tests of the package: all projects install the same tarball. */
export default async function start(): Promise<void> {
  await startDatabase();
  process.env.PACKAGE_TARBALL = await pack();
}
