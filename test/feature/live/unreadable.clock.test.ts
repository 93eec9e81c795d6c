import type Koa from 'koa';
import {
  cursorPaging,
  defineModel,
  findPage,
  listQuery,
  live,
  liveRead,
  Problem,
  problems,
  type ResourceMiddleware,
  service,
  t,
} from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type LiveEvent, LiveStream } from '../../support/http/live-stream.ts';
import { useServer } from '../../support/http/serve.ts';
import { until } from '../../support/until.ts';

const Card = defineModel('Card', {
  collection: 'cards',
  fields: {
    id: t.int({ policy: { insert: true } }),
    due: t.optional(t.date({ storedAs: 'epoch-s' })),
    title: t.string(),
  },
});

const database = useDatabase();
const serve = useServer();
const open: LiveStream[] = [];

const internal = { type: 'about:blank', title: 'Internal Server Error', status: 500 };

const cards = () => database.db.collection<{ _id: number; title: string; due?: unknown }>('cards');

afterEach(async () => {
  jest.restoreAllMocks();
  for (const stream of open.splice(0)) stream.close();
  await cards().deleteMany({});
});

async function listen(port: number, path: string): Promise<LiveStream> {
  const stream = new LiveStream(port, path);
  open.push(stream);
  return stream.opened();
}

/** A live list whose reading fails as long as it is told so. */
async function failing() {
  let error: unknown;
  let failures = 0;
  const asked = listQuery(Card, cursorPaging(), { isLive: true });
  const broken: Koa.Middleware = async (_ctx, next) => {
    if (error === undefined) return next();
    failures++;
    throw error;
  };
  const read = liveRead(Card, [broken as ResourceMiddleware, findPage(Card, { db: database.db })]);
  const server = await serve(problems() as Koa.Middleware, live([asked, read], { db: database.db }) as Koa.Middleware);
  return {
    server,
    stream: await listen(server.port, '/cards'),
    failures: () => failures,
    fail(thrown: unknown): void {
      error = thrown;
    },
  };
}

function refuse(): never {
  throw new Error('This cannot be looked at.');
}

describe('a live state that GET answers with an error', () => {
  it.each([
    ['list', '/cards'],
    ['record', '/cards/1'],
  ])('ends the streams of the %s with a bare 500, which is reported once for those who share it', async (_what, path) => {
    const board = service();
    const api = board.api({ db: database.db, resources: [board.resource({ model: Card, live: true })] });
    const server = await serve(api.routes());
    await cards().insertOne({ _id: 1, title: 'one' });
    const streams = await Promise.all([1, 2, 3].map(() => listen(server.port, path)));
    await cards().updateOne({ _id: 1 }, { $set: { due: 'no date' } });
    expect((await server.request('GET', path)).status).toBe(500);
    for (const stream of streams) {
      await stream.ended();
      expect(stream.last).toMatchObject({ event: 'end', data: { problem: internal } });
    }
    expect(server.errors.map((error) => String(error))).toEqual([expect.stringMatching(/due/), expect.stringMatching(/due/)]); // of GET, and of the streams
    expect((await listen(server.port, path)).problem).toEqual(internal);
    await cards().updateOne({ _id: 1 }, { $unset: { due: true } });
    expect((await listen(server.port, path)).status).toBe(200);
  });

  it.each([
    ['a bug', () => new TypeError('a bug'), 500, undefined],
    ['a value that is no error', () => 'a text', 500, undefined],
    ['an error of `ctx.throw`', () => Object.assign(new Error('No'), { status: 403, expose: true }), 403, 'forbidden'],
    ['a problem of the client', () => new Problem({ code: 'forbidden' }), 403, 'forbidden'],
    ['what no other try will change', () => new Problem({ code: 'replica_set_required' }), 501, 'replica_set_required'],
    ['an error that cannot be looked at', () => new Proxy({}, { get: refuse, getPrototypeOf: refuse }), 500, undefined],
  ])('ends the stream if its reading fails with %s', async (_what, thrown, status, code) => {
    const { fail, stream, server } = await failing();
    fail(thrown());
    await cards().insertOne({ _id: 1, title: 'one' });
    await stream.ended();
    const { event, data } = stream.last as LiveEvent;
    expect([event, data.problem.status, data.problem.code]).toEqual(['end', status, code]);
    expect(server.errors).toHaveLength(status === 500 ? 1 : 0);
  });

  it('is tried again for a minute if the error may pass, and then ends the stream with it', async () => {
    const { fail, failures, stream, server } = await failing();
    fail(new Problem({ code: 'database_timeout', cause: new Error('slow') }));
    await cards().insertOne({ _id: 1, title: 'one' });
    await until(() => failures() > 1);
    expect([stream.isEnded, server.errors.length]).toEqual([false, 1]);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    await stream.ended();
    expect(stream.last).toMatchObject({ event: 'end', data: { problem: { status: 504, code: 'database_timeout' } } });
  });

  it('is in step again if the error has passed', async () => {
    const { fail, failures, stream } = await failing();
    fail(new Problem({ code: 'database_unavailable' }));
    await cards().insertOne({ _id: 1, title: 'one' });
    await until(() => failures() > 0);
    fail(undefined);
    expect(await stream.sees(({ data }) => data.length === 1)).toMatchObject({ data: [{ title: 'one' }] });
  });
});
