import type { Db, MongoClient } from 'mongodb';
import { Child } from './children.ts';
import type { Size } from './contestants/contestant.ts';
import { caller, makeOrder } from './data.ts';
import type { Load, LoadResult } from './load.ts';
import type { Compared } from './report.ts';
import type { Workload } from './requests.ts';
import type { Ready, Usage } from './serve.ts';
import { median } from './statistics.ts';

/** What is asked of every contestant. */
export interface Task {
  readonly name: string;
  readonly workload: Workload;
  /** How many records a page has. */
  readonly page?: number;
  /**
   * How many orders stand before the page, of all orders by their age.
   *
   * @default the page begins with the newest open order before a random moment
   */
  readonly behind?: number;
  /** How many lines the orders have that are created. @default 3 */
  readonly lines?: number;
  /** @default as many as can be sent in the time of a round */
  readonly amount?: number;
  readonly connections: number;
}

/** What a contestant serves. */
export interface Dataset extends Size {
  readonly database: string;
  readonly orders: number;
}

/** One load on one contestant. */
export interface Sample extends LoadResult {
  /** CPU time of its process, in microseconds. */
  readonly cpu: number;
  /** Resident memory after the load, in bytes. */
  readonly rss: number;
}

/** What is a number of a sample. */
export type Figure = Exclude<keyof Sample, 'details'>;

/** A contestant that serves its own database, in a process of its own. */
export class Subject {
  readonly name: string;
  readonly ready: Ready;
  readonly #db: Db;
  readonly #server: Child<object, Usage>;
  readonly #orders: number;
  /** By the number of orders before them. */
  readonly #cursors = new Map<number, string>();
  /** Where the numbers of the next creates begin. */
  #next: number;

  private constructor(name: string, ready: Ready, db: Db, server: Child<object, Usage>, orders: number) {
    this.name = name;
    this.ready = ready;
    this.#db = db;
    this.#server = server;
    this.#orders = orders;
    this.#next = orders;
  }

  /** Starts to serve the orders of a database. */
  static async start(
    name: string,
    uri: string,
    client: MongoClient,
    { database, orders, resources, moreFields }: Dataset,
    execArgv: readonly string[] = [],
  ): Promise<Subject> {
    const server = new Child<object, Usage>('compiled/serve.js', [name, uri, database, String(resources), String(moreFields)], execArgv);
    const [ready] = (await server.next<Ready[]>()) as [Ready];
    await checkAnswers(name, ready, orders);
    return new Subject(name, ready, client.db(database), server, orders);
  }

  /** What its process has used since it began. */
  use(): Promise<Usage> {
    return this.#server.ask({});
  }

  /** The query string for the page behind so many orders. Walks there once, as a client would. */
  async #queryBehind(orders: number): Promise<string> {
    const start = 'sort=-createdAt&limit=';
    let cursor = this.#cursors.get(orders) ?? '';
    for (let read = 0; read < orders && !this.#cursors.has(orders); ) {
      const limit = Math.min(100, orders - read);
      const text = await fetchText(this.ready, `/api/orders?${start}${limit}${cursor}`);
      const { page } = JSON.parse(text) as { page: { next_cursor: string } };
      cursor = `&after=${page.next_cursor}`;
      read += limit;
    }
    this.#cursors.set(orders, cursor);
    return `${start}LIMIT${cursor}`;
  }

  /** Throws where a request fails: what does not answer is not measured. */
  async measure(generator: Child<Load, LoadResult>, task: Task, seconds: number): Promise<Sample> {
    const { workload, page, behind, lines, amount, connections } = task;
    const query = behind === undefined ? this.ready.query : await this.#queryBehind(behind);
    const before = await this.use();
    const result = await generator.ask({
      url: `http://127.0.0.1:${this.ready.port}`,
      workload,
      ...(page === undefined ? {} : { query: query.replaceAll('LIMIT', String(page)) }),
      ...(lines === undefined ? {} : { lines }),
      ...(amount === undefined ? {} : { amount }),
      connections,
      duration: seconds,
      orders: this.#orders,
      from: this.#next,
    });
    const after = await this.use();
    if (result.failures > 0) throw new Error(`${this.name}: ${result.failures} of ${result.requests} requests failed: ${result.details}`);
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
export async function checkAnswers(name: string, ready: Ready, orders: number): Promise<void> {
  const ask = (path: string) => fetchText(ready, path);
  const { query } = ready;
  const { number } = makeOrder(11);
  const one = await ask(`/api/orders/${makeOrder(11)._id.toHexString()}`);
  const before = makeOrder(orders).createdAt.toISOString();
  const page = await ask(encodeURI(`/api/orders?${query.replace('BEFORE', before).replace('LIMIT', '20')}`));
  const shown = page.match(/"number":"A-\d+"/g)?.length;
  if (!one.includes(`"number":"${number}"`) || shown !== 20)
    throw new Error(`${name} does not answer what it is asked for: ${one} ${page}`);
  if (one.includes('"owner"') || page.includes('"owner"')) throw new Error(`${name} shows what is private.`);
}

async function fetchText({ port }: Ready, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${caller}` } });
  return response.text();
}

/** How often and how long each contestant is measured. */
export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
}

/** Measures a task of several contestants, and prints what was found. */
export async function measureAll(
  subjects: readonly Subject[],
  task: Task,
  generator: Child<Load, LoadResult>,
  pace: Pace,
): Promise<Compared> {
  const samples = await interleave(subjects, task, generator, pace);
  const rows = [...samples].map(([{ name, ready }, taken]) => ({ name, title: ready.title, samples: taken }));
  const base = rows.find(({ name }) => name === 'koa')?.samples;
  for (const { name, samples: taken } of rows) console.log(line(task, name, taken, base));
  return { task, rows };
}

function line({ name: task }: Task, name: string, samples: readonly Sample[], base: readonly Sample[] | undefined): string {
  const of = (key: Figure) => median(samples.map((sample) => sample[key]));
  const ratio = base ? median(samples.map(({ cpu }, round) => cpu / (base[round]?.cpu ?? Number.NaN))).toFixed(2) : '';
  const cells = [
    task.padEnd(26),
    name.padEnd(25),
    of('cpu').toFixed(0).padStart(6),
    ratio.padStart(6),
    of('perSecond').toFixed(0).padStart(7),
  ];
  return [...cells, of('p50').toFixed(1).padStart(7), of('p99').toFixed(1).padStart(7)].join(' ');
}

/** The samples of every contestant, round by round: what disturbs the machine disturbs all of them. */
async function interleave(
  subjects: readonly Subject[],
  task: Task,
  generator: Child<Load, LoadResult>,
  { rounds, seconds }: Pace,
): Promise<Map<Subject, Sample[]>> {
  const samples = new Map<Subject, Sample[]>(subjects.map((subject) => [subject, []]));
  for (const subject of subjects) await subject.measure(generator, task, Math.max(1, seconds / 2)); // compiled by now
  for (let round = 0; round < rounds; round++) {
    for (const [subject, taken] of samples) taken.push(await subject.measure(generator, task, seconds));
  }
  return samples;
}
