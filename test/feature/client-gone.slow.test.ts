import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type Koa from 'koa';
import type { CommandFailedEvent } from 'mongodb';
import { type Api, cursorPaging, defineModel, type RequestContext, service, t } from '../../src/index.ts';
import { ClientGone } from '../../src/middleware/exchange/exchange.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const Slow = defineModel('Slow', { collection: 'slow', fields: { id: t.string(), text: t.string({ default: '' }) } });
const Doc = defineModel('Doc', { collection: 'docs', fields: { id: t.string(), slow: t.ref('Slow', { id: t.string() }) } });

const database = useDatabase({ monitorCommands: true });
const serve = useServer();
const failed: CommandFailedEvent[] = [];
/** The status that a log of the app would show for each request. */
const logged: number[] = [];
let served: Api;
let api: TestServer;

const log: Koa.Middleware = async (ctx, next) => {
  await next();
  logged.push(ctx.status);
};

beforeAll(async () => {
  await database.db.collection<{ _id: string; slow: string }>('docs').insertOne({ _id: 'a', slow: 'a' });
  // A view that takes minutes to read, in the database itself: whatever ends a read of it, it is not its end. In small
  // steps, because the database looks after its client between them.
  const sleep = { $function: { body: 'function () { sleep(20); return false; }', args: ['$n'], lang: 'js' } };
  const pipeline = [{ $set: { n: { $range: [0, 20_000] } } }, { $unwind: '$n' }, { $match: { $expr: sleep } }];
  await database.db.createCollection('slow', { viewOn: 'docs', pipeline });
  database.client.on('commandFailed', (event) => failed.push(event));
  const shop = service();
  const resource = shop.resource({ model: Slow, paging: cursorPaging({ total: true }), aggregate: true });
  const docs = shop.resource({ model: Doc, include: ['slow'] });
  served = shop.api({ db: database.db, prefix: '/api', maxTimeMS: 600_000, resources: [resource, docs] });
  api = await serve(log, served.routes());
});

beforeEach(() => {
  failed.length = 0;
  logged.length = 0;
});

/** How many reads of the view are running. */
async function operations(): Promise<number> {
  const pipeline = [{ $currentOp: {} }, { $match: { ns: `${database.db.databaseName}.docs` } }];
  return (await database.client.db('admin').aggregate(pipeline).toArray()).length;
}

describe('a read whose client has gone', () => {
  it.each([
    ['/api/slow/a', 1],
    ['/api/slow', 1],
    ['/api/slow?total=true', 2],
    ['/api/slow/aggregate', 1],
    ['/api/docs?include=slow', 1],
    ['/api/docs/a?include=slow', 1],
  ])(
    'ends in the database too, and is no bug: %s',
    async (path, commands) => {
      const request = httpRequest({ port: api.port, host: '127.0.0.1', path, agent: false });
      request.on('error', () => undefined);
      request.end();
      await until(async () => (await operations()) === commands);
      request.destroy();
      await until(() => logged.length === 1 && failed.length === commands);
      await until(async () => (await operations()) === 0);
      expect(logged).toEqual([499]);
      expect(api.errors).toEqual([]);
      expect(failed.map(({ failure }) => failure)).toEqual(Array.from({ length: commands }, () => expect.any(ClientGone)));
    },
    60_000,
  );

  it('ends as well where its answer waits behind others of a pipelined connection that is reset', async () => {
    const socket = connect(api.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET /api/slow/a HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5));
    await until(async () => (await operations()) === 2); // the first one alone, and what came behind it together
    socket.resetAndDestroy();
    await until(() => logged.length === 5 && failed.length === 2);
    await until(async () => (await operations()) === 0);
    expect(logged).toEqual([499, 499, 499, 499, 499]);
    expect(failed.map(({ failure }) => failure)).toEqual(Array.from({ length: 2 }, () => expect.any(ClientGone)));
  }, 120_000);

  it('ends as well when an in-process call is aborted', async () => {
    const controller = new AbortController();
    const answer = served.fetch(new Request('http://here/api/slow', { signal: controller.signal }));
    await until(async () => (await operations()) === 1);
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    await until(async () => failed.length === 1 && (await operations()) === 0);
  }, 120_000);

  it('does not begin when the client had gone before', async () => {
    const shop = service();
    const doors = new EventEmitter();
    const guard = async (ctx: RequestContext<never>) => {
      ctx.res.once('close', () => doors.emit('closed'));
      doors.emit('reached');
      await once(doors, 'open');
      return true;
    };
    const guarded = shop.api({ db: database.db, resources: [shop.resource({ model: Slow, guards: [guard] })] });
    const server = await serve(log, guarded.routes());
    const request = httpRequest({ port: server.port, host: '127.0.0.1', path: '/slow', agent: false });
    request.on('error', () => undefined);
    request.end();
    await once(doors, 'reached');
    request.destroy();
    await once(doors, 'closed');
    doors.emit('open');
    await until(() => logged.length === 1);
    expect([logged, server.errors, await operations()]).toEqual([[499], [], 0]);
  }, 120_000);
});
