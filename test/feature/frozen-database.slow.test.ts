import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type Koa from 'koa';
import { MongoClient } from 'mongodb';
import { type ReplicaSet, startReplicaSet } from '../../dev/replica-set.ts';
import { cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { unlessOnWine } from '../support/database/on-wine.ts';
import { withoutMongod } from '../support/database/own-mongod.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const Author = defineModel('Author', { collection: 'authors', fields: { id: t.string() } });
const Book = defineModel('Book', {
  collection: 'books',
  fields: { id: t.string({ policy: { insert: true, sort: true } }), author: t.ref('Author', { id: t.string() }), revision: t.revision() },
});

const serve = useServer();
/** Tells the status that a log of the app would show. */
const logs = new EventEmitter();
const log: Koa.Middleware = async (ctx, next) => {
  await next();
  logs.emit('answered', ctx.status);
};
let mongod: ReplicaSet;
let client: MongoClient;
let pid: number;
let hasty: TestServer;
let patient: TestServer;

function isStopped(): boolean {
  const file = `/proc/${pid}/stat`; // of Linux, which may lack `ps`
  if (existsSync(file)) return /\) T /.test(readFileSync(file, 'utf8'));
  return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' })
    .trim()
    .startsWith('T');
}

/**
 * Runs something while the database's process stands still: it takes no command and answers none, and its connections
 * stay open.
 */
async function whileFrozen<T>(run: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP');
  try {
    await until(isStopped); // the signal takes effect some time after it was sent
    return await run();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

unlessOnWine(describe, 'the process id that the database tells is not its own')('a database that stands still', () => {
  beforeAll(async () => {
    mongod = await withoutMongod(() => startReplicaSet({ log: () => {} })); // all other tests would wait for the one that they share
    client = new MongoClient(mongod.uri, { monitorCommands: true, minPoolSize: 20 });
    let connections = 0;
    const filled = new Promise<void>((resolve) => client.on('connectionReady', () => ++connections === 20 && resolve()));
    await client.connect();
    await filled; // a command that cannot even get a connection is 503
    pid = Number((await client.db('admin').command({ serverStatus: 1 })).pid);
    const db = client.db('frozen');
    await db.collection<{ _id: string }>('authors').insertOne({ _id: 'x' });
    await db.collection<{ _id: string; author: string }>('books').insertMany(['a', 'b', 'c'].map((_id) => ({ _id, author: 'x' })));
    const shop = service();
    const books = shop.resource({ model: Book, include: ['author'], paging: cursorPaging({ total: true }) });
    const apiOf = (maxTimeMS: number) => shop.api({ db, maxTimeMS, resources: [books], models: [Author] });
    hasty = await serve(apiOf(100).routes());
    patient = await serve(log, apiOf(600_000).routes());
  });

  afterAll(async () => {
    process.kill(pid, 'SIGCONT');
    await client.close();
    await mongod.stop();
  });

  it('does not hold up a read: 504 for each kind, and answers as before when it goes on', async () => {
    const { next_cursor: after } = (await hasty.request('GET', '/books?limit=1')).body.page;
    const lists = ['/books', `/books?limit=1&after=${after}`, '/books?total=true', '/books?total=estimate', '/books?include=author'];
    const paths = [...lists, '/books/a', '/books/a?include=author'];
    const frozen = await whileFrozen(() => Promise.all(paths.map((path) => hasty.request('GET', path))));
    expect(frozen.map(({ status, body }) => [status, body.code])).toEqual(paths.map(() => [504, 'database_timeout']));
    const answers = await Promise.all(paths.map((path) => patient.request('GET', path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  });

  it('is not waited for when the client has gone', async () => {
    await whileFrozen(async () => {
      const sent = once(client, 'commandStarted');
      const request = httpRequest({ port: patient.port, host: '127.0.0.1', path: '/books', agent: false });
      request.on('error', () => undefined);
      request.end();
      await sent;
      const answered = once(logs, 'answered');
      request.destroy();
      expect([await answered, patient.errors]).toEqual([[499], []]);
    });
  });
});
