import { setTimeout as wait } from 'node:timers/promises';
import { defineModel, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { useServer } from '../../support/http/serve.ts';
import { until } from '../../support/until.ts';

const Card = defineModel('Card', { collection: 'cards', fields: { at: t.float(), board: t.string() } });

const database = useDatabase();
const serve = useServer();
const open: LiveStream[] = [];
let writing = true;

beforeEach(() => {
  writing = true;
});

afterEach(async () => {
  writing = false;
  for (const stream of open.splice(0)) stream.close();
  await database.db.collection('cards').deleteMany({});
});

async function start(recheckEvery: number) {
  const users = new Set(['ann', 'slow']);
  let slowness: Promise<unknown> | undefined;
  const asked = new Map<string, number>();
  let waiting = 0;
  const board = service({
    authenticate: async (ctx) => {
      const name = ctx.get('authorization');
      asked.set(name, performance.now());
      if (name === 'slow' && slowness) {
        waiting++;
        await slowness;
      }
      return users.has(name) ? name : undefined;
    },
  });
  const cards = board.resource({ model: Card, guards: [(ctx) => ctx.principal !== undefined], live: true });
  const api = board.api({ db: database.db, resources: [cards], live: { recheckEvery } });
  const { port } = await serve(api.routes());
  return {
    users,
    /** When a caller was last asked for. */
    askedAt: (name: string) => asked.get(name) as number,
    /** How many answers `slowBy` has held up. */
    waiting: () => waiting,
    slowBy(promise: Promise<unknown> | undefined) {
      slowness = promise;
    },
    listen(name: string) {
      const stream = new LiveStream(port, '/cards?limit=100', { authorization: name });
      open.push(stream);
      return stream.opened();
    },
  };
}

/** Writes a card every 100 milliseconds, with the time of it. */
async function writeOn(): Promise<void> {
  while (writing) {
    await database.db.collection('cards').insertOne({ at: performance.now(), board: 'b' });
    await wait(100);
  }
}

const lastShown = ({ state }: LiveStream) => Math.max(0, ...(state?.data ?? []).map(({ at }: { at: number }) => at));
const codes = (streams: readonly LiveStream[]) => new Set(streams.map(({ last }) => last?.data.problem?.code));
const never = new Promise<never>(() => undefined);

it('a caller who has lost its rights is found out in time, whoever else is never answered for', async () => {
  const { users, slowBy, waiting, listen } = await start(1_000);
  await Promise.all(Array.from({ length: 15 }, () => listen('slow')));
  slowBy(never);
  await until(() => waiting() === 15);
  const ann = await listen('ann');
  const written = writeOn();
  users.delete('ann');
  const removed = performance.now();
  await ann.ended();
  expect(codes([ann])).toEqual(new Set(['forbidden']));
  expect(lastShown(ann)).toBeLessThan(removed + 2_000);
  writing = false;
  await written;
});

it('a stream whose caller is not asked for in time is shown nothing more, and ends with `overloaded`', async () => {
  const { askedAt, slowBy, listen } = await start(1_000);
  const streams = await Promise.all(Array.from({ length: 15 }, () => listen('slow')));
  const begun = askedAt('slow');
  slowBy(never);
  const written = writeOn();
  await Promise.all(streams.map((stream) => stream.ended()));
  expect(codes(streams)).toEqual(new Set(['overloaded']));
  for (const stream of streams) expect(lastShown(stream)).toBeLessThan(begun + 2_000);
  writing = false;
  await written;
});

it('a caller whose answer takes long is asked for so much earlier, so that its stream goes on', async () => {
  const { askedAt, slowBy, listen } = await start(3_000);
  const stream = await listen('slow');
  slowBy(wait(1_500));
  const first = askedAt('slow');
  await until(() => askedAt('slow') > first); // its answer is on its way
  for (const turn of [1, 2, 3]) {
    const before = askedAt('slow');
    slowBy(wait(3_000));
    await until(() => askedAt('slow') > before || stream.isEnded);
    expect([turn, stream.isEnded]).toEqual([turn, false]);
  }
});
