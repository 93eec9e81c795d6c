import { once } from 'node:events';
import { createServer, type RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { loadContestant } from './contestants/index.ts';

/**
 * Contestants in a process of their own: `serve.ts <names> <uri> <database> <resources> <more fields>`, the names with
 * commas between them. Tells what each serves, and then, at each message, what the process has used.
 */
export interface Ready {
  readonly port: number;
  readonly title: string;
  readonly answersAlike: boolean;
  /** The query string of a list, with `BEFORE` and `LIMIT` in it. */
  readonly query: string;
}

export interface Usage {
  /** User and system time since the process began, in microseconds. */
  readonly cpu: number;
  /** Resident memory in bytes. */
  readonly rss: number;
  /** What the heap holds, in bytes: after a full collection where the process may collect garbage (`--expose-gc`). */
  readonly heap: number;
  /** What is held outside of the heap by objects in it, such as buffers, in bytes. */
  readonly external: number;
}

const [names = '', uri = '', database = '', resources = '1', moreFields = '0'] = process.argv.slice(2);
const client = await MongoClient.connect(uri);
const ready = await Promise.all(names.split(',').map(serve));

async function serve(name: string): Promise<Ready> {
  const {
    title,
    answersAlike,
    query = 'status=open&createdAt[lt]=BEFORE&sort=-createdAt&limit=LIMIT',
    create,
  } = await loadContestant(name);
  const made: RequestListener | Server = await create(client.db(database), {
    resources: Number(resources),
    moreFields: Number(moreFields),
  });
  const server = made instanceof Server ? made : createServer(made);
  server.keepAliveTimeout = 60_000; // the clients of bursts wait for their turn
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, title, answersAlike, query };
}

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  const { rss, heapUsed: heap, external } = process.memoryUsage();
  const usage: Usage = { cpu: user + system, rss, heap, external };
  process.send?.(usage);
});
process.on('disconnect', () => process.exit());
process.send?.(ready);
