import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A message of MongoDB's wire protocol on its way. */
export interface Message {
  readonly from: 'service' | 'database';
  /** The command, or the one that is answered: `insert`, `hello`, … */
  readonly command: string;
}

/**
 * What happens to a message: it is late by so many milliseconds (and with it all that follow on its connection), is
 * lost with its connection (`reset`), arrives in part before the connection is reset (`truncate`), or goes nowhere, and
 * with it all that follow in its direction, while the connection stays (`half-open`). A promise holds it, and what
 * follows, until it resolves. What is late or held is delivered even if its sender has closed the connection meanwhile.
 */
export type Disturbance = number | Promise<unknown> | 'reset' | 'truncate' | 'half-open';

/** Stands between a service and a mongod, and disturbs their messages. */
export class Network {
  /** Decides on each message, as it arrives here; undefined lets it pass. */
  disturb: (message: Message) => Disturbance | undefined = () => undefined;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [service: Socket, database: Socket]>();

  private constructor(host: string) {
    const [name, port] = host.split(':');
    this.#server = createServer((service) => this.#carry(service, connect(Number(port), name)));
  }

  /** @param host such as `127.0.0.1:27017` */
  static async to(host: string): Promise<Network> {
    const network = new Network(host);
    network.#server.listen(0, '127.0.0.1');
    await once(network.#server, 'listening');
    return network;
  }

  get uri(): string {
    return `mongodb://127.0.0.1:${(this.#server.address() as AddressInfo).port}/?directConnection=true`;
  }

  /** Resets every connection, the half-open ones too. */
  resetAll(): void {
    for (const pair of this.#pairs) reset(pair);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.resetAll();
    await once(this.#server, 'close');
  }

  #carry(service: Socket, database: Socket): void {
    const pair = [service, database] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay();
      socket.on('error', () => undefined);
      socket.on('close', () => pair.every(({ closed }) => closed) && this.#pairs.delete(pair));
    }
    const commands = new Map<number, string>();
    const carry = async (from: Message['from'], source: Socket, target: Socket) => {
      for await (const bytes of messagesFrom(source)) {
        const command = (from === 'service' ? commandOf(bytes) : commands.get(bytes.readInt32LE(8))) ?? 'hello';
        if (from === 'service') commands.set(bytes.readInt32LE(4), command);
        const disturbance = this.disturb({ from, command });
        if (disturbance === 'half-open') return void source.resume().once('close', () => target.destroy());
        if (disturbance === 'reset') return reset(pair);
        if (disturbance === 'truncate') return void target.write(bytes.subarray(0, bytes.length / 2), () => reset(pair));
        if (typeof disturbance === 'number')
          await pause(disturbance); // the latency that the test asks for
        else await disturbance;
        target.write(bytes);
      }
      target.destroySoon();
    };
    carry('service', service, database).catch(() => database.destroySoon());
    carry('database', database, service).catch(() => service.destroySoon());
  }
}

function reset(pair: readonly [Socket, Socket]): void {
  // Node 20 never closes one that is reset while its own end is still on its way, and then hangs when the process ends.
  for (const socket of pair)
    if (socket.writableEnded || socket.connecting) socket.destroy();
    else socket.resetAndDestroy();
}

/** Whole messages: each begins with its length. */
async function* messagesFrom(socket: Socket): AsyncGenerator<Buffer> {
  let received = Buffer.alloc(0);
  const chunks: AsyncIterable<Buffer> = socket.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const length = received.readInt32LE(0);
      yield received.subarray(0, length);
      received = received.subarray(length);
    }
  }
}

const opMsg = 2013;

/**
 * The first key of an OP_MSG's document, which lies behind header (16), flags (4), kind (1), length (4) and the key's
 * type (1).
 */
function commandOf(bytes: Buffer): string | undefined {
  if (bytes.readInt32LE(12) !== opMsg) return undefined;
  return bytes.toString('latin1', 26, bytes.indexOf(0, 26));
}

export const isWrite = ({ command }: Message) => command === 'insert' || command === 'findAndModify';
