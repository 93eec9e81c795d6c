import { defineModel, everything, jsonBody, openStore, type Store, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const id = t.string({ policy: { insert: true, filter: ['eq'] } });
const closed = { insert: false, update: false };
const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id,
    tenant: t.string({ policy: closed }),
    number: t.string({ default: '' }),
    code: t.nullable(t.string({ immutable: true })),
    serial: t.nullable(t.string({ policy: closed })),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
  indexes: [
    { fields: ['tenant', 'number'], unique: true },
    { fields: ['tenant', 'code'], unique: true },
  ],
});

/** In its resource, only `open` may be written; its references are checked. */
const Plain = defineModel('Plain', {
  collection: 'plains',
  fields: {
    open: t.optional(t.string({ policy: { insert: true } })),
    shut: t.optional(t.string()),
    next: t.optional(t.ref('Plain', { exists: true })),
  },
  indexes: [{ fields: ['open', 'shut'], unique: true }],
});

type Values = { number?: string; code?: string };
const writes: Record<string, (store: Store<typeof Doc>, values: Values) => Promise<unknown>> = {
  create: (store, values) => store.create({ id: 'n', tenant: 'a', ...values }),
  createMany: (store, values) => store.createMany([{ id: 'n', tenant: 'a', ...values }], { all: true }),
  async createEach(store, values) {
    const [first] = await store.createMany([{ id: 'n', tenant: 'a', ...values }]);
    throw first?.error;
  },
  update: (store, values) => store.update('b', values),
  restore: (store) => store.restore('gone'),
  updateMany: (store, values) => store.updateMany({ id: 'b' }, values),
  async save(store, values) {
    await store.save(Object.assign(await store.get('b'), values));
  },
};

const database = useDatabase();
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops: ['create', 'patch', 'put', 'patchMany', 'restore', 'delete'],
      scope: () => ({ tenant: 'a' }),
      scopeFields: ['tenant'],
      serverFields: () => ({ tenant: 'a' }),
      operations: {
        set: {
          use: [jsonBody()],
          problems: ['duplicate_key'],
          async handler(ctx) {
            const doc = await ctx.load();
            Object.assign(doc, ctx.request.body);
            await ctx.save(doc);
          },
        },
        swallow: {
          problems: ['duplicate_key'],
          handler: (ctx) =>
            ctx.transaction(async () => {
              const doc = await ctx.load();
              doc.number = '1';
              await ctx.save(doc).catch(() => undefined);
            }),
        },
        store: {
          method: 'POST',
          path: '/store',
          use: [jsonBody()],
          problems: ['duplicate_key'],
          async handler(ctx) {
            const { by, unlimited, ...values } = ctx.request.body as { by: string; unlimited: boolean; number: string };
            const store = ctx.store(Doc, unlimited ? { scope: everything } : {});
            const write = writes[by];
            if (write) await write(store, values);
            else await ctx.transaction((tx) => tx.store(Doc, { scope: everything }).update('b', values));
          },
        },
        driver: {
          method: 'POST',
          path: '/driver',
          use: [jsonBody()],
          problems: ['duplicate_key'],
          handler: (ctx) => docs().insertOne({ _id: 'n', tenant: 'a', ...(ctx.request.body as object) }),
        },
      },
    }),
    shop.resource({ model: Doc, path: 'drafts', ops: ['get'], explicitWrites: true }),
    shop.resource({
      model: Plain,
      ops: ['create'],
      explicitWrites: true,
      operations: {
        store: {
          method: 'POST',
          path: '/store',
          use: [jsonBody()],
          problems: ['duplicate_key'],
          async handler(ctx) {
            const { by, ...values } = ctx.request.body as { by: string };
            if (by === 'create') return ctx.store(Plain).create(values);
            if (by === 'createMany') return ctx.store(Plain).createMany([values], { all: true });
            throw (await ctx.store(Plain).createMany([values]))[0]?.error;
          },
        },
      },
    }),
  ],
  { batch: true, idempotency: { principal: () => 'me' } },
);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');

beforeAll(async () => {
  const partialFilterExpression = { tenant: { $exists: true } };
  await docs().createIndex({ tenant: 1, number: 1 }, { unique: true, partialFilterExpression });
  await docs().createIndex({ tenant: 1, code: 1 }, { unique: true, partialFilterExpression: { code: { $type: 'string' } } });
  await docs().createIndex({ serial: 1 }, { unique: true, partialFilterExpression: { serial: { $type: 'string' }, deletedAt: null } });
});

beforeAll(async () => {
  await database.db.collection('plains').createIndex({ open: 1, shut: 1 }, { unique: true });
  await database.db.collection('plains').insertOne({ open: 'x', shut: 'y' });
});

beforeEach(async () => {
  await docs().deleteMany({});
  await docs().insertMany([
    { _id: 'a', tenant: 'a', number: '1', code: 'c', serial: 's', revision: 0 },
    { _id: 'b', tenant: 'a', number: '2', code: 'd', revision: 0 },
    { _id: 'gone', tenant: 'a', number: '3', code: 'e', revision: 0, deletedAt: new Date(), deletion: 'x' },
  ]);
});

const key = { 'idempotency-key': '"k"' };
const number = { number: '1' };

describe('a 409 names only the fields that the client may write', () => {
  it.each([
    ['create', 'POST', '', { id: 'n', ...number }, ['number']],
    ['create of a field that is closed to updates', 'POST', '', { id: 'n', number: '9', code: 'c' }, ['code']],
    ['patch', 'PATCH', '/b', number, ['number']],
    ['put', 'PUT', '/b', number, ['number']],
    ['patchMany', 'PATCH', '?id=b', number, ['number']],
    ['save', 'POST', '/b/set', number, ['number']],
    ['save of values of the server', 'POST', '/b/set', { serial: 's' }, []],
  ])('on %s', async (_what, method, path, body, fields) => {
    for (const headers of [{}, key]) {
      const answer = await api.request(method, `/api/docs${path}`, { body, headers });
      expect([answer.status, answer.body.errors?.map((one: { field: string }) => one.field) ?? []]).toEqual([409, fields]);
      expect(answer.text).not.toContain('tenant');
    }
  });

  it('on restore', async () => {
    await docs().updateOne({ _id: 'gone' }, { $set: { serial: 's' } }); // a duplicate that the index of living records did not see
    const { status, text, body } = await api.request('POST', '/api/docs/gone/restore');
    expect([status, body.errors]).toEqual([409, undefined]);
    expect(text).not.toMatch(/tenant|serial/);
  });

  it.each([...Object.keys(writes).filter((by) => by !== 'restore'), 'transaction'])('by a store in a handler: %s', async (by) => {
    for (const unlimited of [false, true])
      for (const headers of [{}, key]) {
        const answer = await api.request('POST', '/api/docs/store', { body: { by, unlimited, ...number }, headers });
        const fields = answer.body.errors?.map((one: { field: string }) => one.field.replace(/^0\./, '')); // the place among many
        expect([answer.status, fields]).toEqual([409, ['number']]);
        expect(answer.text).not.toContain('tenant');
      }
  });

  it.each([
    ['create', 'open'],
    ['createMany', '0.open'],
    ['createEach', 'open'],
  ])('by a store in a handler of a resource with `explicitWrites`: %s', async (by, field) => {
    const { status, body } = await api.request('POST', '/api/plains/store', { body: { by, open: 'x', shut: 'y' } });
    expect([status, body.errors]).toEqual([409, [expect.objectContaining({ field })]]);
  });

  it.each([false, true])('by a store in a handler: restore, with every record in reach: %s', async (unlimited) => {
    await docs().updateOne({ _id: 'gone' }, { $set: { serial: 's' } });
    const { status, text, body } = await api.request('POST', '/api/docs/store', { body: { by: 'restore', unlimited, ...number } });
    expect([status, body.code, body.errors]).toEqual([409, 'duplicate_key', undefined]);
    expect(text).not.toMatch(/tenant|serial/);
  });

  it('by a driver call of a handler', async () => {
    const { status, body, text } = await api.request('POST', '/api/docs/driver', { body: number });
    expect([status, body.errors?.map((one: { field: string }) => one.field)]).toEqual([409, ['number']]);
    expect(text).not.toContain('tenant');
  });

  it('but every field that clients read to the application itself', async () => {
    const store = openStore(Doc, { db: database.db });
    await expect(store.update('b', number)).rejects.toMatchObject({ errors: [{ field: 'tenant' }, { field: 'number' }] });
  });

  it('and so does the removal of several, by an index of deleted records', async () => {
    const gone = database.db.collection('plain-gone');
    const Gone = defineModel('Gone', { collection: 'plain-gone', fields: { slug: t.string(), deletedAt: t.deletedAt() } });
    await gone.createIndex({ slug: 1 }, { unique: true, partialFilterExpression: { deletedAt: { $type: 'date' } } });
    await gone.insertMany([{ slug: 'x' }, { slug: 'x' }]);
    await expect(openStore(Gone, { db: database.db }).removeMany({ slug: 'x' })).rejects.toMatchObject({ errors: [{ field: 'slug' }] });
  });

  it('on the member of a batch', async () => {
    const operations = [{ method: 'PATCH', path: '/docs/b', body: number }];
    const { status, body } = await api.request('POST', '/api/batch', { body: { operations } });
    expect([status, body.errors?.map((one: { field: string }) => one.field)]).toEqual([409, ['number']]);
  });

  it('also where a handler has caught it, and the transaction is lost by it', async () => {
    const { status, text } = await api.request('POST', '/api/docs/b/swallow');
    expect(status).toBe(409);
    expect(text).not.toContain('tenant');
  });
});
