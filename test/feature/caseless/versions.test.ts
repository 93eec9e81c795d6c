import { defineModel, openStore, type Service, t } from '../../../src/index.ts';
import { applyFolds } from '../../../src/products/audit/audit-collection.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

/** A program whose table of folding is another one stores its folded texts beside those of this one. */
const City = defineModel('City', {
  collection: 'cities',
  fields: {
    id: t.string(),
    name: t.string({ caseless: true, policy: { filter: true, sort: true } }),
    revision: t.revision(),
  },
});

const database = useDatabase();
const define = (shop: Service<never>) => [shop.resource({ model: City, path: 'cities', ops: ['list', 'patch'] })];
const api = useApi(database, define);
const cities = () => database.db.collection<{ _id: string; name: string; revision: number; [key: string]: unknown }>('cities');

beforeEach(async () => {
  await cities().deleteMany({});
});

async function find(name: string): Promise<unknown[]> {
  const { body } = await api.request('GET', `/api/cities?${new URLSearchParams({ name })}`);
  return (body as { data: { id: string }[] }).data.map(({ id }) => id);
}

/** What the other program finds. */
const otherFinds = async (folded: string) => (await cities().find({ 'name[fold1]': folded }).toArray()).map(({ _id }) => _id);

async function foldAll(): Promise<number> {
  let written = 0;
  for await (const state of applyFolds(City, { db: database.db })) written = state.written;
  return written;
}

describe('two programs with different tables of folding', () => {
  it('find what each has written itself, and this one what the other has once it is folded', async () => {
    await cities().insertOne({ _id: 'a', name: 'Østergård', 'name[fold1]': 'østergard', revision: 0 });
    expect(await find('ostergard')).toEqual([]);
    expect(await foldAll()).toBe(1);
    expect([await find('ostergard'), await otherFinds('østergard')]).toEqual([['a'], ['a']]);
  });

  it('leave what the other has stored as it is', async () => {
    await cities().insertOne({ _id: 'a', name: 'Łódź', 'name[fold1]': 'łodz', revision: 0 });
    await openStore(City, { db: database.db }).update('a', { name: 'Łomża' });
    expect(await cities().findOne()).toMatchObject({ name: 'Łomża', 'name[fold1]': 'łodz', 'name[fold2]': 'lomza' });
  });

  it('mend what the other has changed meanwhile, by folding once more', async () => {
    await openStore(City, { db: database.db }).create({ id: 'a', name: 'Łódź' });
    await cities().updateOne({ _id: 'a' }, { $set: { name: 'Łomża', 'name[fold1]': 'łomza' } });
    expect(await find('lodz')).toEqual(['a']);
    expect(await foldAll()).toBe(1);
    expect([await find('lodz'), await find('lomza')]).toEqual([[], ['a']]);
    expect(await foldAll()).toBe(0);
  });

  it('shows clients nothing of what the other has stored', async () => {
    await cities().insertOne({ _id: 'a', name: 'Øre', 'name[fold1]': 'øre', 'name[fold2]': 'ore', revision: 0 });
    const { body } = await api.request('GET', '/api/cities');
    expect((body as { data: object[] }).data).toEqual([{ id: 'a', name: 'Øre', revision: 0 }]);
  });
});
