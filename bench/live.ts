/**
 * What live lists cost: `node --import tsx bench/live.ts` opens 1,000 streams of 20 different lists to a server in a
 * process of its own, and writes 100 times a second into the collection for 20 seconds; then the same without streams,
 * and with writes to a collection that no list shows. It prints the CPU time of the server and of mongod, the reads,
 * and how long after its write a change arrives.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { defineModel, service, t } from '../src/index.ts';

const [views, records, writesPerSecond, seconds] = [20, 10_000, 100, 20];

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

/** Serves the cards, tells its port, and then what it has used since it was asked last. */
async function serve(at: string): Promise<void> {
  const client = await MongoClient.connect(at, { monitorCommands: true });
  let reads = 0;
  client.on('commandStarted', ({ commandName }) => {
    if (commandName === 'find' || commandName === 'aggregate') reads++;
  });
  const shop = service();
  const cards = shop.resource({ model: Card, ops: ['list'], live: true });
  const api = shop.api({ db: client.db('bench_live'), resources: [cards], warnOnScan: false, live: { max: 10_000 } });
  const server = createServer(api.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
  let before = process.cpuUsage();
  process.on('message', () => {
    const { user, system } = process.cpuUsage(before);
    process.send?.({ cpu: (user + system) / 1e6, reads, mebibytes: process.memoryUsage.rss() / 2 ** 20 });
    before = process.cpuUsage();
    reads = 0;
  });
}

interface Used {
  readonly cpu: number;
  readonly reads: number;
  readonly mebibytes: number;
}

interface Situation {
  readonly name: string;
  readonly streams: number;
  readonly collection: string;
  readonly writes: number;
}

const situations: readonly Situation[] = [
  { name: 'no stream, writes', streams: 0, collection: 'cards', writes: writesPerSecond },
  { name: '1 idle stream', streams: 1, collection: 'cards', writes: 0 },
  { name: '1 stream, writes to another collection', streams: 1, collection: 'others', writes: writesPerSecond },
  { name: '1,000 streams of 20 lists, writes', streams: 1_000, collection: 'cards', writes: writesPerSecond },
];

async function compare(): Promise<void> {
  const replicaSet = await startReplicaSet();
  const client = await MongoClient.connect(replicaSet.uri);
  const db = client.db('bench_live');
  await db.dropDatabase();
  const cards = Array.from({ length: records }, (_, n) => ({ _id: n, board: n % views, title: `Card ${n}`, rank: n, at: 0 }));
  for (const name of ['cards', 'others']) await db.collection<{ _id: number }>(name).insertMany(cards);
  await db.collection('cards').createIndex({ board: 1, rank: 1, _id: 1 });
  const { localTime: _, pid } = (await db.admin().command({ serverStatus: 1 })) as { localTime: Date; pid: number | bigint };
  console.log(`${views} lists of 20 of ${records} records, ${seconds} s each\n`);
  console.log('| | CPU of the server | CPU of mongod | reads | median | p99 | MiB |\n|---|---|---|---|---|---|---|');
  for (const situation of situations) {
    const child = fork(fileURLToPath(import.meta.url), ['serve', replicaSet.uri], { execArgv: ['--import', 'tsx'] });
    const [port] = (await once(child, 'message')) as [number];
    const delays: number[] = [];
    const streams = await Promise.all(Array.from({ length: situation.streams }, (_, n) => open(port, n % views, delays)));
    await pause(1_000);
    child.send('begin');
    await once(child, 'message');
    const before = cpuOf(Number(pid));
    await write(db.collection<{ _id: number }>(situation.collection), situation.writes);
    child.send('end');
    const [used] = (await once(child, 'message')) as [Used];
    const ofDatabase = (cpuOf(Number(pid)) - before) / seconds;
    for (const stream of streams) stream.destroy();
    child.kill();
    const sorted = delays.sort((a, b) => a - b);
    const at = (part: number) => (sorted.length === 0 ? '–' : `${Math.round(sorted[Math.floor(sorted.length * part)] as number)} ms`);
    const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
    console.log(
      `| ${situation.name} | ${percent(used.cpu / seconds)} | ${percent(ofDatabase)} | ${(used.reads / seconds).toFixed(1)}/s | ${at(0.5)} | ${at(0.99)} | ${Math.round(used.mebibytes)} |`,
    );
  }
  await client.close();
  await replicaSet.stop();
}

/** Opens a stream, and notes how old each change is when it arrives. */
async function open(port: number, board: number, delays: number[]): Promise<IncomingMessage> {
  const options = {
    port,
    host: '127.0.0.1',
    path: `/cards?board=${board}&sort=rank`,
    headers: { accept: 'text/event-stream' },
    agent: false,
  };
  const [incoming] = (await once(get(options), 'response')) as [IncomingMessage];
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

async function write(collection: ReturnType<typeof collectionOf>, perSecond: number): Promise<void> {
  const begun = performance.now();
  for (let written = 0; performance.now() - begun < seconds * 1_000; written++) {
    if (perSecond === 0) await pause(1_000);
    else {
      const _id = (written * 7) % (views * 20); // among the records that the lists show
      void collection.updateOne({ _id }, { $set: { at: Date.now(), title: `Card ${written}` } });
      await pause(Math.max(0, begun + ((written + 1) * 1_000) / perSecond - performance.now()));
    }
  }
}

const collectionOf = (client: MongoClient) => client.db('bench_live').collection<{ _id: number }>('cards');

/** The CPU time of a process until now, in seconds, as Linux counts it. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const [, , role, uri = ''] = process.argv;
if (role === 'serve') await serve(uri);
else await compare();
