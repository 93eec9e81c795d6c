import type Koa from 'koa';
import { KeptBytes } from '../../../src/features/live/kept-bytes.ts';
import type { LiveStreams } from '../../../src/features/live/live-streams.ts';
import {
  cursorPaging,
  defineModel,
  findPage,
  findRecord,
  listQuery,
  live,
  liveRead,
  liveStreams,
  problems,
  service,
  t,
} from '../../../src/index.ts';
import { useLive } from '../../support/live/use-live.ts';
import { until } from '../../support/until.ts';

const Card = defineModel('Card', {
  collection: 'cards',
  fields: {
    id: t.int({ policy: { insert: true, filter: true } }),
    title: t.string({ policy: { filter: true } }),
    note: t.optional(t.string({ policy: { read: 'staff' } })),
  },
});

const { database, serve, begin } = useLive('cards');
const cards = () => database.db.collection<{ _id: number; title: string }>('cards');
const fill = (count: number, title: string) => cards().insertMany(Array.from({ length: count }, (_, at) => ({ _id: at, title })));

afterEach(() => jest.restoreAllMocks());

const refusal = {
  type: 'urn:problem:koa-mongo-resource:overloaded',
  title: 'Too many requests in flight',
  status: 503,
  detail: expect.stringMatching(/^The live lists that are open keep as many bytes as they may \(\d+\); try again in a few seconds\.$/),
  code: 'overloaded',
};

/** An api with two kinds of callers. */
async function start(ofLive: object = {}) {
  const board = service({ authenticate: (ctx) => ctx.get('authorization'), rules: { staff: (user) => user === 'sue' } });
  const api = board.api({ db: database.db, resources: [board.resource({ model: Card, live: true })], live: ofLive });
  const { port, errors, request } = await serve(api.routes());
  return { api, errors, request, listen: (path: string, authorization = 'ann') => begin(port, path, { authorization }).opened() };
}

/** The same list and record in an app's own routes, whose streams are at hand. */
async function startOwn(streams: LiveStreams, isAllowed: () => boolean = () => true) {
  const { db } = database;
  const guard: Koa.Middleware = async (ctx, next) => {
    if (!isAllowed()) ctx.throw(403);
    await next();
  };
  const list = [guard, listQuery(Card, cursorPaging(), { isLive: true }), liveRead(Card, [findPage(Card, { db })], { isShared: true })];
  const record = [guard, liveRead(Card, [findRecord(Card, { db })])];
  const route: Koa.Middleware = (ctx, next) => {
    const id = /^\/cards\/(.+)$/.exec(ctx.path)?.[1];
    Object.assign(ctx, { params: { id } });
    return (live((id ? record : list) as never, { db, streams }) as Koa.Middleware)(ctx, next);
  };
  const server = await serve(problems() as Koa.Middleware, route);
  return { ...server, listen: (path: string, headers: object = {}) => begin(server.port, path, headers).opened() };
}

describe('`live.maxBytes`', () => {
  it('refuses the next stream with 503 and a sentence, until others have ended', async () => {
    await fill(20, 'x'.repeat(1_000));
    const { listen, errors } = await start({ maxBytes: 32_000 });
    const first = await listen('/cards?limit=20');
    const second = await listen('/cards?limit=19');
    expect([second.status, second.headers['retry-after'], second.problem]).toEqual([503, '5', refusal]);
    expect([first.isEnded, errors]).toEqual([false, []]);
    first.close();
    await until(async () => (await listen('/cards?limit=19')).status === 200);
  });

  it('counts once what callers share who see the same, and not what others see in another view', async () => {
    await fill(20, 'x'.repeat(1_000));
    const { listen } = await start({ maxBytes: 32_000 });
    for (let count = 0; count < 10; count++) expect((await listen('/cards')).status).toBe(200);
    expect((await listen('/cards', 'sue')).problem).toEqual(refusal);
  });

  it('does not count what a caller does not see', async () => {
    await fill(20, 'x'.repeat(1_000));
    await cards().updateMany({}, { $set: { note: 'n'.repeat(100_000) } });
    const { listen } = await start({ maxBytes: 60_000 });
    expect((await listen('/cards?limit=20')).status).toBe(200);
    expect((await listen('/cards?limit=19')).status).toBe(200);
    const { listen: listenElsewhere } = await start({ maxBytes: 60_000 });
    await listenElsewhere('/cards?limit=20', 'sue');
    expect((await listenElsewhere('/cards?limit=19', 'sue')).problem).toEqual(refusal);
  });

  it('is a bound of each api, though both follow one change stream', async () => {
    await fill(20, 'x'.repeat(1_000));
    const [full, other] = [await start({ maxBytes: 32_000 }), await start({ maxBytes: 32_000 })];
    const first = await full.listen('/cards?limit=20');
    expect((await full.listen('/cards?limit=19')).problem).toEqual(refusal);
    const second = await other.listen('/cards?limit=19');
    expect(second.status).toBe(200);
    await cards().updateMany({}, { $set: { title: 'y' } });
    for (const stream of [first, second]) await stream.sees(({ data }) => data.every(({ title }: { title: string }) => title === 'y'));
  });

  it('counts once what several clients have not taken of one list, also of those that begin later', async () => {
    await fill(20, 'x'.repeat(100_000));
    const { api } = await start({ maxBytes: 5_000_000 });
    const headers = { accept: 'text/event-stream', authorization: 'ann' };
    const open = async (path: string) => api.fetch(new Request(`http://in-process${path}`, { headers })); // its body is not read
    const responses: Response[] = [];
    for (let count = 0; count < 5; count++) responses.push(await open('/cards'));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await open('/cards?limit=19')).status).toBe(200);
    expect((await open('/cards?limit=18')).status).toBe(503);
    await api.close({ timeout: 1 });
  });

  it('leaves open streams in step that keep more meanwhile, and refuses the next one when it takes its place', async () => {
    await fill(5, 'a');
    const streams = liveStreams({ maxBytes: 6_000 });
    const { listen } = await startOwn(streams);
    const stream = await listen('/cards');
    await cards().insertMany(Array.from({ length: 15 }, (_, at) => ({ _id: 100 + at, title: 'b' })));
    await stream.sees(({ data }) => data.length === 20);
    await until(() => streams.kept.bytes > 6_000);
    expect((await listen('/cards')).problem).toEqual(refusal);
    expect(streams.places.taken).toBe(1);
  });

  it('keeps lists from being read again while the streams keep more, and lets them catch up when there is room', async () => {
    await fill(5, 'a');
    const streams = liveStreams({ maxBytes: 100_000 });
    const { listen } = await startOwn(streams);
    const stream = await listen('/cards');
    const large = { bytes: 200_000 };
    streams.kept.keep(large);
    const refuse = jest.spyOn(streams.kept, 'refuseIfExceeded');
    await cards().insertOne({ _id: 100, title: 'b' });
    await until(() => refuse.mock.results.some(({ type }) => type === 'throw'));
    expect([stream.isEnded, stream.state?.data.length]).toEqual([false, 5]);
    streams.kept.release(large);
    await stream.sees(({ data }) => data.length === 6);
    expect(stream.events.map(({ event }) => event)).toEqual(['page', 'change']);
  });
});

describe('what a stream keeps', () => {
  it('is little beside what it was sent', async () => {
    await fill(20, 'x'.repeat(100_000));
    const streams = liveStreams();
    const { listen } = await startOwn(streams);
    await listen('/cards');
    await until(() => streams.kept.bytes < 20_000);
    expect(streams.kept.bytes).toBeGreaterThan(0);
  });

  it('is given back when it ends, in whatever way', async () => {
    await fill(20, 'x');
    let isAllowed = true;
    const streams = liveStreams();
    const { listen, request } = await startOwn(streams, () => isAllowed);
    const open = await Promise.all(['/cards', '/cards', '/cards?title=x', '/cards/1', '/cards/2'].map((path) => listen(path)));
    expect((await request('HEAD', '/cards', { headers: { accept: 'text/event-stream' } })).status).toBe(200);
    expect((await listen('/cards/99')).status).toBe(404);
    expect((await listen('/cards?titel=x')).status).toBe(400);
    await cards().updateMany({}, { $set: { title: 'y' } });
    for (const stream of open) await stream.sees(({ data }) => (data.title ?? data[0]?.title ?? 'y') === 'y');
    expect(streams.kept.bytes).toBeGreaterThan(0);
    open[0]?.close();
    isAllowed = false;
    streams.recheck();
    await Promise.all(open.slice(1).map((stream) => stream.ended()));
    await until(() => streams.kept.bytes === 0 && streams.places.taken === 0);
  });

  it('is one event and no second state while its client takes nothing, whatever changes', async () => {
    await fill(20, 'x'.repeat(100_000));
    const keep = jest.spyOn(KeptBytes.prototype, 'keep');
    const { api, request } = await start();
    const headers = { accept: 'text/event-stream', authorization: 'ann' };
    const response = await api.fetch(new Request('http://in-process/cards', { headers })); // its body is read by hand
    const kept = keep.mock.contexts[0] as KeptBytes;
    const first = kept.bytes;
    expect(first).toBeGreaterThan(2_000_000);
    for (let count = 1; count <= 3; count++) {
      keep.mockClear();
      await cards().updateMany({}, { $set: { title: `${count}${'y'.repeat(100_000)}` } });
      await until(() => keep.mock.calls.length > 0); // it was read again
      expect(kept.bytes).toBeLessThan(first + 20_000);
    }
    keep.mockRestore();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { body } = await request('GET', '/cards', { headers: { authorization: 'ann' } });
    let text = '';
    await until(async () => {
      text += Buffer.from((await reader.read()).value ?? []).toString();
      return text.endsWith(`data: ${JSON.stringify(body)}\n\n`);
    });
    expect(text.match(/(?<=^event: ).*/gm)).toEqual(['page', 'page']);
    await until(() => kept.bytes < 20_000);
    await reader.cancel();
    await until(() => kept.bytes === 0);
  });
});
