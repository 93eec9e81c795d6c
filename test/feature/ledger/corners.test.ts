import { defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';

const Sheet = defineModel('Sheet', {
  collection: 'sheets',
  fields: {
    id: t.string({ policy: { insert: true } }),
    a: t.int({ default: 0 }),
    b: t.int({ default: 0 }),
    revision: t.revision(),
  },
  history: true,
});

const database = useDatabase();
const shop = service<string>({ authenticate: (ctx) => ctx.get('authorization') || undefined });
let api: Any;

beforeEach(async () => {
  for (const name of ['sheets', 'sheets_history']) await database.db.collection(name).deleteMany({});
  const sheets = shop.resource({
    model: Sheet,
    ops: ['get', 'create', 'patch'],
    history: true,
    scope: (ctx) => ({ id: { prefix: ctx.requirePrincipal().slice(0, 1) } }),
    scopeFields: ['id'],
  });
  api = shop.api({ db: database.db, resources: [sheets] });
});

async function ask(method: string, path: string, body?: object, who = 'x'): Promise<{ status: number; body: Any }> {
  const headers = { 'content-type': 'application/json', authorization: who };
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await api.fetch(new Request(`http://shop${path}`, sent));
  return { status: answer.status, body: await answer.json() };
}
const entries = () => database.db.collection<Any>('sheets_history');

describe('the history of a model without `scopeFields`', () => {
  it('is shown to callers whose scope compares the id', async () => {
    await ask('POST', '/sheets', { id: 'x1' });
    await ask('PATCH', '/sheets/x1', { a: 1 });
    expect((await ask('GET', '/sheets/x1/history')).body.data.map(({ revision }: Any) => revision)).toEqual([1, 0]);
    expect((await ask('GET', '/sheets/x1?at=0')).body.data).toMatchObject({ a: 0, revision: 0 });
    for (const path of ['/history', '?at=0']) expect((await ask('GET', `/sheets/x1${path}`, undefined, 'y')).status).toBe(404);
  });
});

describe('writes of one transaction that run at the same time', () => {
  it('have an entry each, with what it has changed and nothing of another', async () => {
    await ask('POST', '/sheets', { id: 'x1' });
    await api.transaction(async (tx: Any) => {
      const store = tx.store(Sheet);
      await Promise.all([store.update('x1', { a: 1 }), store.update('x1', { b: 1 }), store.updateMany({ id: 'x1' }, { a: 2 })]);
    });
    const kept = await entries()
      .find({ revision: { $gt: 0 } })
      .sort({ revision: 1 })
      .toArray();
    expect(kept.map(({ revision, previous, changes }) => [revision, previous, changes])).toEqual([
      [1, 0, [{ path: 'a', before: 0, after: 1 }]],
      [2, 1, [{ path: 'b', before: 0, after: 1 }]],
      [3, 2, [{ path: 'a', before: 1, after: 2 }]],
    ]);
    expect((await ask('GET', '/sheets/x1?at=1')).body.data).toMatchObject({ a: 1, b: 0 });
  });

  it('go on after one of them has failed and was caught, and must all be awaited', async () => {
    await ask('POST', '/sheets', { id: 'x1' });
    await api.transaction(async (tx: Any) => {
      const store = tx.store(Sheet);
      const ends = await Promise.allSettled([
        store.update('none', { a: 1 }),
        store.update('x1', { a: 1 }, { ifMatch: 7 }),
        store.update('x1', { b: 1 }),
      ]);
      expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    });
    expect(await entries().distinct('revision')).toEqual([0, 1]);
    let left: Promise<unknown> = Promise.resolve();
    const careless = api.transaction(async (tx: Any) => {
      left = Promise.allSettled([tx.store(Sheet).update('x1', { b: 2 }), tx.store(Sheet).update('x1', { b: 3 })]);
      await tx.store(Sheet).get('x1');
    });
    await expect(careless).rejects.toThrow('await');
    await left;
    expect(await entries().distinct('revision')).toEqual([0, 1]);
  });
});

it('forgets an actor of whose name only a part is kept', async () => {
  const name = `x${'😀'.repeat(400)}`;
  const by = { history: { by: () => name } };
  const Named = defineModel('Named', { collection: 'named', fields: { title: t.string(), revision: t.revision() }, ...by });
  const own = service().api({ db: database.db, resources: [], models: [Named] });
  const at = service().api({ db: database.db, resources: [service().resource({ model: Named, ops: ['create'] })] });
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"t"}' };
  expect((await at.fetch(new Request('http://shop/named', sent))).status).toBe(201);
  expect(await own.forgetActor(name, 'nobody')).toBe(1);
  expect(await database.db.collection('named_history').distinct('actor')).toEqual(['nobody']);
});

it('answers with JSON also where an entry was damaged by hand', async () => {
  await ask('POST', '/sheets', { id: 'x1' });
  await entries().updateOne({}, { $set: { change: 'x"y' } });
  expect((await ask('GET', '/sheets/x1/history')).body.data[0].change).toBe('x"y');
});

describe('who has made a change, without `by`', () => {
  class User {
    constructor(readonly name: string) {}
    get id(): unknown {
      return this.name === 'odd' ? { name: this.name } : this.name;
    }
  }
  const Memo = defineModel('Memo', { collection: 'memos', fields: { title: t.string(), revision: t.revision() }, history: true });

  it('is the id of a principal of any class, and an id that is no text is an error', async () => {
    const errors: unknown[] = [];
    const desk = service<User>({ authenticate: (ctx) => new User(ctx.get('authorization')) });
    const memos = desk.resource({ model: Memo, ops: ['create'] });
    const { fetch } = desk.api({ db: database.db, resources: [memos], onError: (error) => void errors.push(error) });
    const create = (authorization: string) =>
      fetch(
        new Request('http://desk/memos', {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: '{"title":"t"}',
        }),
      );
    expect((await create('ann')).status).toBe(201);
    expect((await create('odd')).status).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('`by`') })]);
    expect(await database.db.collection('memos').countDocuments()).toBe(1);
    expect(await database.db.collection('memos_history').distinct('actor')).toEqual(['ann']);
  });
});
