import { cursorPaging, defineModel, offsetPaging, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Row = defineModel('Row', { collection: 'rows', fields: { name: t.string({ policy: { filter: true } }) } });

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Row, paging: cursorPaging() }),
  shop.resource({ model: Row, path: 'numbered', paging: offsetPaging() }),
]);

beforeAll(() => database.db.collection('rows').insertMany(Array.from({ length: 9 }, (_, n) => ({ name: `name ${n}` }))));

/** Through Node's own client, which takes 16 KiB of headers. */
async function list(path: string) {
  const answer = await fetch(`http://127.0.0.1:${api.port}/api/${path}`);
  const { page } = (await answer.json()) as { page: Record<string, unknown> };
  return { status: answer.status, link: answer.headers.get('link'), page };
}

describe('the Link of a list', () => {
  it.each([1, 100, 300, 500])('never makes an answer that a client refuses, where its query has %i values', async (count) => {
    const values = Array.from({ length: count }, (_, n) => `a value of some text ${n}`.replaceAll(' ', '+'));
    const query = `name[nin]=${values.join()}&limit=3`;
    const first = await list(`rows?${query}`);
    const second = await list(`rows?${query}&after=${first.page.next_cursor}`);
    const numbered = await list(`numbered?${query}&page=2`);
    for (const { status, link, page } of [first, second, numbered]) {
      expect([status, page.has_next]).toEqual([200, true]);
      if (count === 1) expect(link).toMatch(/rel="next"$/);
      if (count === 500) expect(link).toBeNull();
      expect(link?.length ?? 0).toBeLessThanOrEqual(8192);
    }
    expect([second.page.next_cursor, second.page.prev_cursor]).toEqual([expect.any(String), expect.any(String)]);
  });
});
