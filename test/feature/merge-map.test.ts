import { type Api, defineModel, openapiText, service, t, toJsonSchema } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const id = t.string({ policy: { insert: true } });
const Price = t.object('Price', {
  amount: t.int(),
  note: t.optional(t.string()),
  tax: t.int({ default: 19 }),
  checkedBy: t.nullable(t.string(), { policy: { insert: false, update: false } }),
});
const Text = t.object('Text', { title: t.string(), body: t.optional(t.string()), tags: t.array(t.string(), { default: [] }) });
const notes = t.map(t.string(), { merge: true, default: { first: '1' }, maxProperties: 1 });
const Size = t.object('Size', { cm: t.int(), notes });
const Product = defineModel('Product', {
  collection: 'products',
  fields: {
    id,
    kind: t.string({ default: 'pen', policy: { filter: true } }),
    labels: t.map(t.string({ maxLength: 20 }), {
      merge: true,
      default: {},
      maxProperties: 5,
      propertyNames: { pattern: '^[^!]*$', maxLength: 20 },
    }),
    settings: t.nullable(t.map(t.any(), { merge: true, minProperties: 1 })),
    prices: t.map(Price, { merge: true, default: {} }),
    texts: t.map(t.map(Text, { merge: true }), { merge: true, default: {} }),
    options: t.optional(t.object('Options', { colours: t.map(t.int(), { merge: true }), name: t.optional(t.string()) })),
    whole: t.map(t.string(), { default: {} }),
    flags: t.map(t.boolean(), { merge: true, default: { shown: true } }),
    sizes: t.map(Size, { merge: true, default: { de: { cm: 1, notes: { a: '1' } } } }),
    outer: t.optional(Size),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  },
});

let api: Any;
let merging: Api;
beforeAll(() => {
  const shop = service();
  const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
  const products = shop.resource({
    model: Product,
    ops: [...ops, 'patchMany'],
    before: {
      patch: [
        (ctx, draft: Any) => {
          const add = ctx.get('x-add');
          if (add) draft.labels = { ...draft.labels, [add]: 'by a hook' };
          if (ctx.get('x-seen')) ctx.set('x-seen', JSON.stringify(draft));
          if (ctx.get('x-price')) draft.prices = { ...draft.prices, [ctx.get('x-price')]: { note: 'by a hook' } };
          const drop = ctx.get('x-drop');
          if (drop) delete draft.labels[drop];
        },
      ],
    },
  });
  const replacing = shop.resource({ model: Product, path: 'replacing', ops: [...ops], mergePatch: false });
  merging = shop.api({ db: database.db, resources: [products], title: 'Shop' });
  api = shop.api({ db: database.db, resources: [products, replacing], title: 'Shop' });
});
beforeEach(() => database.db.collection('products').deleteMany({}));

async function send(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Any> {
  const init = {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  };
  const answer: Response = await (api as Api).fetch(new Request(`http://api${path}`, init as RequestInit));
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, ...(text === '' ? {} : JSON.parse(text)) };
}
const create = (body: object = {}) => send('POST', '/products', { id: 'a', ...body });
const patch = (body: unknown, headers?: Readonly<Record<string, string>>) => send('PATCH', '/products/a', body, headers);
const stored = (): Promise<Any> => database.db.collection<{ _id: string }>('products').findOne({ _id: 'a' });
const errorsOf = ({ status, errors }: Any) => [status, errors?.map(({ field, rule }: Any) => [field, rule])];

describe('PATCH of a map with `merge: true`', () => {
  it('sets the keys that it names, removes those that are null, and leaves the others, in one command and one revision', async () => {
    await create({ labels: { a: '1', b: '2', c: '3' } });
    commands.clear();
    const { data, status } = await patch({ labels: { b: 'two', c: null, d: '4', unknown: null } });
    expect([status, data.labels, data.revision]).toEqual([200, { a: '1', b: 'two', d: '4' }, 1]);
    expect(commands.names).toEqual(['findAndModify']);
    expect((await stored()).labels).toEqual({ a: '1', b: 'two', d: '4' });
  });

  it('takes every key for data', async () => {
    await create({ labels: { $set: '1', 'a.b': '2' } });
    const labels = JSON.parse('{"$set":"$labels","a.b":null,"__proto__":"p","":"empty","0":"zero"}');
    expect((await patch({ labels })).status).toBe(200);
    const { data } = await send('GET', '/products/a');
    expect(Object.entries(data.labels)).toEqual([
      ['0', 'zero'],
      ['$set', '$labels'],
      ['__proto__', 'p'],
      ['', 'empty'],
    ]);
  });

  it('keeps the keys of all patches that are sent at the same time', async () => {
    await create();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => patch({ settings: { [`key ${n}`]: n }, flags: { [`${n}`]: true } })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { data } = await send('GET', '/products/a');
    expect(Object.keys(data.settings)).toHaveLength(20);
    expect([Object.keys(data.flags).length, data.revision]).toEqual([21, 20]);
  });

  it('creates a map that is null or missing, and begins with the default of one that is missing', async () => {
    await database.db.collection<Any>('products').insertOne({ _id: 'a', revision: 0 });
    const { data } = await patch({ settings: { a: { b: 1 }, gone: null }, flags: { red: false } });
    expect([data.settings, data.flags]).toEqual([{ a: { b: 1 } }, { shown: true, red: false }]);
    expect((await patch({ settings: null })).data.settings).toBeNull();
    expect((await patch({ flags: {} })).data.flags).toEqual({ shown: true, red: false });
  });

  it('begins with what the same patch creates: the defaults of an outer map, or an object with the keys that were sent', async () => {
    await database.db.collection<Any>('products').insertOne({ _id: 'a', revision: 0 });
    expect(errorsOf(await patch({ sizes: { de: { notes: { b: '2' } } } }))).toEqual([422, [['sizes.de.notes', 'maxProperties']]]);
    expect((await patch({ sizes: { de: { notes: { a: null, b: '2' } } } })).data.sizes).toEqual({ de: { cm: 1, notes: { b: '2' } } });
    expect((await patch({ sizes: { fr: { cm: 2, notes: { c: '3' } } } })).data.sizes.fr).toEqual({ cm: 2, notes: { c: '3' } });
    expect(errorsOf(await patch({ sizes: { it: { notes: { c: '3' } } } }))).toEqual([422, [['sizes.it', 'incomplete']]]);
    expect((await patch({ outer: { cm: 3, notes: { d: '4' } } })).data.outer).toEqual({ cm: 3, notes: { d: '4' } });
    expect(errorsOf(await patch({ outer: { notes: { e: '5' } } }))).toEqual([422, [['outer.notes', 'maxProperties']]]);
  });

  it('bounds the number of keys in the write’s own filter', async () => {
    await create({ labels: { a: '1', b: '2', c: '3', d: '4' }, settings: { one: 1 } });
    expect(errorsOf(await patch({ labels: { e: '5', f: '6' } }))).toEqual([422, [['labels', 'maxProperties']]]);
    expect(errorsOf(await patch({ settings: { one: null } }))).toEqual([422, [['settings', 'minProperties']]]);
    expect((await patch({ labels: { a: null, e: '5', f: '6' }, settings: { one: null, two: 2 } })).data.labels).toEqual({
      b: '2',
      c: '3',
      d: '4',
      e: '5',
      f: '6',
    });
    const answers = await Promise.all(['x', 'y', 'z'].map((key) => patch({ labels: { b: null, [key]: key } })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    expect(Object.keys((await stored()).labels)).toHaveLength(5);
  });

  it('checks keys and values, each by its own path', async () => {
    await create();
    expect(errorsOf(await patch({ labels: { 'a!': '1', b: 'x'.repeat(21), c: 5 }, prices: { eur: { amount: 'x', no: 1 } } }))).toEqual([
      422,
      [
        ['labels.b', 'maxLength'],
        ['labels.c', 'type'],
        ['labels', 'propertyNames'],
        ['prices.eur.no', 'unknown_field'],
        ['prices.eur.amount', 'type'],
      ],
    ]);
    expect(errorsOf(await patch({ labels: [] }))).toEqual([422, [['labels', 'type']]]);
    expect(errorsOf(await patch({ labels: null }))).toEqual([422, [['labels', 'not_null']]]);
    expect(errorsOf(await patch({ labels: { 'a\u0000': '1' } }))[0]).toBe(422);
    expect((await send('GET', '/products/a')).data.revision).toBe(0);
  });

  it('takes thousands of keys', async () => {
    await create();
    const settings = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n]));
    expect((await patch({ settings })).status).toBe(200);
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x${n}`, null]));
    expect(Object.keys((await patch({ settings: unknown })).data.settings)).toHaveLength(5_000);
    const removals = Object.fromEntries(Array.from({ length: 4_999 }, (_, n) => [`k${n}`, null]));
    expect((await patch({ settings: removals })).data.settings).toEqual({ k4999: 4999 });
  });

  it('is replaced whole by PUT, by a resource with `mergePatch: false`, and where it does not say `merge`', async () => {
    await create({ labels: { a: '1' }, whole: { a: '1' } });
    expect((await patch({ whole: { b: '2' } })).data.whole).toEqual({ b: '2' });
    expect(errorsOf(await patch({ whole: { b: null } }))).toEqual([422, [['whole.b', 'not_null']]]);
    expect((await send('PATCH', '/replacing/a', { labels: { b: '2' } })).data.labels).toEqual({ b: '2' });
    expect(errorsOf(await send('PATCH', '/replacing/a', { labels: { b: null } }))).toEqual([422, [['labels.b', 'not_null']]]);
    expect((await send('PUT', '/products/a', { labels: { c: '3' } })).data.labels).toEqual({ c: '3' });
    expect(errorsOf(await create({ id: 'b', labels: { a: null } }))).toEqual([422, [['labels.a', 'not_null']]]);
  });
});

describe('an object in such a map', () => {
  it('is merged, and created with its defaults if it is complete', async () => {
    await create({ prices: { eur: { amount: 1, note: 'n' } } });
    const { data } = await patch({ prices: { eur: { amount: 2 }, usd: { amount: 3 } } });
    expect(data.prices).toEqual({
      eur: { amount: 2, note: 'n', tax: 19, checkedBy: null },
      usd: { amount: 3, tax: 19, checkedBy: null },
    });
    expect((await patch({ prices: { eur: { note: null, tax: 7 } } })).data.prices.eur).toEqual({ amount: 2, tax: 7, checkedBy: null });
  });

  it('is 422 if it is missing and not complete, and nothing is written', async () => {
    await create();
    const refused = await patch({ prices: { eur: { note: 'n' } }, labels: { a: '1' } });
    expect([refused.status, refused.errors]).toEqual([
      422,
      [
        {
          field: 'prices.eur',
          rule: 'incomplete',
          message: 'does not exist yet; to create it, send also amount',
          params: { missing: ['amount'] },
        },
      ],
    ]);
    expect((await stored()).labels).toEqual({});
  });

  it('keeps what the client may not write, which can be neither named nor cleared', async () => {
    await create({ prices: { eur: { amount: 1 } } });
    await database.db.collection<Any>('products').updateOne({ _id: 'a' }, { $set: { 'prices.eur.checkedBy': 'Ann' } });
    expect((await patch({ prices: { eur: { amount: 2 } } })).data.prices.eur.checkedBy).toBe('Ann');
    expect(errorsOf(await patch({ prices: { eur: { checkedBy: 'Ben' } } }))).toEqual([422, [['prices.eur.checkedBy', 'not_writable']]]);
    expect(errorsOf(await patch({ prices: { eur: null } }))).toEqual([422, [['prices.eur', 'not_clearable']]]);
    expect((await stored()).prices.eur).toEqual({ amount: 2, tax: 19, checkedBy: 'Ann' });
  });

  it('is merged in a map of maps too', async () => {
    await create({ texts: { de: { short: { title: 'T', body: 'B' } } } });
    const { data } = await patch({ texts: { de: { short: { title: 'U' }, long: { title: 'L' } }, 'f.r': { short: { title: 'V' } } } });
    expect(data.texts).toEqual({
      de: { short: { title: 'U', body: 'B', tags: [] }, long: { title: 'L', tags: [] } },
      'f.r': { short: { title: 'V', tags: [] } },
    });
    expect((await patch({ texts: { de: { long: null }, 'f.r': null } })).data.texts).toEqual({
      de: { short: { title: 'U', body: 'B', tags: [] } },
    });
  });
});

describe('such a map in an embedded object', () => {
  it('is created with it, without the keys that are null, and merged afterwards', async () => {
    await create();
    expect((await patch({ options: { colours: { red: 1, blue: null } } })).data.options).toEqual({ colours: { red: 1 } });
    expect((await patch({ options: { colours: { green: 2, red: null } } })).data.options).toEqual({ colours: { green: 2 } });
    expect((await patch({ options: { name: 'n' } })).data.options).toEqual({ colours: { green: 2 }, name: 'n' });
  });
});

describe('hooks and the application', () => {
  it('a hook sees the keys that are sent, with null where one is removed, and may add and drop some', async () => {
    await create({ labels: { a: '1', b: '2' } });
    const answer = await patch({ labels: { a: null, c: '3' } }, { 'x-seen': '1', 'x-add': 'h', 'x-drop': 'c' });
    expect(JSON.parse(answer.headers.get('x-seen'))).toEqual({ labels: { a: null, c: '3', h: 'by a hook' } });
    expect(answer.data.labels).toEqual({ b: '2', h: 'by a hook' });
    expect((await patch({ whole: {} }, { 'x-add': 'i' })).data.labels).toEqual({ b: '2', h: 'by a hook', i: 'by a hook' });
  });

  it('an object that a hook begins and that does not exist is a mistake of the hook, beside an answer to the client', async () => {
    await create({ prices: { eur: { amount: 1 } } });
    expect((await patch({ prices: { eur: { amount: 2 } } }, { 'x-price': 'eur' })).data.prices.eur).toMatchObject({
      amount: 1,
      note: 'by a hook',
    });
    expect((await patch({ labels: {} }, { 'x-price': 'usd' })).status).toBe(500);
    expect(errorsOf(await patch({ prices: { usd: { tax: 1 } } }, { 'x-price': 'gbp' }))[0]).toBe(422);
  });

  it('`store.update` merges too, and `ctx.save` writes what a handler has left', async () => {
    await create({ labels: { a: '1', b: '2' } });
    const store = (api as Api).store(Product);
    const updated = await store.update('a', { labels: { a: null, c: '3' }, prices: { eur: { amount: 1 } } });
    expect([updated?.labels, updated?.prices]).toEqual([{ b: '2', c: '3' }, { eur: { amount: 1, tax: 19, checkedBy: null } }]);
  });

  it('a write to many merges in each record, and names one that cannot take it', async () => {
    await create({ labels: { a: '1' } });
    await create({ id: 'b', labels: { a: '1', b: '2', c: '3', d: '4' } });
    const many = await send('PATCH', '/products?kind=pen&max_affected=10', { labels: { e: '5' } });
    expect([many.status, many.data ?? many]).toMatchObject([200, {}]);
    const refused = await send('PATCH', '/products?kind=pen&max_affected=10', { labels: { f: '6' } });
    expect(errorsOf(refused)).toEqual([422, [['b.labels', 'maxProperties']]]);
    expect((await stored()).labels).toEqual({ a: '1', e: '5' });
  });
});

describe('its description', () => {
  it('says in the patch that null removes a key, and describes an object by the keys that may be sent', () => {
    const { schemas } = JSON.parse(openapiText(merging)).components;
    const { labels, prices, whole } = schemas.ProductPatch.properties;
    expect(labels).toMatchObject({ type: 'object', additionalProperties: { type: ['string', 'null'], maxLength: 20 } });
    expect([labels.maxProperties, schemas.ProductCreate.properties.labels.maxProperties]).toEqual([undefined, 5]);
    expect(prices.additionalProperties).toEqual({ $ref: '#/components/schemas/PricePatch' });
    expect(schemas.PricePatch.required).toBeUndefined();
    expect(whole.additionalProperties).toEqual({ type: 'string' });
  });

  it('is read again as the schema of a body', () => {
    const Label = defineModel('Label', { collection: 'labels', fields: { m: t.map(t.string(), { merge: true }) } });
    const patchSchema = toJsonSchema(Label, 'patch') as Any;
    expect(patchSchema.properties.m['x-merge']).toBe(true);
    const Body = defineModel('Body', { collection: 'bodies', fields: { label: t.from(patchSchema) } });
    const read = JSON.stringify(toJsonSchema(Body, 'create'));
    expect(read).toContain('"additionalProperties":{"type":["string","null"]}');
    expect(read).not.toContain('x-merge');
  });
});

describe('a definition', () => {
  it('has at most 16 maps in one another whose keys are merged', async () => {
    const nested = (depth: number): Any => t.map(depth === 1 ? t.int() : nested(depth - 1), { merge: true });
    const serve = (depth: number) => {
      const Deep = defineModel('Deep', { collection: 'deep', fields: { id, m: t.optional(nested(depth)) } });
      return service().api({ db: database.db, resources: [service().resource({ model: Deep })] });
    };
    expect(() => serve(17)).toThrow('merges more than 16 maps in one another');
    await database.db.collection<Any>('deep').insertOne({ _id: 'a' });
    const m = Array.from({ length: 16 }).reduce<unknown>((inner) => ({ k: inner }), 1);
    const init = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ m }) };
    const answer = await serve(16).fetch(new Request('http://api/deep/a', init));
    expect([answer.status, ((await answer.json()) as Any).data]).toEqual([200, { id: 'a', m }]);
  });

  it('refuses values that may be null, because null removes a key', () => {
    const bad = () => defineModel('Bad', { collection: 'bad', fields: { m: t.map(t.nullable(t.string()), { merge: true }) } });
    expect(() => service().api({ db: database.db, resources: [service().resource({ model: bad() })] })).toThrow(
      '`m` cannot have `merge: true`: its values may be null, and null removes a key (RFC 7396).',
    );
  });
});
