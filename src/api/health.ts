import compose from 'koa-compose';
import type { Db } from 'mongodb';
import { Problem } from '../errors.ts';
import type { Context, ResourceMiddleware } from '../middleware/parts/context.ts';
import { compilePing } from '../mongo/driver/ping.ts';
import type { Closing } from './close.ts';
import type { Route } from './dispatch.ts';

/** The path of the probes below the prefix. */
export const healthPath = 'health';

/** Answers a probe, and nothing else: undefined where a request is none. `path` is what follows the api's prefix. */
export type AnswerProbe = (ctx: Context, path: string | undefined) => Promise<void> | undefined;

/**
 * The routes of the probes: `live` says that the process answers, and never asks the database; `ready` says that requests can be served. It is
 * 503 while the database has no answer for it within a second, though there was a connection to ask by, and from the moment that `close` is called.
 */
export function compileHealthRoutes(db: Db, closing: Closing, answerProblems: ResourceMiddleware): Route[] {
  const ping = compilePing(db);
  const ready = async (): Promise<void> => {
    if (closing.hasBegun) throw notReady('shutting_down', 'The service is shutting down.');
    if (!(await ping())) throw notReady('database_unavailable', 'The database cannot be reached at the moment.');
  };
  return [toRoute('live', async () => undefined, answerProblems), toRoute('ready', ready, answerProblems)];
}

/**
 * Answers probes before anything else stands in their way: authentication, limits, `observe`. In the routes of the api they stand only for
 * what a probe must not be asked by: 405, and OPTIONS.
 */
export function compileProbes(routes: readonly Route[]): AnswerProbe {
  const probes = new Map(routes.map(({ path, run }) => [`/${healthPath}${path}`, run]));
  return function answerProbe(ctx, path = '') {
    return ctx.method === 'GET' || ctx.method === 'HEAD' ? probes.get(path)?.(ctx, async () => undefined) : undefined;
  };
}

function toRoute(name: string, check: () => Promise<void>, answerProblems: ResourceMiddleware): Route {
  const text = JSON.stringify({ status: name });
  const answer: ResourceMiddleware = async function health(ctx) {
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    await check();
    ctx.status = 200; // whatever the app has set before
    ctx.body = text;
    ctx.type = 'json';
  };
  return { method: 'GET', path: `/${name}`, name, run: compose([answerProblems, answer]) as ResourceMiddleware };
}

function notReady(code: 'shutting_down' | 'database_unavailable', detail: string): Problem {
  return new Problem({ code, detail });
}
