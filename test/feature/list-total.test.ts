import { cursorPaging, defineModel, everything, offsetPaging, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Row = defineModel('Row', {
  collection: 'rows',
  fields: { id: t.int(), group: t.string({ policy: { filter: true, sort: true } }) },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi(database, (shop) => [
  shop.resource({ model: Row, path: 'both', paging: cursorPaging({ total: true }) }),
  shop.resource({ model: Row, path: 'estimated', paging: cursorPaging({ total: 'estimate' }) }),
  shop.resource({ model: Row, path: 'numbered', paging: offsetPaging({ total: 'estimate' }) }),
  shop.resource({
    model: Row,
    path: 'scoped',
    paging: cursorPaging({ total: true }),
    scope: (ctx) => (ctx.get('x-admin') ? everything : { group: 'a' }),
  }),
]);

beforeAll(async () => {
  await database.db.collection('rows').insertMany(Array.from({ length: 30 }, (_, id) => ({ _id: id as never, group: 'abc'[id % 3] })));
});
beforeEach(() => commands.clear());

const list = (path: string, headers = {}) => api.request('GET', `/api/${path}`, { headers });

describe('an estimated total', () => {
  it.each(['both', 'estimated'])("is the collection's own statistics, and says that it is an estimate: %s", async (path) => {
    const { status, body } = await list(`${path}?total=estimate&limit=5`);
    expect(status).toBe(200);
    expect(body.page).toMatchObject({ size: 5, has_next: true, total: 30, total_is_estimate: true });
    expect([...commands.names].sort()).toEqual(['count', 'find']);
    expect(commands.events.find(({ commandName }) => commandName === 'count')?.command).not.toHaveProperty('query');
  });

  it('is there on later pages, under any sort, and in lists by number', async () => {
    const { body } = await list('estimated?limit=5&sort=-group');
    expect((await list(`estimated?limit=5&sort=-group&total=estimate&after=${body.page.next_cursor}`)).body.page.total).toBe(30);
    expect((await list('numbered?page=2&total=estimate')).body.page).toEqual({
      size: 20,
      number: 2,
      has_next: false,
      total: 30,
      total_is_estimate: true,
    });
  });

  it('is for a caller whose scope is everything, and for no other', async () => {
    expect((await list('scoped?total=estimate', { 'x-admin': '1' })).body.page.total).toBe(30);
    const { status, body } = await list('scoped?total=estimate');
    expect([status, body.errors]).toMatchObject([
      400,
      [{ field: 'total', message: 'cannot be estimated: the list shows a part of its records only; use total=true' }],
    ]);
  });

  it.each([
    ['both', 'cannot be estimated under a filter; use total=true'],
    ['estimated', 'cannot be estimated under a filter; leave the filters out'],
  ])('does not stand beside a filter: %s', async (path, message) => {
    for (const filter of ['group=a', 'group[nin]=']) {
      const { status, body } = await list(`${path}?total=estimate&${filter}`);
      expect([status, body.code, body.errors]).toMatchObject([400, 'invalid_query', [{ field: 'total', message }]]);
    }
    expect(commands.names).toEqual([]);
  });

  it('may be all that a list allows', async () => {
    const { status, body } = await list('estimated?total=true');
    expect([status, body.errors]).toMatchObject([
      400,
      [{ field: 'total', message: 'can only be estimated in this list; use total=estimate' }],
    ]);
  });
});

describe('an exact total', () => {
  it('does not say that it is an estimate', async () => {
    const { body } = await list('both?total=true');
    expect(body.page.total).toBe(30);
    expect(body.page).not.toHaveProperty('total_is_estimate');
  });
});
