import { defineModel, everything, service, t } from '../../../src/index.ts';
import { useLive } from '../../support/live/use-live.ts';
import { until } from '../../support/until.ts';

const Card = defineModel('Card', { collection: 'cards', fields: { title: t.string() } });
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

  it('let a stream be asked by itself if the one that asked for both has gone', async () => {
    const { of, listen, holdUp, askedAgain } = await start(() => everything, { credentials });
    const streams = [await listen('ann'), await listen('ann')];
    const ann = of('ann');
    let go: (value?: unknown) => void = () => undefined;
    holdUp(new Promise((resolve) => (go = resolve)));
    await members().insertOne({ user: 'cy' });
    await askedAgain('ann', ann);
    streams[0]?.close();
    holdUp(undefined);
    go();
    await database.db.collection('cards').insertOne({ title: 'new' });
    await streams[1]?.sees(({ data }) => data.length === 1);
    expect(streams[1]?.last?.event).not.toBe('end');
  });
});
