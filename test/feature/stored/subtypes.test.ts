import { Binary } from 'mongodb';
import { ConfigurationError, collectionValidator, cursorPaging, defineModel, everything, openStore, t } from '../../../src/index.ts';
import { auditCollection } from '../../../src/products/audit/audit-collection.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const open = { filter: true, sort: true, group: true } as const;
const subtypes = [0, 2, 3, 5, 6, 128, 255];
const bytes = Buffer.alloc(16, 7);
const text = bytes.toString('base64');
const stored = (subtype: number, from: Uint8Array = bytes) => new Binary(from, subtype);
/** As the database has it. */
const ofDriver = { promoteBuffers: false };

const kinds = subtypes.map((subtype) => {
  const File = defineModel(`File-${subtype}`, {
    collection: `files-${subtype}`,
    fields: {
      id: t.binary({ subtype, policy: { ...open, insert: true } }),
      name: t.string({ policy: { filter: true } }),
      digest: t.nullable(t.binary({ subtype, policy: open })),
      parts: t.array(t.binary({ subtype }), { default: [], policy: { filter: ['eq', 'in'] } }),
      byName: t.map(t.binary({ subtype }), { default: {} }),
      revision: t.revision(),
    },
    history: true,
  });
  const Page = defineModel(`Page-${subtype}`, {
    collection: `pages-${subtype}`,
    fields: {
      id: t.int({ policy: { insert: true } }),
      file: t.ref(File.name, { id: t.binary({ subtype }), exists: true, onDelete: 'restrict', policy: { filter: true } }),
    },
  });
  return { subtype, File, Page };
});

const database = useDatabase();
const api = useApi(database, (shop) =>
  kinds.flatMap(({ File, Page, subtype }) => [
    shop.resource({
      model: File,
      history: true,
      aggregate: true,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
      paging: cursorPaging({ max: 2 }),
      operations: {
        rename: {
          handler: async (ctx: Any) => {
            const file = await ctx.load();
            file.name = 'renamed';
            return ctx.save(file);
          },
        },
        replace: {
          handler: async (ctx: Any) => {
            const file = await ctx.load();
            file.digest = new Binary(Buffer.from('x'), subtype === 0 ? 5 : 0);
            return ctx.save(file);
          },
        },
      },
    } as Any),
    shop.resource({ model: Page, include: ['file'], through: ['file'] } as Any),
  ]),
);
const files = (subtype: number) => database.db.collection<Any>(`files-${subtype}`);
const send = (method: string, path: string, body?: object, headers = {}) => api.request(method, `/api/${path}`, { body, headers } as Any);
afterEach(() => expect(api.errors).toEqual([]));

describe.each(kinds)('binary data of subtype $subtype', ({ subtype, File, Page }) => {
  const path = `files-${subtype}/${encodeURIComponent(text)}`;
  const other = subtype === 0 ? 5 : 0;
  beforeEach(async () => {
    for (const name of ['files', 'pages']) await database.db.collection(`${name}-${subtype}`).deleteMany({});
    await database.db.collection(`files-${subtype}_history`).deleteMany({});
    const value = stored(subtype);
    await files(subtype).insertOne({ _id: value, name: 'a', digest: value, parts: [value], byName: { a: value }, revision: 0 });
  });

  it('keeps its subtype through creates, patches, puts and stores', async () => {
    const shown = { id: text, name: 'a', digest: text, parts: [text], byName: { a: text }, revision: 0 };
    expect((await send('GET', path)).body.data).toEqual(shown);
    expect((await send('PATCH', path, { digest: text, parts: [text, ''], byName: { b: text } })).status).toBe(200);
    expect((await send('PUT', path, { name: 'b', digest: text, parts: [text], byName: { a: text } })).status).toBe(200);
    expect(await files(subtype).findOne({}, ofDriver)).toMatchObject({
      _id: stored(subtype),
      digest: stored(subtype),
      parts: [stored(subtype)],
      byName: { a: stored(subtype) },
    });
    const made = await send('POST', `files-${subtype}`, { id: 'AQID', name: 'c', digest: 'AQID' });
    expect([made.status, made.body.data.digest]).toEqual([201, 'AQID']);
    const id = stored(subtype, Buffer.from([1, 2, 3]));
    expect(await files(subtype).findOne({ name: 'c' }, ofDriver)).toMatchObject({ _id: id, digest: id });
    const store = openStore(File, { db: database.db, scope: everything });
    await store.update(id as never, { digest: Buffer.from('x') } as Any);
    expect(await files(subtype).findOne({ name: 'c' }, ofDriver)).toMatchObject({ digest: stored(subtype, Buffer.from('x')) });
    expect((await store.find({ digest: stored(subtype) } as Any)).map(({ name }: Any) => name)).toEqual(['b']);
    expect((await send('DELETE', path)).status).toBe(204);
  });

  it('is found by filters, walked by cursors, grouped, included, and kept in histories', async () => {
    await files(subtype).insertOne({ _id: stored(subtype, Buffer.from('b')), name: 'b', digest: stored(other), revision: 0 });
    await files(subtype).insertOne({ _id: stored(subtype, Buffer.from('cc')), name: 'c', digest: stored(subtype, Buffer.from('c')) });
    const query = encodeURIComponent(text);
    for (const filter of [`id=${query}`, `digest=${query}`, `digest[in]=${query}`, `parts=${query}`])
      expect([filter, (await send('GET', `files-${subtype}?${filter}`)).body.data.map(({ name }: Any) => name)]).toEqual([filter, ['a']]);
    for (const sort of ['id', '-digest']) {
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const { body } = await send('GET', `files-${subtype}?sort=${sort}&limit=1${next && `&after=${next}`}`);
        seen.push(...body.data.map(({ name }: Any) => name));
        next = body.page.next_cursor;
      }
      expect([...seen].sort()).toEqual(['a', 'b', 'c']);
    }
    const groups = (await send('GET', `files-${subtype}/aggregate?group=digest&count=true&name=a`)).body.data;
    expect(groups).toEqual([{ group: { digest: text }, count: 1 }]);
    expect((await send('POST', `pages-${subtype}`, { id: 1, file: text })).status).toBe(201);
    expect((await send('POST', `pages-${subtype}`, { id: 2, file: 'AAAA' })).status).toBe(422);
    expect((await send('GET', `pages-${subtype}?file=${query}&file.name=a&include=file`)).body.data).toMatchObject([
      { file: { id: text, name: 'a' } },
    ]);
    expect((await send('DELETE', path)).status).toBe(409);
    expect((await send('PATCH', path, { digest: 'AQID' })).status).toBe(200);
    const { body } = await send('GET', `${path}/history`);
    expect(body.data[0].changes).toEqual([{ path: 'digest', before: text, after: 'AQID' }]);
    expect((await send('GET', `${path}?at=0`)).body.data).toMatchObject({ id: text, digest: text });
  });

  it('shows what is of another subtype as Extended JSON, which no write takes for bytes, and leaves it as it is', async () => {
    await files(subtype).updateOne({}, { $set: { digest: stored(other), parts: [stored(other)] } });
    const shown = { $binary: { base64: text, subType: other === 5 ? '05' : '00' } };
    const { data } = (await send('GET', path)).body;
    expect(data).toMatchObject({ digest: shown, parts: [shown] });
    for (const [method, body] of [['PATCH', { digest: data.digest }], ['PUT', { ...data, id: undefined, revision: undefined }]] as const) // biome-ignore format: one line
      expect([method, (await send(method, path, body as object)).body.errors[0]]).toMatchObject([
        method,
        { field: 'digest', rule: 'type' },
      ]);
    expect((await send('PATCH', path, { name: 'x' })).status).toBe(200);
    expect((await send('POST', `${path}/rename`)).status).toBe(200);
    expect((await send('POST', `${path}/replace`)).body.errors).toMatchObject([
      { field: 'digest', message: `must be binary data of subtype ${subtype}` },
    ]);
    expect(await files(subtype).findOne({}, ofDriver)).toMatchObject({ name: 'renamed', digest: stored(other), parts: [stored(other)] });
  });

  it('is no target of a reference of another subtype', () => {
    const Wrong = defineModel('Wrong', {
      collection: 'wrong',
      fields: { to: t.ref(File.name, { id: t.binary({ subtype: other }), exists: true }) },
    });
    expect(Page).toBeDefined();
    expect(() => openStore(Wrong, { db: database.db, models: [File] } as Any)).toThrow(ConfigurationError);
  });

  it('is all that an audit calls fitting; a validator cannot tell', async () => {
    const validator = collectionValidator(File) as Any;
    expect(validator.$jsonSchema.properties.digest).toEqual({ bsonType: ['binData', 'null'] });
    let last: Any;
    for await (last of auditCollection(File, { db: database.db }));
    expect(last.misfits).toEqual([]);
    await files(subtype).updateOne({}, { $set: { digest: stored(other), byName: { a: stored(other) } } });
    for await (last of auditCollection(File, { db: database.db }));
    expect(last.misfits.map(({ path, rule }: Any) => [path, rule]).sort()).toEqual([
      ['byName.*', 'type'],
      ['digest', 'type'],
    ]);
  });
});

it.each([-1, 256, 1.5, '5', null])('a subtype that BSON does not have is a configuration error: %p', (subtype) => {
  expect(() => collectionValidator(defineModel('A', { collection: 'a', fields: { n: t.binary({ subtype } as Any) } }))).toThrow(
    new ConfigurationError('Model `A`: `subtype` of `n` must be a subtype of binary data in BSON, from 0 to 255.'),
  );
});
