import { MongoServerError } from 'mongodb';
import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const text = (policy = {}) => t.optional(t.string({ policy }));
const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { code: text(), secret: text({ private: true }), place: t.optional(t.object('Place', { city: t.string() })) },
});

const database = useDatabase();
let run: () => unknown;
const api = useApi(database, (shop) => [
  shop.resource({
    model: Doc,
    ops: ['create'],
    operations: { run: { method: 'POST', path: '/run', summary: 'Run', handler: async () => void (await run()) } },
    after: { create: [async () => void (await run())] },
  }),
]);
const docs = () => database.db.collection('docs');

beforeAll(async () => {
  for (const name of ['docs', 'others'])
    for (const path of ['code', 'secret', 'place.city'])
      await database.db.collection(name).createIndex({ [path]: 1 }, { unique: true, sparse: true });
  for (const name of ['docs', 'others'])
    await database.db.collection(name).insertMany([{ code: 'x', secret: 'top', place: { city: 'Ulm' } }, { code: 'y' }]);
});

const problem = { type: 'urn:problem:koa-mongo-resource:duplicate_key', title: 'Duplicate key', status: 409, code: 'duplicate_key' };
const taken = (field: string) => [{ field, message: 'is already taken', rule: 'unique' }];

describe('a duplicate key in a driver call of a handler', () => {
  it.each<[names: string, call: () => unknown, errors: object[] | undefined]>([
    ['the field', () => docs().insertOne({ code: 'x' }), taken('code')],
    ['the field by its dotted path', () => docs().updateOne({ code: 'y' }, { $set: { 'place.city': 'Ulm' } }), taken('place.city')],
    ['no private field', () => docs().insertOne({ secret: 'top' }), undefined],
    ['no field of another collection', () => database.db.collection('others').insertOne({ code: 'x' }), undefined],
    ['nothing where one of several writes met it', () => docs().insertMany([{ code: 'x' }]), undefined],
    ['nothing where one of a bulk met it', () => docs().bulkWrite([{ insertOne: { document: { code: 'x' } } }]), undefined],
  ])('is 409, and names %s', async (_names, call, errors) => {
    run = call;
    const { status, body, text: sent } = await api.request('POST', '/api/docs/run');
    expect(status).toBe(409);
    expect(body).toEqual({ ...problem, detail: 'A record with these values exists already.', ...(errors && { errors }) });
    expect(sent).not.toMatch(/secret|top|E11000/);
    expect(api.errors).toEqual([]);
  });

  it('is known by its name and code, whatever copy of the driver it comes from', async () => {
    const message = 'E11000 duplicate key error collection: shop.docs index: code_1 dup key: { code: "x" }';
    run = () => {
      throw Object.assign(new Error(message), { name: 'MongoServerError', code: 11000, keyPattern: { code: 1 } });
    };
    expect((await api.request('POST', '/api/docs/run')).body.errors).toEqual(taken('code'));
  });

  it.each([Object.assign(new Error('no driver'), { code: 11000 }), new MongoServerError({ message: 'another', code: 121 })])(
    'is nothing else: %o',
    async (error) => {
      api.errors.length = 0;
      run = () => {
        throw error;
      };
      expect((await api.request('POST', '/api/docs/run')).status).toBe(500);
      expect(api.errors).toEqual([error]);
    },
  );

  it('is a 500 in an after hook: the write stays', async () => {
    api.errors.length = 0;
    run = () => docs().insertOne({ code: 'x' });
    expect((await api.request('POST', '/api/docs', { body: { code: 'after' } })).status).toBe(500);
    expect([api.errors.length, await docs().countDocuments({ code: 'after' })]).toEqual([1, 1]);
  });
});
