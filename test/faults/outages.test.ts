import { setMaxListeners } from 'node:events';
import { judge, summarize } from './judge.ts';
import { expectHonest } from './parts/expect-honest.ts';
import { newRecord } from './parts/failing-commands.ts';
import { isBad, isGood, Load } from './parts/load.ts';
import { type Deployment, failCommands, type Mongod, startMongods } from './parts/mongods.ts';
import { rounds } from './parts/random.ts';
import { flawOf, Stage, type StageOptions } from './parts/stage.ts';
import { makeWrite, writeNames } from './parts/things.ts';

const client = { heartbeatFrequencyMS: 500, minHeartbeatFrequencyMS: 50 };

let deployment: Deployment;
let mongod: Mongod;
beforeAll(async () => {
  deployment = await startMongods(1);
  mongod = deployment.members[0] as Mongod;
});
afterEach(() => mongod.thaw());
afterAll(() => deployment.stop());

const open = ({ client: more, api }: StageOptions = {}) =>
  Stage.open(deployment, { client: { ...client, ...more }, api: { maxTimeMS: 300, ...api } });

describe('a database that goes away under load', () => {
  it.each([true, false])('is killed and started again; with retryWrites: %s', async (retryWrites) => {
    const stage = await open({ client: { retryWrites } });
    const load = await Load.start(stage, 20);
    for (let round = 0; round < 2 * rounds; round++) {
      await load.until(150, isGood);
      await mongod.kill();
      await load.until(60, isBad);
      await mongod.restart();
      await mongod.untilPrimary();
    }
    await load.until(50, isGood);
    await load.stop();
    await expectHonest(stage, load);
  });

  it.each([true, false])('stands still and goes on, behind a pool of four connections; with retryWrites: %s', async (retryWrites) => {
    const stage = await open({ client: { retryWrites, maxPoolSize: 4 } });
    const load = await Load.start(stage, 20);
    for (let round = 0; round < 2 * rounds; round++) {
      await load.until(150, isGood);
      mongod.freeze();
      await load.until(40, isBad);
      mongod.thaw();
    }
    await load.until(50, isGood);
    await load.stop();
    await expectHonest(stage, load);
  });
});

describe('a database that stands still', () => {
  it.each([true, false])(
    'carries out no write that still waited for a connection when it was answered; with retryWrites: %s',
    async (retryWrites) => {
      const stage = await open({ client: { retryWrites, maxPoolSize: 4 } });
      const records = Array.from({ length: 40 }, newRecord);
      await stage.seed(...records);
      await Promise.all(records.map((record) => stage.ask({ method: 'GET', path: `/things/${record}` })));
      mongod.freeze();
      const answers = await Promise.all(records.map((record) => stage.ask(makeWrite('patch', record))));
      mongod.thaw();
      expect(answers.map(flawOf).filter(Boolean)).toEqual([]);
      const history = await stage.end();
      const { unknown, unknownAndApplied, refused } = summarize(history);
      expect([judge(history), unknown + refused]).toEqual([[], 40]);
      expect(unknownAndApplied).toBeLessThanOrEqual(4);
    },
  );

  it('has no more writes to carry out than `maxConcurrency` says, however many clients give up', async () => {
    const stage = await open({ api: { maxConcurrency: 20, maxTimeMS: 60_000 } });
    const records = Array.from({ length: 20 }, newRecord);
    await stage.seed(...records);
    mongod.freeze();
    const abandon = new AbortController();
    setMaxListeners(0, abandon.signal);
    const abandoned = records.map((record) => stage.ask(makeWrite('patch', record), abandon.signal));
    while (stage.received < records.length) await new Promise(setImmediate);
    abandon.abort();
    await Promise.all(abandoned);
    for (const record of records) {
      const { status, body } = await stage.ask(makeWrite('patch', record));
      expect([status, body.code]).toEqual([503, 'overloaded']);
    }
    mongod.thaw();
    const history = await stage.end();
    expect([judge(history), summarize(history).unknown]).toEqual([[], 20]);
  });
});

describe('a database that has been away for a while', () => {
  it('keeps no request waiting, sends none of their writes later, and serves again when it is back', async () => {
    // Were each of these to wait for as long as it may, the test would not end.
    const stage = await open({ api: { maxTimeMS: 60_000 } });
    const load = await Load.start(stage, 8);
    await load.until(50, isGood);
    await mongod.kill();
    await load.until(400, isBad);
    await mongod.restart();
    await mongod.untilPrimary();
    await load.until(50, isGood);
    await load.stop();
    await expectHonest(stage, load);
  });
});

describe('a command that takes longer than its time limit', () => {
  const names = ['find', 'aggregate', 'insert', 'findAndModify'];
  const reads = ['/authors', '/authors?total=true', '/things/r:1', '/things/r:1?include=author'];

  it.each([true, false])(
    'is 504: of a read its time limit, of a write that its outcome is unknown; with retryWrites: %s',
    async (retryWrites) => {
      const stage = await open({ client: { retryWrites }, api: { maxTimeMS: 500 } });
      const writes = writeNames.filter((write) => write !== 'checkedPut' && write !== 'stamp'); // these read first
      const asks = writes.map((write) => makeWrite(write, newRecord()));
      await stage.seed('r:1', ...asks.map(({ method, path, token }) => (method === 'DELETE' ? token : path.replace('/things/', ''))));
      const blocked = { failCommands: names, blockConnection: true, blockTimeMS: 2_000 };
      await failCommands(deployment, 'alwaysOn', blocked);
      const answers = await Promise.all([...reads.map((path) => stage.ask({ method: 'GET', path })), ...asks.map((ask) => stage.ask(ask))]);
      await failCommands(deployment, 'off');
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
        ...reads.map(() => [504, 'database_timeout']),
        ...asks.map(() => [504, 'write_outcome_unknown']),
      ]);
      expect(answers.map(flawOf).filter(Boolean)).toEqual([]);
      expect(judge(await stage.end())).toEqual([]);
    },
  );
});

describe('the commands of a request', () => {
  it.each(['include', 'a PUT that reads first'])('share one budget: %s', async (what) => {
    const stage = await open({ api: { maxTimeMS: 20_000 } });
    const record = newRecord();
    await stage.seed(record);
    const limits: unknown[] = [];
    stage.client.on('commandStarted', ({ commandName, command }) => {
      if (['find', 'aggregate', 'findAndModify'].includes(commandName)) limits.push(command.maxTimeMS);
    });
    await failCommands(deployment, 'alwaysOn', { failCommands: ['find', 'aggregate'], blockConnection: true, blockTimeMS: 500 });
    const ask = what === 'include' ? { method: 'GET', path: `/things/${record}?include=author` } : makeWrite('checkedPut', record);
    const { status } = await stage.ask(ask);
    await failCommands(deployment, 'off');
    expect([status, limits.length, limits[0]]).toEqual([200, 2, 20_000]);
    expect(limits[1]).toBeLessThanOrEqual(19_500);
  });
});
