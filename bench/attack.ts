import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { cursorPaging, defineModel, service, t } from '../src/index.ts';

/**
 * Whether a client that sends 1 MiB a second takes the service from another one: `node --import tsx bench/attack.ts`.
 * One process with a heap of 768 MiB serves two tenants. One sends the worst requests that we know, one kind after the
 * other; the other sends a plain get 20 times a second.
 */
const Line = t.object('Line', { n: t.int({ default: 0 }), price: t.nullable(t.decimal()) });
const Thing = defineModel('Thing', {
  collection: 'things',
  fields: {
    tenant: t.string({ policy: { insert: false, update: false } }),
    name: t.string({ default: '', policy: { filter: true, sort: true } }),
    text: t.string({ default: '' }),
    data: t.nullable(t.any()),
    decimals: t.array(t.decimal(), { default: [] }),
    lines: t.array(Line, { default: [] }),
    parent: t.nullable(t.ref('Thing', { policy: { filter: true } })),
    revision: t.revision(),
    children: t.hasMany('Thing', { via: 'parent', max: 100 }),
  },
});

async function serve(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  const shop = service<string>({ authenticate: (ctx) => ctx.get('authorization') });
  const things = shop.resource({
    model: Thing,
    scope: (ctx) => ({ tenant: ctx.requirePrincipal() }),
    serverFields: (ctx) => ({ tenant: ctx.requirePrincipal() }),
    paging: cursorPaging({ max: 100, total: true }),
    include: ['children'],
    fields: true,
  });
  const api = shop.api({
    db: client.db('attack'),
    resources: [things],
    batch: { maxOperations: 1_000 },
    maxConcurrency: { total: 16, each: 8, by: (ctx) => ctx.principal },
    warnOnScan: false,
  });
  const server = createServer(api.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let peak = 0;
  setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  process.on('message', () => {
    process.send?.(peak);
    peak = 0;
  });
  process.on('disconnect', () => process.exit());
  process.send?.((server.address() as AddressInfo).port);
}

async function attack(): Promise<void> {
  const set = await startReplicaSet({ log: () => undefined });
  const client = await MongoClient.connect(set.uri);
  await client.db('attack').dropDatabase();
  const child = fork(join(import.meta.dirname, 'attack.ts'), [set.uri], { execArgv: ['--import', 'tsx', '--max-old-space-size=768'] });
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  const [port] = (await once(child, 'message')) as [number];
  const peakOf = async () => {
    child.send('peak');
    return ((await once(child, 'message')) as [number])[0] / 2 ** 20;
  };
  const send = async (tenant: string, method: string, path: string, body?: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: tenant, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
    });
    const bytes = await answer.arrayBuffer();
    return { status: answer.status, bytes };
  };
  const json = ({ bytes }: { bytes: ArrayBuffer }) => JSON.parse(Buffer.from(bytes).toString());
  const idOf = (answer: { bytes: ArrayBuffer }) => json(answer).data.id as string;

  const mine = idOf(await send('ann', 'POST', '/things', '{"name":"mine"}'));
  const large: string[] = [];
  for (let n = 0; n < 30; n++)
    large.push(
      idOf(await send('eve', 'POST', '/things', JSON.stringify({ name: 'large', text: 'x'.repeat(1_000_000), parent: large[0] ?? null }))),
    );
  const numbers = `[${Array(24_900).fill('7')}]`;
  for (let n = 0; n < 30; n++) await send('eve', 'POST', '/things', `{"name":"numbers","data":${numbers}}`);
  const batch = (operations: object[]) => JSON.stringify({ operations });
  const nothing = (n: number) => ({ method: 'PATCH', path: `/things/${large[n % large.length]}`, body: {} });
  const kinds: [name: string, method: string, path: string, body?: string][] = [
    ['nothing', 'GET', `/things/${large[0]}?fields=name`],
    ['a batch of 400 patches of nothing, of records of 1 MB', 'POST', '/batch', batch(Array.from({ length: 400 }, (_, n) => nothing(n)))],
    ['a batch of 999 creates', 'POST', '/batch', batch(Array.from({ length: 999 }, () => ({ method: 'POST', path: '/things', body: {} })))],
    [
      'a batch of 20,000 refs',
      'POST',
      '/batch',
      JSON.stringify({
        operations: [
          { method: 'POST', path: '/things', body: {} },
          {
            method: 'POST',
            path: '/things',
            body: { data: {} },
            refs: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`/data/${n}`, 0])),
          },
        ],
      }),
    ],
    ['1 MiB of zeros', 'POST', '/things', `{"data":[${Array(500_000).fill(0)}]}`],
    ['24,900 decimals', 'POST', '/things', `{"decimals":[${Array(24_900).fill('"12345678901234567890.50"')}]}`],
    ['24,900 numbers of 20 digits', 'POST', '/things', `{"data":[${Array(24_900).fill('0.12345678901234567890')}]}`],
    ['400 arrays of 60 levels', 'POST', '/things', `{"data":[${Array(400).fill(`${'['.repeat(60)}${']'.repeat(60)}`)}]}`],
    ['12,000 empty lines', 'POST', '/things', `{"lines":[${Array(12_000).fill('{}')}]}`],
    ['24,000 mistakes', 'POST', '/things', `{${Array.from({ length: 24_000 }, (_, n) => `"nam${n}":0`)}}`],
    ['a page of 16 MB', 'GET', '/things?name=large&limit=100'],
    ['a page of 747,000 numbers', 'GET', '/things?name=numbers&limit=100'],
    ['an include of 30 MB', 'GET', `/things/${large[0]}?include=children`],
    ['filters of 15 KB', 'GET', `/things?name[in]=${Array.from({ length: 490 }, (_, n) => `n${n}`)}&sort=-name&total=true`],
    ['fields of 15 KB', 'GET', `/things?fields=${Array.from({ length: 1_800 }, (_, n) => `nam${n}`)}`],
  ];
  const at = (sorted: readonly number[], part: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN).toFixed(0).padStart(5);
  console.log(' p50   p99   max ms of the other client | peak MiB | answers | requests of the attacker');
  for (const [name, method, path, body] of kinds) {
    let isOver = false;
    const statuses = new Map<number, number>();
    const perSecond = Math.min(10, Math.max(1, Math.floor(2 ** 20 / Math.max(1, body?.length ?? 1))));
    const attacking = (async () => {
      const under: Promise<unknown>[] = [];
      while (!isOver) {
        under.push(
          send('eve', method, path, body).then(
            ({ status }) => statuses.set(status, (statuses.get(status) ?? 0) + 1),
            () => statuses.set(0, (statuses.get(0) ?? 0) + 1),
          ),
        );
        await delay(1_000 / perSecond);
      }
      await Promise.all(under);
    })();
    const times: number[] = [];
    for (let n = 0; n < 100 && !ended; n++) {
      const begin = performance.now();
      const { status } = await send('ann', 'GET', `/things/${mine}`);
      if (status !== 200) statuses.set(-status, (statuses.get(-status) ?? 0) + 1);
      times.push(performance.now() - begin);
      await delay(40);
    }
    isOver = true;
    await attacking;
    times.sort((a, b) => a - b);
    console.log(
      `${at(times, 0.5)} ${at(times, 0.99)} ${at(times, 1)} | ${(await peakOf()).toFixed(0).padStart(5)} | ${[...statuses].map(([status, count]) => `${status} × ${count}`).join(', ')} | ${perSecond}/s ${name}`,
    );
    await client.db('attack').collection('things').deleteMany({ tenant: 'eve', name: '' });
  }
  console.log(ended ? 'THE PROCESS HAS ENDED' : 'The process has served to the end.');
  child.disconnect();
  await client.close();
  await set.stop();
  process.exit();
}

const [uri] = process.argv.slice(2);
if (uri) await serve(uri);
else await attack();
