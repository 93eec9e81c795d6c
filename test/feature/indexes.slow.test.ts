import { type Db, MongoClient } from 'mongodb';
import { applyIndexes, cursorPaging, defineModel, planIndexes, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { startDatabaseProxy } from '../support/database/database-proxy.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const shop = service<{ name: string }>({ authenticate: () => ({ name: 'ann' }) });

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    number: t.string({ policy: { filter: ['eq', 'prefix'], sort: true } }),
    email: t.nullable(t.string({ unique: true, policy: { filter: ['eq'] } })),
    slug: t.optional(t.nullable(t.string({ unique: true }), { storeNone: true })),
    owner: t.string({ policy: { insert: false } }),
    key: t.optional(t.string({ unique: true })),
    createdAt: t.createdAt({ policy: { sort: true } }),
    revision: t.revision(),
  },
  indexes: [
    { fields: ['owner', 'number'], unique: true },
    { key: { createdAt: 1 }, expireAfterSeconds: 86_400 },
  ],
});
const Tag = defineModel('Tag', { collection: 'tags', fields: { name: t.string({ unique: true }) } });

const build = (resource: object = { scopeFields: ['owner'] }, options: { db?: Db; maxTimeMS?: number } = {}) =>
  shop.api({
    db: database.db,
    ...options,
    models: [Tag],
    resources: [
      shop.resource({
        model: Order,
        paging: cursorPaging(),
        scope: (ctx) => ({ owner: ctx.requirePrincipal().name }),
        serverFields: (ctx) => ({ owner: ctx.requirePrincipal().name }),
        ...resource,
      }),
    ],
  });
const api = () => build();
const post = (body: object, to = api()) =>
  to.fetch(
    new Request('http://in-process/orders', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  );
const tableOf = async () => String(await planIndexes(api()));
const namesOf = async (collection: string) => (await database.db.collection(collection).indexes()).map(({ name }) => name);

const ours = [
  '{ email: 1 } unique             Order: unique email; orders: filter by email',
  '{ slug: 1 } unique              Order: unique slug',
  '{ key: 1 } unique               Order: unique key',
  '{ owner: 1, number: 1 } unique  Order: unique owner, number',
  '{ createdAt: 1 }                Order: declared',
  '{ owner: 1, _id: 1 }            orders: its scope',
  '{ owner: 1, number: 1, _id: 1 } orders: filter and sort by number',
  '{ owner: 1, createdAt: 1, _id: 1 } orders: sort by createdAt',
].map((line) => line.replace(/ {2,}/, ' '));
const squeeze = (table: string) => table.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' '));

beforeEach(async () => {
  await database.db.dropDatabase();
  commands.clear();
});

describe('planIndexes()', () => {
  it('calls every index missing in a database that is empty, and reads each collection once', async () => {
    const table = squeeze(await tableOf());
    expect(table).toEqual(['orders', ...ours.map((line) => `missing ${line}`), '', 'tags', 'missing { name: 1 } unique Tag: unique name']);
    expect(commands.names).toEqual(['listIndexes', 'listIndexes']);
  });

  it('tells what exists, what is missing, what is in the way and what nothing needs', async () => {
    const orders = database.db.collection('orders');
    await orders.createIndex({ owner: -1, createdAt: -1, _id: -1, number: 1 }, { name: 'longer' });
    await orders.createIndex({ email: 1 }, { unique: true });
    await orders.createIndex({ total: 1 });
    const [plan] = (await planIndexes(api())).collections;
    expect(plan?.existing.map(({ existing }) => existing.name)).toEqual(['longer']);
    expect(plan?.conflicting.map(({ key, existing }) => [key, existing.name])).toEqual([[[['email', 1]], 'email_1']]);
    expect(plan?.missing).toHaveLength(ours.length - 2);
    expect(plan?.unused.map(({ name }) => name)).toEqual(['total_1']);
  });

  it('says that it cannot know a scope whose fields nobody declared', async () => {
    const [plan] = (await planIndexes(build({}))).collections;
    expect(plan?.notes).toEqual(['resource `orders` has a scope and no `scopeFields`: planned as if it had none']);
    expect(plan?.missing.map(({ key }) => key[0]?.[0])).toEqual(['email', 'slug', 'key', 'owner', 'createdAt', 'number', 'createdAt']);
    expect((await planIndexes(build({ scopeFields: [] }))).collections[0]?.notes).toEqual([]);
    expect((await planIndexes(build({ ops: ['get'] }))).collections[0]?.notes).toEqual([]);
  });

  it('lets a declared index be of any kind', async () => {
    const Page = defineModel('Page', {
      collection: 'pages',
      fields: { text: t.string(), place: t.any() },
      indexes: [{ key: { text: 'text' } }, { key: { place: '2dsphere' }, sparse: true }, { key: { text: 'hashed' } }],
    });
    const pages = shop.api({ db: database.db, resources: [shop.resource({ model: Page })] });
    expect((await applyIndexes(pages))[0]?.created).toHaveLength(3);
    expect((await planIndexes(pages)).collections).toMatchObject([{ missing: [], conflicting: [], unused: [] }]);
  });
});

describe('applyIndexes()', () => {
  it('creates what is missing by one command for each collection, and nothing the second time', async () => {
    const created = await applyIndexes(api());
    expect(created.map((one) => [one.collection, one.created.length])).toEqual([
      ['orders', ours.length],
      ['tags', 1],
    ]);
    expect(commands.names).toEqual(['listIndexes', 'listIndexes', 'createIndexes', 'createIndexes']);
    expect(squeeze(await tableOf())).toEqual([
      'orders',
      ...ours.map((line) => `exists ${line}`),
      '',
      'tags',
      'exists { name: 1 } unique Tag: unique name',
    ]);
    commands.clear();
    expect(await applyIndexes(api())).toEqual([]);
    expect(commands.names).toEqual(['listIndexes', 'listIndexes']);
  });

  it.each([0, 20_000])('reports each index once when it runs in several processes at once, on %i records', async (count) => {
    const records = Array.from({ length: count }, (_, n) => ({ number: `n${n}`, owner: 'ann', createdAt: new Date() }));
    if (count > 0) await database.db.collection('orders').insertMany(records);
    const clients = await Promise.all([1, 2, 3, 4].map(() => MongoClient.connect(process.env.MONGODB_URI ?? '')));
    const dbs = clients.map((client) => client.db(database.db.databaseName));
    const reports = await Promise.all(dbs.map((db) => applyIndexes(build(undefined, { db }))));
    await Promise.all(clients.map((client) => client.close()));
    const created = reports.flat().flatMap((report) => report.created.map(({ key }) => `${report.collection}: ${JSON.stringify(key)}`));
    expect(created).toHaveLength(ours.length + 1);
    expect(new Set(created).size).toBe(ours.length + 1);
    expect(await namesOf('orders')).toHaveLength(ours.length + 1);
  });

  it.each([
    ['there is none', 'mongodb://127.0.0.1:1', {}],
    ['there is none, and the driver gives up before', 'mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 50 }],
  ])('says in one sentence that the database does not answer, within `maxTimeMS`: %s', async (_what, uri, options) => {
    const client = new MongoClient(uri, options);
    const away = build(undefined, { db: client.db('x'), maxTimeMS: 300 });
    for (const run of [applyIndexes, planIndexes]) {
      const error = await Promise.resolve(run(away)).catch((failure: unknown) => failure as Error);
      expect(error).toBeInstanceOf(Error);
      const { message, cause } = error as Error;
      expect(message).toMatch(/^The indexes cannot be read, because the database does not answer: [^\n]+$/);
      expect(cause).toBeInstanceOf(Error);
    }
    await client.close();
  });

  it('says so of a database that is frozen', async () => {
    const proxy = await startDatabaseProxy(process.env.MONGODB_URI ?? '');
    const client = await MongoClient.connect(proxy.uri, { serverSelectionTimeoutMS: 1_000 });
    proxy.freeze();
    const frozen = build(undefined, { db: client.db(database.db.databaseName), maxTimeMS: 300 });
    await expect(applyIndexes(frozen)).rejects.toThrow(
      'The indexes cannot be read, because the database does not answer: No answer from the database within 300 ms.',
    );
    await proxy.close();
    await client.close();
  });

  it('drops nothing', async () => {
    await database.db.collection('orders').createIndex({ total: 1 });
    await applyIndexes(api());
    expect(await namesOf('orders')).toContain('total_1');
  });

  it('creates the others, and throws, where an index with other options is in the way', async () => {
    await database.db.collection('orders').createIndex({ email: 1 }, { sparse: true });
    await expect(applyIndexes(api())).rejects.toThrow(
      'drop them, and call `applyIndexes` again: `orders` needs { email: 1 } unique, and has `email_1` { email: 1 } { sparse: true }.',
    );
    expect(await namesOf('orders')).toHaveLength(ours.length + 1);
    expect(await namesOf('tags')).toEqual(['_id_', 'name_1']);
  });

  it('says which unique index records are in the way of, and creates none of the collection then', async () => {
    const stored = [
      { owner: 'ann', number: '1' },
      { owner: 'ann', number: '1' },
    ];
    await database.db.collection('orders').insertMany(stored);
    await expect(applyIndexes(api())).rejects.toThrow('The unique index { owner: 1, number: 1 } of `orders` cannot be created');
    expect(await namesOf('orders')).toEqual(['_id_']);
  });
});

describe('a unique index', () => {
  beforeEach(async () => {
    await applyIndexes(api());
  });

  it('is 409 for a second record with the same value, naming the field', async () => {
    expect((await post({ number: '1', email: 'a@x' })).status).toBe(201);
    const second = await post({ number: '2', email: 'a@x' });
    expect([second.status, ((await second.json()) as { errors: unknown }).errors]).toMatchObject([
      409,
      [{ field: 'email', message: 'is already taken' }],
    ]);
  });

  it('is 409 naming those of several fields that the client may write: `owner` is set by the server', async () => {
    expect((await post({ number: '1' })).status).toBe(201);
    const second = await post({ number: '1' });
    const { errors } = (await second.json()) as { errors: { field: string }[] };
    expect([second.status, errors.map(({ field }) => field)]).toEqual([409, ['number']]);
  });

  it('does not compare records without a value: missing, or stored as null', async () => {
    for (const number of ['1', '2', '3'])
      expect((await post({ number, ...(number !== '3' && { email: null, slug: null }) })).status).toBe(201);
    expect(await database.db.collection('orders').countDocuments({ slug: { $type: 'null' } })).toBe(3);
    expect(await database.db.collection('orders').countDocuments({ email: { $exists: false } })).toBe(3);
  });
});

describe('a filter that is declared as frequent', () => {
  const planned = async (filters: readonly string[], resource: object = { scopeFields: ['owner'] }) => {
    const { collections } = await planIndexes(build({ ...resource, filters }));
    const all = collections.flatMap(({ missing, existing }) => [...missing, ...existing]);
    return all.filter(({ reasons }) =>
      reasons.some(
        (reason) =>
          reason.includes('orders: filter number') || reason.includes('orders: filter email') || reason.includes('orders: filter ('),
      ),
    );
  };

  it.each([
    ['number = … AND email = …', [{ owner: 1, number: 1, email: 1, _id: 1 }]],
    ['email = … AND prefix(number, …)', [{ owner: 1, email: 1, number: 1, _id: 1 }]],
    [
      '(number = … OR email = …) AND NOT number = "x"',
      [
        { owner: 1, number: 1, _id: 1 },
        { owner: 1, email: 1, _id: 1 },
      ],
    ],
    ['email = null', [{ owner: 1, email: 1, _id: 1 }]],
  ])('%s has an index for each alternative', async (filter, keys) => {
    const found = await planned([filter]);
    expect(found.map(({ key }) => Object.fromEntries(key)).sort()).toEqual(keys.sort());
  });

  it('has its scope first, or none without one', async () => {
    const [index] = await planned(['number = … AND email = …'], {});
    expect(Object.fromEntries(index?.key ?? [])).toEqual({ number: 1, email: 1, _id: 1 });
  });

  it.each([
    ['number = ', /`filters` of resource `orders` has `number = `, which is not a filter: at character 10 it ends/],
    ['owner = …', /has `owner = …`, which `owner` at character 1 cannot be filtered/],
    ['email > …', /`email` at character 1 does not have the operator `gt`/],
    ['a = … AND b = … OR c = …', /is ambiguous/],
  ])('%j is refused at start', (filter, message) => expect(() => build({ filters: [filter] })).toThrow(message));

  it('is no filter for clients: `…` is no value there', async () => {
    const answer = await api().fetch(new Request(`http://in-process/orders?filter=${encodeURIComponent('number = …')}`));
    expect(answer.status).toBe(400);
  });
});
