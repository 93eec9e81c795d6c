import { defineModel, service, t } from '../../../src/index.ts';
import { useLive } from '../../support/live/use-live.ts';

const Board = defineModel('Board', {
  collection: 'boards',
  fields: { id: t.string({ policy: { insert: true } }), name: t.string({ policy: { filter: true } }) },
});
const Card = defineModel('Card', {
  collection: 'cards',
  fields: {
    id: t.string({ policy: { insert: true } }),
    title: t.string(),
    boardId: t.optional(t.ref('Board', { as: 'board', id: t.string() })),
  },
});

const { database, commands, serve, begin } = useLive();

afterEach(async () => {
  for (const name of ['cards', 'boards', 'all_cards', 'all_boards']) await database.db.dropCollection(name).catch(() => undefined);
});

async function start(ofCards: object = {}) {
  const desk = service();
  const resources = [desk.resource({ model: Board, live: true }), desk.resource({ model: Card, live: true, ...ofCards } as never)];
  const api = desk.api({ db: database.db, resources });
  const server = await serve(api.routes());
  return {
    server,
    listen: (path: string) => begin(server.port, path).opened(),
  };
}

const internal = { type: 'about:blank', title: 'Internal Server Error', status: 500 };
const cards = () => database.db.collection<{ _id: string; title: string; boardId?: string }>('cards');
const boards = () => database.db.collection<{ _id: string; name: string }>('boards');

const collections = {
  'a view': {
    create: (name: string) => database.db.createCollection(name, { viewOn: `all_${name}`, pipeline: [] }),
    says: 'a view of MongoDB',
  },
  'a time series': {
    create: (name: string) => database.db.createCollection(name, { timeseries: { timeField: 'at' } }),
    says: 'a time series',
  },
};

describe.each(Object.entries(collections))('a live list that depends on %s', (_what, { create, says }) => {
  it.each([
    ['its list', 'cards', {}, '/cards'],
    ['its record', 'cards', {}, '/cards/a'],
    ['an included record', 'boards', { include: ['board'] }, '/cards?include=board'],
    ['a filter through a relation', 'boards', { through: ['board'] }, '/cards?board.name=a'],
    ['a model that is watched', 'boards', { live: { watches: [Board] } }, '/cards'],
  ])('is refused: %s', async (_part, name, options, path) => {
    await create(name);
    const { listen, server } = await start(options);
    const stream = await listen(path);
    expect([stream.status, stream.problem]).toEqual([500, internal]);
    expect(server.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(new RegExp(`^\`live\` cannot follow \`${name}\`: it is ${says}, [^.]+\\.$`)),
    ]);
  });

  it('leaves the lists of other collections in step', async () => {
    await create('boards');
    const { listen } = await start();
    const stream = await listen('/cards');
    expect((await listen('/boards')).status).toBe(500);
    await cards().insertOne({ _id: 'a', title: 'one' });
    expect(await stream.sees(({ data }) => data.length === 1)).toMatchObject({ data: [{ title: 'one' }] });
  });
});

it('a live list of a collection that was a view before is served', async () => {
  await database.db.createCollection('boards', { viewOn: 'all_boards', pipeline: [] });
  const { listen } = await start();
  expect((await listen('/boards')).status).toBe(500);
  await database.db.dropCollection('boards');
  const stream = await listen('/boards');
  await boards().insertOne({ _id: 'a', name: 'a' });
  expect(await stream.sees(({ data }) => data.length === 1)).toMatchObject({ data: [{ name: 'a' }] });
});

it('a collection is asked about once for all live lists, until it is dropped', async () => {
  await cards().insertOne({ _id: 'a', title: 'one' });
  const { listen } = await start();
  const asked = () => commands.names.filter((name) => name === 'listCollections').length;
  const first = await listen('/cards');
  await listen('/cards?limit=3');
  await listen('/cards/a');
  expect(asked()).toBe(1);
  await database.db.dropCollection('cards');
  await first.sees(({ data }) => data.length === 0);
  await database.db.createCollection('cards', { viewOn: 'all_cards', pipeline: [] });
  expect((await listen('/cards?limit=4')).status).toBe(500);
});
