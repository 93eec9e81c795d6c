import { once } from 'node:events';
import { get } from 'node:http';
import { PassThrough } from 'node:stream';
import { defineModel, everything, type RequestContext, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const id = t.string({ policy: { insert: true } });
const Person = defineModel('Person', { collection: 'people', fields: { id, tenant: t.string() } });
const Key = defineModel('Key', {
  collection: 'keys',
  fields: {
    id,
    tenant: t.string(),
    person: t.ref('Person', { id: t.string(), exists: true }),
    auditor: t.nullable(t.ref('Person', { id: t.string(), exists: true, policy: { private: true } })),
    lender: t.nullable(t.ref('Person', { id: t.string(), onDelete: 'restrict' })),
    revision: t.revision(),
  },
});
const Log = defineModel('Log', { collection: 'logs', fields: { text: t.string() } });
const Twice = defineModel('Twice', { collection: 'twice', fields: { tenant: t.string() } });
const Loop = defineModel('Loop', { collection: 'loops', fields: { id } });

interface User {
  readonly tenant: string;
}
type Ctx = RequestContext<User>;

const database = useDatabase({ monitorCommands: true });
let run: (ctx: Ctx) => unknown = () => undefined;
let asked = 0;
const ofTenant = (ctx: Ctx) => {
  asked++;
  return { tenant: ctx.requirePrincipal().tenant };
};
const api = useApi<User>(
  database,
  (shop) => [
    shop.resource({ model: Person, scope: ofTenant, guardsFor: { get: [() => false], list: [] } }),
    shop.resource({
      model: Key,
      scope: ofTenant,
      within: { patch: [(ctx, { tx }) => run(Object.assign(Object.create(ctx), { tx }) as never)] },
      operations: {
        do: { path: '/do', problems: ['validation_failed'], handler: (ctx) => run(ctx as never) },
        read: { path: '/read', method: 'GET', handler: (ctx) => run(ctx as never) },
      },
    }),
    shop.resource({ model: Twice, path: 'twice-a', scope: ofTenant }),
    shop.resource({ model: Twice, path: 'twice-b', scope: () => everything }),
    shop.resource({ model: Loop, scope: async (ctx) => ({ id: { in: (await ctx.store(Loop).find({})).map((one) => one.id) } }) }),
  ],
  {
    authenticate: (ctx) => (ctx.get('authorization') ? { tenant: ctx.get('authorization') } : undefined),
    idempotency: { principal: () => 'me' },
    batch: true,
  },
);

async function call(what: (ctx: Ctx) => unknown, tenant = 'a') {
  run = what;
  asked = 0;
  const { status, body } = await api.request('POST', '/api/keys/do', { headers: tenant ? { authorization: tenant } : {} });
  return { status, data: body?.data, errors: body?.errors, thrown: api.errors.splice(0).map((error) => error.message) };
}
const stored = (name: string) => database.db.collection<{ _id: string }>(name).countDocuments();

beforeEach(async () => {
  await database.db.dropDatabase();
  for (const name of ['people', 'keys', 'logs']) await database.db.createCollection(name);
  const both = ['a', 'b'];
  await database.db.collection<{ _id: string }>('people').insertMany(both.map((tenant) => ({ _id: `p${tenant}`, tenant })));
  await database.db
    .collection<{ _id: string }>('keys')
    .insertMany(both.map((tenant) => ({ _id: `k${tenant}`, tenant, person: `p${tenant}`, revision: 0 })));
});

describe('a store of a request', () => {
  it("has the scope of the model's resource, in every operation, and asks for it once", async () => {
    const { data } = await call(async (ctx) => {
      const keys = ctx.store(Key);
      const status = (error: { status?: number }) => error.status;
      const each: string[] = [];
      for await (const one of ctx.store(Key).each({})) each.push(one.id);
      return {
        found: (await keys.find({})).map((one) => one.id),
        each,
        count: await keys.count({}),
        get: await keys.get('kb').catch(status),
        update: await keys.update('kb', { lender: null }).catch(status),
        remove: await keys.remove('kb').catch(status),
        many: await keys.updateMany({}, { lender: 'pa' }),
        removed: await ctx.store(Person).removeMany({ id: 'pb' }),
        create: await keys.create({ id: 'n', tenant: 'b', person: 'pa' }).catch(status),
        createMany: (await keys.createMany([{ id: 'm1', tenant: 'b', person: 'pa' }])).map(
          ({ error }) => (error as { status?: number } | undefined)?.status,
        ),
        save: await ctx
          .store(Key, { scope: everything })
          .get('kb')
          .then((one) => keys.save(Object.assign(one, { lender: 'pa' })))
          .catch(status),
      };
    });
    expect(data).toEqual({
      found: ['ka'],
      each: ['ka'],
      count: 1,
      get: 404,
      update: 404,
      remove: 404,
      many: { matched: 1, modified: 1 },
      removed: { matched: 0, modified: 0 },
      create: 422,
      createMany: [422],
      save: 404,
    });
    expect(asked).toBe(2); // by the chain of the operation, and by its stores
  });

  it('is not limited by the guards of that resource', async () => {
    expect((await call((ctx) => ctx.store(Person).count({}))).data).toBe(1);
  });

  it('leaves the scope in words', async () => {
    expect((await call((ctx) => ctx.store(Key, { scope: everything }).count({}))).data).toBe(2);
  });

  it.each([
    ['create', (ctx: Ctx) => ctx.store(Key).create({ id: 'n', tenant: 'a', person: 'pb' })],
    ['createMany with all', (ctx: Ctx) => ctx.store(Key).createMany([{ id: 'm2', tenant: 'a', person: 'pb' }], { all: true })],
    ['update', (ctx: Ctx) => ctx.store(Key).update('ka', { person: 'pb' })],
    ['updateMany', (ctx: Ctx) => ctx.store(Key).updateMany({}, { person: 'pb' })],
    ['save', async (ctx: Ctx) => ctx.store(Key).save(Object.assign(await ctx.store(Key).get('ka'), { person: 'pb' }))],
    ['create by a reference that holds', (ctx: Ctx) => ctx.store(Key).create({ id: 'n', tenant: 'a', person: 'pa', lender: 'pb' })],
    [
      'create with a scope of its own',
      (ctx: Ctx) => ctx.store(Key, { scope: { tenant: 'a' } }).create({ id: 'n', tenant: 'a', person: 'pb' }),
    ],
    ['create with `ctx.scope`', (ctx: Ctx) => ctx.store(Key, { scope: ctx.scope }).create({ id: 'n', tenant: 'a', person: 'pb' })],
    ['create in a transaction', (ctx: Ctx) => ctx.transaction((tx) => tx.store(Key).create({ id: 'n', tenant: 'a', person: 'pb' }))],
  ])('refers only to what is within reach: %s', async (_what, write) => {
    const { status, errors } = await call(write);
    expect(status).toBe(422);
    expect(errors).toMatchObject([{ rule: 'reference' }]);
    expect(await stored('keys')).toBe(2);
    expect(await database.db.collection<{ _id: string }>('keys').findOne({ _id: 'ka' })).toMatchObject({ person: 'pa', revision: 0 });
  });

  it('refers only to what is within reach: createMany of each', async () => {
    const { data } = await call(async (ctx) => {
      const made = await ctx.store(Key).createMany([
        { id: 'm3', tenant: 'a', person: 'pb' },
        { id: 'm4', tenant: 'a', person: 'pa', lender: 'pb' },
        { id: 'm5', tenant: 'a', person: 'pa' },
      ]);
      return made.map(({ error }) => (error as { code?: string } | undefined)?.code ?? 'made');
    });
    expect(data).toEqual(['validation_failed', 'validation_failed', 'made']);
  });

  it('binds references that clients do not know: the mistake is not told to them', async () => {
    const { status, errors, thrown } = await call((ctx) => ctx.store(Key).create({ id: 'n', tenant: 'a', person: 'pa', auditor: 'pb' }));
    expect([status, errors, await stored('keys')]).toEqual([500, undefined, 2]);
    expect(thrown).toEqual([expect.stringContaining('`auditor`')]);
  });

  it('may refer to everything with `everything`', async () => {
    const { status } = await call(
      async (ctx) => void (await ctx.store(Key, { scope: everything }).create({ id: 'n', tenant: 'b', person: 'pb' })),
    );
    expect([status, await stored('keys')]).toEqual([204, 3]);
  });

  it.each([
    ['a model without a resource', (ctx: Ctx) => ctx.store(Log).find({}), 'no resource serves Log'],
    ['a model with several', (ctx: Ctx) => ctx.store(Twice).find({}), 'several resources serve Twice (`twice-a`, `twice-b`)'],
    [
      'a model without a resource in a transaction',
      (ctx: Ctx) => ctx.transaction((tx) => tx.store(Log).find({})),
      'no resource serves Log',
    ],
  ])('must be given a scope for %s', async (_what, open, message) => {
    const { status, thrown } = await call(open);
    expect([status, thrown]).toEqual([500, [expect.stringContaining(message)]]);
    expect((await call((ctx) => ctx.store(Log, { scope: everything }).count({}))).data).toBe(0);
  });

  it('throws what the scope throws', async () => {
    const { status } = await call((ctx) => ctx.store(Person).count({}), '');
    expect(status).toBe(401);
  });

  it('refuses a scope that would need its own answer, and does not wait for it', async () => {
    const { status, thrown } = await call((ctx) => ctx.store(Loop).count({}));
    expect([status, thrown]).toEqual([500, [expect.stringContaining('opens a store that has the same scope')]]);
  });

  it.each(['find', 'each', 'count'] as const)(
    'throws for an undefined filter of %s, and for an undefined condition in it',
    async (name) => {
      for (const filter of [undefined, { tenant: undefined }, { tenant: { in: [undefined] } }, { tenant: { gt: undefined } }] as never[]) {
        const { status, thrown } = await call(async (ctx) => {
          if (name !== 'each') return ctx.store(Key)[name](filter);
          for await (const one of ctx.store(Key).each(filter)) return one;
          return undefined;
        });
        expect([status, thrown.length]).toEqual([500, 1]);
      }
    },
  );

  it('has the scope in a hook of `within`, by its transaction too', async () => {
    run = async (ctx) => {
      const { tx } = ctx as Ctx & { tx: Pick<Ctx, 'store'> };
      expect([await ctx.store(Person).count({}), await tx.store(Person).count({})]).toEqual([1, 1]);
      await tx.store(Key).create({ id: 'n', tenant: 'a', person: 'pb' });
    };
    const { status } = await api.request('PATCH', '/api/keys/ka', {
      headers: { authorization: 'a' },
      body: { person: 'pa', lender: 'pa' },
    });
    expect([status, await stored('keys')]).toEqual([422, 2]);
  });

  it('does not commit a transaction whose function has not awaited it', async () => {
    const { status } = await call((ctx) =>
      ctx.transaction(async (tx) => {
        tx.store(Key)
          .create({ id: 'n', tenant: 'a', person: 'pa' })
          .catch(() => undefined);
      }),
    );
    expect([status, await stored('keys')]).toEqual([500, 2]);
  });
});

describe('a store of a request that is over', () => {
  const counts = async (ctx: Ctx): Promise<unknown> =>
    ctx
      .store(Key)
      .count({})
      .catch((error: Error) => error.message);

  it('refuses, and so do its transactions', async () => {
    let kept: Ctx | undefined;
    await call((ctx) => {
      kept = ctx;
    });
    expect(await counts(kept as Ctx)).toContain('The request is over');
    await expect(kept?.transaction(async () => undefined)).rejects.toThrow('The request is over');
  });

  it('works as long as the body of the answer is being sent', async () => {
    const body = new PassThrough();
    body.write('begun');
    let kept: Ctx | undefined;
    run = (ctx) => {
      kept = ctx;
      ctx.type = 'text';
      ctx.body = body;
    };
    const request = get(`http://127.0.0.1:${api.port}/api/keys/read`, { headers: { authorization: 'a' } });
    const [response] = await once(request, 'response');
    expect(await counts(kept as Ctx)).toBe(1);
    body.end('done');
    response.resume();
    await once(response, 'end');
    await new Promise<void>((resolve) => kept?.exchange?.whenOver(resolve));
    expect(await counts(kept as Ctx)).toContain('The request is over');
  });

  it('refuses when the connection is gone', async () => {
    const body = new PassThrough();
    body.write('begun');
    let kept: Ctx | undefined;
    run = (ctx) => {
      kept = ctx;
      ctx.type = 'text';
      ctx.body = body;
    };
    const request = get(`http://127.0.0.1:${api.port}/api/keys/read`, { headers: { authorization: 'a' } });
    await once(request, 'response');
    request.on('error', () => undefined);
    request.destroy();
    await new Promise<void>((resolve) => kept?.exchange?.whenOver(resolve));
    expect(await counts(kept as Ctx)).toBe('The client has gone.');
    api.errors.splice(0);
  });
});

describe('the stores of the application', () => {
  it('have no scope, and refer to every record', async () => {
    const shop = service<User>();
    const served = shop.api({
      db: database.db,
      resources: [shop.resource({ model: Key, scope: ofTenant }), shop.resource({ model: Person, scope: ofTenant })],
    });
    expect(await served.store(Key).count({})).toBe(2);
    await served.store(Key).create({ id: 'n', tenant: 'a', person: 'pb', auditor: 'pb' });
    expect(await served.transaction((tx) => tx.store(Log).count({}))).toBe(0);
  });
});
