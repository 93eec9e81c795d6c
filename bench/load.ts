import autocannon, { type Options } from 'autocannon';
import { caller, makeBody, makeOrder, type StoredOrder } from './data.ts';

/** What one load consists of. */
export interface Load {
  readonly url: string;
  readonly workload: Workload;
  /** The query string of a list, with `BEFORE` in it: every request has another one, because nobody's clients all ask for the same. */
  readonly query?: string;
  readonly connections: number;
  /** In seconds. */
  readonly duration: number;
  /** How many orders there are. */
  readonly orders: number;
  /** Where the numbers of new orders begin: each is sent once. */
  readonly from: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers that are no success, and connections that failed. */
  readonly failures: number;
}

export type Workload = 'get' | 'list' | 'create' | 'patch';

const headers = { authorization: `Bearer ${caller}` };
const jsonHeaders = { ...headers, 'content-type': 'application/json' };

process.on('message', (load: Load) => void run(load).then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());

async function run(load: Load): Promise<LoadResult> {
  const { errors, timeouts, non2xx, requests, latency, duration } = await autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.duration,
    ...requestsOf(load),
  });
  return {
    requests: requests.total,
    perSecond: requests.total / duration,
    p50: latency.p50,
    p99: latency.p99,
    failures: errors + timeouts + non2xx,
  };
}

function requestsOf({ workload, query, orders, from }: Load): Partial<Options> {
  let next = from;
  switch (workload) {
    case 'list':
      return {
        setupClient: (client) =>
          client.setRequests(
            randomOrders(orders).map(({ createdAt }) => ({
              method: 'GET' as const,
              path: encodeURI(`/api/orders?${query?.replace('BEFORE', createdAt.toISOString())}`),
              headers,
            })),
          ),
      };
    case 'create':
      return {
        requests: [
          {
            method: 'POST',
            path: '/api/orders',
            headers: jsonHeaders,
            setupRequest: (request) => ({ ...request, body: JSON.stringify(makeBody(next++)) }),
          },
        ],
      };
    // Each connection has its own order of the records: clients do not ask for the same at the same time.
    case 'get':
      return {
        setupClient: (client) => client.setRequests(randomPaths(orders).map((path) => ({ method: 'GET' as const, path, headers }))),
      };
    case 'patch':
      return {
        setupClient: (client) =>
          client.setRequests(
            randomPaths(orders).map((path, n) => ({
              method: 'PATCH' as const,
              path,
              headers: jsonHeaders,
              body: JSON.stringify({
                note: `Call before ${n % 24}:00`,
                shipTo: { street: `Ring ${n}`, city: 'Ulm', zip: '89073', country: 'DE' },
              }),
            })),
          ),
      };
  }
}

/** A thousand orders, among them few that have less than a page before them. */
function randomOrders(orders: number): StoredOrder[] {
  return Array.from({ length: 1_000 }, () => makeOrder(Math.floor(orders * (0.1 + 0.9 * Math.random()))));
}

/** The paths of a thousand orders of the caller. */
function randomPaths(orders: number): string[] {
  return Array.from({ length: 1_000 }, () => {
    const n = Math.floor(Math.random() * orders);
    return `/api/orders/${makeOrder(n % 10 === 0 ? n + 1 : n)._id.toHexString()}`;
  });
}
