import { defineModel, service, t } from '../../../src/index.ts';
import type { LiveStream } from '../../support/http/live-stream.ts';
import { useLive } from '../../support/live/use-live.ts';

const Card = defineModel('Card', {
  collection: 'cards',
  fields: {
    id: t.int({ policy: { insert: true } }),
    title: t.string({ caseless: true, policy: { filter: true, sort: true } }),
    board: t.optional(t.nullable(t.int({ policy: { filter: true } }))),
    labels: t.array(t.string(), { default: [], policy: { filter: true } }),
    rank: t.int({ default: 0, policy: { filter: true, sort: true } }),
    deletedAt: t.deletedAt(),
  },
});

const Tag = defineModel('Tag', { collection: 'tags', fields: { name: t.string({ policy: { filter: true } }) } });

const { database, commands, serve, begin } = useLive('cards', 'tags');
const cards = () => database.db.collection<{ _id: number }>('cards');
const finds = () => commands.events.filter(({ command }) => command.find === 'cards');
/** The reads of pages, beside those of changed records. */
const pages = () => finds().filter(({ command }) => command.sort !== undefined);

beforeAll(async () => {
  await database.db.createCollection('cards');
  await database.db.createCollection('tags', { collation: { locale: 'en', strength: 2 } });
});

async function start(hidden?: number) {
  const desk = service();
  const resource = desk.resource({
    model: Card,
    ops: ['list', 'create', 'patch', 'delete', 'restore'],
    live: true,
    ...(hidden !== undefined && {
      after: {
        list: [
          (ctx) => {
            if (ctx.page) ctx.page = { ...ctx.page, records: ctx.page.records.filter(({ idText }) => idText !== String(hidden)) };
          },
        ],
      },
    }),
  });
  const api = desk.api({ db: database.db, resources: [resource, desk.resource({ model: Tag, live: true })] });
  const { port, request } = await serve(api.routes());
  const send = async (method: string, path: string, body?: object) =>
    expect((await request(method, path, body ? { body } : {})).status).toBeLessThan(300);
  return {
    create: (id: number, fields: object = {}) => send('POST', '/cards', { id, title: 'x', ...fields }),
    patch: (id: number, fields: object) => send('PATCH', `/cards/${id}`, fields),
    send,
    listen: (query: string, path = '/cards') => begin(port, `${path}?${query}`).opened(),
    /** Waits until a list has these records, as GET answers them. */
    async shows(stream: LiveStream, query: string, ...ids: number[]) {
      await stream.sees(({ data }) => JSON.stringify(data.map((one: { id: number }) => one.id)) === JSON.stringify(ids));
      expect(stream.state).toEqual((await request('GET', `/cards?${query}`)).body);
    },
  };
}

describe('the lists that a change concerns', () => {
  it('are all that it may concern, where a hook has put other records into the page', async () => {
    const { create, send, listen, shows } = await start(2);
    for (const id of [1, 2, 3, 4]) await create(id, { board: 1, rank: id });
    const query = 'board=1&sort=rank&limit=2';
    const streams = await Promise.all([listen(query), listen('board=2')]);
    await shows(streams[0] as LiveStream, query, 1);
    await send('DELETE', '/cards/2');
    await shows(streams[0] as LiveStream, query, 1, 3);
  });

  it('are those whose values its record has: no other is read', async () => {
    const { create, patch, listen, shows } = await start();
    const streams = await Promise.all([1, 2, 3, 4].map((board) => listen(`board=${board}`)));
    const [one, two] = streams as [LiveStream, LiveStream];
    commands.clear();
    await create(1, { board: 1 });
    await shows(one, 'board=1', 1);
    expect(pages()).toHaveLength(2); // the list, and GET
    await patch(1, { board: 2 });
    await Promise.all([shows(one, 'board=1'), shows(two, 'board=2', 1)]);
    expect(pages()).toHaveLength(6);
  });

  it('are none, if no list can have its record, however many there are', async () => {
    const { create, patch, listen, shows } = await start();
    await create(9, { board: 9 });
    const streams = await Promise.all([1, 2, 3, 4].map((board) => listen(`board=${board}&sort=rank`)));
    commands.clear();
    await create(8, { board: 9 });
    await patch(9, { rank: 5 });
    await cards().deleteOne({ _id: 8 });
    await create(1, { board: 1 });
    await shows(streams[0] as LiveStream, 'board=1&sort=rank', 1);
    expect(pages()).toHaveLength(2);
  });

  it.each([
    ['a null', 'filter=board%20%3D%20null', { board: null }, { board: 4 }],
    ['one of several values', 'board[in]=1,2,null', { board: 2 }, { board: 3 }],
    ['a text, whatever its case is', 'title=FIRST', { title: 'first' }, { title: 'second' }],
    ['an item of an array', 'labels=red', { labels: ['green', 'red'] }, { labels: ['green'] }],
    ['one of two conditions', 'filter=board%20%3D%201%20OR%20rank%20%3D%201', { rank: 1 }, { rank: 2, board: 2 }],
    ['what is not so', 'filter=NOT%20board%20%3D%201', { board: 2 }, { board: 1 }],
    ['a bound', 'rank[gte]=3&board=1', { rank: 3, board: 1 }, { rank: 2 }],
  ])('are those that ask for %s', async (_what, query, within, without) => {
    const { create, patch, listen, shows } = await start();
    await create(1, { title: 'other', board: 7, rank: 0, ...without });
    const [stream, ...others] = await Promise.all([query, 'board=71', 'board=72'].map((one) => listen(one)));
    const list = stream as LiveStream;
    await patch(1, within);
    await shows(list, query, 1);
    await patch(1, without);
    await shows(list, query);
    await cards().replaceOne({ _id: 1 }, { title: 'first', titleFolded: 'first', labels: [], rank: 0 } as object);
    await create(2, { title: 'other', board: 7, ...within });
    await list.sees(({ data }) => data.some((one: { id: number }) => one.id === 2));
    await create(3, { board: 71 });
    await shows(others[0] as LiveStream, 'board=71', 3);
  });

  it('are those whose next page ends with a record that goes', async () => {
    const { create, patch, listen, shows } = await start();
    for (const id of [1, 2, 3]) await create(id, { board: 1 });
    const query = 'board=1&limit=1';
    const [stream] = await Promise.all([listen(query), listen('board=2')]);
    const list = stream as LiveStream;
    await patch(2, { board: 3 });
    await cards().deleteOne({ _id: 3 });
    await list.sees(({ page }) => !page.has_next);
    await shows(list, query, 1);
    await create(4, { board: 1 });
    await list.sees(({ page }) => page.has_next);
    await shows(list, query, 1);
  });

  it('are all that may be, where a collation of the collection decides which texts are equal', async () => {
    const { send, listen } = await start();
    const [stream] = await Promise.all([listen('name=RED', '/tags'), listen('name=blue', '/tags')]);
    await send('POST', '/tags', { name: 'red' });
    await stream?.sees(({ data }) => data.length === 1);
  });

  it('are those of a record that is deleted and restored', async () => {
    const { create, send, listen, shows } = await start();
    await create(1, { board: 1 });
    const [stream] = await Promise.all([listen('board=1'), listen('board=2')]);
    await send('DELETE', '/cards/1');
    await shows(stream as LiveStream, 'board=1');
    await send('POST', '/cards/1/restore');
    await shows(stream as LiveStream, 'board=1', 1);
  });
});
