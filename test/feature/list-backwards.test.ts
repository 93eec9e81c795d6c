import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Row = defineModel('Row', {
  collection: 'rows',
  fields: { id: t.int({ policy: { sort: true, filter: true } }), group: t.string({ policy: { sort: true, filter: true } }) },
});

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Row }),
  shop.resource({ model: Row, path: 'scoped', scope: () => ({ group: 'a' }) }),
]);
const rows = () => database.db.collection<{ _id: number; group: string }>('rows');

beforeEach(async () => {
  await rows().deleteMany({});
  await rows().insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id, group: 'ab'[_id % 2] as string })));
});

interface ListAnswer {
  readonly ids: number[];
  readonly page: { has_next: boolean; next_cursor: string | null; prev_cursor: string | null };
  /** Relation to path. */
  readonly links: Record<string, string>;
}

async function list(path: string): Promise<ListAnswer> {
  const { status, headers, body } = await api.request('GET', path.startsWith('/') ? path : `/api/${path}`);
  expect([path, status]).toEqual([path, 200]);
  const links = [...String(headers.link ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, href, rel]) => [rel, href]);
  return { ids: body.data.map(({ id }: { id: number }) => id), page: body.page, links: Object.fromEntries(links) };
}

describe('a page that `before` leads to', () => {
  it('is the one that the page behind it came from, in the same order', async () => {
    const first = await list('rows?limit=4');
    const second = await list(`rows?limit=4&after=${first.page.next_cursor}`);
    const third = await list(`rows?limit=4&after=${second.page.next_cursor}`);
    expect([first.ids, second.ids, third.ids]).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
    ]);
    const back = await list(`rows?limit=4&before=${third.page.prev_cursor}`);
    const begin = await list(`rows?limit=4&before=${back.page.prev_cursor}`);
    expect([back.ids, begin.ids]).toEqual([second.ids, first.ids]);
  });

  it('tells the first page by a prev_cursor of null, and the last by a next_cursor of null', async () => {
    const first = await list('rows?limit=5');
    expect(first.page).toMatchObject({ has_next: true, next_cursor: expect.any(String), prev_cursor: null });
    const last = await list(`rows?limit=5&after=${first.page.next_cursor}`);
    expect(last.page).toMatchObject({ has_next: false, next_cursor: null, prev_cursor: expect.any(String) });
    const again = await list(`rows?limit=5&before=${last.page.prev_cursor}`);
    expect(again.page).toMatchObject({ has_next: true, next_cursor: expect.any(String), prev_cursor: null });
  });

  it.each([
    ['sort=group', [7, 9]],
    ['sort=-group', [2, 0]],
    ['sort=-group,id', [6, 8]],
    ['sort=-id', [1, 0]],
    ['group=a', [6, 8]],
    ['id[gte]=2&sort=-id', [3, 2]],
  ])('keeps the sort and the filter: %s', async (query, lastTwo) => {
    const all = await list(`rows?${query}`);
    const most = await list(`rows?${query}&limit=${all.ids.length - 2}`);
    const end = await list(`rows?${query}&limit=2&after=${most.page.next_cursor}`);
    expect(end.ids).toEqual(lastTwo);
    const back = await list(`rows?${query}&limit=3&before=${end.page.prev_cursor}`);
    expect(back.ids).toEqual(all.ids.slice(-5, -2));
  });

  it('may be shorter than others at the beginning of the list', async () => {
    const { page } = await list('rows?limit=3');
    expect((await list(`rows?before=${page.next_cursor}`)).ids).toEqual([0, 1, 2]);
  });

  it('shows what was inserted before it meanwhile', async () => {
    const first = await list('rows?limit=2');
    const second = await list(`rows?limit=2&after=${first.page.next_cursor}`);
    await rows().insertOne({ _id: -1, group: 'a' });
    const back = await list(`rows?limit=2&before=${second.page.prev_cursor}`);
    expect(back.ids).toEqual([0, 1]);
    expect((await list(`rows?limit=2&before=${back.page.prev_cursor}`)).ids).toEqual([-1]);
  });

  it('is within scope', async () => {
    const { page } = await list('scoped?limit=3');
    expect((await list(`scoped?before=${page.next_cursor}`)).ids).toEqual([0, 2, 4]);
  });
});

describe('an empty page', () => {
  it('behind the end keeps its place: the way back misses nothing', async () => {
    const first = await list('rows?limit=8');
    await rows().deleteMany({ _id: { $gte: 8 } });
    const end = await list(`rows?after=${first.page.next_cursor}`);
    expect(end).toMatchObject({ ids: [], page: { has_next: false, next_cursor: null, prev_cursor: expect.any(String) } });
    expect((await list(`rows?limit=3&before=${end.page.prev_cursor}`)).ids).toEqual([5, 6, 7]);
  });

  it('before the beginning keeps its place: the way on misses nothing', async () => {
    const first = await list('rows?limit=2');
    const second = await list(`rows?limit=2&after=${first.page.next_cursor}`);
    await rows().deleteMany({ _id: { $lt: 2 } });
    const begin = await list(`rows?before=${second.page.prev_cursor}`);
    expect(begin).toMatchObject({ ids: [], page: { has_next: true, next_cursor: expect.any(String), prev_cursor: null } });
    expect((await list(`rows?limit=3&after=${begin.page.next_cursor}`)).ids).toEqual([2, 3, 4]);
  });
});

describe('the Link of a page by cursor', () => {
  it('leads both ways, with one cursor at a time', async () => {
    const first = await list('rows?sort=-id&limit=3');
    expect(Object.keys(first.links)).toEqual(['next']);
    const second = await list(first.links.next as string);
    expect(second.links).toEqual({
      prev: `/api/rows?sort=-id&limit=3&before=${second.page.prev_cursor}`,
      next: `/api/rows?sort=-id&limit=3&after=${second.page.next_cursor}`,
    });
    const back = await list(second.links.prev as string);
    expect([back.ids, Object.keys(back.links)]).toEqual([first.ids, ['next']]);
    expect((await list(back.links.next as string)).ids).toEqual(second.ids);
  });
});

describe('`before`', () => {
  it.each(['', 'x', 'W10', '%F0%9F%98%80'])('answers 400 to what is no cursor: %s', async (cursor) => {
    const { status, body } = await api.request('GET', `/api/rows?before=${cursor}`);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
  });

  it('does not stand beside after', async () => {
    const { page } = await list('rows?limit=3');
    const { status, body } = await api.request('GET', `/api/rows?after=${page.next_cursor}&before=${page.next_cursor}`);
    expect([status, body.code, body.errors]).toMatchObject([
      400,
      'invalid_query',
      [{ field: 'before', message: 'cannot stand beside after: a page lies on one side of a cursor' }],
    ]);
  });
});

describe('a walk in which a record moves, because its sort value changes', () => {
  const walk = async (sort: string, id: number, group: string) => {
    const first = await list(`rows?limit=5&sort=${sort}`);
    await rows().updateOne({ _id: id }, { $set: { group } });
    const second = await list(`rows?limit=20&sort=${sort}&after=${first.page.next_cursor}`);
    return [...first.ids, ...second.ids].filter((one) => one === id).length;
  };

  it.each([
    ['twice', 'group', 0, 'c', 2],
    ['not at all', 'group', 9, '0', 0],
    ['once, if the list is sorted by what does not change', 'id', 0, 'c', 1],
    ['once, if it moves among those that are still to come', 'group', 9, 'c', 1],
  ])('visits it %s', async (_how, sort, id, group, times) => {
    expect(await walk(sort, id, group)).toBe(times);
  });
});
