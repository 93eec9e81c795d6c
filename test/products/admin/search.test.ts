import { applyIndexes, defineModel, service, t } from '../../../src/index.ts';
import * as reactAdmin from '../../../src/products/admin/react-admin.ts';
import * as refine from '../../../src/products/admin/refine.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useServer } from '../../support/http/serve.ts';

const title = t.string({ policy: { sort: true } });
const Note = defineModel('Note', { collection: 'notes', fields: { title }, search: { fields: { title: 1 } } });
const Plain = defineModel('Plain', { collection: 'notes', fields: { title } });

const database = useDatabase();
const serve = useServer();
let url: string;
beforeAll(async () => {
  const shop = service();
  const resources = [shop.resource({ model: Note }), shop.resource({ model: Plain, path: 'plain' })];
  const api = shop.api({ db: database.db, resources });
  await applyIndexes(api);
  await database.db.collection('notes').insertMany(Array.from({ length: 7 }, (_, n) => ({ title: n === 6 ? 'other' : `milk ${n}` })));
  url = `http://127.0.0.1:${(await serve(api.routes())).port}`;
});

type List = (resource: string, page: number, perPage: number, sort?: string) => Promise<string[]>;
const titles = ({ data }: { readonly data: readonly Any[] }) => data.map((note) => note.title);
const providers: Record<string, () => List> = {
  'react-admin': () => async (resource, page, perPage, sort) => {
    const order = sort === undefined ? {} : { sort: { field: sort, order: 'ASC' as const } };
    const pagination = { page, perPage };
    return titles(await reactAdmin.dataProvider(url).getList<Any>(resource, { pagination, filter: { q: 'milk' }, ...order }));
  },
  Refine: () => async (resource, currentPage, pageSize, sort) =>
    titles(
      await refine.dataProvider(url).getList<Any>({
        resource,
        pagination: { currentPage, pageSize },
        filters: [{ field: 'q', operator: 'eq', value: 'milk' }],
        sorters: sort === undefined ? [] : [{ field: sort, order: 'asc' }],
      }),
    ),
};

describe.each(Object.keys(providers))('a search by `q` of the provider for %s', (name) => {
  const list = providers[name]?.() as List;

  it('finds what the list finds, in pages if it is sorted', async () => {
    expect(await list('notes', 1, 4, 'title')).toEqual(['milk 0', 'milk 1', 'milk 2', 'milk 3']);
    expect(await list('notes', 2, 4, 'title')).toEqual(['milk 4', 'milk 5']);
  });

  it('is one page by rank, of which none is shown twice', async () => {
    expect(new Set(await list('notes', 1, 4)).size).toBe(4);
    expect(await list('notes', 2, 4)).toEqual([]);
    expect((await list('notes', 1, 100)).sort()).toEqual(Array.from({ length: 6 }, (_, n) => `milk ${n}`));
  });

  it('is refused where the model has no search', async () => {
    await expect(list('plain', 1, 4)).rejects.toMatchObject({ status: 400, message: expect.stringContaining('q') });
  });
});
