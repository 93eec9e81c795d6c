import { applyIndexes, service } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { expectSoft } from '../../support/expect.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { type Answer, type Sent, type TestServer, useServer } from '../../support/http/serve.ts';
import { until } from '../../support/until.ts';
import { defineDesk, type Side, serveDesk, sides } from './desk.ts';

const database = useDatabase();
const serve = useServer();
const models = { plain: defineDesk('plain'), stored: defineDesk('stored') };
const servers = {} as Record<Side, TestServer>;
const apis = {} as Record<Side, Any>;
const streams: LiveStream[] = [];

beforeAll(async () => {
  for (const side of sides) {
    const shop = service<Any>({
      authenticate: (ctx: Any) => ctx.get('authorization') || undefined,
      rules: { staff: (name: Any) => String(name).includes('staff') },
    } as Any) as Any;
    const api = shop.api({
      db: database.db,
      prefix: '/api',
      resources: serveDesk(models[side], shop),
      batch: true,
      idempotency: { collection: `${side}_keys`, principal: (ctx: Any) => ctx.principal ?? 'nobody' },
    });
    await applyIndexes(api);
    apis[side] = api;
    servers[side] = await serve(api.routes());
  }
});

beforeEach(async () => {
  for (const side of sides)
    for (const name of ['teams', 'tasks', 'tasks_history', 'keys']) await database.db.collection(`${side}_${name}`).deleteMany({});
  await database.db.collection('events').deleteMany({});
});

afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
  for (const side of sides) expect(servers[side].errors.splice(0).map(({ message }) => message)).toEqual([]);
});

const thisYear = new Date().getFullYear();
const timeless = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => (Number(time.slice(0, 4)) >= thisYear ? 'now' : time))
    .replace(/"(next|prev)_cursor":"[^"]*"/g, '"$1":"…"');
const seen = ({ status, text, headers }: Answer) => ({ status, text: timeless(text), etag: headers.etag, location: headers.location });

async function send(method: string, path: string, body?: unknown, headers: Any = {}): Promise<Answer> {
  const sent: Any = { ...(body === undefined ? {} : { body }), headers } satisfies Sent;
  const [plain, stored] = (await Promise.all(sides.map((side) => servers[side].request(method, `/api${path}`, sent)))) as [Answer, Answer];
  expectSoft(seen(stored), `${method} ${path} ${JSON.stringify(body)} ${JSON.stringify(headers)}`).toEqual(seen(plain));
  return stored;
}

const staff = { authorization: 'staff' };
const callers = [{}, staff, { 'x-tenant': 'you' }];
const everywhere = async (method: string, path: string, body?: unknown, more: Any = {}) => {
  for (const root of ['tasks', 'mine']) for (const caller of callers) await send(method, `/${root}${path}`, body, { ...caller, ...more });
};

const shown = (state: Any) => timeless(JSON.stringify(state?.data));

/**
 * Waits until every stream shows what GET answers, and both sides have had as many events: after 15 seconds, the test
 * says what is missing.
 */
async function untilInStep(open: Record<string, LiveStream[]>, headers: Any): Promise<void> {
  const end = Date.now() + 15_000;
  const isInStep = async (path: string, streams: readonly LiveStream[]) => {
    if (streams[0]?.events.length !== streams[1]?.events.length) return false;
    if (streams[0]?.status !== 200) return true;
    const answers = await Promise.all(sides.map((side) => servers[side].request('GET', `/api/tasks${path}`, { headers })));
    return answers.every(({ body }, n) => shown(streams[n]?.state) === shown(body));
  };
  await until(async () => {
    for (const [path, streams] of Object.entries(open)) if (!(await isInStep(path, streams))) return Date.now() > end;
    return true;
  });
}

async function seed(): Promise<void> {
  for (const id of ['t1', 't2', 't3'])
    expect((await send('POST', '/teams', { id, title: `T ${id}`, name: `N ${id}` }, staff)).status).toBe(201);
  const tasks = [
    {
      ...{
        id: 'a',
        title: 'Äpfel holen',
        secret: 'Zebra',
        code: 'K1',
        at: [0.001, 0],
        due: '2001-01-01T00:00:00Z',
        main: 't1',
        others: ['t1', 't2'],
      },
      ...{ home: { tenant: 'me', city: 'Ulm' }, members: [{ who: 't1', role: 'boss' }, { who: 't2' }, { who: null }] },
    },
    {
      id: 'b',
      title: 'Birnen',
      secret: 'Affe',
      code: 'k2',
      at: [0.002, 0],
      due: '2002-01-01T00:00:00Z',
      main: 't2',
      home: { tenant: 'you', city: 'Bern' },
    },
    { id: 'c', title: 'clementinen', secret: 'Maus', home: null, main: 't1', members: [{ who: 't3', role: 'boss' }] },
    { id: 'd', title: 'Datteln', secret: 'Gnu', home: { city: 'x', tenant: 'me' }, others: ['t1'] },
  ];
  for (const task of tasks) {
    const { at, ...rest } = task as Any;
    const sent = { ...rest, ...(at && { at: { type: 'Point', coordinates: at } }) };
    const { status, text } = await send('POST', '/tasks', sent, staff);
    expect([status, text]).toEqual([201, expect.anything()]);
  }
}

describe('keys that are the names of other fields', () => {
  beforeEach(seed);

  it('answer queries, choices of fields, near, searches, aggregates and exports as the names themselves', async () => {
    const queries = [
      ...[
        '',
        '?sort=secret',
        '?sort=title',
        '?sort=-code',
        '?secret=Affe',
        '?title=BIRNEN',
        '?code=k1',
        '?likes=0',
        '?due[gt]=2001-06-01T00:00:00Z',
      ],
      ...[
        '?sort=home.city',
        '?home.city=Ulm',
        '?home.tenant=me',
        '?votes=0',
        '?members.role=boss',
        '?members.who=t1',
        '?main=t1',
        '?team.title=T%20t1',
      ],
      ...[
        '?team.name=N%20t1',
        '?sort=team.title',
        '?sort=team.name',
        '?q=birnen',
        '?q=affe',
        '?near=0,0,1000',
        '?near[at]=0,0,150&distances=true',
      ],
      ...[
        '?fields=title',
        '?fields=secret',
        '?fields=label',
        '?fields=hint',
        '?fields=label,home.city',
        '?fields=likes,due',
        '?fields=at',
        '?fields=code',
      ],
      ...[
        '?fields=members.role,votes&include=members.team',
        '?include=team,teams,members.team',
        '?fields=id&include=teams',
        '?fields[team]=name&include=team',
      ],
      ...[
        '?deleted=with',
        '?deleted=only',
        '?hint=A',
        '?label=x',
        '?sort=hint',
        '?sort=label',
        '?sort=revision',
        '?fields=m',
        '?fields=revision,deletedAt',
      ],
    ];
    for (const query of queries) await everywhere('GET', query);
    for (const query of ['/a?fields=label', '/a?include=members.team', '/a?fields=hint', '/a/history', '/a?at=0', '/a?at=0&fields=label'])
      await everywhere('GET', query);
    for (const query of ['count=true', 'group=secret&count=true', 'near=0,0,1000&count=true', 'group=label', 'sum=likes', 'group=title'])
      await everywhere('GET', `/aggregate?${query}`);
    for (const accept of ['text/csv', 'application/x-ndjson']) {
      await everywhere('GET', '?sort=id', undefined, { accept });
      await everywhere('GET', '?sort=id&fields=label,secret', undefined, { accept });
    }
  });

  it('answer writes, steps and refusals', async () => {
    for (const patch of [
      ...[
        { title: 'BIRNEN' },
        { title: 'neu' },
        { secret: 'x' },
        { code: 'K2' },
        { code: 'k9' },
        { due: '2005-01-01T00:00:00Z' },
        { due: null },
      ],
      ...[
        { home: { tenant: 'you' } },
        { home: { city: 'y' } },
        { home: null },
        { home: { city: 'z' } },
        { home: { tenant: 'me', city: 'w' } },
      ],
      ...[
        { likes: 3 },
        { votes: 3 },
        { label: 'x' },
        { hint: 'x' },
        { m: [] },
        { members: [{ who: 'no' }] },
        { main: 'no' },
        { others: ['t1', 'no'] },
      ],
      ...[{ at: { type: 'Point', coordinates: [500, 0] } }, { members: [{ w: 't1' }] }],
    ])
      for (const id of ['a', 'c', 'd']) await everywhere('PATCH', `/${id}`, patch, { 'content-type': 'application/merge-patch+json' });
    for (const add of [3, -4, 7, 1, 'x', 0])
      for (const counter of ['likes', 'votes', 'due', 'home']) await everywhere('POST', `/a/${counter}`, { add });
    for (const tag of ['"1"', '"99"']) await everywhere('POST', '/a/likes', { add: 1 }, { 'if-match': tag });
    for (const key of ['"k1"', '"k1"']) await everywhere('POST', '/b/likes', { add: 1 }, { 'idempotency-key': key });
    for (const body of [
      { title: 'p' },
      { title: 'q', home: { city: 'u' } },
      { title: 'r', home: { tenant: 'me' }, code: 'k2', main: 't9' },
    ])
      await everywhere('PUT', '/d', body);
    await everywhere('PATCH', '?title=neu', { due: null });
    await everywhere('PATCH', '?secret=Maus', { due: null });
    await everywhere('PATCH', '?home.city=Bern', { home: { tenant: 'me' } });
    await everywhere('PATCH', '?main=t1', { home: { city: 'many' } });
    for (const one of [
      { id: 'n', title: 'birnen' },
      { id: 'n', title: 'n', code: 'K2' },
      { id: 'a', title: 'o' },
      { id: 'o', title: 'o', home: { city: 'o' } },
    ])
      await everywhere('POST', '', one);
    await everywhere('PUT', '/d/teams/t2');
    await everywhere('DELETE', '/d/teams/t1');
    for (const id of ['a', 'b', 'c', 'd'])
      for (const at of ['', '/history', '?at=0', '?at=1', '?at=2', '?at=5']) await everywhere('GET', `/${id}${at}`);
    await everywhere('DELETE', '/a');
    await everywhere('POST', '/a/likes', { add: 1 });
    await everywhere('POST', '/a/restore');
    await everywhere('DELETE', '?title=neu');
    for (const id of ['t2', 't3', 't1']) {
      await send('DELETE', `/teams/${id}`, undefined, staff);
      await everywhere('GET', '?sort=id');
      await everywhere('GET', '?sort=id&deleted=with');
    }
  });

  it('reach live streams, and no stream that shows nothing of the change', async () => {
    const paths = [
      '',
      '?fields=label',
      '?fields=hint',
      '?home.city=Ulm',
      '?fields=likes',
      '?sort=secret',
      '?fields=main&include=team',
      '/a',
      '?team.title=T%20t1',
    ];
    for (const caller of [{}, staff]) {
      const open: Record<string, LiveStream[]> = {};
      for (const path of paths) {
        const both = sides.map((side) => new LiveStream(servers[side].port, `/api/tasks${path}`, caller as Any));
        streams.push(...both);
        for (const one of both) await one.opened();
        open[path] = both;
        expectSoft(both[1]?.status, path).toBe(both[0]?.status);
      }
      const writes: [string, string, unknown][] = [
        ['PATCH', '/tasks/a', { title: `live ${JSON.stringify(caller)}` }],
        ['PATCH', '/tasks/a', { secret: `Y${JSON.stringify(caller)}` }],
        ['PATCH', '/tasks/a', { home: { city: `c${JSON.stringify(caller)}` } }],
        ['POST', '/tasks/a/likes', { add: 1 }],
        ['PATCH', '/teams/t1', { title: `N${JSON.stringify(caller)}` }],
        ['PATCH', '/tasks/b', { home: { city: 'Ulm' }, due: `200${caller === staff ? 3 : 4}-01-01T00:00:00Z` }],
        ['POST', '/tasks/c/votes', { add: 1 }],
      ];
      for (const [method, path, body] of writes) {
        await send(method, path, body, staff);
        await untilInStep(open, caller);
        for (const asked of paths) {
          const [plain, stored] = open[asked] as [LiveStream, LiveStream];
          expectSoft(timeless(JSON.stringify(stored.state ?? null)), `${asked} after ${JSON.stringify(body)}`).toBe(
            timeless(JSON.stringify(plain.state ?? null)),
          );
          expectSoft(stored.events.length, `events of ${asked} after ${JSON.stringify(body)}`).toBe(plain.events.length);
        }
      }
      // An event too many of the last write would come before this one's.
      await send('PATCH', '/tasks/a', { title: 'the last' }, staff);
      await untilInStep(open, caller);
      for (const [path, [plain, stored]] of Object.entries(open) as [string, [LiveStream, LiveStream]][]) {
        expectSoft(stored.events.length, `events of ${path} at the end`).toBe(plain.events.length);
        if (stored.status === 200)
          expectSoft(shown(stored.state), `now ${path}`).toBe(
            shown((await servers.stored.request('GET', `/api/tasks${path}`, { headers: caller as Any })).body),
          );
      }
    }
  }, 120_000);
});
