import type { Document } from 'mongodb';
import { defineModel, jsonBody, openStore, t } from '../../../src/index.ts';
import { foldCase, foldText } from '../../../src/model/fold/fold-text.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const Address = t.object('Address', {
  city: t.string({ caseless: true, default: 'Zürich' }),
  zip: t.optional(t.string()),
  deep: t.optional(t.object('Deep', { street: t.string({ caseless: true }), number: t.int({ default: 1 }) })),
});
const Line = t.object('Line', { sku: t.string({ caseless: true }), note: t.optional(t.string({ caseless: true })) });
const fields = {
  id: t.string({ policy: { insert: true, filter: ['in'] } }),
  name: t.string({ caseless: true, default: 'Ölfeld' }),
  email: t.nullable(t.string({ caseless: true, unique: true })),
  nick: t.optional(t.string({ caseless: { accents: false }, unique: true, policy: { insert: true } })),
  stored: t.nullable(t.string({ caseless: true }), { storeNone: true }),
  by: t.optional(t.string({ caseless: true, policy: { insert: false, update: false } })),
  hooked: t.optional(t.string({ caseless: true })),
  address: t.nullable(Address),
  tags: t.array(t.nullable(t.string({ caseless: true })), { default: [] }),
  lines: t.array(Line, { default: [] }),
  byKey: t.map(Line, { default: {} }),
  boxIds: t.array(t.ref('Box', { id: t.string() }), { default: [] }),
  boxId: t.nullable(t.ref('Box', { id: t.string(), onDelete: 'nullify' })),
  deletedAt: t.deletedAt(),
};
const Item = defineModel('Item', { collection: 'items', fields: { ...fields, revision: t.revision(), updatedAt: t.updatedAt() } });
const Bare = defineModel('Bare', { collection: 'bares', fields: { ...fields, boxId: t.nullable(t.ref('Box', { id: t.string() })) } });
const Box = defineModel('Box', {
  collection: 'boxes',
  fields: { id: t.string({ policy: { insert: true } }), items: t.hasMany('Item', { via: 'boxId' }) },
});

const operations = {
  rename: {
    use: [jsonBody()],
    async handler(ctx: Any) {
      const item = await ctx.load();
      Object.assign(item, ctx.request.body);
      await ctx.save(item);
      item.name += '!'; // what it holds is up to date
      await ctx.save(item);
    },
  },
  copy: {
    use: [jsonBody()],
    async handler(ctx: Any) {
      const item = await ctx.store(Item).create({ ...ctx.request.body, name: 'ÇOPY' });
      item.lines.push({ sku: 'NÊW' });
      await ctx.store(Item).save(item);
    },
  },
} as const;
const server = {
  create: () => ({ by: 'ÄNN' }),
  update: () => ({ by: 'BÉN' }),
};
const setHooked = (_ctx: unknown, draft: { hooked?: string | null }) => {
  draft.hooked = 'HÖOKED';
};
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore', 'patchMany'] as const;

const database = useDatabase();
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Item, ops, operations, serverFields: server, links: ['boxIds'] }),
    shop.resource({ model: Item, path: 'hooked', before: { create: [setHooked], patch: [setHooked] } }),
    shop.resource({ model: Bare, path: 'bares', ops, mergePatch: false, operations: { rename: operations.rename } }),
    shop.resource({ model: Box, nested: ['items'] }),
  ],
  { batch: true },
);

const collections = ['items', 'bares'] as const;

/** The folded values that belong to a stored record, spelled out. */
function unfolded(stored: Document): Document {
  const withoutFolds = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withoutFolds);
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    const kept = Object.entries(value).filter(([key]) => !key.endsWith(']'));
    return Object.fromEntries(kept.map(([key, member]) => [key, withoutFolds(member)]));
  };
  return withoutFolds(stored) as Document;
}

function withFolds(stored: Document): Document {
  const text = (object: Document, key: string) => (typeof object[key] === 'string' ? { [`${key}[fold2]`]: foldText(object[key]) } : {});
  const { address, tags, lines, email } = stored;
  return {
    ...stored,
    ...Object.assign({}, ...['name', 'email', 'nick', 'stored', 'by', 'hooked'].map((key) => text(stored, key))),
    ...(typeof email === 'string' && { 'email[case1]': foldCase(email) }),
    ...(address && {
      address: {
        ...address,
        ...text(address, 'city'),
        ...(address.deep && { deep: { ...address.deep, ...text(address.deep, 'street') } }),
      },
    }),
    ...(tags && { 'tags[fold2]': tags.map((one: string | null) => one && foldText(one)) }),
    ...(lines && { lines: lines.map((line: Document) => ({ ...line, ...text(line, 'sku'), ...text(line, 'note') })) }),
  };
}

async function expectFolded(): Promise<void> {
  for (const name of collections)
    for (const stored of await database.db.collection(name).find().toArray()) expect(stored).toEqual(withFolds(unfolded(stored)));
}

const whole = {
  name: 'ZÜRICH',
  email: 'Ä@B.c',
  stored: null,
  hooked: 'Hook',
  address: { city: 'GENÈVE', deep: { street: 'Straße' } },
  tags: ['Å', null, 'b'],
  lines: [{ sku: 'ÄB' }, { sku: 'x', note: 'ÑO' }],
  byKey: { 'k.$': { sku: 'ÄB' } },
};

beforeEach(async () => {
  for (const name of [...collections, 'boxes']) await database.db.collection(name).deleteMany({});
  await database.db.collection<{ _id: string }>('boxes').insertOne({ _id: 'b' });
});

describe.each([['items'], ['bares']])('a write to %s', (path) => {
  const url = `/api/${path}`;
  async function send(method: string, at: string, body?: unknown, status?: number) {
    const answer = await api.request(method, `${url}${at}`, { body });
    expect([answer.status, answer.body?.errors]).toEqual([status ?? 200, undefined]);
    expect(JSON.stringify(answer.body ?? '')).not.toMatch(/fold2|case1/);
    await expectFolded();
    return answer;
  }

  it('folds in every path', async () => {
    await send('POST', '', { id: 'a', ...whole }, 201);
    await send('POST', '', { id: 'd' }, 201); // defaults
    await send('PATCH', '/a', { name: 'Grün' });
    await send('PATCH', '/a', { email: null, stored: 'ÉCOLE' });
    await send('PATCH', '/a', { stored: null, hooked: null });
    await send('PATCH', '/a', { address: { city: 'ZÜG', zip: '1' } });
    await send('PATCH', '/a', { address: { deep: { street: 'SÜD' } } });
    await send('PATCH', '/d', { address: { deep: { street: 'NÖRD' } } }); // created, with defaults
    await send('PATCH', '/a', { address: null });
    await send('PATCH', '/a', { tags: ['Ç'], lines: [{ sku: 'Ö' }] });
    await send('PUT', '/a', { ...whole, name: 'PÜT', address: { city: 'X' } });
    await send('PUT', '/a', { name: 'ÄLL' });
    await send('PATCH', '?id[in]=a,d', { name: 'MÄNY', address: { city: 'BÄRN' } });
    await send('POST', '/a/rename', { name: 'SÂVED', tags: ['À'], address: { city: 'Ü', deep: { street: 'Ï', number: 2 } } }, 204);
    await send('POST', '/a/rename', { lines: [{ sku: 'ÔNE' }], hooked: 'ÂH', email: 'Q@Ä' }, 204);
    await send('DELETE', '/a', undefined, 204);
    await send('POST', '/a/restore');
    const { body } = await send('GET', '/a');
    expect(body.data ?? body).toMatchObject({ name: 'SÂVED!!', lines: [{ sku: 'ÔNE' }] });
  });

  it('folds what stores write', async () => {
    const store = openStore(path === 'items' ? Item : Bare, { db: database.db, models: [Box] });
    await store.create({ id: 'a', ...whole });
    await store.createMany([
      { id: 'b', ...whole, email: 'b' },
      { id: 'c', ...whole, email: 'c' },
    ]);
    await store.createMany(
      [
        { id: 'e', ...whole, email: 'e' },
        { id: 'f', lines: [{ sku: 'Ä' }] },
      ],
      { all: true },
    );
    await expectFolded();
    await store.update('a', { name: 'ÜPDATE', address: { deep: { street: 'ÎLE' } }, hooked: null } as never);
    await store.updateMany({ id: { in: ['b', 'c'] } }, { tags: ['Ÿ'] });
    await expectFolded();
    const [made] = await store.createMany([{ id: 'g', ...whole, email: 'g' }]);
    const document = (made as Any).record;
    document.lines[0].sku = 'CHÂNGED';
    document.address.city = 'CITÉ';
    await store.save(document);
    document.lines.push({ sku: 'ÀGAIN' });
    await store.save(document);
    await expectFolded();
    expect(JSON.stringify(document)).not.toMatch(/fold2|case1/);
    expect(await store.find({ name: 'ZÜRICH', id: 'b' }).then((found: Any) => found.length)).toBe(1);
    expect(await store.find({ name: 'zürich' }).then((found: Any) => found.length)).toBe(0);
  });
});

describe('a write around items', () => {
  it('folds what hooks, links, batches, nested creates, handlers and cascades write', async () => {
    const post = (path: string, body: unknown) => api.request('POST', `/api/${path}`, { body });
    const created = await post('hooked', { id: 'h', ...whole, boxId: 'b' });
    expect([created.status, created.body.data.hooked]).toEqual([201, 'HÖOKED']);
    await expectFolded();
    expect((await api.request('PATCH', '/api/hooked/h', { body: { name: 'Ñ' } })).status).toBe(200);
    expect((await api.request('PUT', '/api/items/h/boxIds/b')).status).toBe(204);
    await expectFolded();
    expect((await post('boxes/b/items', { id: 'n', name: 'NÉSTED' })).status).toBe(201);
    const batch = await post('batch', {
      operations: [
        { method: 'POST', path: '/items', body: { id: 'x', name: 'BÀTCH' } },
        { method: 'PATCH', path: '/items/n', body: { name: 'ÌN BATCH' } },
      ],
    });
    expect(batch.status).toBe(200);
    await expectFolded();
    expect((await post('items/h/copy', { id: 'c', tags: ['Ž'] })).status).toBeLessThan(300);
    expect((await api.request('DELETE', '/api/boxes/b')).status).toBe(204);
    await expectFolded();
    expect(
      await database.db.collection('items').countDocuments({ 'name[fold2]': { $in: ['n', 'in batch', 'batch', 'copy'] }, boxId: null }),
    ).toBe(4);
  });

  it('keeps folded values to itself', async () => {
    await api.request('POST', '/api/items', { body: { id: 'a', ...whole } });
    for (const body of [{ 'name[fold2]': 'x' }, { address: { 'city[fold2]': 'x' } }, { lines: [{ sku: 'a', 'sku[fold2]': 'x' }] }]) {
      const { status, body: problem } = await api.request('PATCH', '/api/items/a', { body });
      expect([status, problem.errors[0].rule]).toEqual([422, 'unknown_field']);
    }
    const { body } = await api.request('GET', '/api/items/a');
    expect(JSON.stringify(body)).not.toMatch(/fold2|case1/);
    const store = openStore(Item, { db: database.db, models: [Box] });
    const item = await store.get('a');
    expect(JSON.stringify(item)).not.toMatch(/fold2|case1/);
    await expect(store.save(Object.assign(item, { 'name[fold2]': 'x' }))).rejects.toThrow('fold2');
  });

  it('is one write, and does not touch the folded values of other fields', async () => {
    await api.request('POST', '/api/items', { body: { id: 'a', ...whole } });
    const items = database.db.collection<{ _id: string }>('items');
    await items.updateOne({ _id: 'a' }, { $set: { 'email[fold2]': 'other' } });
    const changes = items.watch([]);
    await changes.tryNext();
    await api.request('PATCH', '/api/items/a', { body: { name: 'Köln' } });
    const change = (await changes.next()) as { updateDescription?: { updatedFields: object } };
    expect(change.updateDescription?.updatedFields).toMatchObject({ name: 'Köln', 'name[fold2]': 'koln', revision: 1 });
    expect(Object.keys(change.updateDescription?.updatedFields ?? {}).sort()).toEqual(
      ['by', 'by[fold2]', 'name', 'name[fold2]', 'revision', 'updatedAt'].sort(),
    );
    expect(await changes.tryNext()).toBeNull();
    await changes.close();
  });

  it('leaves the folded value of the last of parallel writes', async () => {
    await api.request('POST', '/api/items', { body: { id: 'a', ...whole } });
    const names = Array.from({ length: 40 }, (_, index) => `ÄÖ${index}Ü`);
    const answers = await Promise.all(
      names.map((name, index) => api.request('PATCH', '/api/items/a', { body: index % 2 ? { name } : { name, address: { city: name } } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    await expectFolded();
  });
});
