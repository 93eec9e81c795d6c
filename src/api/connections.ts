import { channel } from 'node:diagnostics_channel';
import { Server, type ServerResponse } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';

/** What is known of a connection: the answer to the newest of its requests, `idle` when that has ended, `unused` before its first request. */
export type ConnectionState = ServerResponse | 'idle' | 'unused';

// On the objects of Node, and not in maps of this module: Jest reads a module again for each test file of a process, and all of them share this.
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

interface Exchange {
  readonly response: ServerResponse;
  readonly socket: KnownSocket;
  readonly server: KnownServer;
}

/**
 * Begins to keep account of the connections of all HTTP servers of the process, by what Node tells of them (`diagnostics_channel`): a server
 * that is to be closed answers requests of routes that the library does not see, and whoever asks only then does not learn of those that it
 * has begun with. Once for a process, however often it is called.
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

/** What a connection does at the moment. One that has been upgraded to another protocol without any request before is `unused`. */
export function stateOf(socket: KnownSocket): ConnectionState {
  return socket[stateKey] ?? 'unused';
}

/** Tells of each answer that is begun from now on, before its request is handled. */
export function onRequest(server: KnownServer, listener: (response: ServerResponse) => void): void {
  server[listenerKey] = listener;
}

/**
 * A server with TLS reads its requests from a socket of its own for each connection, which is there when the handshake is over. Until then, and
 * where no handshake comes, there is only the one that the system has accepted: both are known.
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
  const { response, socket, server } = message as Exchange;
  if (socket[stateKey] === undefined) add(server, socket);
  socket[stateKey] = response;
  server[listenerKey]?.(response);
}

/** An answer that has ended is let go: an idle connection must not keep its last answer, and what that was made of, in memory. */
function noteFinish(message: unknown): void {
  const { response, socket } = message as Exchange;
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
