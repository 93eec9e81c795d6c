import { defineModel, openStore, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';

const fields = {
  id: t.string(),
  team: t.optional(t.ref('Team', { id: t.string(), exists: true })),
  points: t.counter(),
  revision: t.revision(),
  deletedAt: t.deletedAt(),
};
const User = defineModel('User', { collection: 'users', fields, history: true });

const database = useDatabase();
const users = () => database.db.collection<{ _id: string }>('users');
beforeEach(async () => {
  await database.db.dropDatabase();
  await users().insertMany([
    { _id: 'ann', team: 'gone', points: 1, revision: 0 },
    { _id: 'bob', team: 'gone', points: 1, revision: 1, deletedAt: new Date(0) },
  ] as never);
});

describe.each([
  ['`openStore` without `models`', (): Any => openStore(User, { db: database.db })],
  ['a store of an api that does not know the model', (): Any => service().api({ db: database.db, resources: [] }).store(User)],
])('%s, of a model whose references cannot be checked', (_what, open) => {
  const reads = ['get', 'find', 'each', 'count', 'history'];

  it('reads', async () => {
    const store = open();
    expect(await store.get('ann')).toMatchObject({ id: 'ann', team: 'gone' });
    expect((await store.find({}, { deleted: 'with' })).map(({ id }: Any) => id)).toEqual(['ann', 'bob']);
    expect(await store.count({})).toBe(1);
    for await (const user of store.each({})) expect(user.id).toBe('ann');
    for await (const change of store.history('ann')) expect(change).toMatchObject({ change: 'unknown' });
  });

  it('refuses each write, and says what is missing', async () => {
    const ann = await open().get('ann');
    const given: Record<string, unknown[]> = {
      create: [{ id: 'n' }],
      createMany: [[{ id: 'n' }]],
      update: ['ann', { team: 'x' }],
      updateMany: [{}, { team: 'x' }],
      step: ['ann', 'points', 1],
      upsert: ['ann', { team: 'x' }],
      save: [Object.assign(ann, { team: 'x' })],
      remove: ['ann'],
      removeMany: [{}],
      restore: ['bob'],
      purge: [{ olderThan: 0 }],
    };
    expect(Object.keys(open()).sort()).toEqual([...reads, ...Object.keys(given)].sort());
    const before = await users().find().toArray();
    for (const [name, args] of Object.entries(given)) {
      const write = async () => open()[name](...args);
      await expect(write()).rejects.toThrow('`team` of User has `exists: true` for its reference to Team, which cannot be checked here');
    }
    expect(await users().find().toArray()).toEqual(before);
  });
});
