import type { CommandSucceededEvent, Timestamp } from 'mongodb';
import { defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { changeStreams } from '../../support/database/change-streams.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { useServer } from '../../support/http/serve.ts';
import { until } from '../../support/until.ts';

/** So long that mongod tells of a change, and not of the whole record as if it were replaced. */
const long = 'zqlong'.repeat(50);
const define = (name: string, collection: string) =>
  defineModel(name, {
    collection,
    fields: { id: t.int({ policy: { insert: true } }), title: t.string(), note: t.string({ default: long }) },
  });
const [Card, Tag, Other] = [define('Card', 'cards'), define('Tag', 'tags'), define('Other', 'others')];

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const serve = useServer();
const open: LiveStream[] = [];
let heard: Any[];

/** A list may be there before its change stream is open: what is written until then comes with its first batch. */
const hear = ({ reply }: CommandSucceededEvent) => {
  const { cursor } = reply as Any;
  if (String(cursor?.ns).endsWith('.$cmd.aggregate')) heard.push(...(cursor.firstBatch ?? cursor.nextBatch));
};

beforeEach(() => {
  heard = [];
  database.client.on('commandSucceeded', hear);
});

afterEach(async () => {
  database.client.off('commandSucceeded', hear);
  for (const stream of open.splice(0)) stream.close();
  for (const name of ['cards', 'tags', 'others']) await database.db.collection(name).deleteMany({});
  await until(async () => (await changeStreams(database.db)).length === 0);
});

async function start(options: object = {}) {
  const shop = service();
  const resources = [Card, Tag].map((model) => shop.resource({ model, live: true, ...options }));
  const api = shop.api({ db: database.db, resources: [...resources, shop.resource({ model: Other })] as never });
  const { port, request } = await serve(api.routes());
  await database.db.collection('others').updateOne({ _id: -1 as never }, { $inc: { n: 1 } }, { upsert: true }); // a change stream begins with the last write
  return {
    create: async (path: string, id: number, title = 'x') =>
      expect((await request('POST', path, { body: { id, title } })).status).toBe(201),
    patch: async (path: string, title: string) => expect((await request('PATCH', path, { body: { title } })).status).toBe(200),
    listen(path: string) {
      const stream = new LiveStream(port, path);
      open.push(stream);
      return stream.opened();
    },
  };
}

describe('the change stream', () => {
  it('is one for all live lists of a database, and is closed after the last of them', async () => {
    const [first, second] = [await start(), await start()];
    expect(await changeStreams(database.db)).toEqual([]);
    const streams = [
      await first.listen('/cards'),
      await first.listen('/cards?limit=1'),
      await first.listen('/tags'),
      await second.listen('/cards'),
    ];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const isOne = async () => (await changeStreams(database.db)).length === 1;
    await until(isOne); // the first one carried only the cards, and may still be closing when the next one is open
    await first.create('/tags', 1);
    await streams[2]?.sees(({ data }) => data.length === 1);
    await until(isOne);
    for (const stream of streams.slice(1)) stream.close();
    await first.create('/cards', 1);
    await streams[0]?.sees(({ data }) => data.length === 1);
    await until(isOne);
    streams[0]?.close();
    await until(async () => (await changeStreams(database.db)).length === 0);
  });

  it('carries ids and names of changed fields, and no values', async () => {
    const { listen, create, patch } = await start();
    const stream = await listen('/cards');
    await create('/cards', 1, 'zqvalue');
    await patch('/cards/1', 'zqother');
    await stream.sees(({ data }) => data[0]?.title === 'zqother');
    expect(heard.map(({ operationType, documentKey, paths }) => [operationType, documentKey, paths])).toEqual([
      ['insert', { _id: 1 }, []],
      ['update', { _id: 1 }, ['title']],
    ]);
    expect(JSON.stringify(heard)).not.toContain('zq');
  });

  it('carries nothing of a collection that nobody watches, for which nothing is read', async () => {
    const { listen, create } = await start();
    const stream = await listen('/cards');
    commands.clear();
    for (let id = 0; id < 20; id++) await create('/others', id);
    expect(commands.names.filter((name) => name === 'find')).toEqual([]);
    await create('/cards', 1);
    await stream.sees(({ data }) => data.length === 1);
    expect(heard.map(({ ns }) => ns.coll)).toEqual(['cards']);
    expect(commands.names.filter((name) => name === 'find')).toHaveLength(1);
  });
});

describe('a state', () => {
  it('is read after the time of the change, from whatever server', async () => {
    const { listen, create } = await start();
    const stream = await listen('/cards');
    commands.clear();
    await create('/cards', 1);
    await stream.sees(({ data }) => data.length === 1);
    const time = heard.at(-1).clusterTime as Timestamp;
    const find = commands.events.findLast(({ commandName }) => commandName === 'find')?.command;
    expect(find?.readConcern).toMatchObject({ level: 'majority' });
    expect(find?.readConcern.afterClusterTime.gte(time)).toBe(true);
  });

  it('follows what is written while it is read for the first time', async () => {
    let isWritten = false;
    const write = async () => {
      if (isWritten) return;
      isWritten = true;
      await database.db.collection('cards').insertOne({ _id: 1 as never, title: 'meanwhile' });
    };
    const { listen } = await start({ after: { list: [write] } });
    const stream = await listen('/cards');
    expect(stream.events[0]?.data.data).toEqual([]);
    await stream.sees(({ data }) => data[0]?.title === 'meanwhile');
  });
});
