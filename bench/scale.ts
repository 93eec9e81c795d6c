import type { MongoClient } from 'mongodb';
import type { Child } from './children.ts';
import { loadOrders, makeBody } from './data.ts';
import type { Load, LoadResult } from './load.ts';
import { type Dataset, measureAll, type Pace, Subject, type Task } from './measure.ts';
import type { Compared } from './report.ts';

/** How the costs of ours and of Koa by hand grow with something: tasks on one dataset. */
interface Scale {
  /** What grows. */
  readonly name: string;
  readonly dataset: Dataset;
  readonly tasks: readonly Task[];
}

const plain: Dataset = { database: 'bench_scale', orders: 20_000, resources: 1, moreFields: 0 };
const get: Omit<Task, 'name'> = { workload: 'get', connections: 32 };
const list: Omit<Task, 'name'> = { workload: 'list', page: 20, connections: 32 };

/** Those on one dataset stand beside one another: it is loaded once. */
const scales: readonly Scale[] = [
  {
    name: 'connections',
    dataset: plain,
    tasks: [1, 256].flatMap((connections) => [
      { ...get, name: `get, ${connections} at once`, connections },
      { ...list, name: `list 20, ${connections} at once`, connections },
    ]),
  },
  { name: 'page size', dataset: plain, tasks: [1, 10, 50].map((page) => ({ ...list, name: `list ${page}`, page })) },
  {
    name: 'body size',
    dataset: plain,
    tasks: [3, 30, 300].map((lines) => ({ name: `create of ${bytesOf(lines)}`, workload: 'create', lines, connections: 32 })),
  },
  ...[1, 50, 500].map((resources) => ({
    name: 'resources',
    dataset: { ...plain, resources },
    tasks: [{ ...get, name: `get, ${resources} resources` }],
  })),
  ...[0, 87].map((moreFields) => ({
    name: 'fields',
    dataset: { ...plain, moreFields },
    tasks: [
      { ...get, name: `get, ${13 + moreFields} fields` },
      { ...list, name: `list 20, ${13 + moreFields} fields` },
    ],
  })),
  {
    name: 'cursor depth',
    dataset: { ...plain, orders: 190_000 }, // 171,000 of them are the caller's
    tasks: [1, 100, 2_000].map((page) => ({ ...list, name: `list 20, page ${page}`, behind: (page - 1) * 20 })),
  },
];

function bytesOf(lines: number): string {
  return `${(JSON.stringify(makeBody(0, lines)).length / 1_000).toFixed(1)} KB`;
}

/** The names of what grows. */
export const scaleNames: readonly string[] = [...new Set(scales.map(({ name }) => name))];

/** Measures ours and Koa by hand, as far as `isAsked` says. */
export async function measureScales(
  isAsked: (name: string) => boolean,
  { uri, client, generator, pace }: { uri: string; client: MongoClient; generator: Child<Load, LoadResult>; pace: Pace },
): Promise<ReadonlyMap<string, readonly Compared[]>> {
  const found = new Map<string, Compared[]>();
  let [subjects, served]: [Subject[], Dataset | undefined] = [[], undefined];
  try {
    for (const { name, dataset, tasks } of scales.filter((scale) => isAsked(scale.name))) {
      if (!isSame(served, dataset)) {
        for (const subject of subjects) subject.stop();
        subjects = [];
        if (served?.orders !== dataset.orders || served.moreFields !== dataset.moreFields)
          await loadOrders(client.db(dataset.database), dataset.orders, dataset.moreFields);
        for (const contestant of ['koa', 'ours']) subjects.push(await Subject.start(contestant, uri, client, dataset));
        served = dataset;
      }
      for (const task of tasks) found.set(name, [...(found.get(name) ?? []), await measureAll(subjects, task, generator, pace)]);
    }
  } finally {
    for (const subject of subjects) subject.stop();
  }
  return found;
}

function isSame(one: Dataset | undefined, other: Dataset): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
