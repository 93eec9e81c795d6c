import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * A load balancer as services stand behind: it keeps connections open, asks each service whether it is ready, and takes
 * turns among those that are.
 */
export interface Balancer {
  readonly port: number;
  add(port: number): void;
  /** Resolves when the service was asked and has said that it is ready. */
  untilReady(port: number): Promise<void>;
  remove(port: number): void;
  close(): void;
}

const probeMS = 50;

/** Starts one. It sends each request once: what a service breaks off is a 502. */
export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const services = new Map<number, boolean>();
  let turn = 0;

  const server = createServer((incoming, answer) => {
    const ready = [...services].flatMap(([port, isReady]) => (isReady ? [port] : []));
    const port = ready[turn++ % ready.length];
    if (port === undefined) return void answer.writeHead(502).end('no service is ready');
    const { method, url, headers } = incoming;
    const outgoing = httpRequest({ host: '127.0.0.1', port, method, path: url, agent, headers: { ...headers, connection: 'keep-alive' } });
    const fail = (error: Error) => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end(String(error));
    };
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      const { connection: _, 'keep-alive': __, ...others } = response.headers;
      answer.writeHead(response.statusCode ?? 502, others);
      pipeline(response, answer, (error) => error && fail(error));
    });
    incoming.pipe(outgoing);
  });

  async function probe(port: number): Promise<void> {
    const asked = httpRequest({ host: '127.0.0.1', port, path: '/api/health/ready', agent }).end();
    const isReady = await once(asked, 'response').then(
      ([response]: IncomingMessage[]) => {
        response?.resume();
        return response?.statusCode === 200;
      },
      () => false,
    );
    if (services.has(port)) services.set(port, isReady);
  }

  const probing = setInterval(() => {
    for (const port of services.keys()) void probe(port);
  }, probeMS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    add: (port) => void services.set(port, false),
    async untilReady(port) {
      while (!services.get(port)) await probe(port);
    },
    remove: (port) => void services.delete(port),
    close() {
      clearInterval(probing);
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}
