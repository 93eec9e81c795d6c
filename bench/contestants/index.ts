import type { Contestant } from './contestant.ts';

/** Loaded by the process that serves it, and by no other: what one imports must not cost another. */
export const contestants: Readonly<Record<string, () => Promise<Contestant>>> = {
  'node-http': async () => (await import('./node-http.ts')).nodeHttp,
  fastify: async () => (await import('./fastify.ts')).fastify,
  koa: async () => (await import('./koa.ts')).koa,
  feathers: async () => (await import('./feathers.ts')).feathers,
  'express-restify-mongoose': async () => (await import('./express-restify-mongoose.ts')).expressRestifyMongoose,
  ours: async () => (await import('./ours.ts')).ours,
};
