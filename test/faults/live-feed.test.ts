import { setTimeout as wait } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { defineModel, service, t } from '../../src/index.ts';
import { LiveStream } from '../support/http/live-stream.ts';
import { useServer } from '../support/http/serve.ts';
import { type Deployment, failCommands, startMongods } from './parts/mongods.ts';

const model = (name: string, collection: string) =>
  defineModel(name, { collection, fields: { id: t.string({ policy: { insert: true } }) } });
const Member = model('Member', 'members');
const models = [model('Card', 'cards'), model('Board', 'boards')];

const serve = useServer();
const open: LiveStream[] = [];
let deployment: Deployment;
let client: MongoClient;

const fail = (mode: object | 'off', data: object = {}) => failCommands(deployment, mode, data);

beforeAll(async () => {
  deployment = await startMongods(1);
  client = await deployment.connect({});
});

afterAll(async () => {
  await client?.close();
  await deployment?.stop();
});

afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  await fail('off');
});

async function start() {
  const shop = service();
  const api = shop.api({ db: client.db('live'), resources: models.map((one) => shop.resource({ model: one, live: true })) });
  const { port } = await serve(api.routes());
  return (path: string) => {
    const stream = new LiveStream(port, path);
    open.push(stream);
    return stream;
  };
}

const insert = (id: string) =>
  client
    .db('live')
    .collection('cards')
    .insertOne({ _id: id as never });

it('goes on for those who listen, when the stream that takes in another collection cannot begin', async () => {
  const listen = await start();
  const cards = await listen('/cards').opened();
  await fail({ times: 1 }, { failCommands: ['ping'], errorCode: 11600 });
  expect((await listen('/boards').opened()).status).toBe(503);
  await insert('a');
  expect(await cards.sees(({ data }) => data.length === 1)).toMatchObject({ data: [{ id: 'a' }] });
});

it('misses nothing while the stream that takes in another collection begins', async () => {
  const listen = await start();
  const cards = await listen('/cards').opened();
  const count = cards.state?.data.length;
  await fail({ times: 1 }, { failCommands: ['ping'], blockConnection: true, blockTimeMS: 2_500 });
  const boards = listen('/boards');
  await wait(1_800); // longer than the reads are spread over
  await insert('b');
  await client.db('live').collection('others').insertOne({}); // the stream begins with the last write
  await boards.opened();
  expect(await cards.sees(({ data }) => data.length === count + 1)).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }] });
});

it('asks again who may see what, if it may have missed a change of a model that `watches` names', async () => {
  const shop = service();
  const db = client.db('live');
  await db.collection('members').insertOne({ _id: 'ann' as never });
  const isMember = async () => (await db.collection('members').countDocuments()) > 0;
  const [cards, boards] = models.map((one, index) =>
    shop.resource(index === 0 ? { model: one, guards: [isMember], live: { watches: [Member] } } : { model: one, live: true }),
  );
  const { port } = await serve(shop.api({ db, resources: [cards, boards] as never }).routes());
  const [mine, others] = ['/cards', '/boards'].map((path) => () => {
    const stream = new LiveStream(port, path);
    open.push(stream);
    return stream;
  });
  const stream = await mine?.().opened();
  expect(stream?.status).toBe(200);
  await wait(1_500); // it has been asked once more, because something may have changed while it began
  await fail({ times: 1 }, { failCommands: ['ping'], blockConnection: true, blockTimeMS: 2_500 });
  const other = others?.();
  await wait(1_000);
  await db.collection('members').deleteMany({});
  await db.collection('others').insertOne({}); // the stream begins with the last write
  await other?.opened();
  await stream?.ended();
  expect(stream?.last).toMatchObject({ event: 'end', data: { problem: { code: 'forbidden' } } });
});
