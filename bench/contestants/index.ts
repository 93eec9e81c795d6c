import { resolve } from 'node:path';
import type { Contestant } from './contestant.ts';

/** Loaded by the process that serves it, and by no other: what one imports must not cost another. */
export const contestants: Readonly<Record<string, () => Promise<Contestant>>> = {
  'node-http': async () => (await import('./node-http.ts')).nodeHttp,
  fastify: async () => (await import('./fastify.ts')).fastify,
  koa: async () => (await import('./koa.ts')).koa,
  feathers: async () => (await import('./feathers.ts')).feathers,
  'express-restify-mongoose': async () => (await import('./express-restify-mongoose.ts')).expressRestifyMongoose,
  ours: () => loadOurs('dist/index.js'),
};

/** A contestant by its name, or ours of another build by the file of its entry point: a path that ends in `.js`. */
export function loadContestant(name: string): Promise<Contestant> {
  const load = contestants[name];
  if (load) return load();
  if (!name.endsWith('.js')) throw new Error(`no such contestant: ${name}`);
  return loadOurs(name);
}

async function loadOurs(entry: string): Promise<Contestant> {
  const { serveWith } = await import('./ours.ts');
  return serveWith(await import(resolve(entry)));
}
