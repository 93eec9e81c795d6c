import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeAbandoned } from '../../dev/data-folder.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

const parent = useTemporaryFolder();
const gone = '2147483647'; // more than any process has as its id

async function leave(name: string, id: string | undefined, hours: number): Promise<void> {
  await mkdir(join(parent.path, name));
  if (id === undefined) return;
  const lock = join(parent.path, name, 'mongod.lock');
  await writeFile(lock, `${id}\n`);
  const startedAt = Date.now() / 1_000 - hours * 3_600;
  await utimes(lock, startedAt, startedAt);
}

it('removes the data of killed runs after a day, and no other folder', async () => {
  await leave('koa-mongo-resource-killed', gone, 25);
  await leave('koa-mongo-resource-killed-now', gone, 23);
  await leave('koa-mongo-resource-running', String(process.pid), 25);
  await leave('koa-mongo-resource-ended', '', 25);
  await leave('koa-mongo-resource-new', undefined, 0);
  await leave('other', gone, 25);
  await removeAbandoned(parent.path);
  expect((await readdir(parent.path)).sort()).toEqual([
    'koa-mongo-resource-ended',
    'koa-mongo-resource-killed-now',
    'koa-mongo-resource-new',
    'koa-mongo-resource-running',
    'other',
  ]);
});
