import type Koa from 'koa';
import type { Observe } from 'koa-mongo-resource';
import { pino } from 'pino';

/** Writes a line of JSON for each entry. */
export const log = pino({ level: process.env.LOG_LEVEL || 'info' });

/** Writes a line for each request. The query string is left out, because filters may hold personal data. */
export const logRequest: Observe = (observation, ctx) => {
  const level = observation.status >= 500 ? 'error' : observation.status >= 400 ? 'warn' : 'info';
  log[level]({ ...observation, method: ctx.method, path: ctx.path }, 'request');
};

/** What Koa reports of clients that break off. */
const ofConnections = /^(?:ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP_REQUEST_TIMEOUT|HPE_\w+)$/;

/** Writes a line for each unexpected error. */
export function logError(error: Error & { readonly code?: string }, ctx?: Koa.Context): void {
  if (ctx?.req.socket.destroyed && ofConnections.test(error.code ?? '')) return;
  log.error({ err: error, requestId: ctx?.requestId }, 'unexpected error');
}
