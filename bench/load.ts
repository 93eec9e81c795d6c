import autocannon, { type Options } from 'autocannon';
import { type Asked, makeCreate, makeRequests, type Workload } from './requests.ts';

/** What one load consists of. */
export interface Load extends Asked {
  readonly url: string;
  readonly workload: Workload;
  readonly connections: number;
  /** In seconds; what `amount` says wins over it. */
  readonly duration: number;
  /** How many requests to send. */
  readonly amount?: number;
  /** How many lines the orders have that are created. */
  readonly lines?: number;
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
  let next = from;
  if (workload === 'create') return { requests: [{ setupRequest: (request) => ({ ...request, ...makeCreate(next++, lines) }) }] };
  // Each connection has its own order of the records: clients do not ask for the same at the same time.
  return { setupClient: (client) => client.setRequests(makeRequests(workload, 1_000, { orders, query })) };
}
