import type { Db, MongoClient } from 'mongodb';
import { Child } from './children.ts';
import { caller, loadOrders, makeOrder } from './data.ts';
import type { Load, LoadResult, Workload } from './load.ts';
import type { Ready, Usage } from './serve.ts';

/** What is asked of every contestant. */
export interface Task {
  readonly name: string;
  readonly workload: Workload;
  /** How many records a page has. */
  readonly page?: number;
  readonly connections: number;
}

/** One load on one contestant. */
export interface Sample extends LoadResult {
  /** CPU time of its process, in microseconds. */
  readonly cpu: number;
  /** Resident memory after the load, in bytes. */
  readonly rss: number;
}

/** How many orders each contestant has in its database. */
export const orderCount = 20_000;

/** A contestant that serves its own database, in a process of its own. */
export class Subject {
  readonly name: string;
  readonly ready: Ready;
  readonly #db: Db;
  readonly #server: Child<object, Usage>;
  /** Where the numbers of the next creates begin. */
  #next = orderCount;

  private constructor(name: string, ready: Ready, db: Db, server: Child<object, Usage>) {
    this.name = name;
    this.ready = ready;
    this.#db = db;
    this.#server = server;
  }

  static async start(name: string, uri: string, client: MongoClient): Promise<Subject> {
    const db = client.db(`bench_${name.replaceAll('-', '_')}`);
    await loadOrders(db, orderCount);
    const server = new Child<object, Usage>('serve.ts', [name, uri, db.databaseName]);
    const ready = await server.next<Ready>();
    await checkAnswers(name, ready);
    return new Subject(name, ready, db, server);
  }

  /** Throws where a request fails: what does not answer is not measured. */
  async measure(generator: Child<Load, LoadResult>, { workload, page, connections }: Task, seconds: number): Promise<Sample> {
    const before = await this.#server.ask({});
    const result = await generator.ask({
      url: `http://127.0.0.1:${this.ready.port}`,
      workload,
      ...(page === undefined ? {} : { query: this.ready.query.replaceAll('LIMIT', String(page)) }),
      connections,
      duration: seconds,
      orders: orderCount,
      from: this.#next,
    });
    const after = await this.#server.ask({});
    if (result.failures > 0) throw new Error(`${this.name}: ${result.failures} of ${result.requests} requests failed`);
    if (workload === 'create') {
      this.#next += result.requests + connections;
      await this.#db.collection('orders').deleteMany({ number: /^new-/ });
    }
    return { ...result, cpu: (after.cpu - before.cpu) / result.requests, rss: after.rss };
  }

  stop(): void {
    this.#server.stop();
  }
}

/** Throws unless a contestant answers what is asked for: an empty page would be quick, and prove nothing. */
async function checkAnswers(name: string, { port, query }: Ready): Promise<void> {
  const ask = async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${caller}` } });
    return response.text();
  };
  const { number } = makeOrder(11);
  const one = await ask(`/api/orders/${makeOrder(11)._id.toHexString()}`);
  const before = makeOrder(orderCount).createdAt.toISOString();
  const page = await ask(encodeURI(`/api/orders?${query.replace('BEFORE', before).replace('LIMIT', '20')}`));
  const shown = page.match(/"number":"A-\d+"/g)?.length;
  if (!one.includes(`"number":"${number}"`) || shown !== 20)
    throw new Error(`${name} does not answer what it is asked for: ${one} ${page}`);
  if (one.includes('"owner"') || page.includes('"owner"')) throw new Error(`${name} shows what is private.`);
}

/** The samples of every contestant, round by round: what disturbs the machine disturbs all of them. */
export async function interleave(
  subjects: readonly Subject[],
  task: Task,
  generator: Child<Load, LoadResult>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Map<Subject, Sample[]>> {
  const samples = new Map<Subject, Sample[]>(subjects.map((subject) => [subject, []]));
  for (const subject of subjects) await subject.measure(generator, task, Math.max(1, seconds / 2)); // compiled by now
  for (let round = 0; round < rounds; round++) {
    for (const [subject, taken] of samples) taken.push(await subject.measure(generator, task, seconds));
  }
  return samples;
}
