import { channel } from 'node:diagnostics_channel';
import { Server, type ServerResponse } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { exchangeOf } from '../middleware/exchange/exchange.ts';
import { OwnStreams } from '../middleware/exchange/own-streams.ts';

/** The requests of an api whose answers have not ended. */
export class InFlight {
  /** Those that a handler answers with a stream. */
  readonly streams = new OwnStreams();
  #count = 0;
  #whenNone: (() => void)[] = [];

  /** Counts the requests of a middleware. */
  count(run: ResourceMiddleware): ResourceMiddleware {
    return (ctx, next) => {
      this.#count++;
      const exchange = exchangeOf(ctx);
      exchange.streams = this.streams;
      exchange.whenOver(this.#end);
      return run(ctx, next);
    };
  }

  /** Resolves when no request is left. */
  async none(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#whenNone.push(resolve));
  }

  readonly #end = (): void => {
    this.#count--;
    if (this.#count === 0) for (const resolve of this.#whenNone.splice(0)) resolve();
  };
}

/**
 * The state of a connection: the answer to its newest request, `idle` when that has ended, `unused` before the first
 * request.
 */
export type ConnectionState = ServerResponse | 'idle' | 'unused';

// Stored on the objects of Node instead of in maps of this module: Jest and others load a module more than once, and
// all must share this.
const stateKey = Symbol.for('koa-mongo-resource.connection.1');
const socketsKey = Symbol.for('koa-mongo-resource.connections.1');
const listenerKey = Symbol.for('koa-mongo-resource.onRequest.1');
const watchedKey = Symbol.for('koa-mongo-resource.watched.1');
const securedKey = Symbol.for('koa-mongo-resource.secured.1');

type KnownSocket = Socket & { [stateKey]?: ConnectionState; readonly server?: unknown };
type KnownServer = Server & {
  [socketsKey]?: Set<KnownSocket>;
  [listenerKey]?: (response: ServerResponse) => void;
  [securedKey]?: true;
};

interface Arrival {
  readonly response: ServerResponse;
  readonly socket: KnownSocket;
  readonly server: KnownServer;
}

/**
 * Starts to track the connections of all HTTP servers of the process, by the events of `diagnostics_channel`. `close`
 * needs to know all requests of a server, also on routes that the library does not see, and requests that began before
 * `close` was called. Further calls do nothing.
 */
export function watchConnections(): void {
  const started: ReturnType<typeof channel> & { [watchedKey]?: true } = channel('http.server.request.start');
  if (started[watchedKey]) return;
  started[watchedKey] = true;
  started.subscribe(noteStart);
  channel('http.server.response.finish').subscribe(noteFinish);
  channel('net.server.socket').subscribe(noteSocket);
}

/** Whether a server speaks HTTP/1.1, with TLS or without. */
export function isHttpServer(server: unknown): server is Server {
  return server instanceof Server || server instanceof HttpsServer;
}

/** The open connections of a server, as they change. */
export function connectionsOf(server: KnownServer): ReadonlySet<Socket> {
  return setOf(server);
}

/** The state of a connection. A connection that was upgraded to another protocol by its first request is `unused`. */
export function stateOf(socket: KnownSocket): ConnectionState {
  return socket[stateKey] ?? 'unused';
}

/** Calls the listener for every later request, with its response, before the request is handled. */
export function onRequest(server: KnownServer, listener: (response: ServerResponse) => void): void {
  server[listenerKey] = listener;
}

/**
 * A TLS server reads requests from a second socket for each connection, which exists when the handshake is over. Until
 * then, and if no handshake comes, there is only the accepted socket. Both are tracked.
 */
function noteSocket(message: unknown): void {
  const { socket } = message as { readonly socket: KnownSocket };
  const { server } = socket;
  if (server instanceof HttpsServer) noteSecured(server);
  if (isHttpServer(server)) add(server, socket);
}

function noteSecured(server: KnownServer): void {
  if (server[securedKey]) return;
  server[securedKey] = true;
  server.on('secureConnection', (socket: KnownSocket) => add(server, socket));
}

function noteStart(message: unknown): void {
  const { response, socket, server } = message as Arrival;
  if (socket[stateKey] === undefined) add(server, socket);
  socket[stateKey] = response;
  server[listenerKey]?.(response);
}

/** Forgets an answer that has ended: an idle connection must not keep it in memory. */
function noteFinish(message: unknown): void {
  const { response, socket } = message as Arrival;
  if (socket[stateKey] === response) socket[stateKey] = 'idle';
}

function add(server: KnownServer, socket: KnownSocket): void {
  const sockets = setOf(server);
  sockets.add(socket);
  socket[stateKey] = 'unused';
  socket.once('close', () => sockets.delete(socket));
}

function setOf(server: KnownServer): Set<KnownSocket> {
  server[socketsKey] ??= new Set();
  return server[socketsKey];
}
