import { setTimeout as wait } from 'node:timers/promises';
import { defineModel, service, t } from '../../../src/index.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { useServer } from '../../support/http/serve.ts';
import { until } from '../../support/until.ts';

const Card = defineModel('Card', { collection: 'cards', fields: { id: t.int({ policy: { insert: true } }), title: t.string() } });

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const serve = useServer();
const open: LiveStream[] = [];

afterEach(async () => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  for (const stream of open.splice(0)) stream.close();
  await database.db.collection('cards').deleteMany({});
});

async function start() {
  let asked = 0;
  const board = service({ authenticate: () => ++asked });
  const api = board.api({ db: database.db, resources: [board.resource({ model: Card, live: true })] });
  const { port, request } = await serve(api.routes());
  return {
    api,
    request,
    asked: () => asked,
    listen(count = 1) {
      const streams = Array.from({ length: count }, () => new LiveStream(port, '/cards'));
      open.push(...streams);
      return Promise.all(streams.map((stream) => stream.opened()));
    },
  };
}

/** Replaces intervals alone: connections and the database need the other timers. */
function replaceIntervals(): void {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'requestAnimationFrame',
      'cancelAnimationFrame',
      'requestIdleCallback',
      'cancelIdleCallback',
      'setImmediate',
      'clearImmediate',
      'setTimeout',
      'clearTimeout',
    ],
  });
}

/** The delays of the timers that are set from now on. */
function delays(): () => number[] {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  return () => timers.mock.calls.map(([, ms]) => ms as number);
}

describe('a live list to which nothing happens', () => {
  it('sends a comment every 15 seconds', async () => {
    const { listen } = await start();
    replaceIntervals();
    const [stream] = await listen();
    jest.advanceTimersByTime(14_999);
    await wait(50);
    expect(stream?.comments).toEqual([]);
    for (const count of [1, 2, 3]) {
      jest.advanceTimersByTime(count === 1 ? 1 : 15_000);
      await until(() => stream?.comments.length === count);
    }
    expect(stream?.events).toHaveLength(1);
  });
});

it('each client is told another time after which it connects again, of one to five seconds', async () => {
  const { listen } = await start();
  const times = (await listen(8)).map(({ retry }) => retry as number);
  expect(times.filter((time) => !(time >= 1_000 && time < 5_000))).toEqual([]);
  expect(new Set(times).size).toBeGreaterThan(1);
});

it('each caller is asked again at another time, within a minute or up to a tenth less', async () => {
  const { listen } = await start();
  const set = delays();
  const streams = await listen(8);
  const pauses = set().filter((ms) => ms > 53_000 && ms < 60_000); // counted from the question, which came before the first page
  expect([pauses.length, new Set(pauses).size]).toEqual([streams.length, streams.length]);
});

it('each stream lasts another time, of 15 minutes or up to a tenth less', async () => {
  const { listen } = await start();
  const set = delays();
  const streams = await listen(8);
  const ages = set().filter((ms) => ms > 600_000);
  expect(ages.filter((ms) => !(ms > 810_000 - 1 && ms <= 900_000))).toEqual([]);
  expect([ages.length, new Set(ages).size]).toEqual([streams.length, streams.length]);
});

it('`api.close` ends each stream at a random moment, within as many milliseconds as there are streams', async () => {
  const { api, listen } = await start();
  const streams = await listen(24);
  const set = delays();
  jest.spyOn(Math, 'random').mockReturnValue(0.777);
  await api.close();
  await Promise.all(streams.map((stream) => stream.ended()));
  expect(set().filter((ms) => ms === 24 * 0.777)).toHaveLength(24);
  expect(new Set(streams.map(({ last }) => last?.data.problem.code))).toEqual(new Set(['shutting_down']));
});

it('a list that changes all the time is read every 250 milliseconds at most, and is in step in the end', async () => {
  const { listen, request } = await start();
  const [stream] = await listen();
  commands.clear();
  const begun = performance.now();
  for (let id = 0; performance.now() - begun < 1_500; id++) await request('POST', '/cards', { body: { id, title: 'x' } });
  const reads = commands.names.filter((name) => name === 'find').length;
  expect([reads > 0, reads <= (performance.now() - begun) / 250 + 2]).toEqual([true, true]); // one of a change before, and one at once
  const { body } = await request('GET', '/cards');
  await stream?.sees((state) => JSON.stringify(state) === JSON.stringify(body));
});
