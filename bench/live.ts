/**
 * What live lists cost: `node --import tsx bench/live.ts` opens streams to a server in a process of its own, and writes
 * for 20 seconds, in each of the situations below. It prints the CPU time of the server and of mongod, the reads, how
 * often callers are asked for, and how long after its write a change arrives.
 *
 * - With `--only=` and a part of its name, it measures only such situations.
 * - With `--credentials`, callers with the same ones are authenticated once.
 * - With `--library=` and the entry point of a build, it measures that one.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Db, MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';

const [boards, records, seconds] = [20, 10_000, 20];
/** How many records are changed at once that no stream shows. */
const unseen = 20_000;

type Library = typeof import('../src/index.ts');

const [, , ...given] = process.argv;
const optionOf = (name: string) => given.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
/** Whether callers with the same credentials are authenticated once. */
const shares = given.includes('--credentials');
const file = optionOf('library');
const library = file ? pathToFileURL(file).href : new URL('../src/index.ts', import.meta.url).href;

/** Serves the cards, tells its port, and then what it has used since it was asked last. */
async function serve(at: string): Promise<void> {
  const { defineModel, service, t } = (await import(library)) as Library;
  const Card = defineModel('Card', {
    collection: 'cards',
    fields: {
      id: t.int(),
      board: t.int({ policy: { filter: true } }),
      title: t.string(),
      rank: t.int({ policy: { sort: true } }),
      at: t.float(),
    },
  });
  const Member = defineModel('Member', { collection: 'members', fields: { name: t.string(), at: t.float() } });
  const client = await MongoClient.connect(at, { monitorCommands: true });
  let [reads, asked] = [0, 0];
  client.on('commandStarted', ({ commandName }) => {
    if (commandName === 'find' || commandName === 'aggregate') reads++;
  });
  const db = client.db('bench_live');
  const desk = service({
    async authenticate(ctx) {
      asked++;
      const name = ctx.get('authorization');
      const member = name && (await db.collection('members').findOne({ name }));
      return member ? name : undefined;
    },
  });
  const cards = desk.resource({ model: Card, ops: ['list'], live: true });
  const guarded = desk.resource({
    path: 'guarded',
    model: Card,
    ops: ['list'],
    guards: [(ctx) => ctx.principal !== undefined],
    live: { watches: [Member] },
  });
  const concerned = desk.resource({
    path: 'concerned',
    model: Card,
    ops: ['list'],
    guards: [(ctx) => ctx.principal !== undefined],
    live: { watches: [{ model: Member, where: (ctx) => ({ name: ctx.requirePrincipal() }) }] },
  });
  const credentials = (ctx: { get(name: string): string }) => (shares ? ctx.get('authorization') : undefined);
  const api = desk.api({ db, resources: [cards, guarded, concerned], warnOnScan: false, live: { max: 10_000, credentials } });
  const server = createServer(api.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
  let before = process.cpuUsage();
  process.on('message', (message) => {
    if (message === 'stop') process.exit(); // so that a profile is written
    const { user, system } = process.cpuUsage(before);
    process.send?.({ cpu: (user + system) / 1e6, reads, asked, mebibytes: process.memoryUsage.rss() / 2 ** 20 });
    before = process.cpuUsage();
    [reads, asked] = [0, 0];
  });
}

interface Used {
  readonly cpu: number;
  readonly reads: number;
  readonly asked: number;
  readonly mebibytes: number;
}

interface Situation {
  readonly name: string;
  readonly streams: number;
  /** What the stream with this number asks for. @default one of twenty lists */
  readonly path?: (n: number) => string;
  /** Who asks for it. @default nobody */
  readonly caller?: (n: number) => string;
  /** Writes, and returns how many records it has changed. */
  write(db: Db): Promise<number>;
}

const listOf = (n: number) => `/cards?board=${n % boards}&sort=rank`;
/** Lists of 10 to 59 of the cards of a board. */
const ownList = (n: number) => `${listOf(n)}&limit=${10 + Math.floor(n / boards)}`;

const situations: readonly Situation[] = [
  { name: 'no stream, 100 writes a second', streams: 0, write: (db) => writeSteadily(db, 'cards', 100) },
  { name: 'one stream, no writes', streams: 1, write: () => pause(seconds * 1_000).then(() => 0) },
  { name: 'one stream, 100 writes a second to another collection', streams: 1, write: (db) => writeSteadily(db, 'others', 100) },
  { name: '1,000 streams of 20 lists, 100 writes a second', streams: 1_000, write: (db) => writeSteadily(db, 'cards', 100) },
  {
    name: '1,000 streams of 1,000 lists, 50 writes a second',
    streams: 1_000,
    path: ownList,
    write: (db) => writeSteadily(db, 'cards', 50),
  },
  ...[1, 100, 1_000].map((streams) => ({
    name: `unseen: ${streams} lists, 20,000 records created that none shows`,
    streams,
    path: ownList,
    write: createUnseen,
  })),
  ...[1, 100, 1_000].map((streams) => ({
    name: `unseen: ${streams} lists, 20,000 records moved that none shows`,
    streams,
    path: ownList,
    write: moveUnseen,
  })),
  {
    name: 'watched: 1,000 streams of 1,000 callers, 5 writes a second',
    streams: 1_000,
    path: (n) => `/guarded?board=${n % boards}&sort=rank`,
    caller: (n) => `Member ${n}`,
    write: writeMembers,
  },
  {
    name: 'watched: 1,000 streams of 50 callers, 5 writes a second',
    streams: 1_000,
    path: (n) => `/guarded?board=${n % boards}&sort=rank`,
    caller: (n) => `Member ${n % 50}`,
    write: writeMembers,
  },
  {
    name: 'watched, with `where`: 1,000 streams of 1,000 callers, 5 writes a second',
    streams: 1_000,
    path: (n) => `/concerned?board=${n % boards}&sort=rank`,
    caller: (n) => `Member ${n}`,
    write: writeMembers,
  },
];

async function compare(): Promise<void> {
  const replicaSet = await startReplicaSet();
  const client = await MongoClient.connect(replicaSet.uri);
  const db = client.db('bench_live');
  const { pid } = (await db.admin().command({ serverStatus: 1 })) as { pid: number | bigint };
  console.log(`${records} records, ${seconds} s each\n`);
  console.log(
    '| | CPU of the server | CPU of mongod | reads | asked | deliveries | CPU of a delivery | of a change | median | p99 | MiB |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|---|');
  const only = optionOf('only') ?? '';
  for (const situation of situations.filter(({ name }) => name.includes(only))) {
    await fill(db);
    const execArgv = [...process.execArgv.filter((one) => one.startsWith('--cpu-prof')), '--import', 'tsx'];
    const args = ['serve', replicaSet.uri, ...given.filter((one) => one.startsWith('--'))];
    const child = fork(fileURLToPath(import.meta.url), args, { execArgv });
    const [port] = (await once(child, 'message')) as [number];
    const delays: number[] = [];
    const streams: IncomingMessage[] = [];
    for (let n = 0; n < situation.streams; n++) streams.push(await open(port, situation, n, delays));
    await pause(1_000);
    delays.length = 0;
    child.send('begin');
    await once(child, 'message');
    const [before, begun] = [cpuOf(Number(pid)), performance.now()];
    const changed = await situation.write(db);
    const took = (performance.now() - begun) / 1_000;
    child.send('end');
    const [used] = (await once(child, 'message')) as [Used];
    const ofDatabase = (cpuOf(Number(pid)) - before) / took;
    const gone = once(child, 'exit');
    child.send('stop');
    await gone;
    for (const stream of streams) stream.destroy();
    const sorted = delays.toSorted((a, b) => a - b);
    const at = (part: number) => (sorted.length === 0 ? '–' : `${Math.round(sorted[Math.floor(sorted.length * part)] as number)} ms`);
    const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
    const each = (count: number) => (count === 0 ? '–' : `${Math.round((used.cpu / count) * 1e6)} µs`);
    const rate = (count: number) => `${(count / took).toFixed(1)}/s`;
    const cells = [situation.name, percent(used.cpu / took), percent(ofDatabase), rate(used.reads), rate(used.asked), rate(delays.length)];
    cells.push(each(delays.length), each(changed), at(0.5), at(0.99), `${Math.round(used.mebibytes)}`);
    console.log(`| ${cells.join(' | ')} |`);
  }
  await client.close();
  await replicaSet.stop();
}

async function fill(db: Db): Promise<void> {
  await db.dropDatabase();
  const cards = Array.from({ length: records }, (_, n) => ({ _id: n, board: n % boards, title: `Card ${n}`, rank: n, at: 0 }));
  for (const name of ['cards', 'others']) await db.collection<{ _id: number }>(name).insertMany(cards);
  await db.collection('cards').createIndex({ board: 1, rank: 1, _id: 1 });
  await db.collection('members').createIndex({ name: 1 });
  await db.collection('members').insertMany(Array.from({ length: 2_000 }, (_, n) => ({ name: `Member ${n}`, at: 0 })));
}

/** Opens a stream, and notes how old each change is when it arrives. */
async function open(port: number, { path = listOf, caller }: Situation, n: number, delays: number[]): Promise<IncomingMessage> {
  const headers = { accept: 'text/event-stream', ...(caller && { authorization: caller(n) }) };
  const [incoming] = (await once(get({ port, host: '127.0.0.1', path: path(n), headers, agent: false }), 'response')) as [IncomingMessage];
  if (incoming.statusCode !== 200) throw new Error(`The stream was answered with ${incoming.statusCode}.`);
  let isFirst = true;
  incoming.setEncoding('utf8').on('data', (text: string) => {
    const times = [...text.matchAll(/"at":(\d+\.?\d*)/g)].map(([, at]) => Number(at));
    if (!isFirst && times.length > 0) delays.push(Date.now() - Math.max(...times));
    isFirst = false;
  });
  incoming.on('error', () => undefined); // it is destroyed in the end
  return incoming;
}

/** Changes records that the lists show. */
async function writeSteadily(db: Db, name: string, perSecond: number): Promise<number> {
  const collection = db.collection<{ _id: number }>(name);
  return atPace(perSecond, (written) =>
    collection.updateOne({ _id: (written * 7) % (boards * 20) }, { $set: { at: Date.now(), title: `Card ${written}` } }),
  );
}

/** Changes members who call nothing. */
async function writeMembers(db: Db): Promise<number> {
  const members = db.collection('members');
  return atPace(5, (written) => members.updateOne({ name: `Member ${1_000 + written}` }, { $set: { at: Date.now() } }));
}

async function atPace(perSecond: number, write: (written: number) => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  let written = 0;
  for (; performance.now() - begun < seconds * 1_000; written++) {
    void write(written);
    await pause(Math.max(0, begun + ((written + 1) * 1_000) / perSecond - performance.now()));
  }
  return written;
}

/** Creates records on boards that no list shows. */
async function createUnseen(db: Db): Promise<number> {
  const collection = db.collection<{ _id: number }>('cards');
  const begun = performance.now();
  for (let first = records; first < records + unseen; first += 100) {
    const cards = Array.from({ length: 100 }, (_, n) => ({ _id: first + n, board: boards + n, title: 'Unseen', rank: n, at: 0 }));
    await collection.insertMany(cards);
    await pause(50);
  }
  await pause(Math.max(0, begun + seconds * 1_000 - performance.now()));
  return unseen;
}

/** Gives records of the boards another rank, behind those that the lists show. */
async function moveUnseen(db: Db): Promise<number> {
  const collection = db.collection<{ _id: number }>('cards');
  const begun = performance.now();
  for (let changed = 0; changed < unseen; changed += 100) {
    const first = 5_000 + (changed % 5_000);
    await collection.updateMany({ _id: { $gte: first, $lt: first + 100 } }, { $inc: { rank: 10_000 } });
    await pause(50);
  }
  await pause(Math.max(0, begun + seconds * 1_000 - performance.now()));
  return unseen;
}

/** The CPU time of a process until now, in seconds, as Linux counts it. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const [role, uri = ''] = given;
if (role === 'serve') await serve(uri);
else await compare();
