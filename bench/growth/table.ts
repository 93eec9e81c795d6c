import { median } from '../statistics.ts';

/** How a cost grows with the number of something. */
export interface Growth {
  /** What grows. */
  readonly what: string;
  /** What is done. */
  readonly task: string;
  readonly sizes: readonly number[];
  /** Microseconds of CPU time of the process, at each size. */
  readonly ours: readonly number[];
  /** The same by hand; undefined where nobody would write it by hand. */
  readonly hand?: readonly number[];
}

/** One thing to measure at one size: the library, and the same by hand. */
export interface Point {
  readonly task: string;
  ours(n: number): Promise<unknown>;
  hand?(n: number): Promise<unknown>;
  /** How often it is done in a round. */
  readonly times: number;
}

const rounds = 3;

/** CPU time of the process in microseconds for each call: the median of the rounds, in which both take turns. */
async function measure({ ours, hand, times }: Point): Promise<{ ours: number; hand?: number }> {
  const spent: { ours: number[]; hand: number[] } = { ours: [], hand: [] };
  let n = 0;
  for (let round = 0; round <= rounds; round++)
    for (const [name, run] of [['ours', ours] as const, ...(hand ? [['hand', hand] as const] : [])]) {
      const before = process.cpuUsage();
      for (let left = times; left > 0; left--) await run(n++);
      const { user, system } = process.cpuUsage(before);
      if (round > 0) spent[name].push((user + system) / times); // the first one warms up
    }
  return { ours: median(spent.ours), ...(hand && { hand: median(spent.hand) }) };
}

/** Collects the points of one thing that grows. */
export class Table {
  readonly #found = new Map<string, { what: string; task: string; sizes: number[]; ours: number[]; hand?: number[] }>();

  async add(what: string, size: number, points: readonly Point[]): Promise<void> {
    for (const point of points) {
      const found = await measure(point);
      this.note(what, point.task, size, found.ours, found.hand);
    }
  }

  note(what: string, task: string, size: number, ours: number, hand?: number): void {
    const row = this.#found.get(`${what} ${task}`) ?? { what, task, sizes: [], ours: [], ...(hand !== undefined && { hand: [] }) };
    this.#found.set(`${what} ${task}`, row);
    row.sizes.push(size);
    row.ours.push(Math.round(ours));
    if (hand !== undefined) row.hand?.push(Math.round(hand));
    console.log(`${what} ${size}`.padEnd(22), task.padEnd(34), ours.toFixed(0).padStart(9), hand?.toFixed(0).padStart(9) ?? '');
  }

  get rows(): Growth[] {
    return [...this.#found.values()];
  }
}
