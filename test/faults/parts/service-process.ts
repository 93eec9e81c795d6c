/**
 * The service as a process of its own, with the settings that its first argument holds as JSON. It talks with the test
 * by messages, see {@link Said} and {@link Told}, and ends with it.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { makeApi } from './things.ts';

export interface Settings {
  readonly uri: string;
  readonly database: string;
  readonly maxConcurrency: number;
}

/** What the process says. */
export type Said =
  | { readonly what: 'listening'; readonly port: number }
  /** A request with `x-hold` has arrived below the limit of requests in flight, and waits there for `release`. */
  | { readonly what: 'holding' }
  | { readonly what: 'quiet'; readonly state: State }
  /** Of the heap, in bytes, when all garbage is gone. */
  | { readonly what: 'heap'; readonly used: number };

/**
 * What it is told: to let all that it holds go on, to say when nothing is on its way any more, or how much of its heap
 * is in use.
 */
export type Told = 'release' | 'untilQuiet' | 'measureHeap';

export interface State {
  /** Requests that Node has given to the service. */
  readonly received: number;
  /** How often `observe` was called. */
  readonly heard: number;
  /** The ids of requests that `observe` has heard of more than once, or never. */
  readonly wrong: readonly string[];
}

const { uri, database, maxConcurrency } = JSON.parse(process.argv[2] ?? '') as Settings;
const client = await MongoClient.connect(uri);
const say = (said: Said) => process.send?.(said);

/** By the id of a request that has arrived: how often `observe` has heard of it. */
let times = new Map<string, number>();
let received = 0;
let heard = 0;
let held: (() => void)[] = [];
let tellWhenQuiet: (() => void) | undefined;

const api = makeApi(
  client.db(database),
  {
    maxConcurrency,
    observe({ requestId = '' }) {
      heard++;
      times.set(requestId, (times.get(requestId) ?? 0) + 1);
      tellIfQuiet();
    },
  },
  async (ctx) => {
    const wait = Number(ctx.get('x-delay'));
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait)); // a guard as slow as the client wants
    if (ctx.get('x-hold') === '') return;
    await new Promise<void>((resolve) => {
      held.push(resolve);
      say({ what: 'holding' });
    });
  },
);

const handle = api.callback();
const server = createServer((req, res) => {
  received++;
  const id = String(req.headers['x-request-id']);
  if (!times.has(id)) times.set(id, 0);
  void handle(req, res);
});
server.on('connection', (socket) => socket.on('close', tellIfQuiet));

function tellIfQuiet(): void {
  server.getConnections((_error, count) => {
    if (count === 0 && heard >= received) tellWhenQuiet?.();
  });
}

/**
 * Says so when the connections are gone and `observe` has heard of all; after a while as it is, for a test that fails
 * to say why.
 */
function untilQuiet(): void {
  const net = setTimeout(() => tellWhenQuiet?.(), 10_000);
  tellWhenQuiet = () => {
    clearTimeout(net);
    tellWhenQuiet = undefined;
    const wrong = [...times].filter(([, count]) => count !== 1).map(([id, count]) => `${id}: ${count}`);
    times = new Map();
    say({ what: 'quiet', state: { received, heard, wrong } });
  };
  tellIfQuiet();
}

process.on('message', (told: Told) => {
  if (told === 'untilQuiet') return untilQuiet();
  if (told === 'measureHeap') {
    globalThis.gc?.();
    return void say({ what: 'heap', used: process.memoryUsage().heapUsed });
  }
  for (const release of held) release();
  held = [];
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => say({ what: 'listening', port: (server.address() as AddressInfo).port }));
