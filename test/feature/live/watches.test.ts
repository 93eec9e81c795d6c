import { setTimeout as wait } from 'node:timers/promises';
import Router from '@koa/router';
import {
  authenticate,
  cursorPaging,
  defineModel,
  everything,
  findPage,
  listQuery,
  live,
  liveRead,
  liveStreams,
  problems,
  scope,
  service,
  t,
} from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useLive } from '../../support/live/use-live.ts';
import { until } from '../../support/until.ts';

const Card = defineModel('Card', { collection: 'cards', fields: { title: t.string(), board: t.optional(t.string()) } });
const Member = defineModel('Member', {
  collection: 'members',
  fields: { user: t.string(), team: t.optional(t.string()), role: t.optional(t.string()) },
});

interface User {
  readonly name: string;
  readonly team?: string;
}

const { database, serve, begin } = useLive('cards', 'members');
const members = () => database.db.collection('members');

/** Callers `ann` and `bob`, by their tokens, who may see cards. */
async function start(where: unknown, ofApi: object = {}) {
  const users = new Map<string, User>(['ann', 'bob'].map((name) => [name, { name }]));
  const asked = new Map<string, number>();
  let gate: Promise<unknown> | undefined;
  const board = service({
    async authenticate(ctx) {
      const token = ctx.get('authorization');
      asked.set(token, (asked.get(token) ?? 0) + 1);
      await gate;
      return users.get(token);
    },
  });
  const cards = board.resource({
    model: Card,
    guards: [(ctx) => ctx.principal !== undefined],
    live: { watches: [{ model: Member, where: where as never }] },
  });
  const api = board.api({ db: database.db, resources: [cards], live: ofApi });
  const { port } = await serve(api.routes());
  const of = (name: string) => asked.get(name) ?? 0;
  return {
    users,
    of,
    holdUp: (promise: Promise<unknown> | undefined) => {
      gate = promise;
    },
    /** Resolves when a caller was asked for again, with how often. */
    async askedAgain(name: string, before: number): Promise<number> {
      await until(() => of(name) > before);
      return of(name);
    },
    /** Opens a stream, and waits until its caller was asked as often as at the beginning of each. */
    async listen(name: string, headers: object = {}) {
      const before = of(name);
      const stream = await begin(port, '/cards', { authorization: name, ...headers }).opened();
      await until(() => of(name) >= before + 2);
      return stream;
    },
    request: (name: string) => begin(port, '/cards', { authorization: name }),
  };
}

const ofUser = (ctx: { requirePrincipal(): User }) => ({ user: ctx.requirePrincipal().name });

describe('`watches` with `where`', () => {
  it('asks again only the callers whom the changed record concerns', async () => {
    const { of, listen, askedAgain } = await start(ofUser);
    await members().insertOne({ user: 'bob', role: 'guest' });
    for (const name of ['ann', 'bob']) await listen(name);
    const [ann, bob] = [of('ann'), of('bob')];
    await members().updateOne({ user: 'bob' }, { $set: { role: 'owner' } });
    expect([await askedAgain('bob', bob), of('ann')]).toEqual([bob + 1, ann]);
    await members().insertOne({ user: 'ann', role: 'guest' });
    expect([await askedAgain('ann', ann), of('bob')]).toEqual([ann + 1, bob + 1]);
  });

  it.each([
    ['is deleted', () => members().deleteOne({ user: 'bob' })],
    ['is replaced', () => members().replaceOne({ user: 'bob' }, { user: 'cy' })],
    ['has another value in a field of the filter', () => members().updateOne({ user: 'bob' }, { $set: { user: 'cy' } })],
  ])('asks all callers again if a record %s, whom it may have concerned before', async (_what, change) => {
    const { of, listen, askedAgain } = await start(ofUser);
    await members().insertOne({ user: 'bob' });
    for (const name of ['ann', 'bob']) await listen(name);
    const [ann, bob] = [of('ann'), of('bob')];
    await change();
    expect(await Promise.all([askedAgain('ann', ann), askedAgain('bob', bob)])).toEqual([ann + 1, bob + 1]);
  });

  it('asks all callers again after any change, for whom it is `everything`', async () => {
    const { of, listen, askedAgain } = await start(() => everything);
    for (const name of ['ann', 'bob']) await listen(name);
    const [ann, bob] = [of('ann'), of('bob')];
    await members().insertOne({ user: 'cy' });
    expect(await Promise.all([askedAgain('ann', ann), askedAgain('bob', bob)])).toEqual([ann + 1, bob + 1]);
  });

  it('compares equalities, and lets other conditions of the filter pass', async () => {
    const { of, listen, askedAgain } = await start((ctx: { requirePrincipal(): User }) => ({ ...ofUser(ctx), role: { ne: 'guest' } }));
    for (const name of ['ann', 'bob']) await listen(name);
    const [ann, bob] = [of('ann'), of('bob')];
    await members().insertOne({ user: 'ann', role: 'guest' });
    expect([await askedAgain('ann', ann), of('bob')]).toEqual([ann + 1, bob]);
  });

  it('follows the records of the caller that was found last', async () => {
    const { users, of, listen, askedAgain } = await start((ctx: { principal?: User }) => ({ team: ctx.principal?.team ?? 'none' }));
    await listen('ann');
    await listen('bob');
    users.set('ann', { name: 'ann', team: 'red' });
    let ann = of('ann');
    await members().insertOne({ user: 'x', team: 'none' });
    await until(() => of('ann') >= ann + 2); // and once more: nothing was heard of the other records meanwhile
    ann = of('ann');
    await members().insertOne({ user: 'x', team: 'red' });
    ann = await askedAgain('ann', ann);
    const bob = of('bob');
    await members().insertOne({ user: 'x', team: 'none' });
    await askedAgain('bob', bob);
    expect(of('ann')).toBe(ann);
  });

  it('asks once more if a caller has come to others, whose records may have changed meanwhile', async () => {
    const users = new Map([
      ['ann', { team: 'none' }],
      ['bob', { team: 'blue' }],
    ]);
    let gate: Promise<unknown> | undefined;
    const asked = new Map<string, number>();
    const desk = service({ authenticate: (ctx) => users.get(ctx.get('authorization')) });
    const cards = desk.resource({
      model: Card,
      guards: [
        async (ctx) => {
          const { team } = ctx.requirePrincipal();
          const isOpen = (await members().countDocuments({ team, role: 'revoked' })) === 0;
          asked.set(team, (asked.get(team) ?? 0) + 1);
          if (team === 'red') await gate;
          return isOpen;
        },
      ],
      scope: (ctx) => ({ board: ctx.requirePrincipal().team }),
      live: { watches: [{ model: Member, where: (ctx) => ({ team: ctx.requirePrincipal().team }) }] },
    });
    const { port } = await serve(desk.api({ db: database.db, resources: [cards] }).routes());
    await members().insertMany(['none', 'red', 'blue'].map((team) => ({ user: team, team })));
    await begin(port, '/cards', { authorization: 'bob' }).opened();
    const ann = await begin(port, '/cards', { authorization: 'ann' }).opened();
    await until(() => asked.get('none') === 2 && asked.get('blue') === 2);
    users.set('ann', { team: 'red' });
    let go: (value?: unknown) => void = () => undefined;
    gate = new Promise((resolve) => {
      go = resolve;
    });
    await members().updateOne({ team: 'none' }, { $set: { role: 'guest' } });
    await until(() => asked.get('red') === 1);
    await members().updateOne({ team: 'red' }, { $set: { role: 'revoked' } });
    await members().updateOne({ team: 'blue' }, { $set: { role: 'guest' } });
    await until(() => asked.get('blue') === 3); // so that the change before was told as well
    go();
    await until(() => ann.last?.event === 'end');
    expect(ann.last?.data.problem.code).toBe('forbidden');
  });

  it.each([[() => undefined], [() => ({})], [() => ({ user: undefined })], [() => ({ nobody: 1 })]])(
    'is refused as a scope would be if it returns what %s does',
    async (where) => {
      const { request } = await start(where);
      expect((await request('ann').opened()).status).toBe(500);
    },
  );

  it.each([
    [[{ where: ofUser }], /Each of `watches` of resource `cards` is a model or \{ model, where \}/],
    [[{ model: Member, where: ofUser, when: 1 }], /`watches` of resource `cards` has an unknown option `when`|`when`/],
    [[{ model: Member, where: 'user' }], /`where`/],
    ['members', /an array of models, or of objects with a model and a function/],
  ])('is refused at start if it has another form: %j', (watches, message) => {
    const board = service({ authenticate: () => undefined });
    const make = () => board.api({ db: database.db, resources: [board.resource({ model: Card, live: { watches: watches as never } })] });
    expect(make).toThrow(message);
  });
});

describe('`credentials` of live streams', () => {
  const credentials = (ctx: { get(name: string): string }) => ctx.get('authorization');

  it('let several streams of one caller be authenticated once', async () => {
    const { of, listen, askedAgain } = await start(() => everything, { credentials });
    for (const name of ['ann', 'ann', 'ann', 'bob']) await listen(name);
    const [ann, bob] = [of('ann'), of('bob')];
    await members().insertOne({ user: 'cy' });
    await Promise.all([askedAgain('ann', ann), askedAgain('bob', bob)]);
    await members().insertOne({ user: 'cy' });
    await Promise.all([askedAgain('ann', ann + 1), askedAgain('bob', bob + 1)]);
    expect([of('ann') - ann, of('bob') - bob]).toEqual([2, 2]);
  });

  it('end all streams of a caller who is not known any more', async () => {
    const { users, listen } = await start(() => everything, { credentials });
    const streams = [await listen('ann'), await listen('ann')];
    const bob = await listen('bob');
    users.delete('ann');
    await members().insertOne({ user: 'cy' });
    await until(() => streams.every(({ last }) => last?.event === 'end'));
    expect(streams.map(({ last }) => last?.data.problem.code)).toEqual(['forbidden', 'forbidden']);
    expect(bob.last?.event).not.toBe('end');
  });

  it('let a stream be asked by itself if the one that asked for both has gone, and is never answered', async () => {
    const { of, listen, holdUp, askedAgain } = await start(() => everything, { credentials });
    const streams = [await listen('ann'), await listen('ann')];
    const ann = of('ann');
    holdUp(new Promise(() => undefined));
    await members().insertOne({ user: 'cy' });
    await askedAgain('ann', ann);
    holdUp(undefined);
    streams[0]?.close();
    streams[1]?.close();
    const third = await listen('ann');
    await database.db.collection('cards').insertOne({ title: 'new' });
    await third.sees(({ data }) => data.length === 1);
    expect(third.last?.event).not.toBe('end');
  });

  it('tell nobody of rights that were lost since its caller was asked for another stream', async () => {
    const { users, of, listen, askedAgain } = await start(() => everything, { credentials });
    const first = await listen('ann');
    await wait(1_100); // it may be asked again at once from now on
    const second = await listen('ann'); // and this one in a second
    const ann = of('ann');
    await members().insertOne({ user: 'x' });
    await askedAgain('ann', ann);
    users.delete('ann');
    await members().insertOne({ user: 'y' });
    await until(() => [first, second].every(({ last }) => last?.event === 'end'));
    expect([first, second].map(({ last }) => last?.data.problem.code)).toEqual(['forbidden', 'forbidden']);
  });

  it('are not those of a call in the process, which names its principal', async () => {
    let asked = 0;
    const desk = service({
      authenticate: (): Any => {
        asked++;
        return undefined;
      },
    });
    const cards = desk.resource({
      model: Card,
      scope: (ctx) => ({ board: ctx.principal?.board ?? 'public' }),
      live: { watches: [Member] },
    });
    const api = desk.api({ db: database.db, resources: [cards], live: { credentials: () => 'the same' } });
    await database.db.collection('cards').insertMany([
      { title: 'Secret', board: 'root' },
      { title: 'Public', board: 'public' },
    ]);
    const { port } = await serve(api.routes());
    const stop = new AbortController();
    const request = new Request('http://x/cards', { headers: { accept: 'text/event-stream' }, signal: stop.signal });
    await api.fetch(request, { principal: { board: 'root' } });
    const anonymous = await begin(port, '/cards').opened();
    await until(() => asked === 2);
    await members().insertOne({ user: 'x' });
    await until(() => asked === 3);
    await database.db.collection('cards').insertOne({ title: 'New', board: 'public' });
    await anonymous.sees(({ data }) => data.length === 2);
    stop.abort();
    expect(anonymous.text).not.toContain('Secret');
  });

  it('count for nothing in own routes that find nobody out again', async () => {
    const boards = new Map([['ann', 'a']]);
    let asked = 0;
    const streams = liveStreams({ credentials });
    const ofBoard = (ctx: Any) => {
      asked++;
      return { board: ctx.principal.board };
    };
    const router = new Router();
    router.use(problems() as Any, authenticate((ctx) => ({ board: boards.get(ctx.get('authorization')) })) as Any);
    const query = listQuery(Card, cursorPaging(), { isLive: true });
    const chain = [scope(Card, ofBoard), query, liveRead(Card, [findPage(Card, { db: database.db })])];
    router.get('/cards', live(chain, { db: database.db, streams }) as Any);
    await database.db.collection('cards').insertMany([
      { title: 'A', board: 'a' },
      { title: 'B', board: 'b' },
    ]);
    const { port } = await serve(router.routes() as Any);
    const headers = { authorization: 'ann' };
    await begin(port, '/cards', headers).opened();
    boards.set('ann', 'b');
    const other = await begin(port, '/cards', headers).opened();
    streams.recheck();
    await until(() => asked === 4);
    await database.db.collection('cards').insertOne({ title: 'C', board: 'b' });
    await other.sees(({ data }) => data.length === 2);
    expect(other.state?.data.map(({ title }: Any) => title)).toEqual(['B', 'C']);
  });

  it.each([[() => null], [() => 7], [async () => 'ann']])('are refused unless they are a text: %s', async (wrong) => {
    const { request } = await start(() => everything, { credentials: wrong });
    expect((await request('ann').opened()).status).toBe(500);
  });
});
