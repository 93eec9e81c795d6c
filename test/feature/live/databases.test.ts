import { MongoClient } from 'mongodb';
import { defineModel, service, t } from '../../../src/index.ts';
import { changeStreams } from '../../support/database/change-streams.ts';
import { useDatabase } from '../../support/database/database.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { useServer } from '../../support/http/serve.ts';
import { until } from '../../support/until.ts';

const Card = defineModel('Card', { collection: 'cards', fields: { id: t.string({ policy: { insert: true } }), title: t.string() } });
const database = useDatabase();
const serve = useServer();
const open: LiveStream[] = [];
afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  await database.db
    .collection('cards')
    .drop()
    .catch(() => undefined);
});
async function start(client = database.client) {
  const shop = service();
  const api = shop.api({ db: client.db(database.db.databaseName), resources: [shop.resource({ model: Card, live: true })] });
  const { port } = await serve(api.routes());
  return {
    api,
    listen(path: string) {
      const stream = new LiveStream(port, path);
      open.push(stream);
      return stream.opened();
    },
  };
}

it('follows over a client whose reads have another read concern', async () => {
  const client = await MongoClient.connect(process.env.MONGODB_URI as string, { readConcernLevel: 'local' });
  try {
    const { listen } = await start(client);
    const cards = await listen('/cards');
    await database.db.collection('cards').insertOne({ _id: 'a' as never, title: 'a' });
    expect(await cards.sees(({ data }) => data.length === 1)).toMatchObject({ data: [{ id: 'a' }] });
  } finally {
    for (const stream of open.splice(0)) stream.close();
    await until(async () => (await changeStreams(database.db)).length === 0);
    await client.close();
  }
});

it('follows a record whose id is found by a collation', async () => {
  await database.db.createCollection('cards', { collation: { locale: 'en', strength: 2 } });
  await database.db.collection('cards').insertOne({ _id: 'abc' as never, title: 'a' });
  const { listen } = await start();
  const card = await listen('/cards/ABC');
  expect(card.state?.data.id).toBe('abc');
  await database.db.collection('cards').updateOne({ _id: 'abc' as never }, { $set: { title: 'b' } });
  expect(await card.sees(({ data }) => data.title === 'b')).toMatchObject({ data: { id: 'abc' } });
});

it('follows a collection that is renamed, comes back, and is dropped', async () => {
  const { listen } = await start();
  await database.db.collection('cards').insertOne({ _id: 'x' as never, title: 'a' });
  const cards = await listen('/cards');
  await database.db.collection('cards').rename('cards2');
  await cards.sees(({ data }) => data.length === 0);
  await database.db.collection('cards2').rename('cards');
  await cards.sees(({ data }) => data.length === 1);
  await database.db.collection('cards').drop();
  await cards.sees(({ data }) => data.length === 0);
  await database.db.collection('cards').insertOne({ _id: 'x' as never, title: 'a' });
  expect(await cards.sees(({ data }) => data.length === 1)).toMatchObject({ data: [{ id: 'x' }] });
});
