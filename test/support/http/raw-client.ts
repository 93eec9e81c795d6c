import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** What a server with TLS needs: a key that both sides know takes the place of a certificate. */
export const preShared = { ciphers: 'PSK+HIGH', maxVersion: 'TLSv1.2', pskCallback: () => Buffer.alloc(32, 'a key of the tests') } as const;

/** An answer as it came over a connection. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A client that sends what a test wants it to send, when it wants, and reads answers one after the other. */
export class RawClient {
  readonly socket: Socket;
  /** Whether the connection was reset: then an answer that was not yet read would be lost. */
  wasReset = false;
  #received = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {
      this.wasReset = true;
    });
    socket.pause();
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Over TLS, to a server of {@link preShared}. */
  static async connectSecurely(port: number): Promise<RawClient> {
    const { pskCallback, ...rest } = preShared;
    const options = { ...rest, pskCallback: () => ({ psk: pskCallback(), identity: 'test' }), checkServerIdentity: () => undefined };
    const socket = connectTls({ port, host: '127.0.0.1', ...options });
    await once(socket, 'secureConnect');
    return new RawClient(socket);
  }

  /** Writes a request's head: its first line and its headers, without a blank line. */
  head(line: string, headers: Readonly<Record<string, string | number>> = {}): Promise<void> {
    const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    return this.send(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`);
  }

  /** Resolves when the system has taken all of it, or the connection is gone. */
  send(data: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.destroyed) resolve();
      else this.socket.write(data, () => resolve());
    });
  }

  /** A chunk of a chunked body; an empty one ends it. */
  chunk(data: string): Promise<void> {
    return this.send(`${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`);
  }

  /** Reads the next answer; undefined when the connection ends without one. */
  async answer(): Promise<RawAnswer | undefined> {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n');
      const head = end === -1 ? undefined : parseHead(this.#received.subarray(0, end).toString('latin1'));
      const length = Number(head?.headers['content-length'] ?? 0);
      if (head && this.#received.length >= end + 4 + length) {
        const text = this.#received.subarray(end + 4, end + 4 + length).toString();
        this.#received = this.#received.subarray(end + 4 + length);
        return { ...head, text };
      }
      if (!(await this.#more())) return undefined;
    }
  }

  /** Resolves when the server has ended the connection. */
  async ended(): Promise<void> {
    while (await this.#more());
  }

  async #more(): Promise<boolean> {
    for (;;) {
      const data = this.socket.read() as Buffer | null;
      if (data) {
        this.#received = Buffer.concat([this.#received, data]);
        return true;
      }
      if (this.socket.readableEnded || this.socket.destroyed) return false;
      await this.#stirred();
    }
  }

  #stirred(): Promise<void> {
    const events = ['readable', 'end', 'close'];
    return new Promise((resolve) => {
      const stir = () => {
        for (const event of events) this.socket.off(event, stir);
        resolve();
      };
      for (const event of events) this.socket.on(event, stir);
    });
  }
}

/** A client that sends its requests at once and reads nothing of the answers. */
export async function sendUnread(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

function parseHead(text: string): Omit<RawAnswer, 'text'> {
  const [first = '', ...lines] = text.split('\r\n');
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]);
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers) };
}
