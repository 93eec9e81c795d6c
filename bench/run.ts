import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { runVisibly } from '../dev/run.ts';
import { type BurstRatio, compareInBursts, describeRatio } from './bursts.ts';
import { drawBars } from './chart.ts';
import { Child } from './children.ts';
import { contestants } from './contestants/index.ts';
import { loadOrders } from './data.ts';
import type { Growth } from './growth/table.ts';
import { growthFile, measureGrowth } from './growth.ts';
import { measureIdle } from './idle.ts';
import type { Load, LoadResult } from './load.ts';
import { type Dataset, measureAll, Subject, type Task } from './measure.ts';
import { type Held, measureMemory, memoryFile } from './memory.ts';
import { type Compared, type Results, writeReport } from './report.ts';
import { measureScales, scaleNames } from './scale.ts';
import { measureStarts } from './starts.ts';
import { median } from './statistics.ts';

/**
 * `npm run bench`: measures the contestants against each other and how costs grow, and writes
 * `docs/about/performance.md` with its charts.
 *
 * - With `--quick` it compares the contestants in two minutes, and writes nothing.
 * - With `--only=` and a task, a scale or `start`, it measures only that; with names, only those contestants. It writes
 *   nothing: `npm run bench -- --quick --only=get koa ours`, `npm run bench -- --only=fields`.
 * - With `--bursts` it compares two contestants within one process, five times, or `--bursts=20` twenty times. It
 *   writes nothing. The second may be another build, by the file of its entry point:
 *   `npm run bench -- --bursts --only=patch ours before/dist/index.js`.
 * - With `--growth` it measures how costs grow with up to 10,000,000 records, 10,000 streams, and more, or with as many
 *   records as `--growth=100000` says. The next report shows it.
 * - With `--memory` it measures what a process holds during a million requests, or `--memory=200000`. The next report
 *   shows it.
 * - With `--idle` it measures lists of processes that were idle for a minute since their start, or `--idle=5` seconds,
 *   by nine starts, or `--starts=3`. It writes nothing. Options behind `--node=` are those of Node for these processes.
 */
const root = resolve(import.meta.dirname, '..');
process.chdir(root);
if (!existsSync('bench/node_modules')) await runVisibly('npm', ['ci', '--prefix', 'bench', '--ignore-scripts']);
// A loader of TypeScript would take part in what is measured, down to the objects that Node makes.
await runVisibly('npx', ['tsc', '-p', 'bench/tsconfig.serve.json']);

const given = process.argv.slice(2);
const isQuick = given.includes('--quick');
const named = given.filter((one) => !one.startsWith('--'));
const [, only] = given.find((one) => one.startsWith('--only='))?.split('=') ?? [];
const [asksForBursts, processes = '5'] = given.find((one) => /^--bursts(?:=\d+)?$/.test(one))?.split('=') ?? [];
const [memory, requests = '1000000'] = given.find((one) => /^--memory(?:=\d+)?$/.test(one))?.split('=') ?? [];
const [growth, mostRecords = '10000000'] = given.find((one) => /^--growth(?:=\d+)?$/.test(one))?.split('=') ?? [];
const [asksForIdle, idleSeconds = '60'] = given.find((one) => /^--idle(?:=\d+)?$/.test(one))?.split('=') ?? [];
const { starts = '9' } = /^--starts=(?<starts>\d+)$/m.exec(given.join('\n'))?.groups ?? {};
const execArgv = given.filter((one) => one.startsWith('--node=')).map((one) => one.slice('--node='.length));
const pace = { rounds: isQuick ? 3 : 9, seconds: 1 };
const idlePace = { starts: Number(starts), idleSeconds: Number(idleSeconds), execArgv };
const scalePace = { rounds: 3, seconds: 1 };

const tasks: readonly Task[] = [
  { name: 'get', workload: 'get', connections: 32 },
  { name: 'list 20', workload: 'list', page: 20, connections: 32 },
  { name: 'list 100', workload: 'list', page: 100, connections: 32 },
  { name: 'create', workload: 'create', connections: 32 },
  { name: 'patch', workload: 'patch', connections: 32 },
];
/** Measured of the library and of Koa by hand only, in bursts. */
const pairedTasks: readonly Task[] = [
  { name: 'get, alone', workload: 'get', connections: 1 },
  { name: 'list 20, filters', workload: 'filtered list', page: 20, connections: 32 },
  { name: 'list of 1', workload: 'list', page: 1, connections: 32 },
  { name: 'guarded patch', workload: 'guarded patch', connections: 32 },
];
const things = [...[...tasks, ...pairedTasks].map(({ name }) => name), ...scaleNames, 'start'];
if (only !== undefined && !things.includes(only)) throw new Error(`--only must be one of ${things.join(', ')}.`);
const unknown = named.find((name) => !(name in contestants) && !((asksForBursts || asksForIdle) && name.endsWith('.js')));
if (unknown !== undefined) throw new Error(`${unknown} is none of ${Object.keys(contestants).join(', ')}.`);
const isTask = ({ name }: Task) => only === undefined || name === only;
/** Whether something is to be measured that is no task of all contestants. */
const isAsked = (name: string) => (only === undefined ? !isQuick && named.length === 0 : name === only);

const replicaSet = await startReplicaSet();
const { uri } = replicaSet;
const client = await MongoClient.connect(uri);
const generator = new Child<Load, LoadResult>('load.ts');
try {
  if (memory) await measureMemory(Number(requests), { uri, client, generator });
  else if (growth) await measureGrowth(client, Number(mostRecords));
  else if (asksForIdle) await measureIdle(named.length > 0 ? named : ['ours', 'koa'], { uri, client, pace: idlePace });
  else if (asksForBursts) await measureBursts();
  else await measureEverything();
} finally {
  generator.stop();
  await client.close();
  await replicaSet.stop();
}

/** Compares two, in the tasks of the main table and those that are only compared in bursts. */
async function measureBursts(): Promise<BurstRatio[]> {
  if (named.length === 1) throw new Error(`Name two contestants to compare in bursts, or none: ${named[0]} is one.`);
  const [first = 'koa', second = 'ours'] = named;
  const pace = { processes: Number(processes), bursts: 15 };
  const found = await compareInBursts([first, second], [...tasks, ...pairedTasks].filter(isTask), { uri, client, pace });
  for (const one of found) console.log(describeRatio(one));
  return found;
}

async function measureEverything(): Promise<void> {
  const names = Object.keys(contestants).filter((one) => named.length === 0 || named.includes(one));
  const compared = await compareContestants(names, tasks.filter(isTask));
  const isBurst = only === undefined ? isAsked('bursts') : pairedTasks.some(isTask);
  const bursts = isBurst ? await measureBursts() : [];
  const grown = await measureScales(isAsked, { uri, client, generator, pace: scalePace });
  const starts = isAsked('start') ? await measureStarts(5) : new Map();
  for (const [title, { cpu, elapsed }] of starts) console.log(title.padEnd(50), `${cpu.toFixed(0)} ms of CPU, ${elapsed.toFixed(0)} ms`);
  if (isQuick || only !== undefined || named.length > 0) return;
  const [held, growths] = [await readKept<Held>(memoryFile), await readKept<Growth>(growthFile)];
  await publish({ compared, bursts, grown, starts, held, growths });
}

/** What was measured apart, if it was. */
async function readKept<Row>(file: string): Promise<readonly Row[]> {
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Row[]) : [];
}

async function compareContestants(names: readonly string[], asked: readonly Task[]): Promise<Compared[]> {
  const subjects: Subject[] = [];
  const compared: Compared[] = [];
  if (asked.length === 0) return compared;
  try {
    for (const name of names) {
      const dataset: Dataset = { database: `bench_${name.replaceAll('-', '_')}`, orders: 20_000, resources: 1, moreFields: 0 };
      await loadOrders(client.db(dataset.database), dataset.orders);
      subjects.push(await Subject.start(name, uri, client, dataset));
    }
    for (const task of asked) compared.push(await measureAll(subjects, task, generator, pace));
  } finally {
    for (const subject of subjects) subject.stop();
  }
  return compared;
}

async function publish(results: Results): Promise<void> {
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  await mkdir('docs/about/performance', { recursive: true });
  for (const { task, rows } of results.compared) {
    const bars = rows.map(({ name, title, samples }) => ({
      label: title,
      value: median(samples.map(({ cpu }) => cpu)),
      isOurs: name === 'ours',
    }));
    const file = join('docs/about/performance', `${task.name.replaceAll(' ', '-')}.svg`);
    await writeFile(file, drawBars(`${task.name}: CPU time of the server for a request`, 'µs', bars));
  }
  await writeFile('docs/about/performance.md', writeReport(results, { mongodb: version, processes: Number(processes), ...pace }));
}
