import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const text = (policy = {}) => t.optional(t.string({ policy }));
const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    code: text(),
    shop: text(),
    number: text(),
    place: t.optional(t.object('Place', { city: t.string() })),
    tags: t.optional(t.array(t.object('Tag', { name: t.string() }))),
    labels: t.optional(t.map(t.string())),
    secret: text({ private: true, insert: true, update: true }),
    half: text({ private: true, insert: true, update: true }),
    open: text(),
    revision: t.revision(),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Doc, ops: ['create', 'patch', 'put'] })]);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');

beforeAll(async () => {
  for (const key of [
    { code: 1 },
    { shop: 1, number: 1 },
    { 'place.city': 1 },
    { 'tags.name': 1 },
    { 'labels.en': 1 },
    { secret: 1 },
    { half: 1, open: 1 },
  ] as const) {
    await docs().createIndex(key, { unique: true, sparse: true });
  }
});

beforeEach(async () => {
  api.errors.length = 0;
  await docs().deleteMany({});
  await docs().insertMany([
    {
      _id: 'a',
      code: 'x',
      shop: 's',
      number: '1',
      place: { city: 'Ulm' },
      tags: [{ name: 't' }],
      labels: { en: 'l' },
      secret: 'top',
      half: 'h',
      open: 'o',
    },
    { _id: 'b', shop: 'other' },
  ]);
});

const cases: [rule: string, body: object, fields: string[]][] = [
  ['a field', { code: 'x' }, ['code']],
  ['several fields of one index', { shop: 's', number: '1' }, ['shop', 'number']],
  ['a dotted path', { place: { city: 'Ulm' } }, ['place.city']],
  ['a path through a list', { tags: [{ name: 't' }] }, ['tags.name']],
  ['nothing, for a key of a map that a client chose', { labels: { en: 'l' } }, []],
  ['nothing, for a private field', { secret: 'top' }, []],
  ['the public field only of an index with a private one', { half: 'h', open: 'o' }, ['open']],
];

describe('a value that a unique index has already', () => {
  it.each(cases.flatMap(([rule, body, fields]) => ['POST', 'PATCH', 'PUT'].map((method) => [method, rule, body, fields] as const)))(
    'is 409 on %s, naming %s',
    async (method, _rule, body, fields) => {
      const answer = await api.request(method, `/api/docs${method === 'POST' ? '' : '/b'}`, {
        body: { ...body, ...(method === 'POST' && { id: 'new' }) },
      });
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({
        type: 'urn:problem:koa-mongo-resource:duplicate_key',
        code: 'duplicate_key',
        title: 'Duplicate key',
        status: 409,
      });
      expect((answer.body.errors ?? []).map(({ field }: { field: string }) => field)).toEqual(fields);
      expect('errors' in answer.body).toBe(fields.length > 0);
      expect(answer.text).not.toMatch(/secret|half|docs|E11000|index|dup key|top|labels/);
      expect(answer.headers).not.toHaveProperty('location');
      expect(api.errors).toEqual([]);
      expect(
        await docs()
          .find({ _id: { $ne: 'a' } })
          .toArray(),
      ).toEqual([{ _id: 'b', shop: 'other' }]);
    },
  );

  it('is 409 naming the id, where the client chooses it', async () => {
    const { status, body } = await api.request('POST', '/api/docs', { body: { id: 'a' } });
    expect([status, body.errors]).toMatchObject([409, [{ field: 'id', message: expect.any(String) }]]);
  });
});
