import { defineModel, service, t } from '../../../src/index.ts';
import { dataProvider, HttpError } from '../../../src/products/admin/react-admin.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useServer } from '../../support/http/serve.ts';

const Article = defineModel('Article', {
  collection: 'articles',
  fields: {
    id: t.string({ policy: { insert: true, filter: true, sort: true } }),
    title: t.string({ policy: { filter: true, sort: true } }),
    note: t.optional(t.string({ policy: { read: 'staff', filter: true, sort: true } })),
    revision: t.revision(),
  },
});

const database = useDatabase();
const serve = useServer();
let url: string;

beforeAll(async () => {
  const shop = service({ authenticate: (ctx) => ctx.get('authorization'), rules: { staff: (name) => name === 'staff' } });
  const articles = shop.resource({ model: Article });
  const server = await serve(shop.api({ db: database.db, prefix: '/api', resources: [articles], openapi: { perCaller: true } }).routes());
  url = `http://127.0.0.1:${server.port}/api`;
});

beforeEach(async () => {
  await database.db.collection('articles').deleteMany({});
  await database.db.collection<{ _id: string }>('articles').insertOne({ _id: 'a', title: 't', note: 'hidden', revision: 0 } as never);
});

const providerOf = (authorization: string) => dataProvider(url, { headers: { authorization } });
const list = (filter: object) => ({ pagination: { page: 1, perPage: 5 }, sort: { field: 'title', order: 'ASC' as const }, filter });

describe('a data provider, whose api has a description for each caller', () => {
  it('shows what its user sees', async () => {
    const note = async (user: string) => (await providerOf(user).getOne<Any>('articles', { id: 'a' })).data.note;
    expect([await note('staff'), await note('anna')]).toEqual(['hidden', undefined]);
    expect((await providerOf('staff').getList('articles', list({ note: 'hidden' }))).data).toHaveLength(1);
  });

  it('writes what its user sees, and leaves the rest', async () => {
    const provider = providerOf('anna');
    const { data: previousData } = await provider.getOne<Any>('articles', { id: 'a' });
    const { data } = await provider.update<Any>('articles', { id: 'a', data: { ...previousData, title: 'u' }, previousData });
    expect(data).toEqual({ id: 'a', title: 'u', revision: 1 });
    expect(await database.db.collection('articles').findOne({})).toMatchObject({ title: 'u', note: 'hidden' });
  });

  it('cannot filter by what its user does not see', async () => {
    await expect(providerOf('anna').getList('articles', list({ note: 'hidden' }))).rejects.toThrow(HttpError);
  });
});
