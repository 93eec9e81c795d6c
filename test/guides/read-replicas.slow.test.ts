import type { Api } from 'koa-mongo-resource';
import { type Db, MongoClient, ReadPreference } from 'mongodb';
import { type Deployment, startMongods } from '../faults/parts/mongods.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';
import { useWritePage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/scaling.md';
const serve = useServer();

let deployment: Deployment;
let late: MongoClient;
let server: TestServer;
let serverOfReplica: TestServer;
beforeAll(async () => {
  deployment = await startMongods(3);
  const tags = await tagSecondary(deployment.admin.db('admin'));
  const client = await deployment.connect();
  const readPreference = new ReadPreference('secondary', [tags]);
  const replica = client.db('shop', { readPreference });
  const { createApis } = await (await writePage(page)).load('apis.ts');
  const serveFrom = (db: Db) => serve(...createApis(db, replica).map((api: Api) => api.routes()));
  server = await serveFrom(client.db('shop'));
  serverOfReplica = await serveFrom(replica);
  await until(() =>
    client
      .db('shop', { readPreference })
      .command({ ping: 1 }, { readPreference })
      .then(
        () => true,
        () => false,
      ),
  );
});
afterAll(async () => {
  await late?.close();
  await deployment?.stop();
});

/** Gives one secondary a tag, so that reads can be sent to it, and connects to it. */
async function tagSecondary(admin: Db): Promise<Record<string, string>> {
  const { me: primary } = await admin.command({ hello: 1 });
  const { config } = await admin.command({ replSetGetConfig: 1 });
  const chosen = config.members.find(({ host }: { host: string }) => host !== primary);
  chosen.tags = { role: 'late' };
  // The third one must not follow this one, which will stop: a majority is then the primary and the third.
  const settings = { ...config.settings, chainingAllowed: false };
  await admin.command({ replSetReconfig: { ...config, settings, version: config.version + 1 } });
  late = await MongoClient.connect(`mongodb://${chosen.host}/?directConnection=true`);
  return chosen.tags;
}

/** Whether the secondary gets what the others write. */
const follow = (does: boolean) => late.db('admin').command({ configureFailPoint: 'rsSyncApplyStop', mode: does ? 'off' : 'alwaysOn' });

/** The status of an answer, and what tells most about it. */
async function ask({ request }: TestServer, method: string, path: string, body?: unknown, ifMatch?: string): Promise<unknown[]> {
  const answer = await request(method, path, { headers: ifMatch ? { 'if-match': ifMatch } : {}, ...(body !== undefined && { body }) });
  const { code, data } = answer.body ?? {};
  return [answer.status, code ?? data?.length ?? data?.status ?? data?.text];
}

describe('the guide on read replicas', () => {
  it('has old reports, and true answers to all else, while a secondary is behind', async () => {
    await ask(server, 'POST', '/api/orders', { number: 'A-1' });
    await until(async () => (await ask(server, 'GET', '/reports/orders'))[1] === 1);
    await follow(false);
    const { status, headers } = await server.request('POST', '/api/orders', { body: { number: 'A-2' } });
    const path = headers.location ?? '';
    expect([status, path]).toEqual([201, expect.stringMatching(/^\/api\/orders\/./)]);
    expect(await ask(server, 'GET', '/reports/orders')).toEqual([200, 1]);
    expect((await server.request('GET', '/reports/orders', { headers: { accept: 'application/x-ndjson' } })).text).not.toContain('A-2');
    expect((await server.request('GET', '/reports/orders/aggregate?group=status')).body.data).toEqual([
      { group: { status: 'open' }, count: 1 },
    ]);
    expect(await ask(server, 'GET', '/api/orders')).toEqual([200, 2]);
    expect(await ask(serverOfReplica, 'GET', path)).toEqual([404, 'not_found']);

    for (const one of [server, serverOfReplica]) {
      const { etag = '' } = (await server.request('GET', path)).headers;
      expect(await ask(one, 'GET', path, undefined, etag)).toEqual([200, 'open']);
      expect(await ask(one, 'GET', path, undefined, '"9"')).toEqual([412, 'precondition_failed']);
      expect(await ask(one, 'POST', `${path}/lines`, { text: 'x' })).toEqual([201, 'x']);
      expect(await ask(one, 'POST', '/api/lines', { orderId: path.split('/').at(-1), text: 'y' })).toEqual([201, 'y']);
      expect(await ask(one, 'POST', `${path}/send`, undefined, etag)).toEqual([200, 'sent']);
      expect(await ask(one, 'PATCH', path, { status: 'open' }, etag)).toEqual([412, 'precondition_failed']);
      expect(await ask(one, 'PATCH', path, { status: 'open' })).toEqual([200, 'open']);
    }
    await ask(server, 'POST', `${path}/send`);
    await follow(true);
    await until(async () => (await ask(server, 'GET', '/reports/orders?status=sent'))[1] === 1);
  });
});
