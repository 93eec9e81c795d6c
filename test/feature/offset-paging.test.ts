import { ConfigurationError, cursorPaging, defineModel, offsetPaging, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Row = defineModel('Row', {
  collection: 'rows',
  fields: { id: t.int({ policy: { sort: true, filter: true } }), group: t.string({ policy: { sort: true, filter: true } }) },
});

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Row, paging: offsetPaging({ total: true }) }),
  shop.resource({ model: Row, path: 'plain', paging: offsetPaging({ size: 4, max: 10, maxOffset: 20 }) }),
  shop.resource({ model: Row, path: 'first', paging: offsetPaging({ maxOffset: 0 }) }),
  shop.resource({ model: Row, path: 'by-cursor', paging: cursorPaging() }),
]);

beforeAll(async () => {
  const rows = Array.from({ length: 45 }, (_, id) => ({ _id: id as never, group: 'abc'[id % 3] }));
  await database.db.collection('rows').insertMany(rows);
});

const list = (path: string) => api.request('GET', `/api/${path}`);
const idsOf = (body: { data: { id: number }[] }) => body.data.map(({ id }) => id);

describe('a page by number', () => {
  it('tells its size, its number, and whether there is more', async () => {
    const { status, headers, body } = await list('rows');
    expect([status, idsOf(body)]).toEqual([200, Array.from({ length: 20 }, (_, id) => id)]);
    expect(body.page).toEqual({ size: 20, number: 1, has_next: true });
    expect(headers).not.toHaveProperty('etag');
  });

  it.each([
    ['rows?page=2', 2, [20, 21], true],
    ['rows?page=3', 3, [40, 41], false],
    ['rows?page=4', 4, [], false],
    ['rows?page=007&limit=5', 7, [30, 31], true],
    ['rows?page=9&limit=5', 9, [40, 41], false],
    ['rows?page=2&sort=-id', 2, [24, 23], true],
    ['rows?page=2&group=b&limit=10', 2, [31, 34], false],
    ['rows?page=2&sort=group&limit=14', 2, [42, 1], true],
    ['plain?page=3&limit=50', 3, [20, 21], true],
  ])('begins where the one before it ended: %s', async (path, number, ids, hasNext) => {
    const { body } = await list(path);
    expect([body.page.number, idsOf(body).slice(0, 2), body.page.has_next]).toEqual([number, ids, hasNext]);
  });

  it('counts all matches when asked to, on every page', async () => {
    expect((await list('rows?page=3&total=true')).body.page).toEqual({ size: 20, number: 3, has_next: false, total: 45 });
    expect((await list('rows?page=9&group=a&total=true')).body).toEqual({
      data: [],
      page: { size: 20, number: 9, has_next: false, total: 15 },
    });
  });

  it('visits each record once when the pages are leafed through, ties included', async () => {
    const seen: number[] = [];
    for (let page = 1, hasNext = true; hasNext; page++) {
      const { body } = await list(`rows?sort=-group&limit=7&page=${page}`);
      seen.push(...idsOf(body));
      hasNext = body.page.has_next;
    }
    const ids = Array.from({ length: 45 }, (_, index) => 44 - index);
    expect(seen).toEqual([...'cba'].flatMap((group) => ids.filter((id) => 'abc'[id % 3] === group)));
  });
});

describe('the Link of a page by number', () => {
  it.each([
    ['rows?limit=20&sort=-id', ['next 2']],
    ['rows?page=2', ['first 1', 'prev 1', 'next 3']],
    ['rows?total=true&page=3', ['first 1', 'prev 2']],
    ['rows?page=100', ['first 1', 'prev 99']],
    ['rows?group=z', []],
  ])('leads to the first, the previous and the next page: %s', async (path, expected) => {
    const { headers } = await list(path);
    const links = [...String(headers.link ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
    expect(links.map(([, href = '', rel]) => `${rel} ${new URL(href, 'http://localhost').searchParams.get('page')}`)).toEqual(expected);
    const own = path.replace(/[?&]page=\d+/, '');
    for (const [, href = ''] of links) expect(href.replace(/[?&]page=\d+/, '')).toBe(`/api/${own}`);
  });
});

describe('a list by number answers 400', () => {
  it.each(['0', '-1', '1.0', '1e1', 'x', '', ' 1', '00', '١'])('to page=%s', async (page) => {
    const { status, body } = await list(`rows?page=${encodeURIComponent(page)}`);
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'invalid_query', 'page']);
  });

  it.each(['after=x', 'before=x', 'after=x&before=x', 'page=1&page=2'])('to %s', async (query) => {
    const { status, body } = await list(`rows?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_query']);
  });

  it.each([
    ['plain?page=6', 200],
    ['plain?page=7', 400],
    ['plain?page=3&limit=10', 200],
    ['plain?page=4&limit=10', 400],
    ['plain?page=21&limit=1', 200],
    ['plain?page=22&limit=1', 400],
    ['rows?page=101&limit=100', 200],
    ['rows?page=102&limit=100', 400],
    ['rows?page=99999999999999999999999', 400],
    ['first?page=1', 200],
    ['first?page=2', 400],
  ])('to a page that skips more than maxOffset, which is 10,000 by default: %s', async (path, status) => {
    expect((await list(path)).status).toBe(status);
  });

  it('with a hint that helps', async () => {
    const { body } = await list('plain?page=7');
    expect(body.errors).toMatchObject([
      { field: 'page', message: 'is too deep: a page may skip 20 records, so that the last one of 4 is 6; narrow the list by filters' },
    ]);
  });

  it('to the next page of the deepest one, which has a Link all the same: the list does not seem to end there', async () => {
    const { headers, body } = await list('plain?page=6');
    expect(body.page.has_next).toBe(true);
    const next = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1] ?? '';
    expect((await api.request('GET', next)).body.errors[0].message).toMatch(/narrow the list by filters/);
  });
});

describe('a list by cursor answers 400', () => {
  it('to page', async () => {
    const { status, body } = await list('by-cursor?page=1');
    expect([status, body.errors]).toMatchObject([
      400,
      [{ field: 'page', message: 'is not available: this list is paged by cursor; use after' }],
    ]);
  });
});

describe('the settings of a paging', () => {
  it.each<[string, () => unknown]>([
    ['`max`', () => offsetPaging({ max: 0 })],
    ['`size`', () => offsetPaging({ max: 5, size: 6 })],
    ['`maxOffset`', () => offsetPaging({ maxOffset: -1 })],
    ['`maxOffset`', () => offsetPaging({ maxOffset: 1.5 })],
    ['`total`', () => offsetPaging({ total: 'exact' as never })],
    ['`total`', () => cursorPaging({ total: 1 as never })],
    ['did you mean `maxOffset`', () => offsetPaging({ maxoffset: 5 } as never)],
    ['`maxOffset` is not an option of `cursorPaging`', () => cursorPaging({ maxOffset: 5 } as never)],
    ['`paging`', () => service().api({ db: database.db, resources: [service().resource({ model: Row, paging: { max: 5 } as never })] })],
  ])('are checked when it is made: %s', (message, make) => {
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });
});
