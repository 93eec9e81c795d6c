import { Problem } from '../../src/errors.ts';
import { defineModel, everything, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Account = defineModel('Account', {
  collection: 'accounts',
  fields: {
    id: t.string({ policy: { insert: true } }),
    balance: t.int({ minimum: 0 }),
    owner: t.string(),
    pin: t.nullable(t.string(), { policy: { private: true, insert: true } }),
    revision: t.revision(),
  },
});
const Transfer = defineModel('Transfer', { collection: 'transfers', fields: { from: t.ref('Account', { id: t.string() }), sum: t.int() } });

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
let attempts = 0;
const heard: unknown[] = [];
let between: () => Promise<unknown> = async () => undefined;

const api = useApi<{ name: string }>(
  database,
  (shop) => [
    shop.resource({
      model: Account,
      ops: ['get', 'create'],
      scope: (ctx) => (ctx.get('x-all') ? everything : { owner: ctx.requirePrincipal().name }),
      after: { lostSave: [(_ctx, result) => void heard.push(result)] },
      guardsFor: { get: [async (ctx) => (await ctx.store(Account).count({})) < 100] },
      operations: {
        pay: {
          problems: ['duplicate_key', 'replica_set_required'],
          async handler(ctx) {
            attempts = 0;
            return ctx.transaction(async (tx) => {
              attempts++;
              const from = await ctx.load();
              await between();
              from.balance -= 10;
              await tx.store(Transfer, { scope: everything }).create({ from: from.id, sum: 10 });
              return ctx.save(from);
            });
          },
        },
        loadedBefore: {
          async handler(ctx) {
            attempts = 0;
            const from = await ctx.load();
            return ctx.transaction(async (tx) => {
              attempts++;
              from.balance = 1;
              await ctx.save(from);
              if (attempts === 1) {
                await tx.store(Account).count({});
                throw Object.assign(new Error('passing'), { hasErrorLabel: () => true });
              }
              return from;
            });
          },
        },
        scoped: { path: '/scoped', method: 'GET', handler: (ctx) => ctx.store(Account, { scope: ctx.scope }).find({}) },
        foreign: { path: '/foreign', method: 'GET', handler: (ctx) => ctx.store(Transfer, { scope: ctx.scope }).count({}) },
        misspelt: { path: '/misspelt', method: 'GET', handler: (ctx) => ctx.store(Account, { scop: ctx.scope } as object).count({}) },
        detached: { path: '/detached', method: 'GET', handler: ({ store }) => ({ store }).store(Account).count({}) },
        atOnce: {
          path: '/at-once',
          async handler(ctx) {
            const both = [1, 2].map((sum) =>
              ctx.transaction(async (tx) => tx.store(Transfer, { scope: everything }).create({ from: 'a', sum })),
            );
            await Promise.allSettled(both); // so that the first one has ended before the next test begins
            await Promise.all(both);
          },
        },
        nested: {
          path: '/nested',
          handler: (ctx) =>
            ctx.transaction(() => ctx.transaction(async (tx) => tx.store(Transfer, { scope: everything }).create({ from: 'a', sum: 1 }))),
        },
        inTurn: {
          path: '/in-turn',
          async handler(ctx) {
            for (const sum of [1, 2])
              await ctx.transaction(async (tx) => tx.store(Transfer, { scope: everything }).create({ from: 'a', sum }));
          },
        },
        parts: {
          path: '/parts',
          handler: (ctx) =>
            ctx.transaction(async (tx) => {
              await tx.transaction((part) => part.store(Transfer, { scope: everything }).create({ from: 'a', sum: 1 }));
              const failing = tx.transaction(async (part) => {
                await part.store(Transfer, { scope: everything }).create({ from: 'a', sum: 2 });
                if (ctx.querystring === 'fails') throw new Problem({ status: 409, code: 'no_money' });
              });
              await failing.catch(() => undefined);
            }),
        },
        lostSave: {
          async handler(ctx) {
            const saving = ctx.transaction(async () => {
              const from = await ctx.load();
              from.balance = 1;
              await ctx.save(from);
              throw new Error('no');
            });
            await saving.catch(() => undefined);
          },
        },
        copied: { path: '/copied', method: 'GET', handler: async (ctx) => ({ ...(await ctx.store(Account).find({}))[0] }) },
        refuse: {
          path: '/refuse',
          handler: (ctx) =>
            ctx.transaction(async (tx) => {
              await tx.store(Transfer, { scope: everything }).create({ from: 'a', sum: 1 });
              throw new Problem({ status: 409, code: 'no_money' });
            }),
        },
      },
    }),
  ],
  { authenticate: (ctx) => ({ name: ctx.get('authorization') || 'ann' }), undescribed: ['no_money'] },
);
const accounts = () => database.db.collection<{ _id: string }>('accounts');
const transfers = () => database.db.collection('transfers').countDocuments();

beforeEach(async () => {
  await database.db.dropDatabase();
  await database.db.createCollection('transfers'); // a transaction that creates its collection waits for whatever else creates one
  between = async () => undefined;
  await accounts().insertMany([
    { _id: 'a', balance: 15, owner: 'ann', pin: '1234', revision: 0 },
    { _id: 'b', balance: 15, owner: 'ben', revision: 0 },
  ] as never);
});

describe('ctx.transaction', () => {
  it('stores all or nothing, and answers the record of load and save', async () => {
    const paid = await api.request('POST', '/api/accounts/a/pay');
    expect(paid.status).toBe(200);
    expect(paid.body).toEqual({ data: { id: 'a', balance: 5, owner: 'ann', revision: 1 } });
    const broke = await api.request('POST', '/api/accounts/a/pay');
    expect([broke.status, broke.body.errors]).toEqual([422, [expect.objectContaining({ field: 'balance' })]]);
    expect([await transfers(), await accounts().findOne({ _id: 'a' })]).toEqual([1, expect.objectContaining({ balance: 5, revision: 1 })]);
  });

  it('stays within the scope of the request', async () => {
    expect((await api.request('POST', '/api/accounts/b/pay')).status).toBe(404);
    expect(await transfers()).toBe(0);
  });

  it('runs again after a conflict, and loads again', async () => {
    between = async () => {
      if (attempts === 1) await accounts().updateOne({ _id: 'a' }, { $set: { balance: 12, revision: 7 } } as never);
    };
    const paid = await api.request('POST', '/api/accounts/a/pay');
    expect([paid.status, paid.body.data]).toEqual([200, expect.objectContaining({ balance: 2, revision: 8 })]);
    expect([attempts, await transfers()]).toEqual([2, 1]);
  });

  it('gives a record that was loaded before it its values back for the next attempt', async () => {
    const saved = await api.request('POST', '/api/accounts/a/loadedBefore');
    expect([saved.status, saved.body.data, attempts]).toEqual([200, expect.objectContaining({ balance: 1, revision: 1 }), 2]);
  });

  it('tells after hooks nothing of a record that was saved and not committed', async () => {
    expect((await api.request('POST', '/api/accounts/a/lostSave')).status).toBe(204);
    expect(heard).toEqual([undefined]);
  });

  it.each([
    ['at-once', 1],
    ['nested', 0],
  ])('refuses a second one of the request before the first has ended: %s', async (path, stored) => {
    expect((await api.request('POST', `/api/accounts/${path}`)).status).toBe(500);
    expect(api.errors.splice(0).map(({ message }) => message)).toEqual([expect.stringContaining('use `tx.transaction`')]);
    expect(await transfers()).toBe(stored);
  });

  it('may have several one after the other', async () => {
    expect((await api.request('POST', '/api/accounts/in-turn')).status).toBe(204);
    expect(await transfers()).toBe(2);
  });

  it('has parts, by tx.transaction, of which one that fails undoes the whole', async () => {
    expect((await api.request('POST', '/api/accounts/parts')).status).toBe(204);
    expect(await transfers()).toBe(2);
    const failed = await api.request('POST', '/api/accounts/parts?fails');
    expect([failed.status, failed.body.code, await transfers()]).toEqual([409, 'no_money', 2]);
  });

  it('answers a problem of its function as it is, and stores nothing', async () => {
    const refused = await api.request('POST', '/api/accounts/refuse');
    expect([refused.status, refused.body.code, await transfers()]).toEqual([409, 'no_money', 0]);
  });

  it('costs one command more than its operations, and an operation without it costs none', async () => {
    commands.clear();
    await api.request('POST', '/api/accounts/a/pay');
    expect(commands.names).toEqual(['find', 'insert', 'findAndModify', 'commitTransaction']);
    commands.clear();
    await api.request('POST', '/api/accounts', { body: { id: 'c', balance: 1, owner: 'ann' } });
    expect(commands.names).toEqual(['insert']);
  });

  it('lets clients that pay at once each succeed or learn honestly that they did not', async () => {
    await accounts().updateOne({ _id: 'a' }, { $set: { balance: 100 } } as never);
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.request('POST', '/api/accounts/a/pay')));
    const paid = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => ![200, 422, 503].includes(status))).toEqual([]);
    expect(api.errors.splice(0)).toHaveLength(answers.filter(({ status }) => status === 503).length);
    expect([paid, await transfers()]).toEqual([paid, paid]);
    expect(await accounts().findOne({ _id: 'a' })).toMatchObject({ balance: 100 - 10 * paid });
    expect(paid).toBeGreaterThan(0);
  });
});

describe('ctx.store', () => {
  it('reads for guards and handlers, with the scope of the request if it is given', async () => {
    const scoped = await api.request('GET', '/api/accounts/scoped', { headers: { authorization: 'ben' } });
    expect(scoped.body).toEqual({ data: [{ id: 'b', balance: 15, owner: 'ben', revision: 0 }] }); // and no private field
    expect((await api.request('GET', '/api/accounts/a')).status).toBe(200);
  });

  it.each([
    ['the scope of another model', 'foreign', 'The scope is one of Account'],
    ['misspelt options', 'misspelt', '`scop`'],
    ['another `this`', 'detached', 'Call it as a method'],
  ])('refuses %s', async (_what, path, message) => {
    expect((await api.request('GET', `/api/accounts/${path}`)).status).toBe(500);
    expect(api.errors.splice(0).map((error) => error.message)).toEqual([expect.stringContaining(message)]);
  });

  it('makes a copy of a record an error, as it would show private fields', async () => {
    expect((await api.request('GET', '/api/accounts/copied')).status).toBe(500);
  });
});
