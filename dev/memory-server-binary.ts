import { DryMongoBinary, MongoBinary } from 'mongodb-memory-server';
import type { Log } from './log.ts';

/** Longer than a slow name server needs, and far shorter than mongodb-memory-server's own retries. */
const probeTimeoutMs = 3_000;

/** A mongod that mongodb-memory-server has downloaded before, into this folder or into a cache of its own. */
export async function findDownloaded(folder: string): Promise<string | undefined> {
  return DryMongoBinary.locateBinary(DryMongoBinary.getEnsuredOptions({ downloadDir: folder }));
}

/**
 * Lets mongodb-memory-server download its mongod into the folder; it locks, checks and shows progress itself.
 *
 * Rejects within three seconds when the host does not answer, and when its download is switched off.
 */
export async function downloadMongod(folder: string, env: NodeJS.ProcessEnv, log: Log): Promise<string> {
  if (/^(0|false|no|off)$/i.test(env.MONGOMS_RUNTIME_DOWNLOAD ?? '')) throw new Error('MONGOMS_RUNTIME_DOWNLOAD switches it off');
  const { origin, host } = new URL(env.MONGOMS_DOWNLOAD_URL || env.MONGOMS_DOWNLOAD_MIRROR || 'https://fastdl.mongodb.org');
  if (!hasProxy(env) && !(await isReachable(origin))) throw new Error(`${host} cannot be reached`);
  log(`mongod: downloading it from ${host}`);
  return MongoBinary.getPath({ downloadDir: folder });
}

/**
 * Behind a proxy the probe would fail where the download works: Node's fetch knows no proxies, mongodb-memory-server
 * does.
 */
function hasProxy(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy);
}

async function isReachable(origin: string): Promise<boolean> {
  return fetch(origin, { method: 'HEAD', signal: AbortSignal.timeout(probeTimeoutMs) }).then(
    () => true,
    () => false,
  );
}
