import { Binary, ObjectId, UUID } from 'mongodb';
import { ConfigurationError, collectionValidator, cursorPaging, defineModel, openStore, type Policy, t } from '../../../src/index.ts';
import { auditCollection } from '../../../src/products/audit/audit-collection.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const text = '00112233-4455-6677-8899-aabbccddeeff';
/** The bytes in which the old drivers store this UUID. */
const bytes = {
  'legacy-csharp': '33221100554477668899aabbccddeeff',
  'legacy-java': '7766554433221100ffeeddccbbaa9988',
  'legacy-python': '00112233445566778899aabbccddeeff',
} as const;
type Form = keyof typeof bytes;
const forms = Object.keys(bytes) as Form[];
const open = { filter: true, sort: true, group: true } as const;
const orders: Record<Form, (hex: string) => string> = {
  'legacy-csharp': (hex) => hex.replace(/^(..)(..)(..)(..)(..)(..)(..)(..)/, '$4$3$2$1$6$5$8$7'),
  'legacy-java': (hex) => [hex.slice(0, 16), hex.slice(16)].map((half) => (half.match(/../g) ?? []).reverse().join('')).join(''),
  'legacy-python': (hex) => hex,
};

const kinds = forms.map((form) => {
  const uuid = (policy?: Policy) => t.uuid({ storedAs: form, ...(policy && { policy }) });
  const Target = defineModel(`Owner-${form}`, {
    collection: `owners-${form}`,
    fields: {
      id: uuid({ ...open, insert: true }),
      name: t.string({ policy: { filter: true, sort: true } }),
      tokens: t.array(uuid(), { default: [], policy: { filter: ['eq', 'in'] } }),
      batch: t.nullable(uuid(open)),
      revision: t.revision(),
    },
    history: true,
  });
  const Source = defineModel(`Pet-${form}`, {
    collection: `pets-${form}`,
    fields: {
      id: t.int({ policy: { insert: true } }),
      owner: t.ref(Target.name, { id: uuid(), exists: true, onDelete: 'restrict', policy: { filter: true } }),
    },
  });
  return { form, Target, Source };
});

const database = useDatabase();
const api = useApi(
  database,
  (shop) =>
    kinds.flatMap(({ Target, Source }) => [
      shop.resource({
        model: Target,
        history: true,
        aggregate: true,
        ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
        paging: cursorPaging({ max: 2 }),
      } as Any),
      shop.resource({ model: Source, include: ['owner'], through: ['owner'] } as Any),
    ]),
  { idempotency: { principal: () => 'me' } },
);
const of = (form: Form) => database.db.collection<Any>(`owners-${form}`);
const pets = (form: Form) => database.db.collection<Any>(`pets-${form}`);
const stored = (form: Form, uuid = text) => new Binary(Buffer.from(orders[form](uuid.replaceAll('-', '')), 'hex'), 3);
const send = (method: string, path: string, body?: object, headers = {}) => api.request(method, `/api/${path}`, { body, headers } as Any);
afterEach(() => expect(api.errors).toEqual([]));

describe.each(kinds)('a UUID that is stored as $form', ({ form, Target, Source }) => {
  beforeEach(async () => {
    for (const name of [`owners-${form}`, `owners-${form}_history`, `pets-${form}`]) await database.db.collection(name).deleteMany({});
    await of(form).insertOne({ _id: stored(form), name: 'a', tokens: [stored(form)], batch: stored(form), revision: 0 });
  });

  it('has the bytes of that driver', async () => {
    expect(stored(form)).toEqual(new Binary(Buffer.from(bytes[form], 'hex'), 3));
    const made = await send('POST', `owners-${form}`, { name: 'b', batch: text });
    expect(made.status).toBe(201);
    const record = await of(form).findOne({ name: 'b' }, { promoteBuffers: false });
    expect(record).toMatchObject({ _id: stored(form, made.body.data.id), batch: stored(form) });
    expect(made.headers.location).toBe(`/api/owners-${form}/${made.body.data.id}`);
  });

  it('is read by its path, shown, patched and put, and keeps its subtype', async () => {
    const shown = { id: text, name: 'a', tokens: [text], batch: text, revision: 0 };
    expect((await send('GET', `owners-${form}/${text}`)).body.data).toEqual(shown);
    expect((await send('PATCH', `owners-${form}/${text}`, { name: 'x', batch: text, tokens: [text, text] })).status).toBe(200);
    expect((await send('PUT', `owners-${form}/${text}`, { name: 'y', batch: text, tokens: [text] })).status).toBe(200);
    expect(await of(form).findOne()).toMatchObject({ _id: stored(form), batch: stored(form), tokens: [stored(form)], name: 'y' });
    expect((await send('DELETE', `owners-${form}/${text}`)).status).toBe(204);
  });

  it('is found by filters, walked by cursors, and grouped', async () => {
    const others = Array.from({ length: 5 }, () => new UUID().toString());
    await of(form).insertMany(others.map((id) => ({ _id: stored(form, id), name: 'b', batch: stored(form, id), revision: 0 })));
    await of(form).insertOne({ _id: stored(form, new UUID().toString()), name: 'c', revision: 0 });
    for (const query of [
      `id=${text}`,
      `batch=${text}`,
      `tokens=${text}`,
      `id[in]=${text}`,
      `batch[ne]=${text}&name=a`,
      `tokens[in]=${text}`,
    ])
      expect([query, (await send('GET', `owners-${form}?${query}`)).body.data.map(({ id }: Any) => id)]).toEqual([
        query,
        query.includes('ne') ? [] : [text],
      ]);
    for (const sort of ['id', '-batch', 'batch']) {
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const { body } = await send('GET', `owners-${form}?sort=${sort}${next && `&after=${next}`}`);
        seen.push(...body.data.map(({ id }: Any) => id));
        next = body.page.next_cursor;
      }
      expect(seen).toHaveLength(7);
      expect(new Set(seen)).toMatchObject({ size: 7 });
    }
    const { body } = await send('GET', `owners-${form}/aggregate?group=batch&count=true&name[in]=a,c`);
    expect(body.data).toEqual(
      expect.arrayContaining([
        { group: { batch: text }, count: 1 },
        { group: { batch: null }, count: 1 },
      ]),
    );
  });

  it('refers to records: checked, included, filtered through, and restricting', async () => {
    const other = new UUID().toString();
    expect((await send('POST', `pets-${form}`, { id: 1, owner: text })).status).toBe(201);
    expect((await send('POST', `pets-${form}`, { id: 2, owner: other })).status).toBe(422);
    expect((await pets(form).findOne())?.owner).toEqual(stored(form));
    expect((await send('GET', `pets-${form}?owner=${text}&owner.name=a&include=owner`)).body.data).toMatchObject([
      { owner: { id: text, name: 'a' } },
    ]);
    expect((await send('DELETE', `owners-${form}/${text}`)).status).toBe(409);
  });

  it('stands in histories and behind keys as it does elsewhere', async () => {
    const other = new UUID().toString();
    const headers = { 'idempotency-key': `"${form}"` };
    const first = await send('PATCH', `owners-${form}/${text}`, { batch: other }, headers);
    const second = await send('PATCH', `owners-${form}/${text}`, { batch: other }, headers);
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
    const { body } = await send('GET', `owners-${form}/${text}/history`);
    expect(body.data[0].changes).toEqual([{ path: 'batch', before: text, after: other }]);
    expect((await send('GET', `owners-${form}/${text}?at=0`)).body.data).toMatchObject({ id: text, batch: text });
  });

  it('is a UUID for stores, and fits an audit and a validator', async () => {
    const store = openStore(Target, { db: database.db }) as Any;
    const held = await store.get(text);
    expect([held.id, held.batch]).toEqual([new UUID(text), new UUID(text)]);
    held.batch = new UUID();
    await store.save(held);
    expect((await store.find({ batch: held.batch })).map(({ name }: Any) => name)).toEqual(['a']);
    expect((await of(form).findOne())?.batch.sub_type).toBe(3);
    let last: Any;
    for await (last of auditCollection(Target, { db: database.db }));
    expect(last.misfits).toEqual([]);
    expect(await of(form).countDocuments(collectionValidator(Target) as Any)).toBe(1);
  });

  it('is not what is stored otherwise: that is shown as base64, which cannot be sent back, and an audit names it', async () => {
    await of(form).insertMany([
      { _id: new UUID(text), name: 'b', batch: new UUID(text) },
      { _id: new ObjectId(), name: 'c', batch: new Binary(Buffer.from('short'), 3) },
    ]);
    const { body } = await send('GET', `owners-${form}?name=b`);
    expect(body.data[0].batch).toBe(Buffer.from(new UUID(text).buffer).toString('base64'));
    expect((await send('PATCH', `owners-${form}/${text}`, { batch: body.data[0].batch })).status).toBe(422);
    expect((await send('GET', `owners-${form}/aggregate?group=batch&count=true&name[in]=b,c`)).body.data).toEqual([
      { group: { batch: null }, count: 2 },
    ]);
    let last: Any;
    for await (last of auditCollection(Target, { db: database.db }));
    expect(last.misfits.map(({ path, records }: Any) => [path, records])).toEqual([
      ['batch', 2],
      ['id', 2],
    ]);
  });

  it('is no target of a reference in another form', () => {
    const others = forms.filter((one) => one !== form).map((storedAs) => t.uuid({ storedAs }));
    expect(Source).toBeDefined();
    for (const id of [t.uuid(), ...others])
      expect(() =>
        openStore(defineModel('X', { collection: 'x', fields: { to: t.ref(Target.name, { id, exists: true }) } }), {
          db: database.db,
          models: [Target],
        } as Any),
      ).toThrow(ConfigurationError);
  });
});
