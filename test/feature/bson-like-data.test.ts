import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const fields = {
  id: t.string({ policy: { insert: true } }),
  text: t.string({ default: 'x' }),
  any: t.nullable(t.any()),
  list: t.array(t.any(), { default: [] }),
  map: t.map(t.any(), { default: {} }),
  closed: t.nullable(t.any(), { policy: { update: false } }),
};
const check = () => [];
const Doc = defineModel('Doc', { collection: 'docs', fields: { ...fields, revision: t.revision() } });
const Bare = defineModel('Bare', { collection: 'docs', fields, check });

/** What the handler changes in the test at hand. */
let change: (doc: Record<string, unknown>) => unknown = () => undefined;
const database = useDatabase();
const edit = {
  async handler(ctx: { load(): Promise<unknown>; save(doc: never): Promise<unknown> }) {
    const doc = (await ctx.load()) as Record<string, unknown>;
    change(doc);
    return { doc: await ctx.save(doc as never), any: doc.any };
  },
};
const ops = ['get', 'create', 'patch', 'put'] as const;
const api = useApi(database, (shop) => [
  shop.resource({ model: Doc, ops, operations: { edit } }),
  shop.resource({ model: Bare, path: 'bare', ops, operations: { edit } }),
]);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');

/** The document as its bytes, without the driver's guesses. */
async function bytesOf(id: string): Promise<string> {
  return Buffer.from((await docs().findOne({ _id: id }, { raw: true })) as unknown as Uint8Array).toString('base64');
}

beforeEach(async () => {
  api.errors.length = 0;
  await docs().deleteMany({});
});

const values: unknown[] = [
  { _bsontype: 'x' },
  { _bsontype: 'ObjectId' },
  { _bsontype: 'ObjectId', id: 'aaaaaaaaaaaa' },
  { _bsontype: 'Long', low: 1, high: 2 },
  { _bsontype: 'Binary', sub_type: 0, position: 1, buffer: 'x' },
  { _bsontype: 'Code', code: 'x', scope: { _bsontype: 'x' } },
  { _bsontype: 5 },
  { _bsontype: null },
  { _bsontype: { _bsontype: 'x' } },
  [[{ _bsontype: 'ObjectId' }]],
  { a: { _bsontype: 'Long' }, toBSON: 1 },
  { $ref: 'a', $id: { _bsontype: 'ObjectId' }, more: [{ _bsontype: 'x' }] },
];

describe.each(['docs', 'bare'])('what looks like a type of BSON in untyped data of %s', (resource) => {
  it.each(values)('is data for every operation: %j', async (value) => {
    const path = `/api/${resource}/a`;
    const sent = { any: value, list: [value, { value }], map: { a: value, _bsontype: value } };
    const ask = async (method: string, to: string, body?: unknown) => {
      const answer = await api.request(method, to, body === undefined ? {} : { body });
      expect([method, answer.status, api.errors]).toEqual([method, method === 'POST' && to === `/api/${resource}` ? 201 : 200, []]);
      return answer.body.data;
    };
    expect(await ask('POST', `/api/${resource}`, { id: 'a', ...sent, closed: value })).toMatchObject({ ...sent, closed: value });
    const bytes = await bytesOf('a');
    expect(await ask('GET', path)).toMatchObject({ ...sent, closed: value });
    change = () => undefined;
    expect(await ask('POST', `${path}/edit`)).toMatchObject({ doc: { ...sent, closed: value }, any: value });
    expect(await bytesOf('a')).toBe(bytes);

    expect(await ask('PATCH', path, { any: 1 })).toMatchObject({ ...sent, any: 1 });
    expect(await ask('PATCH', path, sent)).toMatchObject(sent);
    expect(await ask('PUT', path, { text: 'y', ...sent })).toMatchObject({ ...sent, text: 'y', closed: value });

    change = (doc) => Object.assign(doc, { text: 'z' });
    expect(await ask('POST', `${path}/edit`)).toMatchObject({ doc: { ...sent, text: 'z' } });
    change = (doc) => {
      (doc.list as unknown[]).push(doc.any);
      Object.assign(doc.map as object, { more: doc.any });
      doc.any = { was: doc.any };
    };
    const changed = { any: { was: value }, list: [...sent.list, value], map: { ...sent.map, more: value }, closed: value };
    expect(await ask('POST', `${path}/edit`)).toMatchObject({ doc: changed, any: changed.any });
    expect(await ask('GET', path)).toMatchObject(changed);
    change = (doc) => Object.assign(doc, { any: null, list: [], map: {} });
    expect(await ask('POST', `${path}/edit`)).toMatchObject({ doc: { any: null, list: [], map: {}, closed: value } });
  });
});
