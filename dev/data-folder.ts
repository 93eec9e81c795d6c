import { mkdtemp, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const inMemory = '/dev/shm';

/** More than a long run of tests stores. */
const room = 8 * 1024 ** 3;

const prefix = 'koa-mongo-resource-';
const day = 86_400_000;

/**
 * Makes an empty folder for a mongod whose data nobody needs later; the caller removes it. It is in memory where there
 * is room and `TMPDIR` names no other place: a write that is acknowledged waits for the disk, and so does its test.
 */
export async function makeDataFolder(): Promise<string> {
  if (process.env.TMPDIR || !(await hasRoom())) return mkdtemp(join(tmpdir(), prefix));
  await removeAbandoned(inMemory);
  return mkdtemp(join(inMemory, prefix));
}

/** Removes what killed runs have left in a folder: data whose mongod was started a day ago, and is gone. */
export async function removeAbandoned(parent: string): Promise<void> {
  const folders = (await readdir(parent)).filter((name) => name.startsWith(prefix)).map((name) => join(parent, name));
  for (const folder of folders) if (await isAbandoned(join(folder, 'mongod.lock'))) await rm(folder, { recursive: true, force: true });
}

async function hasRoom(): Promise<boolean> {
  const { bavail, bsize } = await statfs(inMemory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= room;
}

async function isAbandoned(lock: string): Promise<boolean> {
  const [id, { mtimeMs }] = await Promise.all([readFile(lock, 'utf8'), stat(lock)]).catch(() => ['', { mtimeMs: 0 }] as const);
  return id.trim() !== '' && !isRunning(Number(id)) && Date.now() - mtimeMs > day; // empty: not started yet, or ended well
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
