/**
 * What an export costs: `node --import tsx bench/export.ts [records]` serves 50,000 generated records as NDJSON and as
 * CSV, and the same CSV by hand: a cursor of the driver with a projection, whose rows are joined to chunks and escaped
 * alike. It must answer with the same bytes. A route that writes `JSON.stringify` of what a cursor returns is the least
 * that a route by hand does. Each answer comes from a process of its own, whose memory is measured every 5 ms. All are
 * measured in turns, so that the ratios hold on a busy machine, too.
 */
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { defineModel, service, t } from '../dist/index.js';

const rounds = 5;
const contestants = ['NDJSON', 'CSV', 'CSV by hand', 'cursor and JSON.stringify'] as const;
type Contestant = (typeof contestants)[number];
const types: Readonly<Record<Contestant, string>> = {
  NDJSON: 'application/x-ndjson',
  CSV: 'text/csv',
  'CSV by hand': 'text/csv',
  'cursor and JSON.stringify': '*/*',
};

const City = defineModel('City', {
  collection: 'cities',
  fields: {
    id: t.int({ policy: { sort: true } }),
    name: t.string({ policy: { filter: true, sort: true } }),
    country: t.string({ policy: { filter: true } }),
    divisions: t.array(t.string()),
    position: t.object('Position', { latitude: t.float(), longitude: t.float() }),
    population: t.nullable(t.int()),
    updatedAt: t.date(),
  },
});

interface Measured {
  readonly ms: number;
  /** CPU time of the process, in milliseconds. */
  readonly cpu: number;
  readonly megabytes: number;
  readonly digest: string;
  /** How much more memory the process had at its peak than before, in MiB. */
  readonly peak: number;
}

const [, , asked = '50000', uri = ''] = process.argv;
const count = Number(asked);
if (uri === '') await compare();
else await serve(asked as Contestant, uri);

/** Serves one contestant, and tells its port; then its memory when it is asked. */
async function serve(contestant: Contestant, at: string): Promise<void> {
  const client = await MongoClient.connect(at);
  const db = client.db('bench_export');
  const shop = service();
  const api = shop.api({ db, resources: [shop.resource({ model: City, ops: ['list'], export: { max: 1_000_000 } })], warnOnScan: false });
  async function byHand(res: ServerResponse): Promise<void> {
    for await (const { _id, ...city } of db.collection('cities').find().sort({ _id: 1 })) {
      if (!res.write(`${JSON.stringify({ id: _id, ...city })}\n`)) await once(res, 'drain');
    }
    res.end();
  }
  /** A cell of a text, in quotes where it needs them. */
  const cell = (text: string) => (text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  async function csvByHand(res: ServerResponse): Promise<void> {
    res.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
    const projection = { name: 1, country: 1, divisions: 1, position: 1, population: 1, updatedAt: 1 };
    let chunk = 'id,name,country,divisions,position.latitude,position.longitude,population,updatedAt\r\n';
    for await (const city of db.collection('cities').find({}, { projection, batchSize: 2_000 }).sort({ _id: 1 })) {
      const { _id, name, country, divisions, position, population, updatedAt } = city;
      chunk += `${_id},${cell(name)},${cell(country)},${cell(JSON.stringify(divisions))},${position.latitude},${position.longitude},${population ?? ''},${updatedAt.toISOString()}\r\n`;
      if (chunk.length < 65_536) continue;
      if (!res.write(chunk)) await once(res, 'drain');
      chunk = '';
    }
    res.end(chunk);
  }
  const routes: Partial<Record<Contestant, (res: ServerResponse) => Promise<void>>> = {
    'cursor and JSON.stringify': byHand,
    'CSV by hand': csvByHand,
  };
  const route = routes[contestant];
  const server = createServer(route ? (_req, res) => void route(res) : api.callback());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
  let [begun, peak] = [0, 0];
  let cpu = process.cpuUsage();
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  setInterval(look, 5);
  process.on('message', (message) => {
    look();
    const { user, system } = process.cpuUsage(cpu);
    if (message === 'begin') {
      [begun, peak] = [process.memoryUsage.rss(), 0];
      cpu = process.cpuUsage();
    }
    process.send?.({ peak: (peak - begun) / 2 ** 20, cpu: (user + system) / 1_000 });
  });
}

/** Reads everything as fast as it comes. */
async function read(port: number, contestant: Contestant): Promise<Pick<Measured, 'ms' | 'megabytes' | 'digest'>> {
  const hash = createHash('sha256');
  const begun = performance.now();
  const [incoming] = (await once(
    get({ port, host: '127.0.0.1', path: '/cities', headers: { accept: types[contestant] } }),
    'response',
  )) as [IncomingMessage];
  let [bytes, lines] = [0, 0];
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    hash.update(chunk);
    for (const byte of chunk) if (byte === 0x0a) lines++;
  }
  const extra = contestant === 'cursor and JSON.stringify' ? 0 : 1; // the last line, or the header row
  if (lines !== count + extra) throw new Error(`${contestant}: ${lines} lines`);
  return { ms: performance.now() - begun, megabytes: bytes / 1e6, digest: hash.digest('hex') };
}

async function measure(contestant: Contestant, at: string): Promise<Measured> {
  const child = fork(fileURLToPath(import.meta.url), [contestant, at], { execArgv: ['--import', 'tsx'] });
  try {
    const [port] = (await once(child, 'message')) as [number];
    child.send('begin');
    await once(child, 'message');
    const found = await read(port, contestant);
    child.send('end');
    const [{ peak, cpu }] = (await once(child, 'message')) as [Pick<Measured, 'peak' | 'cpu'>];
    return { ...found, peak, cpu };
  } finally {
    child.kill();
  }
}

async function compare(): Promise<void> {
  const replicaSet = await startReplicaSet();
  const client = await MongoClient.connect(replicaSet.uri);
  await fill(client);
  const measured = new Map<Contestant, Measured[]>(contestants.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of contestants) measured.get(name)?.push(await measure(name, replicaSet.uri));
  const digests = new Set(['CSV', 'CSV by hand'].map((name) => measured.get(name as Contestant)?.[0]?.digest));
  if (digests.size > 1) throw new Error('The two tables differ.');
  const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;
  const summed = contestants.map((name) => {
    const all = measured.get(name) ?? [];
    const of = (key: Exclude<keyof Measured, 'digest'>) => median(all.map((one) => one[key]));
    return { name, ms: of('ms'), cpu: of('cpu'), megabytes: of('megabytes'), peak: of('peak') };
  });
  const hand = summed.find(({ name }) => name === 'CSV by hand') ?? summed[0];
  console.log(`${count} records, medians of ${rounds} rounds, each in a new process\n`);
  console.log('| | seconds | of CPU | MB | MiB at the peak | time and CPU of CSV by hand |\n|---|---|---|---|---|---|');
  for (const { name, ms, cpu, megabytes, peak } of summed)
    console.log(
      `| ${name} | ${(ms / 1000).toFixed(2)} | ${(cpu / 1000).toFixed(2)} | ${megabytes.toFixed(1)} | ${Math.round(peak)} | ${(ms / (hand?.ms ?? 1)).toFixed(2)} and ${(cpu / (hand?.cpu ?? 1)).toFixed(2)} |`,
    );
  await client.close();
  await replicaSet.stop();
}

async function fill(client: MongoClient): Promise<void> {
  const db = client.db('bench_export');
  await db.dropDatabase();
  for (let from = 0; from < count; from += 10_000) {
    const cities = Array.from({ length: Math.min(10_000, count - from) }, (_, index) => cityOf(from + index));
    await db.collection<{ _id: number }>('cities').insertMany(cities);
  }
}

function cityOf(n: number): { readonly _id: number } & Record<string, unknown> {
  return {
    _id: n,
    name: `Sankt ${n.toString(36)}, "Zürich"`,
    country: `${'ACDEFGIL'.charAt(n % 8)}${'HRTUSEO'.charAt(n % 7)}`,
    divisions: [`region ${n % 40}`, `district ${n % 1_000}`],
    position: { latitude: (n % 180_000) / 1_000 - 90 + 0.0005, longitude: (n % 360_000) / 1_000 - 180 + 0.0005 },
    population: n % 10 === 0 ? null : n * 7,
    updatedAt: new Date(1.7e12 + n),
  };
}
