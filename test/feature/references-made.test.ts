import { defineModel, everything, type RequestContext, type TransactionContext, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const id = t.string({ policy: { insert: true } });
const Space = defineModel('Space', { collection: 'spaces', fields: { id, name: t.string(), revision: t.revision() } });
const Member = defineModel('Member', {
  collection: 'members',
  fields: {
    id,
    user: t.string(),
    exists: t.optional(t.ref('Space', { id: t.string(), exists: true })),
    holds: t.optional(t.ref('Space', { id: t.string(), onDelete: 'restrict' })),
    revision: t.revision(),
  },
});

type Ctx = RequestContext<{ readonly name: string }>;
type Tx = TransactionContext;
type Field = 'exists' | 'holds';

const database = useDatabase();
let run: (ctx: Ctx) => unknown;
const api = useApi<{ readonly name: string }>(
  database,
  (shop) => [
    shop.resource({
      model: Space,
      guardsFor: { get: [() => false], list: [] },
      async scope(ctx) {
        const own = await ctx.store(Member, { scope: everything }).find({ user: ctx.requirePrincipal().name });
        return { id: { in: own.flatMap(({ exists }) => exists ?? []) } };
      },
    }),
    shop.resource({
      model: Member,
      operations: {
        do: { path: '/do', problems: ['validation_failed'], handler: (ctx) => run(ctx as never) },
        save: { problems: ['validation_failed'], handler: (ctx) => run(ctx as never) },
      },
    }),
  ],
  { authenticate: (ctx) => (ctx.get('authorization') ? { name: ctx.get('authorization') } : undefined), batch: true },
);

async function call(handler: (ctx: Ctx) => unknown, { as = 'ann', path = 'do' } = {}) {
  run = handler;
  const { status, body } = await api.request('POST', `/api/members/${path}`, { headers: as ? { authorization: as } : {} });
  return [status, body?.errors?.map(({ field, rule }: { field: string; rule: string }) => `${field}: ${rule}`)];
}
const done = [200, undefined];
const refused = (field: string) => [422, [`${field}: reference`]];
const makeSpace = (tx: Tx) => tx.store(Space, { scope: everything }).create({ id: 's', name: 'own' });
const makeMember = (tx: Tx) => tx.store(Member, { scope: everything }).create({ id: 'm', user: 'ann', exists: 's' });
const refer = (tx: Tx, field: Field, scope?: { readonly user: string }) =>
  (scope ? tx.store(Member, { scope }) : tx.store(Member)).create({ id: 'n', user: 'bob', [field]: 's' });

beforeEach(async () => {
  for (const name of ['spaces', 'members']) await database.db.collection(name).deleteMany({});
  await database.db.collection<{ _id: string }>('members').insertOne({ _id: 'old', user: 'carl', revision: 0 } as never);
});

describe.each(['exists', 'holds'] as const)('a reference with `%s` to a record that the same transaction has made', (field) => {
  type Way = [what: string, (tx: Tx, ctx: Ctx) => Promise<unknown>];
  it.each<Way>([
    ['create', (tx) => refer(tx, field)],
    ['create within a given scope', (tx) => refer(tx, field, { user: 'bob' })],
    ['create by `ctx.store`', (_tx, ctx) => ctx.store(Member).create({ id: 'n', user: 'bob', [field]: 's' })],
    ['createMany', async (tx) => Promise.all((await tx.store(Member).createMany([{ id: 'n', user: 'bob', [field]: 's' }])).map(thrown))],
    ['createMany with `all`', (tx) => tx.store(Member).createMany([{ id: 'n', user: 'bob', [field]: 's' }], { all: true })],
    ['upsert', (tx) => tx.store(Member).upsert('n', { user: 'bob', [field]: 's' })],
    ['update', (tx) => tx.store(Member).update('old', { [field]: 's' })],
    ['updateMany', (tx) => tx.store(Member).updateMany({ user: 'carl' }, { [field]: 's' })],
    ['save', async (tx) => tx.store(Member).save(Object.assign(await tx.store(Member).get('old'), { [field]: 's' }))],
    ['ctx.save', async (_tx, ctx) => saveLoaded(ctx, field)],
  ])('is seen within a scope that was asked before it was made, and not outside of one: %s', async (_what, write) => {
    const path = 'old/save';
    const sent = (isWithin: boolean) =>
      call(
        (ctx) =>
          ctx.transaction(async (tx) => {
            await tx.store(Space).count({}); // asks the scope
            await makeSpace(tx);
            if (isWithin) await makeMember(tx);
            await write(tx, ctx);
            return {};
          }),
        { path },
      );
    expect((await sent(false))[0]).toBe(422);
    expect(await database.db.collection('members').countDocuments()).toBe(1);
    expect(await sent(true)).toEqual(done);
  });

  it.each([
    ['create', (tx: Tx) => makeSpace(tx)],
    ['createMany', (tx: Tx) => tx.store(Space, { scope: everything }).createMany([{ id: 's', name: 'own' }])],
    ['createMany with `all`', (tx: Tx) => tx.store(Space, { scope: everything }).createMany([{ id: 's', name: 'own' }], { all: true })],
    ['upsert', (tx: Tx) => tx.store(Space, { scope: everything }).upsert('s', { name: 'own' })],
  ])('is seen for a caller whom the scope refuses, as one who signs up: %s', async (_what, make) => {
    const signUp = (ctx: Ctx) =>
      ctx.transaction(async (tx) => {
        await make(tx);
        return refer(tx, field, { user: 'bob' });
      });
    expect(await call(signUp, { as: '' })).toEqual(done);
  });

  it('is not seen when the transaction has ended', async () => {
    const signUp = async (ctx: Ctx) => {
      await ctx.transaction(makeSpace);
      return ctx.transaction((tx) => refer(tx, field));
    };
    expect(await call(signUp, { as: '' })).toEqual(refused(field));
    expect(await database.db.collection('spaces').countDocuments()).toBe(1);
  });

  it('is not seen by a record that was there before, or that the transaction has removed again', async () => {
    await database.db.collection<{ _id: string }>('spaces').insertOne({ _id: 's', name: 'foreign', revision: 0 } as never);
    const other = (ctx: Ctx) =>
      ctx.transaction(async (tx) => {
        await tx.store(Space, { scope: everything }).upsert('s', { name: 'mine' });
        await tx.store(Space, { scope: everything }).create({ id: 'other', name: 'other' });
        return refer(tx, field);
      });
    expect(await call(other, { as: '' })).toEqual(refused(field));
    await database.db.collection('spaces').deleteMany({});
    const removed = (ctx: Ctx) =>
      ctx.transaction(async (tx) => {
        await makeSpace(tx);
        await tx.store(Space, { scope: everything }).remove('s');
        return refer(tx, field);
      });
    expect(await call(removed, { as: '' })).toEqual(refused(field));
  });

  it('is not seen by another operation of a batch, which is in the same transaction', async () => {
    const handlers = [makeSpace, (tx: Tx) => refer(tx, field)];
    run = (ctx) => ctx.transaction(async (tx) => ({ id: (await handlers.shift()?.(tx))?.id }));
    const operations = handlers.map(() => ({ method: 'POST', path: '/members/do', body: {} }));
    const { status, body } = await api.request('POST', '/api/batch', { body: { operations } });
    expect([status, body.operation, body.errors?.[0].field]).toEqual([422, 1, field]);
  });
});

async function thrown({ error }: { readonly error?: unknown }): Promise<void> {
  if (error) throw error;
}

async function saveLoaded(ctx: Ctx, field: Field): Promise<unknown> {
  const own = ctx as unknown as { load(): Promise<object>; save(document: object): Promise<unknown> };
  return own.save(Object.assign(await own.load(), { [field]: 's' }));
}
