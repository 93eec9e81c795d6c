import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const inMemory = '/dev/shm';

/** What a long run of tests may store. */
const room = 4 * 1024 ** 3;

/**
 * Makes an empty folder for a mongod whose data nobody needs later; the caller removes it. It is in memory where there
 * is room and `TMPDIR` names no other place: a write that is acknowledged waits for the disk, and so does its test.
 */
export async function makeDataFolder(): Promise<string> {
  const parent = process.env.TMPDIR || !(await hasRoom()) ? tmpdir() : inMemory;
  return mkdtemp(join(parent, 'koa-mongo-resource-'));
}

async function hasRoom(): Promise<boolean> {
  const { bavail, bsize } = await statfs(inMemory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= room;
}
