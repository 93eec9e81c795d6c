import { defineModel, everything, openStore, type Problem, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Item = defineModel('Item', {
  collection: 'items',
  fields: {
    id: t.string({ policy: { insert: true } }),
    tenant: t.string({ default: 'x' }),
    number: t.optional(t.string()),
    seat: t.optional(t.string({ default: 's', policy: { insert: false, update: false } })),
    revision: t.revision(),
  },
});
const Berth = defineModel('Berth', {
  collection: 'berths',
  fields: {
    id: t.string(),
    tenant: t.string(),
    number: t.string(),
    deletedAt: t.deletedAt(),
  },
});
const database = useDatabase();
const scope = () => ({ tenant: 'x' });
const fieldsOf = ({ errors = [] }: Pick<Problem, 'errors'>) => errors.map(({ field }) => field);
const caught = (write: Promise<unknown>) =>
  write.then(
    () => [],
    (error: Problem) => fieldsOf(error),
  );
const handler = (write: (store: Any) => Promise<unknown>) => ({
  method: 'POST',
  async handler(ctx: Any) {
    const seen = await caught(write(ctx.store(Item)));
    const seenOfAll = await caught(write(ctx.store(Item, { scope: everything })));
    return { seen, seenOfAll };
  },
});
const api = useApi(database, (shop) => [
  shop.resource({
    model: Item,
    ops: ['create', 'get', 'patch', 'put'],
    scope,
    operations: {
      create_one: handler((store) => store.create({ id: 'n', number: '1' })),
      create_many: handler(async (store) => {
        const [{ error }] = await store.createMany([{ id: 'n', number: '1' }]);
        throw error;
      }),
      update_one: handler((store) => store.update('b', { number: '1' })),
    },
  } as never),
  shop.resource({ model: Berth, ops: ['restore'], scope }),
]);

beforeEach(async () => {
  await database.db.dropCollection('items').catch(() => undefined);
  await database.db.collection('items').insertMany([
    { _id: 'a', tenant: 'x', number: '1', seat: 's', revision: 0 },
    { _id: 'b', tenant: 'x', number: '2', seat: 't', revision: 0 },
  ] as never);
});

describe('a 409 of a unique index with the field that the scope fixes', () => {
  it.each([
    ['POST', '/items', { id: 'n', number: '1' }],
    ['PATCH', '/items/b', { number: '1' }],
    ['PUT', '/items/b', { tenant: 'x', number: '1' }],
  ])('of %s %s names the others: all records that the client reaches have the value of the scope', async (method, path, body) => {
    await database.db.collection('items').createIndex({ tenant: 1, number: 1 }, { unique: true });
    const answer = await api.request(method, `/api${path}`, { body });
    expect([answer.status, fieldsOf(answer.body)]).toEqual([409, ['number']]);
  });

  it.each(['create_one', 'create_many', 'update_one'])('of a store names the others to a handler that catches it: %s', async (name) => {
    await database.db.collection('items').createIndex({ tenant: 1, number: 1 }, { unique: true });
    const { body } = await api.request('POST', `/api/items/b/${name}`, { body: {} });
    expect(body.data).toEqual({ seen: ['number'], seenOfAll: ['tenant', 'number'] });
  });

  it('of a restore names the others', async () => {
    const berths = database.db.collection<Any>('berths');
    await berths.createIndex({ tenant: 1, number: 1 }, { unique: true, partialFilterExpression: { deletedAt: null } });
    await berths.insertMany([
      { _id: 'a', tenant: 'x', number: '1' },
      { _id: 'b', tenant: 'x', number: '1', deletedAt: new Date() },
    ]);
    const { status, body } = await api.request('POST', '/api/berths/b/restore');
    expect([status, fieldsOf(body)]).toEqual([409, ['number']]);
  });

  it('of a store with a scope of its own names the others', async () => {
    await database.db.collection('items').createIndex({ tenant: 1, number: 1 }, { unique: true });
    const create = (given: object) => caught(openStore(Item, { db: database.db, ...given }).create({ id: 'n', number: '1' } as never));
    expect([await create({ scope: scope() }), await create({})]).toEqual([['number'], ['tenant', 'number']]);
  });

  it('names nothing if the client may write none of the others, and the field itself if it stands alone', async () => {
    await database.db.collection('items').createIndex({ tenant: 1, seat: 1 }, { unique: true });
    const answer = await api.request('POST', '/api/items', { body: { id: 'n' } });
    expect([answer.status, fieldsOf(answer.body)]).toEqual([409, []]);
    await database.db.collection('items').deleteOne({ _id: 'b' as never });
    await database.db.collection('items').dropIndexes();
    await database.db.collection('items').createIndex({ tenant: 1 }, { unique: true });
    const alone = await api.request('POST', '/api/items', { body: { id: 'n' } });
    expect([alone.status, fieldsOf(alone.body)]).toEqual([409, ['tenant']]);
  });
});
