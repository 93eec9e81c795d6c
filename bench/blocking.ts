import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { cursorPaging, service } from '../src/index.ts';
import {
  Board,
  batches,
  bodies,
  Card,
  histories,
  lists,
  Note,
  type Request,
  reads,
  streamCount,
  streams,
  Thing,
} from './blocking-kinds.ts';
import { Child } from './children.ts';
import { median } from './statistics.ts';

type Ask = 'begin' | 'end';

interface Measured {
  readonly longest: number;
  readonly memory: number;
}

async function serve(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  const shop = service();
  const things = shop.resource({ model: Thing, paging: cursorPaging({ max: 100 }), fields: true, aggregate: true });
  const notes = shop.resource({
    model: Note,
    history: true,
    ops: ['get', 'create', 'patch', 'patchMany', 'deleteMany'],
  });
  const boards = shop.resource({ model: Board, ops: ['list'], through: ['cards'] });
  const cards = shop.resource({ model: Card, ops: ['list', 'get'], paging: cursorPaging({ max: 100 }), live: true });
  const api = shop.api({
    db: client.db('blocking'),
    resources: [things, notes, boards, cards],
    batch: { maxOperations: 1_000 },
    warnOnScan: false,
  });
  const server = createServer(api.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  process.on('message', async ({ ask }: { ask: Ask }) => {
    if (ask === 'end') await delay(10); // the delay is recorded by a timer
    process.send?.({ longest: delays.max / 1e6, memory: process.memoryUsage.rss() });
    if (ask === 'begin') delays.reset();
  });
  process.on('disconnect', () => process.exit());
  process.send?.((server.address() as AddressInfo).port);
}

/**
 * For how long a single request of 1 MiB keeps the event loop:
 * `node --import tsx bench/blocking.ts [part of a name] [rounds]`. The server is a process of its own, which measures
 * the longest delay of its event loop during each request. The delay of an idle server is subtracted.
 */
async function measure(): Promise<void> {
  const [wanted = '', rounds = '5'] = process.argv.slice(2);
  const set = await startReplicaSet({ log: () => undefined });
  const client = await MongoClient.connect(set.uri);
  const db = client.db('blocking');
  await db.dropDatabase();
  const things = db.collection('things');
  const large = new ObjectId();
  const stored = new ObjectId();
  const part = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`part${n}`, Array(45_000).fill(7)]));
  await things.insertOne({ _id: large, name: 'large', revision: 1, more: part });
  const words = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`part${n}`, Array(24_000).fill('x'.repeat(30))]));
  await things.insertOne({ _id: stored, name: 'large', revision: 1, more: words });
  for (let n = 0; n < 50; n++) await things.insertOne({ name: 'numbers', revision: 1, data: Array(24_900).fill(7) });
  for (let n = 0; n < 50; n++) await things.insertOne({ name: 'texts', revision: 1, texts: ['x'.repeat(330_000)] });
  for (let n = 0; n < 1_000; n++) await things.insertOne({ name: `group${n}${'x'.repeat(12_000)}`, revision: 1 });
  const notes = db.collection('notes');
  const ints = (n: number, count: number) => Array.from({ length: count }, (_, index) => index + n);
  const note = new ObjectId();
  await notes.insertOne({ _id: note, kind: 'changed', ints: [], revision: 125 });
  await db.collection('notes_history').insertMany(
    Array.from({ length: 125 }, (_, n) => ({
      _id: new ObjectId(),
      record: note,
      life: null,
      revision: n + 1,
      previous: n,
      at: new Date(),
      change: 'patched',
      actor: null,
      paths: ['ints'],
      changes: [{ path: 'ints', before: n === 0 ? [] : ints(n, 1_800), after: ints(n + 1, 1_800) }],
      private: [],
    })),
  );
  const cards = db.collection<{ _id: number; board: number; rank: number }>('cards');
  const cardOf = (n: number) => ({ _id: n, rank: n, column: 1, line: 1, depth: n });
  await cards.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ ...cardOf(n + streamCount + 1), rank: n, board: 0 })));
  await cards.insertMany(Array.from({ length: streamCount }, (_, n) => ({ ...cardOf(n + 1), rank: 0, board: n + 1 })));
  await cards.createIndex({ board: 1, rank: 1, _id: 1 });
  const prepare = async () => {
    await notes.deleteMany({ kind: 'large' });
    await notes.insertMany(Array.from({ length: 500 }, (_, n) => ({ kind: 'large', ints: ints(n, 2_700), revision: 1 })));
  };
  const created = Object.entries(bodies()).map(([name, body]): [string, Request] => [name, { method: 'POST', path: '/things', body }]);
  const requests = [
    ...created,
    ...Object.entries(batches()),
    ...Object.entries(reads(String(large), String(stored))),
    ...Object.entries(histories(String(note))),
    ...Object.entries(lists()),
  ];
  console.log(
    'median | least ms of blocking (idle subtracted) | longest of the idle server | most memory that it grew by | median ms until the answer | status | answer',
  );
  const isWanted = ([name]: readonly [string, unknown]) => name.includes(wanted);
  for (const [name, request] of requests.filter(isWanted))
    await measureOne(set.uri, name, Number(rounds), (port) => asking(port, request), name.includes('Many') ? prepare : undefined);
  for (const [name, pathOf] of Object.entries(streams).filter(isWanted))
    await measureOne(set.uri, name, Number(rounds), (port) => writingBeside(port, pathOf, db));
  await client.close();
  await set.stop();
}

interface Answer {
  readonly status: number;
  readonly bytes: number;
}

/** What is measured, again and again. */
interface Act {
  run(): Promise<Answer>;
  end?(): void;
}

async function send(port: number, { method, path, body, type = 'application/json' }: Request): Promise<Answer> {
  const headers = body === undefined ? {} : { 'content-type': type };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...(body !== undefined && { body }) });
  return { status: answer.status, bytes: (await answer.arrayBuffer()).byteLength };
}

async function asking(port: number, request: Request): Promise<Act> {
  if (!request.isNext) return { run: () => send(port, request) };
  const first = (await (await fetch(`http://127.0.0.1:${port}${request.path}`)).json()) as { page: { next_cursor: string } };
  const path = `${request.path}&after=${first.page.next_cursor}`;
  return { run: () => send(port, { ...request, path }) };
}

/**
 * Opens the streams, and then changes 20,000 records that none of them shows, and behind them one of the first stream.
 * The change has been told to all when that one arrives.
 */
async function writingBeside(port: number, pathOf: (n: number) => string, db: Db): Promise<Act> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const opened: IncomingMessage[] = [];
  for (let n = 0; n < streamCount; n++) {
    const asked = get({ port, host: '127.0.0.1', path: pathOf(n), headers: { accept: 'text/event-stream' }, agent });
    const [stream] = (await once(asked, 'response')) as [IncomingMessage];
    if (stream.statusCode !== 200) throw new Error(`a stream was answered with ${stream.statusCode}`);
    await once(stream, 'data');
    stream.resume();
    opened.push(stream);
  }
  const cards = db.collection<{ _id: number }>('cards');
  const first = opened[0] as IncomingMessage;
  return {
    async run() {
      await cards.updateMany({ _id: { $gt: streamCount } }, { $inc: { rank: 1 } });
      const told = untilChange(first);
      await cards.updateOne({ _id: 1 }, { $inc: { depth: 1 } });
      return { status: 200, bytes: await told };
    },
    end: () => agent.destroy(),
  };
}

/** The bytes of the next change of a stream: comments come in between. */
async function untilChange(stream: IncomingMessage): Promise<number> {
  for (;;) {
    const [chunk] = (await once(stream, 'data')) as [Buffer];
    if (chunk.includes('data: ')) return chunk.byteLength;
  }
}

/** Each kind has a process of its own: what one kind makes V8 compile does not help the next. */
async function measureOne(
  uri: string,
  name: string,
  rounds: number,
  open: (port: number) => Promise<Act>,
  prepare?: () => Promise<void>,
): Promise<void> {
  const profile = process.env.PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.PROFILE}`] : [];
  const child = new Child<{ ask: Ask }, Measured>('blocking.ts', [uri, 'serve'], profile);
  const port = await child.next<number>();
  const longestDuring = async <T>(work: () => Promise<T>) => {
    const { memory: before } = await child.ask({ ask: 'begin' });
    const result = await work();
    const { longest, memory } = await child.ask({ ask: 'end' });
    return { result, longest, grown: memory - before };
  };
  for (let n = 0; n < 20; n++) await send(port, { method: 'POST', path: '/things', body: '{"name":"warm"}' });
  const act = await open(port);
  const blocks: number[] = [];
  const idles: number[] = [];
  const times: number[] = [];
  let last = { status: 0, bytes: 0 };
  let most = 0;
  for (let round = 0; round < rounds; round++) {
    await prepare?.();
    const idle = await longestDuring(() => delay(150));
    const begun = performance.now();
    const { result, longest, grown } = await longestDuring(() => act.run());
    times.push(performance.now() - begun);
    last = result;
    most = Math.max(most, grown);
    idles.push(idle.longest);
    blocks.push(Math.max(0, longest - idle.longest));
  }
  act.end?.();
  child.stop();
  const ms = (value: number) => value.toFixed(1).padStart(7);
  console.log(
    `${ms(median(blocks))} | ${ms(Math.min(...blocks))} | ${ms(median(idles))} | ${(most / 2 ** 20).toFixed(0)} MiB | ${ms(median(times))} | ${last.status} | ${last.bytes} bytes | ${name}`,
  );
}

const [uri, role] = process.argv.slice(2);
if (uri && role === 'serve') await serve(uri);
else await measure();
