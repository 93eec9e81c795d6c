import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, ObjectId } from 'mongodb';
import { Postponed } from '../../../src/queues/queue-options.ts';
import type { Any } from '../../support/any.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useQueue } from '../../support/database/queue.ts';
import { until } from '../../support/until.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const { rows, add, start } = useQueue(database);

function raise(): never {
  throw new Error('broken');
}

describe('a queue', () => {
  it('handles the rows of a line one after the other, in their order', async () => {
    const handled: number[] = [];
    await add([5, 3, 1, 4, 2].map((n) => ({ line: 'a', n })));
    start({ handle: async ({ n }) => void handled.push(n) });
    await until(async () => (await rows().countDocuments({ state: 'delivered' })) === 5);
    expect(handled).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('a lease', () => {
  it('is renewed while a row is handled, so that no other worker takes it', async () => {
    let count = 0;
    const handle = async () => {
      count++;
      const leasedUntil = async () => (await rows().findOne())?.lease.until.getTime();
      const first = await leasedUntil();
      await until(async () => (await leasedUntil()) > first + 3_000); // when it would have ended
    };
    await add([{ line: 'a', n: 1 }]);
    start({ handle, lease: 3_000 });
    start({ handle, lease: 3_000 });
    await until(async () => (await rows().countDocuments({ state: 'delivered' })) === 1);
    expect(count).toBe(1);
  });

  it('that another worker has taken aborts the signal, and its end has no effect', async () => {
    const told: Any[] = [];
    await add([{ line: 'a', n: 1 }]);
    const taken = new ObjectId();
    start({
      lease: 600,
      async handle(_row, { signal }) {
        await rows().updateOne(
          {},
          { $set: { lease: { token: taken, until: new Date(Date.now() + 60_000) }, dueAt: new Date(Date.now() + 60_000) } },
        );
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      observe: (what) => void told.push(what),
    });
    await until(() => told.length === 1);
    expect(told).toMatchObject([{ kind: 'lost', attempt: 1 }]);
    expect(await rows().findOne({})).toMatchObject({ state: 'pending', lease: { token: taken } });
  });

  it('of a worker that is gone ends, and another one goes on with the line', async () => {
    const past = new Date(Date.now() - 1_000);
    await add([
      { line: 'a', n: 1, attempts: 1, lease: { token: new ObjectId(), until: past }, dueAt: past },
      { line: 'a', n: 2, behind: true, dueAt: new Date(Date.now() + 3_600_000) },
      { line: 'b', n: 1, state: 'delivered', deliveredAt: past },
      { line: 'b', n: 2, behind: true, dueAt: past }, // the worker was gone before it could take the next one
    ]);
    const handled: string[] = [];
    start({ handle: async ({ line, n }, { attempt }) => void handled.push(`${line}${n} ${attempt}`) });
    await until(() => handled.length === 3);
    expect(handled.filter((one) => one.startsWith('a'))).toEqual(['a1 2', 'a2 1']);
    expect(handled).toContain('b2 1');
  });
});

describe('what has become of a row', () => {
  it('is written by a later attempt if the database refuses the first ones, and the row is handled once', async () => {
    const allow = (validator: object) => database.db.command({ collMod: 'rows', validator });
    let [handled, errors] = [0, 0];
    await add([{ line: 'a', n: 1 }]);
    await allow({ state: { $ne: 'delivered' } });
    start({ handle: async () => void handled++, observe: ({ kind }) => (kind === 'error' ? ++errors : undefined) });
    await until(() => errors >= 2);
    await allow({});
    await until(async () => (await rows().countDocuments({ state: 'delivered' })) === 1);
    expect([handled, await rows().findOne({})]).toEqual([1, expect.objectContaining({ attempts: 1 })]);
  });
});

describe('a line', () => {
  it('lets others have their turn, however many rows it has', async () => {
    await add(Array.from({ length: 300 }, (_, n) => ({ line: 'long', n })));
    const handled: string[] = [];
    start({ concurrency: 1, handle: async ({ line }) => void handled.push(line) });
    await until(() => handled.length > 0);
    await add([{ line: 'short', n: 1 }]);
    await until(async () => (await rows().countDocuments({ state: 'delivered' })) === 301);
    expect(handled.indexOf('short')).toBeLessThan(300);
  });

  it('is shared by no two workers, each of which gets some of the others', async () => {
    const lines = Array.from({ length: 40 }, (_, line) => line);
    await add(lines.flatMap((line) => [1, 2, 3].map((n) => ({ line, n }))));
    const [first, second]: [number, number][][] = [[], []];
    const handle =
      (own: [number, number][]) =>
      async ({ line, n }: Any) => {
        own.push([line, n]);
        await delay(5);
      };
    start({ concurrency: 3, handle: handle(first as [number, number][]) });
    start({ concurrency: 3, handle: handle(second as [number, number][]) });
    await until(async () => (await rows().countDocuments({ state: 'delivered' })) === 120);
    const all = [...(first ?? []), ...(second ?? [])];
    expect(all).toHaveLength(120);
    expect(first?.length).toBeGreaterThan(0);
    expect(second?.length).toBeGreaterThan(0);
  });
});

describe('a failure', () => {
  it.each<[what: string, thrown: unknown, text: string]>([
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a symbol', Symbol('a'), 'Symbol(a)'],
    ['what has no text', Object.create(null), 'An error without a text.'],
    ['an error whose message is none', Object.assign(new Error(), { message: { code: 1 } }), '[object Object]'],
    ['a proxy that answers nothing', new Proxy({}, { get: () => raise() }), 'An error without a text.'],
  ])('may be %s', async (_what, thrown, text) => {
    await add([{ line: 'a', n: 1 }]);
    start({
      retry: { for: 0 },
      async handle() {
        throw thrown;
      },
    });
    await until(async () => (await rows().countDocuments({ state: 'dead' })) === 1);
    expect(await rows().findOne({})).toMatchObject({ attempts: 1, lastError: text });
  });

  it('is the first attempt of a row that had to wait before', async () => {
    await add([{ line: 'a', n: 1 }]);
    const told: Any[] = [];
    let calls = 0;
    start({
      retry: { first: 60_000, for: 60_000 },
      async handle() {
        if (calls++ === 0) {
          await rows().updateOne({}, { $set: { triedAt: new Date(Date.now() - 3_600_000) } }); // as if it had waited for an hour
          throw new Postponed(1);
        }
        throw new Error('not yet');
      },
      observe: (what) => void told.push(what),
    });
    await until(() => told.length === 1);
    expect(told).toMatchObject([{ kind: 'failed', attempt: 1 }]);
  });
});

describe('what is told', () => {
  it.each<[how: string, observe: () => unknown]>([
    ['throws', () => raise()],
    ['rejects', async () => raise()],
  ])('stops no queue if `observe` %s', async (_how, observe) => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await add([1, 2, 3].map((n) => ({ line: 'a', n })));
    start({ handle: async () => undefined, observe });
    await until(async () => (await rows().countDocuments({ state: 'delivered' })) === 3);
    await until(() => warn.mock.calls.length === 3);
    expect(warn.mock.calls[0]?.[0]).toBe('`observe` of a delivery has failed: broken');
    warn.mockRestore();
  });
});

describe('an idle queue', () => {
  it('sends one command for each look, and no write', async () => {
    start({ handle: async () => undefined });
    await until(() => commands.names.includes('aggregate')); // the change stream is open
    await until(() => commands.names.includes('find'));
    commands.clear();
    await until(() => commands.names.filter((name) => name === 'find').length === 5);
    expect(commands.names.filter((name) => !['find', 'getMore', 'ping', 'aggregate', 'endSessions'].includes(name))).toEqual([]);
  });
});

it('a worker that is closed while it takes a row asks no more, whatever the handler of the row does', async () => {
  await add([{ line: 'a', n: 1 }]);
  const client = await MongoClient.connect(process.env.MONGODB_URI ?? '', { monitorCommands: true });
  const handling: { end?: () => void } = {};
  let closing: Promise<void> | undefined;
  let errors = 0;
  client.on('commandStarted', ({ commandName }) => {
    if (commandName === 'findAndModify') closing ??= queue.close(0);
  });
  const queue = start({
    db: client.db(database.db.databaseName),
    handle: () =>
      new Promise<void>((resolve) => {
        handling.end = resolve;
      }),
    observe: ({ kind }) => (kind === 'error' ? ++errors : undefined),
  });
  await until(() => handling.end !== undefined);
  await closing;
  await client.close();
  handling.end?.();
  await until(() => errors > 0);
  await delay(500); // in which it would have tried several times: no event tells that it does not
  expect(errors).toBe(1);
});
