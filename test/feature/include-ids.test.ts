import { Binary, Double, Int32, Long, ObjectId, UUID } from 'mongodb';
import { defineModel, type Model, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const objectId = new ObjectId('0123456789abcdef01234567');
const uuid = new UUID('6f9619ff-8b86-4d01-b42d-00cf4fc964ff');
const legacy = new Binary(uuid.buffer, 3);

/**
 * A type of ids, how one is stored in the record itself and how in what refers to it, and what an id that leads nowhere
 * looks like.
 */
const kinds = [
  { name: 'objectId', id: t.objectId(), own: objectId, referring: objectId, dangling: new ObjectId() },
  { name: 'uuid', id: t.uuid(), own: uuid, referring: uuid, dangling: new UUID() },
  {
    name: 'legacy-csharp',
    id: t.uuid({ storedAs: 'legacy-csharp' }),
    own: legacy,
    referring: legacy,
    dangling: new Binary(Buffer.alloc(16), 3),
  },
  {
    name: 'legacy-java',
    id: t.uuid({ storedAs: 'legacy-java' }),
    own: legacy,
    referring: legacy,
    dangling: new Binary(Buffer.alloc(16), 3),
  },
  {
    name: 'legacy-python',
    id: t.uuid({ storedAs: 'legacy-python' }),
    own: legacy,
    referring: legacy,
    dangling: new Binary(Buffer.alloc(16), 3),
  },
  { name: 'string', id: t.string(), own: 'a "b" é', referring: 'a "b" é', dangling: objectId.toHexString() },
  { name: 'int', id: t.int(), own: new Int32(7), referring: new Double(7), dangling: 8 },
  { name: 'int64', id: t.int64(), own: Long.fromString('9007199254740993'), referring: 9007199254740993n, dangling: 9007199254740992n },
  { name: 'date', id: t.date(), own: new Date(5), referring: new Date(5), dangling: new Date(6) },
  {
    name: 'binary',
    id: t.binary(),
    own: new Binary(Buffer.from('a')),
    referring: new Binary(Buffer.from('a')),
    dangling: new Binary(Buffer.from('b')),
  },
  { name: 'enum', id: t.enum(['a', 'b']), own: 'a', referring: 'a', dangling: 'b' },
].map((kind) => {
  const Target = defineModel(`Target-${kind.name}`, {
    collection: `to-${kind.name}`,
    fields: { id: kind.id, name: t.string() },
  }) as unknown as Model;
  const to = t.ref(Target.name, { id: kind.name === 'enum' ? t.string() : kind.id });
  const Source = defineModel(`Source-${kind.name}`, { collection: `from-${kind.name}`, fields: { id: t.int(), to } }) as unknown as Model;
  return { ...kind, Target, Source };
});

const database = useDatabase();
const api = useApi(database, (shop) => kinds.map(({ Source }) => shop.resource({ model: Source, include: ['to'] })), {
  models: kinds.map(({ Target }) => Target),
});

beforeAll(async () => {
  for (const { name, own, referring, dangling } of kinds) {
    await database.db.collection(`to-${name}`).insertOne({ _id: own as never, name: 'found' });
    await database.db.collection(`from-${name}`).insertMany([
      { _id: 1 as never, to: referring },
      { _id: 2 as never, to: dangling },
    ]);
  }
});

describe('include', () => {
  it.each(kinds.map(({ name }) => name))('finds records by ids of type %s, and leaves those that lead nowhere', async (name) => {
    const [found, dangling] = (await api.request('GET', `/api/from-${name}`)).body.data;
    const [one, other] = (await api.request('GET', `/api/from-${name}?include=to`)).body.data;
    expect(one).toEqual({ id: 1, to: { id: found.to, name: 'found' } });
    expect(other).toEqual(dangling);
    expect(api.errors).toEqual([]);
  });
});
