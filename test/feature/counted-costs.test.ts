import { createHook } from 'node:async_hooks';
import Koa from 'koa';
import { BSON, type CommandSucceededEvent } from 'mongodb';
import { cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { StoredRecord } from '../../src/mongo/stored-record.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { RawClient } from '../support/http/raw-client.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string(),
    text: t.string(),
    secret: t.string({ policy: { private: true } }),
    part: t.object('Part', { shown: t.int(), hidden: t.string({ policy: { private: true } }) }),
    owner: t.string({ policy: { private: true, insert: false } }),
    revision: t.revision(),
  },
});

const database = useDatabase({ monitorCommands: true });
const listen = useListener();
const shown = (n: number) => ({ _id: `d${n}`, text: `Text ${n}`, part: { shown: n }, revision: 0 });
const large = 'x'.repeat(10_000);
/** How many more promises ours makes than the get by hand. Lower it when there are fewer. */
const mostPromises = 46;

/**
 * The same get by hand, to compare with: what Node, Koa and the driver themselves make differs between their versions.
 */
function buildByHand(): Koa {
  const app = new Koa();
  app.use(async (ctx) => {
    const { cursor } = await database.db.command({ find: 'docs', filter: { _id: 'd10', owner: 'ann' }, limit: 1 });
    ctx.body = { data: cursor.firstBatch[0]?.text };
  });
  return app;
}

let client: RawClient;
let byHand: RawClient;
beforeAll(async () => {
  const secrets = { secret: large, owner: 'ann' };
  const records = Array.from({ length: 40 }, (_, n) => ({ ...shown(n + 10), ...secrets, part: { shown: n + 10, hidden: large } }));
  await database.db.collection('docs').insertMany(records as never[]);
  const shop = service();
  const docs = shop.resource({ model: Doc, ops: ['list', 'get'], scope: () => ({ owner: 'ann' }), paging: cursorPaging({ max: 20 }) });
  const api = shop.api({ db: database.db, resources: [docs] });
  client = await RawClient.connect(await listen(api.callback()));
  byHand = await RawClient.connect(await listen(buildByHand().callback()));
});
afterAll(() => {
  client.socket.destroy();
  byHand.socket.destroy();
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function get(path: string, from = client): Promise<void> {
  await from.head(`GET ${path}`);
  expect((await from.answer())?.status).toBe(200);
}

/** The records of the replies that the database gives while something runs, as BSON bytes. */
async function receive(run: () => Promise<void>): Promise<unknown[]> {
  const found: unknown[] = [];
  const listener = ({ reply }: CommandSucceededEvent) => {
    found.push(...((reply as { readonly cursor?: { readonly firstBatch: unknown[] } }).cursor?.firstBatch ?? []));
  };
  database.client.on('commandSucceeded', listener);
  await run();
  database.client.off('commandSucceeded', listener);
  return found;
}

/**
 * How many async resources of each type a request makes: the least of some rounds, because heartbeats of the driver
 * only add to them.
 */
async function countResources(run: () => Promise<void>): Promise<(type: string) => number> {
  await run(); // the first request opens connections
  const rounds: Map<string, number>[] = [];
  const count = (_id: number, type: string) => {
    const counts = rounds.at(-1);
    counts?.set(type, (counts.get(type) ?? 0) + 1);
  };
  const hook = createHook({ init: count }).enable();
  for (let round = 0; round < 20; round++) {
    rounds.push(new Map());
    await run();
  }
  hook.disable();
  return (type) => Math.min(...rounds.map((counts) => counts.get(type) ?? 0));
}

const cases = [
  { name: 'get', path: '/docs/d10', first: 10, received: 1, decoded: 0 },
  { name: 'list', path: '/docs?limit=20', first: 10, received: 21, decoded: 0 }, // of the last one, only what the cursor needs
];

describe.each(cases)('a $name', ({ path, first, received, decoded }) => {
  it('receives the bytes of what clients may see, and none of a private field', async () => {
    const found = await receive(() => get(path));
    const visible = Array.from({ length: received }, (_, n) => Buffer.from(BSON.serialize(shown(n + first))));
    expect(found).toEqual(visible);
  });

  it(`decodes ${decoded} records`, async () => {
    const stored = jest.spyOn(StoredRecord.prototype, 'stored', 'get');
    await get(path);
    expect(new Set(stored.mock.contexts).size).toBe(decoded);
  });

  it('makes no timer of its own, and few promises', async () => {
    const ours = await countResources(() => get(path));
    const base = await countResources(() => get('/', byHand));
    expect(ours('Timeout')).toBeLessThanOrEqual(base('Timeout'));
    expect(ours('PROMISE') - base('PROMISE')).toBeLessThanOrEqual(mostPromises);
  });
});
