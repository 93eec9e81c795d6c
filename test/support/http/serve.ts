import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Any } from '../any.ts';

/** What a request sends: an object goes as JSON, text and bytes as they are. */
export interface Sent {
  readonly body?: unknown;
  readonly headers?: OutgoingHttpHeaders;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The JSON of the body; undefined without a body. */
  readonly body: Any;
  readonly text: string;
}

/** A Koa app that listens on a port of its own. */
export interface TestServer {
  readonly port: number;
  /** What `app.on('error')` was told, oldest first. */
  readonly errors: Error[];
  request(method: string, path: string, sent?: Sent): Promise<Answer>;
}

/** Serves Koa middlewares over HTTP, and closes all servers after the last test of the file. */
export function useServer(): (...middlewares: readonly Koa.Middleware[]) => Promise<TestServer> {
  const servers: Server[] = [];
  afterAll(async () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });
  return async function serve(...middlewares) {
    const app = new Koa();
    for (const middleware of middlewares) app.use(middleware);
    const errors: Error[] = [];
    app.on('error', (error: Error) => errors.push(error));
    const server = app.listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { port, errors, request: (method, path, sent) => send(port, method, path, sent) };
  };
}

/** One request by `node:http`, which changes neither the path nor the headers that it is given. */
export async function send(port: number, method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Answer> {
  const bytes = toBytes(body);
  const type = bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': bytes.length };
  const outgoing = httpRequest({ port, host: '127.0.0.1', method, path, headers: withoutUndefined({ ...type, ...headers }), agent: false });
  outgoing.end(bytes);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return readAnswer(incoming);
}

export async function readAnswer(incoming: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const isJson = text !== '' && /[/+]json\b/.test(incoming.headers['content-type'] ?? '');
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function withoutUndefined(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}
