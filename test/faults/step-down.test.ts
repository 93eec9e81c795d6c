import { MongoClient } from 'mongodb';
import { defineModel, everything, service, t } from '../../src/index.ts';
import { expectHonest } from './parts/expect-honest.ts';
import { isBad, isGood, Load } from './parts/load.ts';
import { type Deployment, type Mongod, startMongods } from './parts/mongods.ts';
import { rounds } from './parts/random.ts';
import { Stage } from './parts/stage.ts';
import { makeApi } from './parts/things.ts';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startMongods(3);
});
afterEach(() => {
  for (const mongod of deployment.members) mongod.thaw();
});
afterAll(() => deployment.stop());

async function primaryOf({ admin, members }: Deployment): Promise<Mongod> {
  const { primary } = await admin.db('admin').command({ hello: 1 }, { readPreference: 'primary' });
  const found = members.find(({ host }) => host === primary);
  if (!found) throw new Error(`no member is the primary ${primary}`);
  return found;
}

/** Another for each election, also for one that the same member wins. */
async function electionOf({ admin }: Deployment): Promise<string> {
  const { electionId } = await admin.db('admin').command({ hello: 1 }, { readPreference: 'primary' });
  return String(electionId);
}

/** It hands over to a secondary that has everything; where none has yet, it answers with an error and stays. */
async function stepDown({ admin }: Deployment): Promise<void> {
  const before = await electionOf(deployment);
  while ((await electionOf(deployment)) === before) {
    await admin
      .db('admin')
      .command({ replSetStepDown: 3, secondaryCatchUpPeriodSecs: 2 })
      .catch(() => undefined);
  }
}

/** Resolves when a member has become a secondary; its set has no primary then, as the others stand still. */
async function untilSecondary({ host }: Mongod): Promise<void> {
  const client = await MongoClient.connect(`mongodb://${host}/?directConnection=true`);
  try {
    while (!(await client.db('admin').command({ hello: 1 })).secondary);
  } finally {
    await client.close();
  }
}

const faults: readonly [what: string, play: (load: Load) => Promise<void>, isElected?: boolean][] = [
  [
    'steps down',
    async (load) => {
      await stepDown(deployment);
      await load.until(60, isGood);
    },
  ],
  [
    'is killed, and comes back as a secondary',
    async (load) => {
      const primary = await primaryOf(deployment);
      await primary.kill();
      await load.until(60, isGood);
      await primary.restart();
      await load.until(60, isGood);
    },
  ],
  [
    'stands still until another is elected, and goes on believing in itself',
    async (load) => {
      const primary = await primaryOf(deployment);
      primary.freeze();
      await load.until(60, isGood);
      primary.thaw();
      await load.until(60, isGood);
    },
  ],
  [
    'loses its secondaries, and so the majority, for a time',
    async (load) => {
      const primary = await primaryOf(deployment);
      const secondaries = deployment.members.filter((mongod) => mongod !== primary);
      for (const mongod of secondaries) mongod.freeze();
      await load.until(20, isBad);
      for (const mongod of secondaries) mongod.thaw();
      await load.until(60, isGood);
    },
    false,
  ],
];

describe.each([true, false])('with retryWrites: %s, the primary of three under load', (retryWrites) => {
  it.each(faults)('%s', async (_what, play, isElected = true) => {
    const client = { retryWrites, heartbeatFrequencyMS: 500, minHeartbeatFrequencyMS: 50 };
    const stage = await Stage.open(deployment, { client, api: { maxTimeMS: 1_000 } });
    const load = await Load.start(stage, 16);
    for (let round = 0; round < rounds; round++) {
      await load.until(100, isGood);
      const before = await electionOf(deployment);
      await play(load);
      if (isElected) expect(await electionOf(deployment)).not.toBe(before);
    }
    await load.stop();
    // The driver's second try may save every write: what shows that the fault was one is the election.
    await expectHonest(stage, load, { isAnyLost: !isElected });
  });
});

it('a client that connects while the set of three has no primary is told of it at once, when it has waited for one in vain', async () => {
  const primary = await primaryOf(deployment);
  const stopped = deployment.members.filter((mongod) => mongod !== primary);
  for (const mongod of stopped) mongod.freeze();
  await untilSecondary(primary);
  const client = await deployment.connect({ readPreference: 'secondaryPreferred', heartbeatFrequencyMS: 500 });
  // Were a write to wait for as long as it may, the test would not end.
  const causes: unknown[] = [];
  const onError = ({ cause }: Error) => causes.push((cause as Error | undefined)?.name);
  const api = makeApi(client.db('late'), { maxTimeMS: 1_000_000, onError });
  const ask = (method: string, body?: object) => {
    const init = { method, ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }) };
    return api.fetch(new Request('http://in-process/things', init));
  };
  for (let count = 0; count < 20; count++) expect((await ask('POST', { id: 'x', token: '' })).status).toBe(503);
  expect(causes).toEqual(Array.from({ length: 20 }, () => 'DatabaseAway'));
  expect((await ask('GET')).status).toBe(200);
  for (const mongod of stopped) mongod.thaw();
  await electionOf(deployment);
  for (let status = 503; status === 503; ) {
    await new Promise(setImmediate); // answers that come at once would keep the driver from hearing of the new primary
    ({ status } = await ask('POST', { id: 'y', token: '' }));
  }
  expect(await client.db('late').collection('things').countDocuments({}, { readPreference: 'primary' })).toBe(1);
});

describe('a custom operation of the group `change`, when the primary steps down in its transaction', () => {
  const Order = defineModel('Order', {
    collection: 'orders',
    fields: { id: t.string({ policy: { insert: true } }), status: t.string({ default: 'open' }), revision: t.revision() },
  });
  const Entry = defineModel('Entry', { collection: 'entries', fields: { order: t.string(), was: t.string(), is: t.string() } });
  const shop = service();

  it.each([undefined, '"key"'])('is carried out once, with what is given for its group, and the key %s', async (key) => {
    const client = await deployment.connect({ heartbeatFrequencyMS: 500, minHeartbeatFrequencyMS: 50 });
    const db = client.db(`group_${key === undefined ? 'alone' : 'kept'}`);
    for (const name of ['orders', 'entries', 'idempotency_keys']) await db.createCollection(name);
    const line: string[] = [];
    const errors: unknown[] = [];
    const note = (what: string) => () => line.push(what) > 0;
    const api = shop.api({
      db,
      maxTimeMS: 60_000,
      requestTimeout: 120_000,
      ...(key && { idempotency: { principal: () => 'ann' } }),
      onError: (error) => errors.push(error),
      resources: [
        shop.resource({
          model: Order,
          ops: ['get', 'create'],
          operations: {
            send: {
              group: 'change',
              async handler(ctx) {
                line.push('handler');
                const order = await ctx.load();
                order.status = 'sent';
                return ctx.save(order);
              },
            },
          },
          guardsFor: { change: [note('guard')] },
          before: { change: [note('before')] },
          within: {
            change: [
              async (_ctx, { before, after, tx }) => {
                line.push('within');
                if (line.filter((one) => one === 'within').length === 1) await stepDown(deployment);
                await tx.store(Entry, { scope: everything }).create({ order: 'a', was: `${before?.status}`, is: `${after?.status}` });
              },
            ],
          },
          after: { change: [note('after')] },
        }),
      ],
    });
    const ask = (path: string, body: object) => {
      const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
      return api.fetch(new Request(`http://in-process/orders${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
    };
    await db.collection<{ _id: string }>('orders').insertOne({ _id: 'a', status: 'open', revision: 0 } as never);
    const answer = await ask('/a/send', {});
    const stored = async () => [
      await db
        .collection('entries')
        .find({}, { projection: { _id: 0 } })
        .toArray(),
      await db.collection('orders').find().toArray(),
    ];
    const once = [[{ order: 'a', was: 'open', is: 'sent' }], [{ _id: 'a', status: 'sent', revision: 1 }]];
    expect([answer.status, errors, line]).toEqual([200, [], ['guard', 'before', 'handler', 'within', 'handler', 'within', 'after']]);
    expect(await stored()).toEqual(once);
    if (key === undefined) return;
    line.length = 0;
    const again = await ask('/a/send', {});
    expect([again.status, await again.text()]).toEqual([200, await answer.text()]);
    expect([line, await stored()]).toEqual([['guard'], once]);
  });
});
