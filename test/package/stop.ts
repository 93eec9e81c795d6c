import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import stopDatabase from '../support/database/stop-database.ts';

export default async function stop(): Promise<void> {
  await stopDatabase();
  if (process.env.PACKAGE_TARBALL) await rm(dirname(process.env.PACKAGE_TARBALL), { recursive: true, force: true });
}
