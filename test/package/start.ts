import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import startDatabase from '../support/database/start-database.ts';
import { afterRun } from '../support/jest/after-run.ts';
import { pack } from './stranger.ts';

/**
 * Runs once before the tests of the package: all projects install the same tarball. `PACKAGE_TARBALL` is the path of
 * one that is there already.
 */
export default async function start(): Promise<void> {
  await startDatabase();
  if (process.env.PACKAGE_TARBALL) return;
  const tarball = await pack();
  process.env.PACKAGE_TARBALL = tarball;
  afterRun(() => rm(dirname(tarball), { recursive: true, force: true }));
}
