import type { CommandSucceededEvent } from 'mongodb';
import { type Context, cursorPaging, defineModel, findPage, listQuery, page, problems, type StoredRecord, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { id: t.int({ policy: { sort: true } }), text: t.string() } });
const paging = cursorPaging({ max: 1000, size: 1000 });
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const serve = useServer();
const docs = () => database.db.collection<{ _id: number; text: string }>('docs');
const fill = (text: string) => docs().insertMany(Array.from({ length: 9 }, (_, _id) => ({ _id, text })));

beforeEach(async () => {
  await docs().deleteMany({});
});

describe("findPage() and page() in somebody's own routes", () => {
  it('bound a page, and let its records go when they are written', async () => {
    await fill('x'.repeat(3000));
    const seen: unknown[] = [];
    const { request } = await serve(
      async (ctx: Context, next) => {
        await next();
        seen.push(ctx.page, ctx.included);
      },
      listQuery(Doc, paging),
      findPage(Doc, { db: database.db, maxPageBytes: 7_000 }),
      page(),
    );
    expect((await request('GET', '/')).body.data).toHaveLength(2);
    expect(seen).toEqual([undefined, undefined]);
  });

  it('write the records that a middleware between them has left in the page', async () => {
    await fill('€'.repeat(1000));
    const { request } = await serve(
      listQuery(Doc, paging),
      findPage(Doc, { db: database.db }),
      async (ctx: Context, next) => {
        const found = ctx.page as NonNullable<Context['page']>;
        ctx.page = { ...found, maxPageBytes: 10_000, records: found.records.filter(({ id }: StoredRecord) => Number(id) % 2 === 0) };
        await next();
      },
      page(),
    );
    const first = await request('GET', '/?sort=id');
    expect(first.body.data.map(({ id }: { id: number }) => id)).toEqual([0, 2, 4]);
    const second = await request('GET', `/?sort=id&after=${first.body.page.next_cursor}`);
    expect(second.body.data.map(({ id }: { id: number }) => id)).toEqual([6, 8]);
  });

  it('answer with the bytes that were written together with the records, and not with a copy', async () => {
    await fill('€');
    const seen: unknown[] = [];
    const { request } = await serve(
      async (ctx: Context, next) => {
        await next();
        seen.push(ctx.body);
      },
      listQuery(Doc, paging),
      findPage(Doc, { db: database.db }),
      async (ctx: Context, next) => {
        seen.push(ctx.page?.written?.body);
        await next();
      },
      page(),
    );
    expect((await request('GET', '/')).body.data).toHaveLength(9);
    expect(seen[1]).toBe(seen[0]);
    expect(seen[0]).toBeInstanceOf(Buffer);
  });

  it.each(['sort=id', 'sort=-id'])('tell with %s what a middleware between them has changed of the page', async (query) => {
    await fill('€');
    const { request } = await serve(
      listQuery(Doc, paging),
      findPage(Doc, { db: database.db }),
      async (ctx: Context, next) => {
        ctx.page = { ...(ctx.page as NonNullable<Context['page']>), total: { count: 99, isEstimate: true } };
        await next();
      },
      page(),
    );
    const { body } = await request('GET', `/?${query}&limit=2`);
    expect(body.data).toHaveLength(2);
    expect(body.page).toMatchObject({ size: 2, has_next: true, total: 99, total_is_estimate: true });
  });

  it('do not answer a request that was given up while a large page was written', async () => {
    const { request } = await serve(
      problems(),
      listQuery(Doc, paging),
      findPage(Doc, { db: database.db }),
      async (ctx: Context, next) => {
        const { written: _, ...unwritten } = ctx.page as NonNullable<Context['page']>;
        ctx.page = unwritten;
        setImmediate(() => ctx.exchange?.giveUp()); // in the first pause
        await next();
      },
      page(),
    );
    await fill('x'.repeat(200_000));
    const { status, body } = await request('GET', '/');
    expect([status, body.code]).toEqual([503, 'request_given_up']);
  });
});

describe('who watches the commands of the driver', () => {
  it('hears of replies in their own form', async () => {
    await docs().insertMany(['a', 'b', 'c', 'd'].map((text, _id) => ({ _id, text })));
    const cursors: unknown[] = [];
    database.client.on('commandSucceeded', ({ commandName, reply }: CommandSucceededEvent) => {
      if (commandName === 'find' || commandName === 'aggregate') cursors.push((reply as { cursor: unknown }).cursor);
    });
    const Sorted = defineModel('Sorted', { collection: 'docs', fields: { id: t.int(), text: t.string({ policy: { sort: true } }) } });
    const { request } = await serve(listQuery(Sorted, cursorPaging()), findPage(Sorted, { db: database.db }), page());
    const { body } = await request('GET', '/?sort=text&limit=2');
    await request('GET', `/?sort=text&after=${body.page.next_cursor}`);
    expect(commands.names.slice(-2)).toEqual(['find', 'aggregate']);
    for (const cursor of cursors) expect(cursor).toMatchObject({ ns: expect.stringContaining('.docs'), firstBatch: expect.any(Array) });
    expect(cursors).toHaveLength(2);
  });
});
