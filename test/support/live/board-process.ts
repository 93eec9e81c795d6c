/**
 * The board as a process of its own: `board-process.mjs <uri> <database> [<options of the api as JSON>]`. It says its
 * port, and what it holds whenever it is sent a message, and ends with its parent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { boardApi } from './board.ts';

/** What the process says. */
export interface Said {
  readonly port: number;
  /** Of the heap and outside of it, in bytes, when all garbage is gone. */
  readonly bytes: number;
  /** Timers, sockets and the like, by their kind. */
  readonly resources: Readonly<Record<string, number>>;
  readonly connections: number;
}

const [uri = '', database = '', options = '{}'] = process.argv.slice(2);
const client = await MongoClient.connect(uri);
const server = createServer(boardApi(client.db(database), JSON.parse(options)).callback());

function held(): Omit<Said, 'port' | 'connections'> {
  for (let run = 0; run < 3; run++) globalThis.gc?.();
  const { heapUsed, arrayBuffers, external } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return { bytes: heapUsed + Math.max(arrayBuffers, external), resources };
}

function say(): void {
  const { port } = server.address() as AddressInfo;
  server.getConnections((_error, connections) => process.send?.({ port, connections, ...held() } satisfies Said));
}

process.on('message', say);
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', say);
