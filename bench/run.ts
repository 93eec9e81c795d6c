import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { runVisibly } from '../dev/run.ts';
import { drawBars } from './chart.ts';
import { Child } from './children.ts';
import { contestants } from './contestants/index.ts';
import type { Load, LoadResult } from './load.ts';
import { interleave, type Sample, Subject, type Task } from './measure.ts';
import { type Compared, type Measured, writeReport } from './report.ts';
import type { StartUp } from './start-up.ts';
import { median } from './statistics.ts';

/**
 * `npm run bench`: measures the contestants against each other and writes `docs/performance.md` with its charts. With `--quick` it takes a
 * minute or two and writes nothing; with names, or one task, it measures only those: `npm run bench -- --quick --only=get koa ours`.
 */
const root = resolve(import.meta.dirname, '..');
process.chdir(root);
if (!existsSync('bench/node_modules')) await runVisibly('npm', ['ci', '--prefix', 'bench', '--ignore-scripts']);

const given = process.argv.slice(2);
const isQuick = given.includes('--quick');
const named = given.filter((one) => !one.startsWith('--'));
const names = Object.keys(contestants).filter((name) => named.length === 0 || named.includes(name));
const pace = isQuick ? { rounds: 3, seconds: 1 } : { rounds: 3, seconds: 2 };

const only = given.find((one) => one.startsWith('--only='))?.slice(7);
const tasks: readonly Task[] = [
  { name: 'get', workload: 'get', connections: 32 },
  { name: 'list 20', workload: 'list', page: 20, connections: 32 },
  { name: 'list 100', workload: 'list', page: 100, connections: 32 },
  { name: 'create', workload: 'create', connections: 32 },
  { name: 'patch', workload: 'patch', connections: 32 },
];
/** Of ours and of what is written by hand. */
const connectionTasks: readonly Task[] = [1, 256].flatMap((connections) => [
  { name: `get, ${connections} connections`, workload: 'get', connections },
  { name: `list 20, ${connections} connections`, workload: 'list', page: 20, connections },
]);

const replicaSet = await startReplicaSet();
const client = await MongoClient.connect(replicaSet.uri);
const generator = new Child<Load, LoadResult>('load.ts');
const subjects: Subject[] = [];
try {
  for (const name of names) subjects.push(await Subject.start(name, replicaSet.uri, client));
  const compared: Compared[] = [];
  for (const task of tasks) if (!only || task.name === only) compared.push(await compare(task, subjects));
  const pair = subjects.filter(({ name }) => name === 'koa' || name === 'ours');
  if (!isQuick && pair.length === 2) for (const task of connectionTasks) compared.push(await compare(task, pair));
  if (!isQuick && named.length === 0) await publish(compared, await measureStarts());
} finally {
  for (const subject of subjects) subject.stop();
  generator.stop();
  await client.close();
  await replicaSet.stop();
}

async function compare(task: Task, among: readonly Subject[]): Promise<Compared> {
  const samples = await interleave(among, task, generator, pace);
  const rows = [...samples].map(([{ name, ready }, taken]): Measured => ({ name, title: ready.title, samples: taken }));
  const base = rows.find(({ name }) => name === 'koa')?.samples;
  for (const { name, samples: taken } of rows) console.log(line(task, name, taken, base));
  return { task, rows };
}

function line({ name: task }: Task, name: string, samples: readonly Sample[], base: readonly Sample[] | undefined): string {
  const of = (key: keyof Sample) => median(samples.map((sample) => sample[key]));
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

async function measureStarts(): Promise<ReadonlyMap<string, StartUp>> {
  const asked: readonly (readonly [string, readonly string[]])[] = [
    ['the package, beside koa and mongodb', ['import']],
    ['an api with 1 resource of 10 fields', ['resources', '1', '10']],
    ['an api with 50 resources of 10 fields', ['resources', '50', '10']],
    ['an api with 500 resources of 10 fields', ['resources', '500', '10']],
    ['an api with 50 resources of 100 fields', ['resources', '50', '100']],
  ];
  const found = new Map<string, StartUp>();
  for (const [title, args] of asked) {
    const starts: StartUp[] = [];
    for (let round = 0; round < pace.rounds; round++) starts.push(await new Child<object, never>('start-up.ts', args).only<StartUp>());
    found.set(title, starts.toSorted((a, b) => a.cpu - b.cpu)[starts.length >> 1] as StartUp);
  }
  return found;
}

async function publish(all: readonly Compared[], starts: ReadonlyMap<string, StartUp>): Promise<void> {
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  await mkdir('docs/performance', { recursive: true });
  for (const { task, rows } of all.slice(0, tasks.length)) {
    const bars = rows.map(({ name, title, samples }) => ({
      label: title,
      value: median(samples.map(({ cpu }) => cpu)),
      isOurs: name === 'ours',
    }));
    const file = join('docs/performance', `${task.name.replaceAll(' ', '-')}.svg`);
    await writeFile(file, drawBars(`${task.name}: CPU time of the server for a request`, 'µs', bars));
  }
  await writeFile('docs/performance.md', writeReport(all, starts, { mongodb: version, ...pace }));
}
