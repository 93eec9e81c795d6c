import autocannon, { type Options, type Request } from 'autocannon';
import { caller, makeBody, makeOrder, type StoredOrder } from './data.ts';

/** What one load consists of. */
export interface Load {
  readonly url: string;
  readonly workload: Workload;
  /**
   * The query string of a list, with `BEFORE` in it: every request has another one, because nobody's clients all ask
   * for the same.
   */
  readonly query?: string;
  readonly connections: number;
  /** In seconds; what `amount` says wins over it. */
  readonly duration: number;
  /** How many requests to send. */
  readonly amount?: number;
  /** How many lines the orders have that are created. */
  readonly lines?: number;
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
  /** What went wrong: connections, timeouts, and answers by status. */
  readonly details: string;
}

/**
 * `mixed` sends 16 gets for two lists, one create and one patch. `guarded patch` patches the same orders where guards
 * and a hook stand before and behind it.
 */
export type Workload = 'get' | 'list' | 'create' | 'patch' | 'guarded patch' | 'mixed';

const headers = { authorization: `Bearer ${caller}` };
const jsonHeaders = { ...headers, 'content-type': 'application/json' };

process.on('message', (load: Load) => void run(load).then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());

async function run(load: Load): Promise<LoadResult> {
  const { errors, timeouts, non2xx, statusCodeStats, requests, latency, duration } = await autocannon({
    url: load.url,
    connections: load.connections,
    ...(load.amount === undefined ? { duration: load.duration } : { amount: load.amount }),
    ...requestsOf(load),
  });
  return {
    requests: requests.total,
    perSecond: requests.total / duration,
    p50: latency.p50,
    p99: latency.p99,
    failures: errors + timeouts + non2xx,
    details: JSON.stringify({ errors, timeouts, answers: statusCodeStats }),
  };
}

function requestsOf({ workload, query, orders, from, lines }: Load): Partial<Options> {
  // Each connection has its own order of the records: clients do not ask for the same at the same time.
  const send = (make: () => Request[]): Partial<Options> => ({ setupClient: (client) => client.setRequests(make()) });
  let next = from;
  switch (workload) {
    case 'list':
      return send(() => lists(orders, query));
    case 'create':
      return {
        requests: [
          {
            method: 'POST',
            path: '/api/orders',
            headers: jsonHeaders,
            setupRequest: (request) => ({ ...request, body: JSON.stringify(makeBody(next++, lines)) }),
          },
        ],
      };
    case 'get':
      return send(() => gets(orders));
    case 'patch':
      return send(() => patches(orders));
    case 'guarded patch':
      return send(() => patches(orders).map((one) => ({ ...one, path: one.path?.replace('/orders/', '/guarded/') })));
    case 'mixed':
      return send(() => mix(orders, query));
  }
}

function gets(orders: number): Request[] {
  return randomPaths(orders).map((path) => ({ method: 'GET', path, headers }));
}

function lists(orders: number, query = ''): Request[] {
  return randomOrders(orders).map(({ createdAt }) => ({
    method: 'GET',
    path: encodeURI(`/api/orders?${query.replace('BEFORE', createdAt.toISOString())}`),
    headers,
  }));
}

function patches(orders: number): Request[] {
  return randomPaths(orders).map((path, n) => ({
    method: 'PATCH',
    path,
    headers: jsonHeaders,
    body: JSON.stringify({ note: `Call before ${n % 24}:00`, shipTo: { street: `Ring ${n}`, city: 'Ulm', zip: '89073', country: 'DE' } }),
  }));
}

function mix(orders: number, query?: string): Request[] {
  const [listed, patched] = [lists(orders, query), patches(orders)];
  return gets(orders).map((get, n): Request => {
    const body = JSON.stringify(makeBody(orders + n));
    if (n % 20 === 5) return { method: 'POST', path: '/api/orders', headers: jsonHeaders, body };
    if (n % 10 === 1) return listed[n] as Request;
    return n % 20 === 10 ? (patched[n] as Request) : get;
  });
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
