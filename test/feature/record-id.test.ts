import { Binary, Long, ObjectId, UUID } from 'mongodb';
import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const ids = {
  objectid: undefined,
  string: t.string({ policy: { insert: true } }),
  int: t.int({ policy: { insert: true } }),
  int64: t.int64({ policy: { insert: true } }),
  uuid: t.uuid({ policy: { insert: true } }),
  date: t.date({ policy: { insert: true } }),
  binary: t.binary({ policy: { insert: true } }),
};
const touch = { handler: (ctx: { load(): Promise<unknown> }) => ctx.load() };
type Kind = keyof typeof ids;
const kinds = Object.keys(ids) as Kind[];

const database = useDatabase();
const any = { policy: { filter: true } } as const;
const Ref = defineModel('Ref', {
  collection: 'by_ref',
  fields: { objectid: t.ref('Byobjectid', any), uuid: t.ref('Byuuid', { id: t.uuid(), as: 'made', ...any }) },
});
const Short = defineModel('Short', {
  collection: 'short',
  fields: { id: t.string({ minLength: 3, maxLength: 5, pattern: '^[a-z.]*$', policy: { insert: true } }) },
});

const api = useApi(database, (shop) => [
  shop.resource({ model: Ref, path: 'ref', include: ['made'] }),
  shop.resource({ model: Short, path: 'short' }),
  shop.resource({
    model: defineModel('Badly', { collection: 'badly', fields: { id: t.string() } }),
    path: 'made-badly',
    serverFields: () => ({ id: '..' }),
  }),
  ...kinds.map((kind) => {
    const id = ids[kind];
    const model = defineModel(`By${kind}`, {
      collection: `by_${kind}`,
      fields: { ...(id && { id }), n: t.int({ default: 0 }), revision: t.revision() },
    });
    return shop.resource({ model, path: kind, ops: ['list', 'get', 'create', 'patch', 'put', 'delete'], operations: { touch } });
  }),
]);

const uuid = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const stored: Record<Kind, unknown> = {
  objectid: new ObjectId('0123456789abcdef01234567'),
  string: 'a/ü ?#%b',
  int: 42,
  int64: Long.fromString('9007199254740993'),
  uuid: new UUID(uuid),
  date: new Date('2026-01-31T12:00:00.000Z'),
  binary: new Binary(Buffer.from('>>>???')),
};
const paths: Record<Kind, string> = {
  objectid: '0123456789abcdef01234567',
  string: 'a%2F%C3%BC%20%3F%23%25b',
  int: '42',
  int64: '9007199254740993',
  uuid,
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
    expect([status, body.errors]).toMatchObject([422, [{ field: 'id', message: 'is required' }]]);
  });

  it.each([['PATCH'], ['PUT']])('cannot be changed by %s', async (method) => {
    const { status, body } = await api.request(method, `/api/int/42`, { body: { id: 43 } });
    expect([status, body.errors]).toMatchObject([422, [{ field: 'id', message: 'cannot be set on update' }]]);
  });
});

const spellings: [Kind, string][] = [
  ['objectid', '0123456789ABCDEF01234567'],
  ['objectid', '0123456789abcdeF01234567'],
  ['int', '042'],
  ['int', '42.0'],
  ['int', '%2B42'],
  ['int64', '09007199254740993'],
  ['uuid', uuid.toUpperCase()],
  ['date', '2026-01-31T12:00:00Z'],
  ['date', '2026-01-31T13:00:00.000%2B01:00'],
];

describe('another spelling of an id', () => {
  beforeEach(async () => {
    for (const kind of kinds) {
      await database.db.collection(`by_${kind}`).deleteMany({});
      await database.db.collection(`by_${kind}`).insertOne({ _id: stored[kind] as ObjectId, n: 1 });
    }
  });

  it.each(spellings)('is 404 in the path, for every operation, and nothing is written: %s %s', async (kind, id) => {
    for (const method of ['GET', 'HEAD', 'PATCH', 'PUT', 'DELETE']) {
      const { status } = await api.request(method, `/api/${kind}/${id}`, method.startsWith('P') ? { body: { n: 2 } } : {});
      expect([method, status]).toEqual([method, 404]);
    }
    expect((await api.request('POST', `/api/${kind}/${id}/touch`)).status).toBe(404);
    expect(await database.db.collection(`by_${kind}`).countDocuments({ n: 1 })).toBe(1);
  });

  it.each(kinds)('is none where characters are percent-encoded that need not be: %s', async (kind) => {
    const id = encodeURIComponent(decodeURIComponent(paths[kind])).replace(/[A-Za-z0-9]/, (char) => `%${char.charCodeAt(0).toString(16)}`);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const { status } = await api.request(method, `/api/${kind}/${id}`, method === 'PATCH' ? { body: { n: 1 } } : {});
      expect([method, status]).toEqual([method, method === 'DELETE' ? 204 : 200]);
    }
  });

  it('is taken in bodies, filters and references', async () => {
    await database.db.collection('by_ref').deleteMany({});
    const upper = uuid.toUpperCase();
    const body = { objectid: '0123456789ABCDEF01234567', uuid: upper };
    const created = await api.request('POST', '/api/ref', { body });
    expect([created.status, created.body.data]).toMatchObject([201, { objectid: '0123456789abcdef01234567', uuid }]);
    const list = await api.request('GET', `/api/ref?objectid=0123456789ABCDEF01234567&uuid[in]=${upper}&include=made`);
    expect(list.body.data).toMatchObject([{ uuid, made: { id: uuid } }]);
    await database.db.collection('by_uuid').deleteMany({});
    expect((await api.request('POST', '/api/uuid', { body: { id: upper } })).headers.location).toBe(`/api/uuid/${uuid}`);
  });
});

describe('a string id', () => {
  const tooLong = 'x'.repeat(513);
  it.each([
    ['empty', '', 'must have at least 1 character'],
    ['a dot', '.', 'must not be . or .., nor have a NUL character'],
    ['two dots', '..', 'must not be . or .., nor have a NUL character'],
    ['with a NUL character', 'a\0b', 'must not be . or .., nor have a NUL character'],
    ['of more than 512 characters', tooLong, 'must have at most 512 characters'],
  ])('is 422 on create: %s', async (_name, id, message) => {
    const { status, body } = await api.request('POST', '/api/string', { body: { id } });
    expect([status, body.errors]).toMatchObject([422, [{ field: 'id', message }]]);
    expect(await database.db.collection('by_string').countDocuments({ _id: id as never })).toBe(0);
  });

  it.each(['a', '...', '.a', '..a', 'x'.repeat(512), '😀'.repeat(512), ' ', '\n', '%', '__proto__', '$where', 'a/../b', '\u007f'])(
    'may be anything else, and Location leads to it: %j',
    async (id) => {
      await database.db.collection('by_string').deleteMany({});
      const { status, headers } = await api.request('POST', '/api/string', { body: { id } });
      expect(status).toBe(201);
      expect((await api.request('GET', headers.location ?? '')).body.data.id).toBe(id);
    },
  );

  it('may be bound further by its model', async () => {
    const post = async (id: string) => (await api.request('POST', '/api/short', { body: { id } })).body.errors?.[0].message;
    expect(await post('ab')).toBe('must have at least 3 characters');
    expect(await post('abcdef')).toBe('must have at most 5 characters');
    expect(await post('ABC')).toBe('must match the pattern ^[a-z.]*$');
    expect(await post('abc')).toBeUndefined();
  });

  it("is the deployer's fault where serverFields make it so", async () => {
    expect((await api.request('POST', '/api/made-badly', { body: {} })).status).toBe(500);
    expect(api.errors.splice(0).map(({ message }) => message)).toEqual([
      'Fields that only the server sets on create: `id` must not be . or .., nor have a NUL character',
    ]);
  });
});

describe('a binary id', () => {
  it('is 422 on create where it is empty: no path would lead to the record', async () => {
    const { status, body } = await api.request('POST', '/api/binary', { body: { id: '' } });
    expect([status, body.errors]).toMatchObject([422, [{ field: 'id', rule: 'minLength', message: 'must have at least 1 character' }]]);
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
  ['date', '2026-02-30T00:00:00Z'],
  ['date', '5'],
  ['binary', '***'],
];

describe('a malformed id in the path', () => {
  it.each(malformed)('is 404 for every operation, never 400 or 500: %s %s', async (kind, id) => {
    for (const method of ['GET', 'HEAD', 'PATCH', 'PUT', 'DELETE']) {
      const { status, body } = await api.request(method, `/api/${kind}/${id}`, method.startsWith('P') ? { body: { n: 1 } } : {});
      expect([method, status]).toEqual([method, 404]);
      if (method !== 'HEAD') expect(body.code).toBe('not_found');
    }
    expect(api.errors).toEqual([]);
  });

  it('counts as such when its percent-encoding is none, even where a record is called so', async () => {
    await database.db.collection<{ _id: string }>('by_string').insertOne({ _id: '%zz' });
    expect((await api.request('GET', '/api/string/%25zz')).status).toBe(200);
    expect((await api.request('GET', '/api/string/%zz')).status).toBe(404);
  });
});
