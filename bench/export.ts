/**
 * What an export costs: `node --import tsx bench/export.ts` serves 171,075 generated records, as many as the atlas has
 * cities, as NDJSON and as CSV, and by a route that writes `JSON.stringify` of what a cursor of the driver returns: the
 * least that a route by hand does. Each answer comes from a process of its own, whose memory is measured every 5 ms.
 * All are measured in turns, so that the ratios hold on a busy machine, too.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { defineModel, service, t } from '../src/index.ts';

const [count, rounds] = [171_075, 5];
const contestants = ['NDJSON', 'CSV', 'cursor and JSON.stringify'] as const;
type Contestant = (typeof contestants)[number];
const types: Readonly<Record<Contestant, string>> = {
  NDJSON: 'application/x-ndjson',
  CSV: 'text/csv',
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
  readonly megabytes: number;
  /** How much more memory the process had at its peak than before, in MiB. */
  readonly peak: number;
}

const [, , role, uri = ''] = process.argv;
if (role === undefined) await compare();
else await serve(role as Contestant, uri);

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
  const server = createServer(contestant === 'cursor and JSON.stringify' ? (_req, res) => void byHand(res) : api.callback());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
  let [begun, peak] = [0, 0];
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  setInterval(look, 5);
  process.on('message', (message) => {
    look();
    if (message === 'begin') [begun, peak] = [process.memoryUsage.rss(), 0];
    process.send?.((peak - begun) / 2 ** 20);
  });
}

/** Reads everything as fast as it comes. */
async function read(port: number, contestant: Contestant): Promise<{ readonly ms: number; readonly megabytes: number }> {
  const begun = performance.now();
  const [incoming] = (await once(
    get({ port, host: '127.0.0.1', path: '/cities', headers: { accept: types[contestant] } }),
    'response',
  )) as [IncomingMessage];
  let [bytes, lines] = [0, 0];
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 0x0a) lines++;
  }
  const extra = contestant === 'cursor and JSON.stringify' ? 0 : 1; // the last line, or the header row
  if (lines !== count + extra) throw new Error(`${contestant}: ${lines} lines`);
  return { ms: performance.now() - begun, megabytes: bytes / 1e6 };
}

async function measure(contestant: Contestant, at: string): Promise<Measured> {
  const child = fork(fileURLToPath(import.meta.url), [contestant, at], { execArgv: ['--import', 'tsx'] });
  try {
    const [port] = (await once(child, 'message')) as [number];
    child.send('begin');
    await once(child, 'message');
    const found = await read(port, contestant);
    child.send('end');
    const [peak] = (await once(child, 'message')) as [number];
    return { ...found, peak };
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
  const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;
  const summed = contestants.map((name) => {
    const all = measured.get(name) ?? [];
    const of = (key: keyof Measured) => median(all.map((one) => one[key]));
    return { name, ms: of('ms'), megabytes: of('megabytes'), peak: of('peak') };
  });
  const least = summed.at(-1)?.ms ?? 1;
  console.log(`${count} records, medians of ${rounds} rounds, each in a new process\n`);
  console.log('| | seconds | records a second | MB | MiB at the peak | time of the cursor |\n|---|---|---|---|---|---|');
  for (const { name, ms, megabytes, peak } of summed)
    console.log(
      `| ${name} | ${(ms / 1000).toFixed(2)} | ${Math.round(count / (ms / 1000))} | ${megabytes.toFixed(1)} | ${Math.round(peak)} | × ${(ms / least).toFixed(2)} |`,
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
