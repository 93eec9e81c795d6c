import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { cacheFolder } from '../../dev/cache-folder.ts';

it.each([
  [{ KOA_MONGO_RESOURCE_CACHE: '/somewhere', XDG_CACHE_HOME: '/xdg' }, resolve('/somewhere')],
  [{ KOA_MONGO_RESOURCE_CACHE: 'relative' }, resolve('relative')],
  [{ XDG_CACHE_HOME: '/xdg' }, join('/xdg', 'koa-mongo-resource')],
  [{ KOA_MONGO_RESOURCE_CACHE: '', XDG_CACHE_HOME: '' }, join(homedir(), '.cache', 'koa-mongo-resource')],
  [{}, join(homedir(), '.cache', 'koa-mongo-resource')],
])('the cache of %j is %s', (env, folder) => {
  expect(cacheFolder(env)).toBe(folder);
});
