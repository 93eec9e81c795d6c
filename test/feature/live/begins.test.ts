import { setTimeout as wait } from 'node:timers/promises';
import { type Context, defineModel, service, t } from '../../../src/index.ts';
import type { LiveStream } from '../../support/http/live-stream.ts';
import { useLive } from '../../support/live/use-live.ts';
import { until } from '../../support/until.ts';

const Card = defineModel('Card', {
  collection: 'cards',
  fields: { id: t.string({ policy: { insert: true } }), title: t.string() },
});

const { database, commands, serve, begin: open } = useLive('cards');

const finds = () => commands.events.filter(({ command }) => command.find === 'cards').length;

/** A guard that keeps the first request waiting until it is told to open. */
function holding() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  let isGone = false;
  async function guard(ctx?: Context): Promise<boolean> {
    if (++asked > 1) return true;
    ctx?.req.socket.once('close', () => {
      isGone = true;
    });
    await held;
    return true;
  }
  return { guard, release, isAsked: () => until(() => asked > 0), hasGone: () => until(() => isGone) };
}

async function start(options: object = {}, ofApi: object = {}, authenticate: object = { authenticate: () => 'ann' }) {
  const board = service(authenticate as never);
  const cards = board.resource({ model: Card, live: true, ...options } as never);
  const api = board.api({ db: database.db, resources: [cards], ...ofApi } as never);
  const server = await serve(api.routes());
  async function insert(id: string): Promise<void> {
    expect((await server.request('POST', '/cards', { body: { id, title: id } })).status).toBe(201);
  }
  const begin = (path: string, headers: object = {}): LiveStream => open(server.port, path, headers);
  return {
    api,
    server,
    insert,
    begin,
    beginAs: (authorization: string) => begin('/cards', { authorization }),
    /** Resolves when a change is followed by no read any more, because no stream is open. */
    async untilUnread(): Promise<void> {
      let before = -1;
      for (let at = 0; finds() > before; at++) {
        before = finds();
        await insert(`unread ${at}`);
        await wait(600); // time for a read that must not come: no event tells of it
      }
    },
  };
}

describe('a stream that is about to begin', () => {
  it('is read no more when its client has gone while its guard was asked', async () => {
    const { guard, release, isAsked, hasGone } = holding();
    const { begin, untilUnread, server } = await start({ guardsFor: { live: [guard] } });
    const stream = begin('/cards');
    await isAsked();
    stream.close();
    await hasGone();
    release();
    await untilUnread();
    expect(server.errors).toEqual([]);
  });

  it('is read no more when the request was given up meanwhile', async () => {
    const { guard, release } = holding();
    const { begin, untilUnread, server } = await start({ guardsFor: { live: [guard] } }, { requestTimeout: 300 });
    const stream = await begin('/cards').opened();
    expect([stream.status, stream.problem.code]).toEqual([503, 'request_given_up']);
    release();
    await untilUnread();
    expect(server.errors).toEqual([]);
  });

  it('is refused when the service shuts down meanwhile', async () => {
    const { guard, release, isAsked } = holding();
    const { api, begin } = await start({ guardsFor: { live: [guard] } });
    const stream = begin('/cards');
    await isAsked();
    const closed = api.close({ timeout: 5_000 });
    await until(async () => (await begin('/cards').opened()).status === 503);
    release();
    await stream.ended();
    expect([stream.status, stream.problem.code]).toEqual([503, 'shutting_down']);
    await closed;
  });

  it('reports nothing and leaves nothing open when clients come and go', async () => {
    const { begin, untilUnread, server } = await start();
    for (let count = 0; count < 60; count++) {
      const stream = begin(`/cards?limit=${1 + (count % 3)}`);
      await wait(count % 12);
      stream.close();
    }
    await untilUnread();
    expect(server.errors).toEqual([]);
  });
});

describe('a stream that begins while `recheck` is called', () => {
  const nobody = { authenticate: () => undefined };

  it('is asked again before its first byte, and shows nothing to a caller who has lost the right', async () => {
    let [isAllowed, isRead] = [true, false];
    async function slow(): Promise<void> {
      isRead = true;
      await wait(1_000);
    }
    const { api, begin, insert, server } = await start({ guards: [() => isAllowed], after: { list: [slow] } }, {}, nobody);
    await insert('a');
    const stream = begin('/cards');
    await until(() => isRead);
    isAllowed = false;
    api.recheck();
    await stream.opened();
    expect([stream.status, stream.problem?.code, stream.events, server.errors]).toEqual([403, 'forbidden', [], []]);
  });

  it('is asked again if its caller was found out before the call', async () => {
    let [isAllowed, asked] = [true, 0];
    const { guard, release, isAsked } = holding();
    async function authenticate(): Promise<string | undefined> {
      const answer = isAllowed ? 'ann' : undefined;
      if (++asked === 1) await guard();
      return answer;
    }
    const signedIn = (ctx: { principal: unknown }) => ctx.principal !== undefined;
    const { api, begin } = await start({ guards: [signedIn] }, {}, { authenticate });
    const stream = begin('/cards');
    await isAsked();
    isAllowed = false;
    api.recheck();
    release();
    await stream.opened();
    expect([stream.status, stream.events]).toEqual([403, []]);
  });

  it('begins where the caller still has the right', async () => {
    const { guard, release, isAsked } = holding();
    const { api, begin, insert } = await start({ guardsFor: { live: [guard] } });
    const stream = begin('/cards');
    await isAsked();
    api.recheck();
    release();
    await stream.opened();
    await insert('a');
    await stream.sees(({ data }) => data.length === 1);
    expect(stream.events.map(({ event }) => event)).toEqual(['page', 'change']);
  });
});

describe('a stream whose caller is not asked in time', () => {
  const never = new Promise<never>(() => undefined);

  it('sends nothing more, and ends with `overloaded`', async () => {
    let isHanging = false;
    const authenticate = () => (isHanging ? never : 'ann');
    const { begin, server } = await start({}, { live: { recheckEvery: 1_000 } }, { authenticate });
    const stream = await begin('/cards').opened();
    isHanging = true;
    let [written, isOver] = [0, false];
    const writing = (async () => {
      for (; !isOver; written++) {
        await database.db.collection('cards').insertOne({ _id: `w${written}` as never, title: 'x' });
        await wait(20);
      }
    })();
    await stream.ended();
    isOver = true;
    await writing;
    expect(stream.last).toMatchObject({ event: 'end', data: { problem: { status: 503, code: 'overloaded' } } });
    expect([written > 0, server.errors]).toEqual([true, []]);
  });

  it('keeps no rights of others alive: they are asked in time while many hang', async () => {
    let isHanging = false;
    let hasRight = true;
    const authenticate = (ctx: { get(name: string): string }) => {
      const name = ctx.get('authorization');
      if (name === 'eve') return hasRight ? name : undefined;
      return isHanging ? never : name;
    };
    const signedIn = (ctx: { principal: unknown }) => ctx.principal !== undefined;
    const { beginAs } = await start({ guards: [signedIn] }, { live: { recheckEvery: 2_000, maxReads: 2 } }, { authenticate });
    const others = await Promise.all(Array.from({ length: 15 }, () => beginAs('bob').opened()));
    const eve = await beginAs('eve').opened();
    expect([eve, ...others].map(({ status }) => status)).toEqual(Array(16).fill(200));
    isHanging = true;
    hasRight = false;
    await eve.ended(); // long before the hanging questions are given up
    expect(['forbidden', 'overloaded']).toContain(eve.last?.data.problem.code);
    await Promise.all(others.map((one) => one.ended()));
    expect(new Set(others.map(({ last }) => last?.data.problem.code))).toEqual(new Set(['overloaded']));
  });
});

describe('a stream whose caller is asked again', () => {
  it('goes on where `authenticate` sets cookies and headers: they are sent to nobody', async () => {
    let asked = 0;
    const authenticate = (ctx: { cookies: { set(name: string, value: string): void }; set(name: string, value: string): void }) => {
      asked++;
      ctx.cookies.set('session', 'renewed');
      ctx.set('X-Session', 'renewed');
      return 'ann';
    };
    const { api, begin, insert, server } = await start({}, {}, { authenticate });
    const stream = await begin('/cards').opened();
    expect(stream.headers['set-cookie']).toEqual(['session=renewed; path=/; httponly']);
    const before = asked;
    api.recheck();
    await until(() => asked > before);
    await insert('a');
    await stream.sees(({ data }) => data.length === 1);
    expect(server.errors).toEqual([]);
  });
});
