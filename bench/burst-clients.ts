import { connect, type Socket } from 'node:net';
import type { Request } from 'autocannon';

/**
 * Clients that stay connected and send exactly the requests that they are given. A load generator connects anew each
 * time, which would be a large part of a burst.
 */
export class BurstClients {
  readonly #sockets: readonly Socket[];

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  static async connect(port: number, connections: number): Promise<BurstClients> {
    const sockets = Array.from({ length: connections }, () => connect({ port, host: '127.0.0.1', noDelay: true }));
    await Promise.all(sockets.map((socket) => new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))));
    return new BurstClients(sockets);
  }

  /** Resolves when all are answered; rejects at the first answer that is no success. */
  async send(requests: readonly Buffer[]): Promise<void> {
    let next = 0;
    await Promise.all(
      this.#sockets.map(async (socket) => {
        while (next < requests.length) await exchange(socket, requests[next++] as Buffer);
      }),
    );
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** The bytes of a request to a server that keeps connections open. */
export function wireOf({ method, path, headers, body = '' }: Request): Buffer {
  const fields = { host: '127.0.0.1', ...headers, ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Sends a request, and waits for the whole of an answer that tells its length. */
function exchange(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let [received, expected] = [0, 0];
    const stop = (settle: () => void) => {
      socket.off('data', read).off('close', lose);
      settle();
    };
    const lose = () => stop(() => reject(new Error('a server of the benchmark closed a connection')));
    const read = (chunk: Buffer) => {
      if (received === 0) {
        const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n'));
        if (!/^HTTP\/1\.1 2/.test(head)) return stop(() => reject(new Error(`a request of a burst was refused: ${chunk}`)));
        expected = head.length + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1]);
        if (Number.isNaN(expected)) return stop(() => reject(new Error(`an answer of a burst does not tell its length: ${head}`)));
      }
      received += chunk.length;
      if (received >= expected) stop(resolve);
    };
    if (socket.destroyed) return lose();
    socket.on('data', read).on('close', lose);
    socket.write(request);
  });
}
