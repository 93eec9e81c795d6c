import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { hasBody } from '../middleware/parts/unread-body.ts';
import { aWholeNumber, checkOptions, type LegalOptions, required } from '../options.ts';
import { connectionsOf, isHttpServer, onRequest, stateOf } from './connections.ts';

/** Options of `api.close()`. */
export interface CloseOptions {
  /**
   * What `listen()` returned, `http.createServer()` or `https.createServer()`: it is closed with all of its connections, whatever else it serves.
   * Not a server of HTTP/2, whose connections end in another way.
   */
  readonly server: Server;
  /**
   * Milliseconds in which `<prefix>/health/ready` is 503 already and all requests are still taken: as long as a load balancer needs to notice.
   * @default 0
   */
  readonly delay?: number;
  /**
   * Milliseconds from the end of `delay` on, after which all connections are cut that are still open. With `delay` it must be less than
   * whoever ends the process waits before it kills it: Docker 10 s, Kubernetes 30 s.
   * @default 8,000
   */
  readonly timeout?: number;
}

/** Whether the end of an api has begun. */
export interface Closing {
  hasBegun: boolean;
}

const milliseconds = aWholeNumber(0, 2 ** 31 - 1, ' of milliseconds');
const legal: LegalOptions<CloseOptions> = {
  server: required([isHttpServer, 'what `listen()` or `http.createServer()` returned, or `https.createServer()`']),
  delay: milliseconds,
  timeout: milliseconds,
};

/** One end for a server, however many apis it serves and signals it gets. */
const ends = new WeakMap<Server, Promise<void>>();

/** Compiles `close` of an api. */
export function compileClose(closing: Closing): (options: CloseOptions) => Promise<void> {
  return async function close(options) {
    checkOptions(options, legal, '`close`');
    const { server, delay = 0, timeout = 8_000 } = options;
    closing.hasBegun = true;
    const end = ends.get(server) ?? closeServer(server, delay, timeout);
    ends.set(server, end);
    await end;
  };
}

async function closeServer(server: Server, delay: number, timeout: number): Promise<void> {
  if (delay > 0) await wait(delay);
  await nextTurn(); // behind the connections that the system holds already: those that nobody has accepted would be reset
  const connections = connectionsOf(server);
  onRequest(server, sayClose);
  for (const state of [...connections].map(stateOf)) if (typeof state === 'object') sayClose(state);
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  // Not by the `close` of an HTTP server: that one destroys what it takes for idle, the connection of a request that is just arriving too.
  NetServer.prototype.close.call(server);
  const sweeping = setInterval(setImmediate, sweepMS, closeQuiet(connections)); // behind what has arrived in the same turn
  const deadline = new AbortController();
  try {
    await Promise.race([closed, wait(timeout, undefined, { signal: deadline.signal })]);
  } finally {
    clearInterval(sweeping);
    deadline.abort();
    cutAll(server, connections);
  }
}

/**
 * Makes the answer say that its connection ends with it, where no request follows it on that connection: Node ends the connection then, and
 * an answer behind it would be lost. The answer to a request whose body is still arriving does not say so: to end a connection under it
 * would reset it, and lose the answer. The next one does, or the connection is quiet some day.
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

/** So many sweeps a connection must be quiet: a second, in which a request that was cut in two by a lost packet has come whole. */
const quietSweeps = 10;

/** Ends the connections that nothing has arrived on for a while, and no answer is due on. */
function closeQuiet(connections: ReadonlySet<Socket>): () => void {
  const seen = new Map<Socket, { readonly bytesRead: number; readonly times: number }>();
  return function sweep() {
    for (const socket of connections) {
      const { bytesRead } = socket;
      const state = stateOf(socket);
      // The first request, another protocol, or TLS: what comes through it is read from another socket, see `noteSocket`.
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
  server.closeAllConnections?.(); // those from before the first api was made
}
