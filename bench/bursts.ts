import type { MongoClient } from 'mongodb';
import { loadArticles } from './articles.ts';
import { BurstClients, wireOf } from './burst-clients.ts';
import { Child } from './children.ts';
import { loadOrders } from './data.ts';
import { checkAnswers, type Task } from './measure.ts';
import { makeCreate, makeRequests } from './requests.ts';
import type { Ready, Usage } from './serve.ts';
import { mean } from './statistics.ts';

/** What the requests to one contestant cost in bursts, beside those to another one. */
export interface BurstRatio {
  readonly task: Task;
  /** Microseconds of CPU time for a request, of the first and of the second. */
  readonly cpu: readonly [number, number];
  /** The second through the first. */
  readonly ratio: number;
  /** The standard error of the ratio, by what the processes differ. */
  readonly error: number;
}

/** How often two contestants are compared: in so many processes, by so many pairs of bursts in each. */
export interface BurstPace {
  readonly processes: number;
  readonly bursts: number;
}

/** What one of the two bursts of a pair cost, in microseconds for a request. */
type Pair = readonly [first: number, second: number];

const dataset = { database: 'bench_bursts', orders: 20_000 };

/**
 * Compares two contestants within one process, which answers bursts of requests to one and to the other in turns. What
 * disturbs the machine or the database for longer than a burst, some tenths of a second, disturbs both: rounds of a
 * second in processes of their own differ by 20 %, these by 2 %. V8 does not compile the same code alike each time, so
 * that several processes are needed to know a ratio.
 */
export async function compareInBursts(
  names: readonly [string, string],
  tasks: readonly Task[],
  { uri, client, pace }: { readonly uri: string; readonly client: MongoClient; readonly pace: BurstPace },
): Promise<BurstRatio[]> {
  if (tasks.length === 0) return [];
  const db = client.db(dataset.database);
  await loadOrders(db, dataset.orders);
  await loadArticles(db);
  const taken = new Map(tasks.map((task) => [task, [] as Pair[][]]));
  for (let round = 0; round < pace.processes; round++) {
    const isReversed = round % 2 === 1; // the one that is made first gains a little by it
    const served = isReversed ? names.toReversed() : names;
    const server = new Child<object, Usage>('compiled/serve.js', [served.join(','), uri, dataset.database]);
    try {
      const ready = await server.next<Ready[]>();
      for (const [index, one] of ready.entries()) await checkAnswers(served[index] as string, one, dataset.orders);
      const sides = isReversed ? ready.toReversed() : ready;
      for (const [task, found] of taken) found.push(await takeTurns(server, sides, task, pace.bursts));
    } finally {
      server.stop();
    }
    await db.collection('orders').deleteMany({ number: /^new-/ });
  }
  return [...taken].map(([task, processes]) => summarize(task, processes));
}

/** Warms both up, and measures pairs of bursts; chance decides which of a pair is first. */
async function takeTurns(server: Child<object, Usage>, sides: readonly Ready[], task: Task, bursts: number): Promise<Pair[]> {
  const clients = await Promise.all(sides.map(({ port }) => BurstClients.connect(port, task.connections)));
  async function send(side: 0 | 1, count: number): Promise<number> {
    const requests = makeBurst(task, sides[side] as Ready, count);
    const { cpu } = await server.ask({});
    await clients[side]?.send(requests);
    return ((await server.ask({})).cpu - cpu) / count;
  }
  const size = sizeOf(task);
  for (const side of [0, 1, 0, 1] as const) await send(side, 4 * size);
  const pairs: Pair[] = [];
  for (let burst = 0; burst < bursts; burst++) {
    const count = Math.floor(size * (0.6 + 0.8 * Math.random()));
    const isFirst = Math.random() < 0.5;
    const before = isFirst ? undefined : await send(1, count);
    const first = await send(0, count);
    pairs.push([first, before ?? (await send(1, count))]);
  }
  for (const one of clients) one.close();
  return pairs;
}

/** How many requests a burst has. Gets and creates share round trips, of which the end of a burst has few. */
function sizeOf({ workload, page, connections }: Task): number {
  if (page === 100) return 60;
  return connections > 1 && (workload === 'get' || workload === 'create') ? 1_000 : 250;
}

function makeBurst({ workload, page, lines }: Task, { query }: Ready, count: number): Buffer[] {
  const { orders } = dataset;
  const requests =
    workload === 'create'
      ? Array.from({ length: count }, (_, n) => makeCreate(orders + n, lines))
      : makeRequests(workload, count, { orders, query: query.replace('LIMIT', String(page)) });
  return requests.map(wireOf);
}

function summarize(task: Task, processes: readonly (readonly Pair[])[]): BurstRatio {
  const ratios = processes.map((pairs) => ratioOf(pairs));
  const ratio = mean(ratios);
  const deviation = Math.sqrt(ratios.reduce((sum, one) => sum + (one - ratio) ** 2, 0) / Math.max(1, ratios.length - 1));
  const pairs = processes.flat();
  return {
    task,
    cpu: [mean(pairs.map(([first]) => first)), mean(pairs.map(([, second]) => second))],
    ratio,
    error: deviation / Math.sqrt(ratios.length),
  };
}

/** The mean of the ratios without the tenth of them at either end: there something else took the time. */
function ratioOf(pairs: readonly Pair[]): number {
  const cut = Math.floor(pairs.length / 10);
  const ratios = pairs.map(([first, second]) => second / first).toSorted((a, b) => a - b);
  return Math.exp(mean(ratios.slice(cut, ratios.length - cut).map(Math.log)));
}

/** `patch          559 µs 622 µs 1.111 ± 0.029`. */
export function describeRatio({ task, cpu: [first, second], ratio, error }: BurstRatio): string {
  return `${task.name.padEnd(14)} ${first.toFixed(0)} µs ${second.toFixed(0)} µs ${ratio.toFixed(3)} ± ${error.toFixed(3)}`;
}
