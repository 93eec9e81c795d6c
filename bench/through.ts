/**
 * What relations cost beside the same routes by hand: `npx tsx bench/through.ts` compares a create that names three
 * records, a list filtered through two relations, and one of 2,000 records sorted through a relation. One process
 * serves both, and answers bursts of requests to the one and to the other in turns.
 */
import { fork } from 'node:child_process';
import { on, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import { MongoClient } from 'mongodb';
import getRawBody from 'raw-body';
import { startReplicaSet } from '../dev/replica-set.ts';
import { BurstClients, wireOf } from './burst-clients.ts';
import { mean } from './statistics.ts';

interface Given {
  readonly id: string;
  readonly number: number;
  readonly writerId: string;
  readonly editorId: string;
  readonly reviewerId: string;
}
interface Row {
  readonly _id: string;
  readonly [key: string]: unknown;
}

const [teams, writers, sorted, pairs, warmUps, connections] = [20, 200, 2_000, 30, 6, 32];
const database = 'bench_through';
/** How many requests a burst has of each kind. */
const tasks = { create: 400, filter: 150, sort: 8 } as const;

const [role, uri = ''] = process.argv.slice(2);
if (role === 'serve') await serveBoth(await MongoClient.connect(uri));
else await compare();

/** Tells the ports of both, and then the CPU time of the process whenever it is asked. */
async function serveBoth(client: MongoClient): Promise<void> {
  const db = client.db(database);
  const apps = [byHand(), await described()] as const;
  const servers = apps.map((app) => app.listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  process.on('disconnect', () => process.exit());
  process.send?.(servers.map((server) => (server.address() as AddressInfo).port));
  for await (const _ of on(process, 'message')) {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  }

  function byHand(): Pick<Koa, 'listen'> {
    const of = (name: string) => db.collection<Row>(name);
    const router = new Router({ prefix: '/api' });
    const idsOf = async (name: string, filter: object) =>
      (
        await of(name)
          .find(filter, { projection: { _id: 1 } })
          .toArray()
      ).map(({ _id }) => _id);
    const shown = ({ _id, ...fields }: Row) => ({ id: _id, ...fields });
    router.get('/posts', async (ctx) => {
      const region = ctx.query['writer.team.region'];
      const teamIds = await idsOf('teams', { region });
      const writerIds = await idsOf('writers', { teamId: { $in: teamIds } });
      const found = await of('posts')
        .find({ writerId: { $in: writerIds } })
        .sort({ number: -1, _id: -1 })
        .limit(21)
        .toArray();
      ctx.body = { data: found.slice(0, 20).map(shown), page: { hasMore: found.length > 20 } };
    });
    router.get('/notes', async (ctx) => {
      const lookUp = { $lookup: { from: 'writers', localField: 'writerId', foreignField: '_id', as: 'writer' } };
      const stages = [lookUp, { $sort: { 'writer.name': 1, _id: 1 } }, { $limit: 21 }, { $unset: 'writer' }];
      const found = await of('notes').aggregate<Row>(stages).toArray();
      ctx.body = { data: found.slice(0, 20).map(shown), page: { hasMore: found.length > 20 } };
    });
    router.post('/posts', async (ctx) => {
      const { id, number, ...ids } = JSON.parse(await getRawBody(ctx.req, { limit: '1mb', encoding: 'utf8' })) as Given;
      const named = [ids.writerId, ids.editorId, ids.reviewerId];
      const known = await idsOf('writers', { _id: { $in: [...new Set(named)] } });
      if (!named.every((one) => known.includes(one))) ctx.throw(422);
      await of('posts').insertOne({ _id: id, number, ...ids, revision: 0 });
      ctx.status = 201;
      ctx.body = { data: { id, number, ...ids, revision: 0 } };
    });
    return new Koa().use(router.routes());
  }

  async function described(): Promise<Pick<Koa, 'listen'>> {
    const { cursorPaging, defineModel, service, t } = await import('../dist/index.js');
    const id = () => t.string({ policy: { insert: true } });
    const writer = (as: string) => t.ref('Writer', { id: t.string(), exists: true, as });
    const filterable = { policy: { filter: true, sort: true } } as const;
    const Team = defineModel('Team', { collection: 'teams', fields: { id: id(), region: t.string(filterable) } });
    const Writer = defineModel('Writer', {
      collection: 'writers',
      fields: { id: id(), name: t.string(filterable), teamId: t.ref('Team', { id: t.string(), as: 'team' }) },
    });
    const fields = { id: id(), number: t.int({ policy: { sort: true } }), writerId: writer('writer') };
    const Post = defineModel('Post', {
      collection: 'posts',
      fields: { ...fields, editorId: writer('editor'), reviewerId: writer('reviewer'), revision: t.revision() },
    });
    const Note = defineModel('Note', { collection: 'notes', fields: { ...fields, revision: t.revision() } });
    const shop = service();
    const paging = cursorPaging();
    const resources = [
      shop.resource({ model: Team, ops: ['list'] }),
      shop.resource({ model: Writer, ops: ['list'] }),
      shop.resource({ model: Post, ops: ['list', 'create'], paging, through: ['writer', 'writer.team'] }),
      shop.resource({ model: Note, ops: ['list'], paging, through: ['writer'] }),
    ];
    return new Koa().use(shop.api({ db, prefix: '/api', resources }).routes());
  }
}

/** What a request takes, in microseconds: of CPU time of the process that serves, and in all. */
interface Cost {
  readonly cpu: number;
  readonly elapsed: number;
}

async function compare(): Promise<void> {
  const replicaSet = await startReplicaSet();
  const client = await MongoClient.connect(replicaSet.uri);
  await seed(client);
  const server = fork(import.meta.filename, ['serve', replicaSet.uri], {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [ports] = (await once(server, 'message')) as [readonly [number, number]];
  const clients = await Promise.all(ports.map((port) => BurstClients.connect(port, connections)));
  const cpu = async (): Promise<number> => {
    server.send('cpu');
    return ((await once(server, 'message')) as [number])[0];
  };
  let created = 0;
  const requestsOf = (task: keyof typeof tasks): Buffer[] =>
    Array.from({ length: tasks[task] }, (_, n) => {
      if (task === 'sort') return wireOf({ method: 'GET', path: '/api/notes?sort=writer.name' });
      if (task === 'filter') return wireOf({ method: 'GET', path: `/api/posts?writer.team.region=r${n % 5}&sort=-number` });
      const body = {
        id: `new-${created++}`,
        number: n,
        writerId: `w${n % 200}`,
        editorId: `w${(n + 1) % 200}`,
        reviewerId: `w${(n + 2) % 200}`,
      };
      return wireOf({ method: 'POST', path: '/api/posts', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    });
  const spend = async (task: keyof typeof tasks, side: number): Promise<Cost> => {
    const requests = requestsOf(task);
    const [before, begun] = [await cpu(), performance.now()];
    await clients[side]?.send(requests);
    const elapsed = (1_000 * (performance.now() - begun)) / requests.length;
    return { cpu: ((await cpu()) - before) / requests.length, elapsed };
  };
  for (const task of Object.keys(tasks) as (keyof typeof tasks)[]) {
    const found: (readonly [Cost, Cost])[] = [];
    for (let pair = -warmUps; pair < pairs; pair++) {
      const isReversed = pair % 2 === 0;
      const first = await spend(task, isReversed ? 1 : 0);
      const second = await spend(task, isReversed ? 0 : 1);
      if (pair >= 0) found.push(isReversed ? [second, first] : [first, second]);
    }
    for (const what of ['cpu', 'elapsed'] as const) {
      const [hand, ours] = [mean(found.map(([one]) => one[what])), mean(found.map(([, one]) => one[what]))];
      process.stdout.write(
        `${task}, ${what}: ${hand.toFixed(0)} µs by hand, ${ours.toFixed(0)} µs by the library, ${(ours / hand).toFixed(2)}\n`,
      );
    }
  }
  for (const one of clients) one.close();
  server.disconnect();
  await client.close();
  await replicaSet.stop();
}

async function seed(client: MongoClient): Promise<void> {
  const db = client.db(database);
  await db.dropDatabase();
  const add = (name: string, count: number, rowOf: (n: number) => object) =>
    db.collection(name).insertMany(Array.from({ length: count }, (_, n) => rowOf(n)));
  await add('teams', teams, (n) => ({ _id: `t${n}`, region: `r${n % 5}` }));
  await add('writers', writers, (n) => ({ _id: `w${n}`, name: `Writer ${(n * 7919) % writers}`, teamId: `t${n % teams}` }));
  const named = (n: number) => ({ writerId: `w${n % writers}`, editorId: `w${(n + 1) % writers}`, reviewerId: `w${(n + 2) % writers}` });
  await add('posts', 10_000, (n) => ({ _id: `p${n}`, number: n, ...named(n), revision: 0 }));
  await add('notes', sorted, (n) => ({ _id: `n${n}`, number: n, writerId: `w${n % writers}`, revision: 0 }));
  await db.collection('posts').createIndex({ writerId: 1, number: -1, _id: -1 });
  await db.collection('posts').createIndex({ number: -1, _id: -1 });
  await db.collection('writers').createIndex({ teamId: 1 });
}
