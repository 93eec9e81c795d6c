import { Long } from 'mongodb';
import { defineModel, service, t } from '../../../src/index.ts';
import { live } from '../../../src/products/client/live.ts';
import { useDatabase } from '../../support/database/database.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { useServer } from '../../support/http/serve.ts';
import { until } from '../../support/until.ts';

const database = useDatabase();
const serve = useServer();
const open: { close(): void }[] = [];

afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  await database.db.collection('cards').deleteMany({});
});

interface Ids {
  readonly id: object;
  readonly stored: readonly unknown[];
  readonly isClear: boolean;
}

const kinds: readonly (readonly [string, Ids])[] = [
  ['integers', { id: t.int(), stored: [1, 2], isClear: true }],
  ['the largest integers that are exact', { id: t.int(), stored: [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER], isClear: true }],
  ['numbers with a fraction', { id: t.float(), stored: [0.5, 1.5], isClear: true }],
  ['texts of integers beyond 2^53', { id: t.string(), stored: ['9007199254740992', '9007199254740993'], isClear: true }],
  [
    'integers beyond 2^53',
    { id: t.int64(), stored: ['9007199254740992', '9007199254740993'].map((text) => Long.fromString(text)), isClear: false },
  ],
];

describe.each(kinds)('a live list whose ids are %s', (_what, { id, stored, isClear }) => {
  const Card = defineModel('Card', { collection: 'cards', fields: { id: id as ReturnType<typeof t.string>, title: t.string() } });

  const [first, second] = stored as readonly [never, never]; // of a type that the driver does not ask for

  it(`${isClear ? 'sends changes' : 'sends only whole pages'}, and shows in each client what GET does`, async () => {
    const desk = service();
    const api = desk.api({ db: database.db, resources: [desk.resource({ model: Card, ops: ['list', 'get'], live: true })] });
    const { port, request } = await serve(api.routes());
    const cards = database.db.collection<{ _id: never; title: string }>('cards');
    await cards.insertMany([
      { _id: first, title: 'a' },
      { _id: second, title: 'b' },
    ]);
    const stream = new LiveStream(port, '/cards');
    const client = live(`http://127.0.0.1:${port}/cards`, { onChange: () => undefined });
    open.push(stream, client);
    async function seesAll(): Promise<void> {
      const { body } = await request('GET', '/cards');
      await until(() => [stream.state, client.state].every((state) => JSON.stringify(state) === JSON.stringify(body)));
    }
    await seesAll();
    await cards.updateOne({ _id: first }, { $set: { title: 'A' } });
    await seesAll();
    await cards.deleteOne({ _id: first });
    await seesAll();
    await cards.insertOne({ _id: first, title: 'new' });
    await seesAll();
    expect(stream.events.map(({ event }) => event)).toEqual(['page', ...Array(3).fill(isClear ? 'change' : 'page')]);
  });
});
