import { once } from 'node:events';
import { type CommandSucceededEvent, type Db, MongoClient } from 'mongodb';
import { defineModel, service, t } from '../../src/index.ts';
import { changeStreams } from '../support/database/change-streams.ts';
import { LiveStream } from '../support/http/live-stream.ts';
import { useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';
import type { Message } from './parts/network.ts';
import { useNetwork } from './parts/use-network.ts';

const Card = defineModel('Card', { collection: 'cards', fields: { id: t.string({ policy: { insert: true } }) } });

const between = useNetwork();
const serve = useServer();
const open: LiveStream[] = [];
/** The service reaches the database through the network that falls silent, and the test reaches it directly. */
let client: MongoClient;
let direct: Db;
/** Each test has a database of its own: a cursor stays open in it of which the client has never heard. */
let tests = 0;

beforeEach(async () => {
  client = await MongoClient.connect(between.network.uri, { monitorCommands: true, maxPoolSize: 4 });
  direct = (await between.deployment.connect()).db(`silence${++tests}`);
});

afterEach(async () => {
  between.network.disturb = () => undefined;
  for (const stream of open.splice(0)) stream.close();
  await client.close();
  await direct.client.close();
});

/** Each api shares the change stream of the client with the others. */
async function start(live: object = { staleAfter: 5_000 }): Promise<LiveStream> {
  const shop = service();
  const api = shop.api({ db: client.db(direct.databaseName), resources: [shop.resource({ model: Card, live: true })], live });
  const { port } = await serve(api.routes());
  const stream = new LiveStream(port, '/cards');
  open.push(stream);
  return stream;
}

const insert = (id: string) => direct.collection('cards').insertOne({ _id: id as never });
const has = (id: string) => (state: { data: { id: string }[] }) => state.data.some((card) => card.id === id);

/** Resolves when the connection of the next such message is dead, and nothing says so. */
function silence(isIt: (message: Message) => boolean): Promise<void> {
  return new Promise((resolve) => {
    between.network.disturb = (message) => {
      if (!isIt(message)) return undefined;
      between.network.disturb = () => undefined;
      resolve();
      return 'half-open';
    };
  });
}

const isReply = ({ from, command }: Message) => from === 'database' && command === 'getMore';
const isOpening = ({ from, command }: Message) => from === 'database' && command === 'aggregate';

/** Resolves after so many replies of the change stream. */
async function replies(count: number): Promise<void> {
  for (let seen = 0; seen < count; ) {
    const [{ commandName }] = (await once(client, 'commandSucceeded')) as [CommandSucceededEvent];
    if (commandName === 'getMore') seen++;
  }
}

describe('a change stream whose connection is dead, and was not closed', () => {
  it('is replaced: lists show what was written meanwhile, and what is written later', async () => {
    const stream = await (await start()).opened();
    await silence(isReply);
    await insert('meanwhile');
    await stream.sees(has('meanwhile'));
    await insert('later');
    await stream.sees(has('later'));
    expect(stream.events.map(({ event }) => event)).toEqual(['page', 'change', 'change']);
    await until(async () => (await changeStreams(direct)).length === 1);
  });

  it('gives its connection back to the pool', async () => {
    await (await start()).opened();
    const closed = once(client, 'connectionClosed');
    await silence(isReply);
    expect(await closed).toMatchObject([{ reason: 'error' }]);
  });

  it('is replaced, too, if it is silent from the beginning', async () => {
    const silent = silence(isOpening);
    const stream = await (await start()).opened();
    await silent;
    await insert('meanwhile');
    expect(await stream.sees(has('meanwhile'))).toMatchObject({ data: [{ id: 'meanwhile' }] });
  });

  it('is replaced when the database can be reached again, if all of its connections were dead', async () => {
    const stream = await (await start()).opened();
    await replies(1);
    const closed = once(client, 'connectionClosed');
    between.network.disturb = () => 'half-open';
    await insert('meanwhile');
    await closed;
    between.network.disturb = () => undefined;
    await stream.sees(has('meanwhile'));
    expect(stream.isEnded).toBe(false);
  });

  it('is replaced after the shortest time that one of the apis says which share it', async () => {
    const patient = await (await start({ staleAfter: 600_000 })).opened();
    await (await start()).opened();
    await silence(isReply);
    await insert('meanwhile');
    expect(await patient.sees(has('meanwhile'))).toMatchObject({ data: [{ id: 'meanwhile' }] });
  });

  it('does not keep the next one from opening, if nobody listens to it any more', async () => {
    const first = await (await start()).opened();
    await silence(isReply);
    first.close();
    const second = await (await start()).opened();
    await insert('later');
    expect(await second.sees(has('later'))).toMatchObject({ data: [{ id: 'later' }] });
  });
});

it('a change stream of which nothing is told for a minute stays open: its database answers every second', async () => {
  const stream = await (await start()).opened();
  await replies(2);
  const [cursor] = await changeStreams(direct);
  const asked: string[] = [];
  client.on('commandStarted', ({ commandName }) => asked.push(commandName));
  await replies(60);
  expect(new Set(asked)).toEqual(new Set(['getMore']));
  expect(await changeStreams(direct)).toEqual([cursor]);
  await insert('later');
  await stream.sees(has('later'));
});
