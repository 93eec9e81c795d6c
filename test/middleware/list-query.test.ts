import { ConfigurationError, type Context, cursorPaging, listQuery, problems } from '../../src/index.ts';
import { useServer } from '../support/http/serve.ts';
import { Note } from '../support/models/note.ts';

const serve = useServer();

async function ask(query: string, paging = cursorPaging()) {
  let left: Context['listQuery'];
  const { request } = await serve(problems(), listQuery(Note, paging), (ctx: Context) => {
    left = ctx.listQuery;
    ctx.body = 'passed';
  });
  const { status, body } = await request('GET', `/?${query}`);
  return { status, body, left };
}

describe('listQuery()', () => {
  it('leaves the parsed query in ctx.listQuery: conditions, sort with the id at last, limit and total', async () => {
    const { left } = await ask('text[prefix]=a&sort=-text&limit=7&total=true', cursorPaging({ total: true }));
    expect(left).toMatchObject({ limit: 7, total: 'exact', window: { mode: 'cursor', from: undefined, direction: 1 } });
    expect(left?.conditions.map(({ field, operator, value }) => [field.path, operator, value])).toEqual([['text', 'prefix', 'a']]);
    expect(left?.sort.map(({ field, direction }) => [field.path, direction])).toEqual([
      ['text', -1],
      ['_id', -1],
    ]);
  });

  it('takes the page size of its paging', async () => {
    expect((await ask('', cursorPaging({ size: 3, max: 5 }))).left?.limit).toBe(3);
    expect((await ask('limit=50', cursorPaging({ size: 3, max: 5 }))).left?.limit).toBe(5);
  });

  it('is 400 naming everything that is not acceptable', async () => {
    const { status, body, left } = await ask('secret=1&x=1&sort=owner&limit=0');
    expect([status, body.code, left]).toEqual([400, 'invalid_query', undefined]);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['secret', 'x', 'sort', 'limit']);
  });

  it('refuses paging that is none, when it is made', () => {
    for (const paging of [undefined, null, {}, { max: 0, size: 0, total: false }]) {
      expect(() => listQuery(Note, paging as never)).toThrow(ConfigurationError);
    }
  });
});
