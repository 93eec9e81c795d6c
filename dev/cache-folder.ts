import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * The folder that keeps downloaded database binaries: `KOA_MONGO_RESOURCE_CACHE`, or a folder of our name in the user's
 * cache.
 */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  if (env.KOA_MONGO_RESOURCE_CACHE) return resolve(env.KOA_MONGO_RESOURCE_CACHE);
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'koa-mongo-resource');
}
