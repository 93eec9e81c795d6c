import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { hasBody } from '../middleware/body/unread-body.ts';
import { untilSessionsEnd } from '../mongo/driver/sessions.ts';
import { graceMS } from '../mongo/driver/time-limit.ts';
import { byDefault, checkOptions, type LegalOptions, milliseconds } from '../options.ts';
import { connectionsOf, type InFlight, isHttpServer, onRequest, stateOf } from './in-flight.ts';

/** Options of `api.close()`. */
export interface CloseOptions {
  /**
   * The server that `listen()`, `http.createServer()` or `https.createServer()` returned. It is closed with all of its
   * connections, even if it also serves something else. HTTP/2 servers are not supported. Leave it out if the api has
   * none, because only `fetch` answers, or if something else closes it.
   * @default none: no connection is closed
   */
  readonly server?: Server;
  /**
   * How long the server continues to accept requests, in milliseconds, while `<prefix>/health/ready` already answers
   * 503: as long as the load balancer needs to notice.
   * @default 0
   */
  readonly delay?: number;
  /**
   * How long after `delay` the connections may stay open, in milliseconds; then they are destroyed. Without `server`,
   * how long to wait for the answers of this api. Transactions of requests that have been cut off are aborted within
   * another second. All of it must be less than the grace period of the platform: 10 s in Docker, 30 s in Kubernetes.
   * @default 8,000
   */
  readonly timeout?: number;
}

/** Whether `close` of an api was called, and the requests that it waits for. */
export interface Closing {
  hasBegun: boolean;
  readonly inFlight: InFlight;
  /** Ends what plug-ins have under way, within so many milliseconds. */
  endPlugins(timeout: number): Promise<unknown>;
  /** Ends the exports that are under way, and tells the streams of handlers. */
  endStreams(): void;
}

const legal = {
  server: [isHttpServer, 'what `listen()` or `http.createServer()` returned, or `https.createServer()`'],
  delay: byDefault(0, milliseconds(0)),
  timeout: byDefault(8_000, milliseconds(0)),
} satisfies LegalOptions<CloseOptions>;

/** A server is closed once, even if it serves several apis or gets several signals. */
const ends = new WeakMap<Server, Promise<void>>();

/** Creates `close` of an api. */
export function compileClose(closing: Closing, client: MongoClient): (options?: CloseOptions) => Promise<void> {
  return async function close(options = {}) {
    const { server, delay, timeout } = checkOptions(options, legal, '`close`');
    closing.hasBegun = true;
    if (delay > 0) setTimeout(closing.endStreams, delay).unref();
    else closing.endStreams();
    await Promise.all([server ? closeOnce(server, delay, timeout) : endAnswers(closing, delay, timeout), closing.endPlugins(timeout)]);
    await untilSessionsEnd(client, graceMS);
  };
}

function closeOnce(server: Server, delay: number, timeout: number): Promise<void> {
  const end = ends.get(server) ?? closeServer(server, delay, timeout);
  ends.set(server, end);
  return end;
}

async function endAnswers({ inFlight }: Closing, delay: number, timeout: number): Promise<void> {
  if (delay > 0) await wait(delay);
  await within(timeout, inFlight.none());
}

/** Waits for a promise, but not for longer than this. */
async function within(timeout: number, promise: Promise<void>): Promise<void> {
  const deadline = new AbortController();
  try {
    await Promise.race([promise, wait(timeout, undefined, { signal: deadline.signal })]);
  } finally {
    deadline.abort();
  }
}

async function closeServer(server: Server, delay: number, timeout: number): Promise<void> {
  if (delay > 0) await wait(delay);
  await nextTurn(); // accept the connections that the system already holds: it would reset them
  const connections = connectionsOf(server);
  onRequest(server, sayClose);
  for (const state of [...connections].map(stateOf)) if (typeof state === 'object') sayClose(state);
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  stopListening(server);
  const sweeping = setInterval(setImmediate, sweepMS, closeQuiet(connections)); // after what has arrived in the same turn
  try {
    await within(timeout, closed);
  } finally {
    clearInterval(sweeping);
    cutAll(server, connections);
  }
}

/**
 * `close` of an HTTP server of Node would also destroy connections that it takes for idle while a request arrives on
 * them. The HTTP server of Bun does not extend that of `node:net`, and has only its own `close`.
 */
function stopListening(server: Server): void {
  if (server instanceof NetServer) NetServer.prototype.close.call(server);
  else (server as Server).close();
}

/**
 * Adds `Connection: close` to an answer, so that Node closes the connection after it. It does so only for the newest
 * request of a connection: the answers to later requests would be lost. It does not do so while the body of the request
 * is still arriving: closing would reset the connection and lose this answer. Such a connection is closed after a later
 * answer, or when nothing arrives on it any more.
 */
function sayClose(response: ServerResponse): void {
  const { req, writeHead } = response;
  response.writeHead = function (this: ServerResponse, ...given: never[]) {
    const isNewest = stateOf(req.socket) === response;
    if (isNewest && !response.headersSent && !isArriving(req)) response.setHeader('Connection', 'close');
    return (writeHead as (...all: never[]) => ServerResponse).apply(this, given);
  } as ServerResponse['writeHead'];
}

function isArriving(request: IncomingMessage): boolean {
  return !request.complete && hasBody(request);
}

const sweepMS = 100;

/**
 * How many sweeps a connection must be quiet: one second, in which the second half of a request arrives even if a
 * packet was lost.
 */
const quietSweeps = 10;

/** Closes connections on which nothing has arrived for a while, and which wait for no answer. */
function closeQuiet(connections: ReadonlySet<Socket>): () => void {
  const seen = new Map<Socket, { readonly bytesRead: number; readonly times: number }>();
  return function sweep() {
    for (const socket of connections) {
      const { bytesRead } = socket;
      const state = stateOf(socket);
      // An unused connection with bytes: its first request is arriving, it has another protocol, or it carries TLS (see
      // `noteSocket`).
      const isOpen = typeof state === 'object' || (state === 'unused' && bytesRead > 0);
      const last = seen.get(socket);
      const times = !isOpen && last?.bytesRead === bytesRead ? last.times + 1 : 0;
      seen.set(socket, { bytesRead, times });
      if (times >= quietSweeps) socket.destroySoon();
    }
  };
}

function cutAll(server: Server, connections: ReadonlySet<Socket>): void {
  for (const socket of connections) socket.destroy();
  server.closeAllConnections?.(); // connections that were opened before the first api was created
}
