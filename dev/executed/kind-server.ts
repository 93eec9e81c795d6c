import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Kind, Sent } from './kinds.ts';

/** A Koa app with the api of a kind, on a port of its own, and a client with one connection to it. */
export class KindServer {
  readonly #kind: Kind;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;

  private constructor(kind: Kind) {
    this.#kind = kind;
    this.#server = createServer(new Koa().use(kind.api.routes()).callback());
    this.#server.keepAliveTimeout = 0; // the counting between two requests may take longer
  }

  static async open(kind: Kind): Promise<KindServer> {
    const opened = new KindServer(kind);
    await once(opened.#server.listen(0, '127.0.0.1'), 'listening');
    return opened;
  }

  /**
   * Sends a request, and waits until the client has its answer and the server has done with it. Throws if the answer
   * has another status.
   */
  async send({ method, path, body, headers }: Sent): Promise<void> {
    const { name, status } = this.#kind;
    const { port } = this.#server.address() as AddressInfo;
    const ended = once(this.#server, 'request').then(([, response]) => once(response as ServerResponse, 'close'));
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const outgoing = request({ host: '127.0.0.1', port, method, path, agent: this.#agent, headers: { ...type, ...headers } });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part);
    await ended;
    if (answer.statusCode !== status) throw new Error(`${name} was answered with ${answer.statusCode}: ${Buffer.concat(parts)}`);
  }

  close(): void {
    this.#agent.destroy();
    this.#server.close();
  }
}
