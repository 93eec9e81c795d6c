import { beforeAll, describe, expect, it } from '@jest/globals';
import { Binary, Decimal128, Long, ObjectId, UUID } from 'mongodb';
import { defineModel, t } from '../../src/index.ts';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';

const ids = {
  objectid: undefined,
  string: t.string({ policy: { insert: true } }),
  int: t.int({ policy: { insert: true } }),
  int64: t.int64({ policy: { insert: true } }),
  uuid: t.uuid({ policy: { insert: true } }),
  decimal: t.decimal({ policy: { insert: true } }),
  date: t.date({ policy: { insert: true } }),
  binary: t.binary({ policy: { insert: true } }),
};
type Kind = keyof typeof ids;
const kinds = Object.keys(ids) as Kind[];

const database = useDatabase();
const api = useApi(database, (shop) =>
  kinds.map((kind) => {
    const id = ids[kind];
    const model = defineModel(`By${kind}`, {
      collection: `by_${kind}`,
      fields: { ...(id && { id }), n: t.int({ default: 0 }), revision: t.revision() },
    });
    return shop.resource({ model, path: kind, ops: ['list', 'get', 'create', 'patch', 'put', 'delete'] });
  }),
);

const uuid = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const stored: Record<Kind, unknown> = {
  objectid: new ObjectId('0123456789abcdef01234567'),
  string: 'a/ü ?#%b',
  int: 42,
  int64: Long.fromString('9007199254740993'),
  uuid: new UUID(uuid),
  decimal: Decimal128.fromString('1.50'),
  date: new Date('2026-01-31T12:00:00.000Z'),
  binary: new Binary(Buffer.from('>>>???')),
};
const paths: Record<Kind, string> = {
  objectid: '0123456789abcdef01234567',
  string: 'a%2F%C3%BC%20%3F%23%25b',
  int: '42',
  int64: '9007199254740993',
  uuid,
  decimal: '1.50',
  date: '2026-01-31T12%3A00%3A00.000Z',
  binary: 'Pj4%2BPz8%2F',
};

beforeAll(async () => {
  for (const kind of kinds) await database.db.collection(`by_${kind}`).insertOne({ _id: stored[kind] as ObjectId, n: 1 });
});

describe('the id of a record', () => {
  it.each(kinds)('is stored as _id, and addresses the record in the path: %s', async (kind) => {
    const { status, body } = await api.request('GET', `/api/${kind}/${paths[kind]}`);
    expect(status).toBe(200);
    expect(String(body.data.id)).toBe(decodeURIComponent(paths[kind]).replace('9007199254740993', '9007199254740992'));
    expect(body.data).not.toHaveProperty('_id');
  });

  it.each(kinds.filter((kind) => kind !== 'objectid'))(
    'is chosen by the client where its policy says insert: true, and Location leads to it: %s',
    async (kind) => {
      await database.db.collection(`by_${kind}`).deleteMany({});
      const id = kind.startsWith('int') ? paths[kind] : JSON.stringify(decodeURIComponent(paths[kind]));
      const created = await api.request('POST', `/api/${kind}`, { body: `{"id":${id},"n":1}` });
      expect(created.status).toBe(201);
      expect(created.headers.location).toBe(`/api/${kind}/${paths[kind]}`);
      expect(await database.db.collection(`by_${kind}`).countDocuments({ _id: stored[kind] as ObjectId })).toBe(1);
      const read = await api.request('GET', created.headers.location ?? '');
      expect(read.text).toBe(created.text);
    },
  );

  it('is made by the service for ObjectId and UUID when the client sends none', async () => {
    const objectId = await api.request('POST', '/api/objectid', { body: {} });
    expect(objectId.body.data.id).toMatch(/^[\da-f]{24}$/);
    const made = await api.request('POST', '/api/uuid', { body: {} });
    expect(made.body.data.id).toMatch(/^[\da-f-]{36}$/);
  });

  it('is a required field of create where only the client can make it', async () => {
    const { status, body } = await api.request('POST', '/api/string', { body: {} });
    expect([status, body.errors]).toEqual([422, [{ field: 'id', message: 'is required' }]]);
  });

  it.each([['PATCH'], ['PUT']])('cannot be changed by %s', async (method) => {
    const { status, body } = await api.request(method, `/api/int/42`, { body: { id: 43 } });
    expect([status, body.errors]).toEqual([422, [{ field: 'id', message: 'cannot be set on update' }]]);
  });
});

const malformed: [Kind, string][] = [
  ['objectid', '1'],
  ['objectid', '0123456789abcdef0123456'],
  ['objectid', '0123456789abcdef0123456g'],
  ['objectid', '0123456789ab'],
  ['objectid', '0123456789abcdef01234567%00'],
  ['objectid', '%7B%22$gt%22:%22%22%7D'],
  ['string', 'a%00b'],
  ['string', '%00'],
  ['string', '%ED%A0%80'],
  ['string', '%FF'],
  ['int', 'x'],
  ['int', '1.5'],
  ['int', 'NaN'],
  ['int', 'Infinity'],
  ['int', '99999999999999999999'],
  ['int', '1e2'],
  ['int', 'null'],
  ['int64', '9223372036854775808'],
  ['int64', '-9223372036854775809'],
  ['uuid', '6f9619ff8b864d01b42d00cf4fc964ff'],
  ['uuid', `${uuid}0`],
  ['uuid', '{6f9619ff-8b86-4d01-b42d-00cf4fc964ff}'],
  ['decimal', 'x'],
  ['decimal', 'NaN'],
  ['date', '2026-02-30T00:00:00Z'],
  ['date', '5'],
  ['binary', '***'],
];

describe('a malformed id in the path', () => {
  it.each(malformed)('is 404 for every operation, never 400 or 500: %s %s', async (kind, id) => {
    for (const method of ['GET', 'HEAD', 'PATCH', 'PUT', 'DELETE']) {
      const { status, body } = await api.request(method, `/api/${kind}/${id}`, method.startsWith('P') ? { body: { n: 1 } } : {});
      expect([method, status]).toEqual([method, 404]);
      if (method !== 'HEAD') expect(body).toMatchObject({ code: 'not_found', detail: 'There is no such record.' });
    }
    expect(api.errors).toEqual([]);
  });

  it('counts as such when its percent-encoding is none', async () => {
    const { status } = await api.request('GET', '/api/string/%zz');
    expect(status).toBe(404);
  });
});
