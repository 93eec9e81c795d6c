import type { Db } from 'mongodb';
import { Problem } from '../errors.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { setJson } from '../middleware/exchange/exchange.ts';
import { composeChain } from '../middleware/exchange/step.ts';
import { compilePing } from '../mongo/driver/ping.ts';
import type { Closing } from './close.ts';
import type { Route } from './route.ts';

/** The path of the health routes below the prefix. */
export const healthPath = 'health';

/** The middlewares that answer probes, by the method and the path below the prefix of the api: `GET /health/live`. */
export type Probes = ReadonlyMap<string, ResourceMiddleware>;

/**
 * Creates the routes of the probes. `live` says that the process answers, and never asks the database. `ready` says
 * that requests can be served: it answers 503 if the database does not answer within a second on an open connection,
 * and after `close` was called.
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
 * Answers probes before authentication, limits and `observe`. The route table has the same routes, but only to answer
 * other methods: with 405, or OPTIONS.
 */
export function compileProbes(routes: readonly Route[]): Probes {
  return new Map(routes.flatMap(({ path, run }) => ['GET', 'HEAD'].map((method) => [`${method} /${healthPath}${path}`, run] as const)));
}

function toRoute(name: string, check: () => Promise<void>, answerProblems: ResourceMiddleware): Route {
  const text = JSON.stringify({ status: name });
  const answer: ResourceMiddleware = async function health(ctx) {
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    await check();
    ctx.status = 200; // overrides a status that the app has set
    setJson(ctx, text);
  };
  return { method: 'GET', path: `/${name}`, name, run: composeChain([answerProblems, answer]) };
}

function notReady(code: 'shutting_down' | 'database_unavailable', detail: string): Problem {
  return new Problem({ code, detail });
}
