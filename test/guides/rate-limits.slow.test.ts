import { type Context, defineModel, service, t } from 'koa-mongo-resource';
import type { CommandStartedEvent } from 'mongodb';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { LiveStream } from '../support/http/live-stream.ts';
import { type Answer, send, useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';
import { byName } from './parts/by-name.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/rate-limits.md';
const database = useDatabase({ monitorCommands: true });
const serve = useServer();
const authenticate = byName(Object.fromEntries(['ann', 'bob', 'cy', 'dee', 'eve'].map((name) => [name, { name }])));

const listen = useListener();
const known = (ctx: Context) => authenticate(ctx);

let written: WrittenPage;
let port: number;
const started: CommandStartedEvent[] = [];
beforeAll(async () => {
  written = await writePage(page);
  port = await start();
  await until(
    async () =>
      (
        await database.db
          .collection('rate_limits')
          .indexes()
          .catch(() => [])
      ).length === 3,
  );
  database.client.on('commandStarted', (event) => started.push(event));
});

/** Another process of the same service. */
async function start(): Promise<number> {
  return listen((await written.load('app.ts')).createApp(database.db, authenticate).callback());
}

let addresses = 0;
const newAddress = () => `192.0.2.${++addresses}`;

interface Asked {
  readonly user?: string;
  readonly address: string;
  readonly method?: string;
  readonly path?: string;
  readonly accept?: string;
  readonly body?: unknown;
}

function ask({ user, address, method = 'GET', path = '/orders', accept, body }: Asked, to = port): Promise<Answer> {
  const headers = { 'x-forwarded-for': address, ...(accept && { accept }), ...(user && { authorization: `Bearer ${user}` }) };
  return send(to, method, `/api${path}`, { headers, ...(body !== undefined && { body }) });
}

const tooMany = (detail: RegExp) => ({
  type: 'about:blank',
  title: 'Too Many Requests',
  status: 429,
  detail: expect.stringMatching(detail),
  code: 'too_many_requests',
});

describe('the guide on rate limits', () => {
  it('refuses the request after the last one of a user with the answer that it shows, without a command, and nobody else', async () => {
    for (let index = 0; index < 100; index++) expect((await ask({ user: 'ann', address: '127.0.0.1' })).status).toBe(200);
    started.length = 0;
    await new Player(port).playAll(exchangesOf(page));
    const commands = () => started.map(({ commandName }) => commandName);
    expect(commands()).toEqual(['findAndModify']); // that of the address
    const { status, headers } = await ask({ user: 'bob', address: newAddress() });
    expect([status, headers.ratelimit]).toEqual([200, expect.stringMatching(/^"address";r=299;t=60, "user";r=99;t=60$/)]);
    expect(commands()).toEqual(['findAndModify', 'findAndModify', 'findAndModify', 'find']);
  });

  it('counts in all processes together', async () => {
    const other = await start();
    const address = newAddress();
    for (let index = 0; index < 100; index++) expect((await ask({ user: 'cy', address }, index % 2 ? port : other)).status).toBe(200);
    expect((await ask({ user: 'cy', address })).body).toEqual(tooMany(/^The limit "user" allows 100 requests in 60 seconds\./));
    expect((await ask({ user: 'cy', address }, other)).status).toBe(429);
  });

  it('refuses an address before anything else is done, whatever its requests are', async () => {
    const address = newAddress();
    const statuses = await Promise.all(Array.from({ length: 300 }, () => ask({ address, path: '/nothing' })));
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([404]));
    started.length = 0;
    const refused = await ask({ user: 'bob', address });
    expect([refused.status, refused.body]).toEqual([
      429,
      tooMany(/^The limit "address" allows 300 requests in 60 seconds\. Try again in \d+ seconds\.$/),
    ]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers['content-type']).toBe('application/problem+json');
    expect(started).toEqual([]);
    expect((await ask({ user: 'bob', address: `203.0.113.9, ${address}` })).status).toBe(429); // what the client has written does not count
    expect((await ask({ user: 'bob', address: `::ffff:${address}` })).status).toBe(429);
    expect((await ask({ user: 'bob', address: newAddress() })).status).toBe(200);
  });

  it('counts each operation of a batch, and writes nothing of one that has too many', async () => {
    const body = (count: number) => ({
      operations: Array.from({ length: count }, (_, index) => ({ method: 'POST', path: '/orders', body: { number: `D-${index}` } })),
    });
    const batch = (count: number) => ask({ user: 'dee', address: newAddress(), method: 'POST', path: '/batch', body: body(count) });
    expect((await batch(98)).status).toBe(200);
    const { status, body: problem, headers } = await batch(5);
    expect([status, problem.code, problem.operation, Number(headers['retry-after']) > 0]).toEqual([429, 'too_many_requests', 2, true]);
    expect(await database.db.collection('orders').countDocuments({ owner: 'dee' })).toBe(98);
  });

  it('counts exports by themselves, too', async () => {
    const asked = { user: 'eve', address: newAddress() };
    const { headers } = await ask({ ...asked, accept: 'text/csv' });
    expect(headers['ratelimit-policy']).toBe('"address";q=300;w=60, "user";q=100;w=60, "export";q=5;w=60');
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) statuses.push((await ask({ ...asked, accept: 'text/csv' })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    expect((await ask(asked)).headers.ratelimit).toMatch(/"user";r=93;/);
  });

  it('ends a live list whose user has none left when it is asked again', async () => {
    const { createLimiter, count } = await written.load('limits.ts');
    const limiter = createLimiter(database.db, 'watcher', 2, 60);
    const office = service({ authenticate: known });
    const Memo = defineModel('Memo', { collection: 'memos', fields: { text: t.string() } });
    const limitUser = async (ctx: Any) => {
      await count(limiter, ctx, ctx.principal.name);
      return true;
    };
    const memos = office.resource({ model: Memo, live: true, guards: [limitUser] });
    const { port: own } = await serve(office.api({ db: database.db, resources: [memos], live: { recheckEvery: 1_000 } }).routes());
    const stream = await new LiveStream(own, '/memos', { authorization: 'Bearer eve' }).opened();
    await stream.ended();
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { problem: { code: 'too_many_requests' } } });
  });

  it('describes the refusal in every operation', async () => {
    const { paths } = (await ask({ address: newAddress(), path: '/openapi.json' })).body;
    const statuses = Object.values<Record<string, Any>>(paths).flatMap((item) =>
      Object.values(item).flatMap(({ responses }) => (responses ? [Object.keys(responses)] : [])),
    );
    expect(statuses.length).toBeGreaterThan(6);
    for (const one of statuses) expect(one).toContain('429');
  });

  it('has the first half of an IPv6 address for one network', async () => {
    const { networkOf } = await written.load('limits.ts');
    const networks = ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::6', '2001:db8::6', '::1', '1::', '192.0.2.1', '::ffff:192.0.2.1'].map(
      networkOf,
    );
    expect(networks).toEqual(['2001:db8:1:2', '2001:db8:1:2', '2001:db8:0:0', '0:0:0:0', '1:0:0:0', '192.0.2.1', '192.0.2.1']);
  });
});
