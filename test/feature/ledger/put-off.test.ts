import { setTimeout as delay } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { openLetters } from '../../../src/queues/letters.ts';
import { Postponed } from '../../../src/queues/queue-options.ts';
import { QueueRows } from '../../../src/queues/queue-rows.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useQueue } from '../../support/database/queue.ts';
import { until } from '../../support/until.ts';

const database = useDatabase();
const { rows, add, start } = useQueue(database);
afterEach(() => jest.restoreAllMocks());

/** Has the first call of a command wait: before it is sent, or with its answer. */
function holdFirst(name: 'claim' | 'park' | 'giveBack' | 'deliver', what: 'command' | 'answer') {
  let arrive: () => void;
  let release = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const send = QueueRows.prototype[name] as (...given: unknown[]) => Promise<unknown>;
  jest.spyOn(QueueRows.prototype, name).mockImplementationOnce(async function (this: QueueRows<never>, ...given: unknown[]) {
    const answer = what === 'answer' ? await send.apply(this, given) : undefined;
    arrive();
    await released;
    return (what === 'answer' ? answer : await send.apply(this, given)) as never;
  });
  return { arrived, release };
}

const inAnHour = () => new Date(Date.now() + 3_600_000);
const token = new ObjectId();

/** A row that waits behind one that another worker has. */
const addBehindAnother = () =>
  add([
    { _id: 1, line: 'a', n: 1, attempts: 1, lease: { token, until: inAnHour() }, dueAt: inAnHour() },
    { _id: 2, line: 'a', n: 2 },
  ]);

/** In milliseconds: nothing here may wait for its end. */
const lease = 3_600_000;

function useHandled() {
  const handled: number[] = [];
  return { handled, handle: async ({ n }: { readonly n: number }) => void handled.push(n) };
}

describe('a row that was put off is handled at once when it has become the first of its line', () => {
  it('because another worker has delivered the one before it meanwhile', async () => {
    await addBehindAnother();
    const park = holdFirst('park', 'command');
    const { handled, handle } = useHandled();
    start({ handle, lease });
    await park.arrived;
    await rows().updateOne({ _id: 1 }, { $set: { state: 'delivered', deliveredAt: new Date() } });
    park.release();
    await until(() => handled.length === 1);
    expect(handled).toEqual([2]);
  });

  it('because it was the first already, and this worker was told that it could not have it', async () => {
    await addBehindAnother();
    const claim = holdFirst('claim', 'answer');
    const { handled, handle } = useHandled();
    start({ handle, lease });
    await claim.arrived;
    await rows().updateOne({ _id: 1 }, { $set: { dueAt: new Date(0) }, $unset: { lease: true } }); // given back
    await until(async () => (await rows().findOne({ _id: 1 }))?.behind === true);
    claim.release();
    await until(() => handled.length === 2);
    expect(handled).toEqual([1, 2]);
  });

  it('because it was given back for a moment, and found before this worker had left the line', async () => {
    await add([{ _id: 1, line: 'a', n: 1 }]);
    const giveBack = holdFirst('giveBack', 'answer');
    const handled: number[] = [];
    start({
      lease,
      async handle({ n }) {
        if (handled.push(n) === 1) throw new Postponed(1);
      },
    });
    await giveBack.arrived;
    await until(async () => (await rows().findOne({ _id: 1 }))?.behind === true);
    giveBack.release();
    await until(() => handled.length === 2);
    expect(handled).toEqual([1, 1]);
  });

  it.each(['claim', 'park', 'pass'] as const)('although a `%s` is not answered, for once', async (name) => {
    await addBehindAnother();
    const first = name === 'claim' ? holdFirst('park', 'command') : holdFirst('claim', 'answer');
    const send = QueueRows.prototype[name] as (...given: unknown[]) => Promise<unknown>;
    const { handled, handle } = useHandled();
    const told: unknown[] = [];
    start({ handle, lease, observe: (what) => void (what.kind === 'error' && told.push(what.error)) });
    await first.arrived;
    await rows().updateOne({ _id: 1 }, { $set: { state: 'delivered', deliveredAt: new Date() } });
    const lost = new Error('The answer is lost.');
    let isLost = false;
    jest.spyOn(QueueRows.prototype, name).mockImplementation(async function (this: QueueRows<never>, ...given: unknown[]) {
      const answer = name === 'claim' && !isLost ? undefined : await send.apply(this, given); // a claim would have a lease
      if (isLost) return answer as never;
      isLost = true;
      throw lost;
    });
    first.release();
    await until(() => handled.length === 1);
    expect([handled, told]).toEqual([[2], [lost]]);
  });
});

describe('a line whose worker has died between two of its rows goes on when a lease would have ended', () => {
  const short = 300;
  const letters = () => openLetters({ db: database.db, collection: 'rows', line: ['line'], sequence: 'n' });
  const line = (count: number, first: object = {}) =>
    add(Array.from({ length: count }, (_, at) => ({ _id: at + 1, line: 'a', n: at + 1, ...(at === 0 && first) })));

  /** A worker that does no more than note that it has delivered a row. */
  async function dieAfter(last: number, meanwhile: () => unknown = () => undefined): Promise<() => void> {
    const died = await new Promise<ReturnType<typeof holdFirst>>((resolve) => {
      start({
        lease: short,
        concurrency: 1,
        async handle({ n }) {
          if (n !== last) return;
          await meanwhile();
          resolve(holdFirst('deliver', 'answer'));
        },
      });
    });
    await died.arrived;
    return died.release;
  }

  /** The rows that a worker gets which lives. */
  async function goOnUntil(last: number): Promise<number[]> {
    const { handled, handle } = useHandled();
    start({ lease: short, handle });
    await until(() => handled.includes(last));
    return handled;
  }

  /** Has a worker look at a line that a dead letter stops. */
  async function lookAt(waiting: number): Promise<void> {
    const looking = start({ lease: short, handle: async () => undefined });
    await until(async () => (await rows().countDocuments({ behind: true })) === waiting);
    await looking.close();
  }

  it('also behind a dead letter that was released', async () => {
    await line(3, { state: 'dead' });
    await lookAt(2);
    await letters().release();
    const release = await dieAfter(1);
    expect(await goOnUntil(3)).toEqual([2, 3]);
    release();
  });

  it('also behind a dead letter that was skipped', async () => {
    await line(4, { state: 'dead' });
    await lookAt(3);
    await letters().skip(1);
    const release = await dieAfter(2);
    expect(await goOnUntil(4)).toEqual([3, 4]);
    release();
  });

  it('also if those who skip a dead letter die before they have said that the line goes on', async () => {
    await line(3, { state: 'dead' });
    await lookAt(2);
    await letters().skip(1);
    expect((await rows().findOne({ _id: 3 }))?.dueAt.getTime()).toBeLessThan(Date.now() + 60_000);
  });

  it('also if another worker knows of a dead letter only, which was released meanwhile', async () => {
    await line(2, { state: 'dead' });
    const { handled, handle } = useHandled();
    const park = holdFirst('park', 'command');
    start({ lease: short, handle });
    await park.arrived;
    await letters().release();
    const release = await dieAfter(1, async () => {
      await rows().updateOne({ _id: 2 }, { $unset: { behind: true, dueAt: true } });
      park.release();
      await until(async () => (await rows().findOne({ _id: 2 }))?.behind === true);
    });
    await until(() => handled.length === 1);
    expect(handled).toEqual([2]);
    release();
  });

  it('also if only the last of many rows is left', async () => {
    await line(300);
    const release = await dieAfter(299);
    expect(await goOnUntil(300)).toEqual([300]);
    release();
  });
});

it('a row whose handler fails has the pause of its own, also if it was put off when its lease was over', async () => {
  await add([{ _id: 1, line: 'a', n: 1 }]);
  start({
    async handle() {
      await rows().updateOne({ _id: 1 }, { $set: { behind: true } });
      throw new Error('broken');
    },
    lease,
    retry: { first: 3_600_000 },
  });
  await until(async () => (await rows().findOne({ _id: 1 }))?.lastError !== undefined);
  expect(await rows().findOne({ _id: 1 })).not.toHaveProperty('behind');
});

it('to skip a dead letter takes the next row from nobody who has it already', async () => {
  const dueAt = inAnHour();
  await add([
    { _id: 1, line: 'a', n: 1, state: 'dead' },
    { _id: 2, line: 'a', n: 2, attempts: 1, lease: { token, until: dueAt }, dueAt },
  ]);
  expect(await openLetters({ db: database.db, collection: 'rows', line: ['line'], sequence: 'n' }).skip(1)).toBe(true);
  expect(await rows().findOne({ _id: 2 })).toMatchObject({ lease: { token }, dueAt });
});

it('a worker that is closed asks no more, also about a line in which it has put off a row', async () => {
  await add([{ _id: 1, line: 'a', n: 1 }]);
  const claim = holdFirst('claim', 'command');
  const handling: { end?: () => void } = {};
  const told: string[] = [];
  const queue = start({
    lease,
    handle: () =>
      new Promise<void>((resolve) => {
        handling.end = resolve;
      }),
    observe: ({ kind }) => told.push(kind),
  });
  await claim.arrived;
  await until(async () => (await rows().findOne({ _id: 1 }))?.behind === true);
  claim.release();
  await until(() => handling.end !== undefined);
  await queue.close(0);
  const pass = jest.spyOn(QueueRows.prototype, 'pass');
  handling.end?.();
  await until(() => told.length > 0);
  await delay(100); // in which it would have asked: no event tells that it does not
  expect([told, pass.mock.calls]).toEqual([['lost'], []]);
});
