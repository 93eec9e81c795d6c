import { setTimeout as pause } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { BurstClients, wireOf } from './burst-clients.ts';
import { Child } from './children.ts';
import { loadOrders } from './data.ts';
import { checkAnswers, type Task } from './measure.ts';
import { makeCreate, makeRequests } from './requests.ts';
import type { Ready, Usage } from './serve.ts';
import { median } from './statistics.ts';

/** What a process was like during a window of its load. */
interface Window {
  /** Seconds of load until its end. */
  readonly until: number;
  /** Microseconds of CPU time for a request. */
  readonly cpu: number;
  /** The same as a part of what a process takes at the same time that has been warm for long. */
  readonly ratio: number;
  /** What the process held at the end of the window. */
  readonly usage: Usage;
}

/** How idle processes are measured. */
interface Pace {
  readonly starts: number;
  /** How long the last process to start has been idle, at least, when its load begins. */
  readonly idleSeconds: number;
  /** The options of Node for all of them, such as `--max-semi-space-size=64`. */
  readonly execArgv: readonly string[];
}

const dataset = { database: 'bench_idle', orders: 20_000 };
const task: Task = { name: 'list 100', workload: 'list', page: 100, connections: 32 };
const windowSeconds = 0.5;
const windows = 12;
/** From here on, a process is to be as fast as it gets. */
const fastAfterSeconds = 3;
const burst = 64;

/**
 * Measures lists of 100 records of processes that started small and were idle since: V8 gives memory back meanwhile,
 * and its young generation begins small. Each window alternates with as many requests to a process of the same
 * contestant that has been warmed by creates and lists, because what disturbs the machine disturbs both.
 */
export async function measureIdle(
  names: readonly string[],
  { uri, client, pace }: { readonly uri: string; readonly client: MongoClient; readonly pace: Pace },
): Promise<void> {
  await loadOrders(client.db(dataset.database), dataset.orders);
  for (const name of names) {
    const servers = Array.from({ length: pace.starts + 1 }, () => serve(name, uri, pace.execArgv));
    try {
      const [warm, ...idle] = (await Promise.all(servers.map((server) => Served.of(name, server)))) as [Served, ...Served[]];
      await warm.warmUp();
      warm.disconnect();
      await client.db(dataset.database).collection('orders').deleteMany({ number: /^new-/ });
      await pause(pace.idleSeconds * 1_000); // what is measured is a process that was idle: there is no event to wait for
      await warm.connect();
      await warm.send(burst * 4); // it was idle, too
      const taken: Window[][] = [];
      for (const one of idle) taken.push(await takeWindows(one, warm));
      describe(name, taken);
    } finally {
      for (const server of servers) server.stop();
    }
  }
}

function serve(name: string, uri: string, execArgv: readonly string[]): Child<object, Usage> {
  return new Child<object, Usage>('compiled/serve.js', [name, uri, dataset.database], execArgv);
}

async function takeWindows(idle: Served, warm: Served): Promise<Window[]> {
  const taken: Window[] = [];
  await idle.connect();
  for (let window = 1; window <= windows; window++) {
    let [own, beside, count] = [0, 0, 0];
    const pauses: number[] = [];
    const begun = performance.now();
    const waited = () => pauses.reduce((sum, pause) => sum + pause, 0);
    while (performance.now() - begun - waited() < windowSeconds * 1_000) {
      own += await idle.send(burst);
      const pausedAt = performance.now();
      beside += await warm.send(burst);
      pauses.push(performance.now() - pausedAt);
      count += burst;
    }
    taken.push({ until: window * windowSeconds, cpu: own / count, ratio: own / beside, usage: await idle.use() });
  }
  idle.disconnect();
  return taken;
}

/** A process that serves a contestant, and its clients. A server ends connections that send nothing for a minute. */
class Served {
  readonly #ready: Ready;
  readonly #server: Child<object, Usage>;
  #connected: BurstClients | undefined;

  private constructor(ready: Ready, server: Child<object, Usage>) {
    this.#ready = ready;
    this.#server = server;
  }

  static async of(name: string, server: Child<object, Usage>): Promise<Served> {
    const [ready] = (await server.next<Ready[]>()) as [Ready];
    await checkAnswers(name, ready, dataset.orders);
    return new Served(ready, server);
  }

  /** Connects the clients. They were not connected before. */
  async connect(): Promise<void> {
    this.#connected = await BurstClients.connect(this.#ready.port, task.connections);
  }

  disconnect(): void {
    this.#clients.close();
    this.#connected = undefined;
  }

  get #clients(): BurstClients {
    if (!this.#connected) throw new Error('nobody is connected to the server');
    return this.#connected;
  }

  use(): Promise<Usage> {
    return this.#server.ask({});
  }

  /** Sends lists, and returns the microseconds of CPU time that they took. */
  async send(count: number): Promise<number> {
    const query = this.#ready.query.replace('LIMIT', String(task.page));
    const requests = makeRequests('list', count, { orders: dataset.orders, query }).map(wireOf);
    const { cpu } = await this.use();
    await this.#clients.send(requests);
    return (await this.use()).cpu - cpu;
  }

  async warmUp(): Promise<void> {
    await this.connect();
    await this.#clients.send(Array.from({ length: 2_000 }, (_, n) => wireOf(makeCreate(dataset.orders + n))));
    await this.send(2_000);
  }
}

function describe(name: string, starts: readonly (readonly Window[])[]): void {
  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0).padStart(5);
  console.log(`${name}: medians of ${starts.length} starts; CPU and its part of that of a warm process; heap, external and resident MiB`);
  for (let index = 0; index < windows; index++) {
    const of = (figure: (window: Window) => number) => median(starts.map((taken) => figure(taken[index] as Window)));
    const sizes = [of(({ usage }) => usage.heap), of(({ usage }) => usage.external), of(({ usage }) => usage.rss)].map(mebibytes);
    const until = `${starts[0]?.[index]?.until.toFixed(1)} s`;
    console.log(until.padEnd(6), `${of(({ cpu }) => cpu).toFixed(0)} µs`.padStart(9), of(({ ratio }) => ratio).toFixed(3), ...sizes);
  }
  const steady = starts.map((taken) => taken.filter(({ until }) => until > fastAfterSeconds));
  console.log(
    `after ${fastAfterSeconds} s: ${spreadOf(steady, ({ cpu }) => cpu, 0)} µs; beside a warm one ${spreadOf(steady, ({ ratio }) => ratio, 3)}`,
  );
}

/** The medians of the starts, and by how much the largest and the smallest of them differ. */
function spreadOf(steady: readonly (readonly Window[])[], figure: (window: Window) => number, digits: number): string {
  const medians = steady.map((taken) => median(taken.map(figure)));
  const [least, most, middle] = [Math.min(...medians), Math.max(...medians), median(medians)];
  return `${middle.toFixed(digits)} (${medians.map((one) => one.toFixed(digits)).join(' ')}), spread ${((100 * (most - least)) / middle).toFixed(1)} %`;
}
