import { ConfigurationError } from '../../../src/errors.ts';
import type { CommandPlan, FailedSending } from '../../../src/mongo/driver/command-plan.ts';
import type { Reachability } from '../../../src/mongo/driver/reachability.ts';
import { BudgetSpent, DatabaseAway, DeadlineExceeded } from '../../../src/mongo/driver/time-limit.ts';
import { type Command, Work } from '../../../src/mongo/driver/work.ts';
import { aTimeLimit, checkValue } from '../../../src/options.ts';

const reachable = { isAway: () => false, watch: () => undefined, forget: () => undefined } as unknown as Reachability;
const read: CommandPlan = { isWrite: false, need: 'any', maxTimeMS: 500, reachability: reachable, explain: (error) => error };
const write: CommandPlan = { ...read, isWrite: true, need: 'primary' };
const never = () => new Promise<never>(() => undefined);

/** A command that runs until it is aborted. */
function hang(work: Work, plan: CommandPlan): { readonly command: Command; readonly result: Promise<unknown> } {
  let command: Command | undefined;
  const result = work.run(plan, (given) => {
    command = given;
    return never();
  });
  result.catch(() => undefined);
  return { command: command as unknown as Command, result };
}

describe('Work', () => {
  it('gives what a command gives, and leaves no timer behind', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const work = new Work();
    expect(await work.run(read, async () => 'done')).toBe('done');
    await expect(work.run(read, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await jest.advanceTimersByTimeAsync(100);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('ends a command that does not answer, a second after its limit', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const { command, result } = hang(new Work(), read);
    await jest.advanceTimersByTimeAsync(1450);
    expect(command.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(150);
    expect(command.signal.aborted).toBe(true);
    await expect(result).rejects.toThrow(DeadlineExceeded);
    jest.useRealTimers();
  });

  it('lets all commands of a request share one budget, and counts those that run at the same time once', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const work = new Work();
    const wait = (ms: number) => work.run(read, () => new Promise((resolve) => setTimeout(resolve, ms))); // on the fake clock
    const both = Promise.all([wait(200), wait(200)]);
    await jest.advanceTimersByTimeAsync(200);
    await both;
    await jest.advanceTimersByTimeAsync(10_000); // a function of the user runs
    const limits: number[] = [];
    await work.run({ ...read, maxTimeMS: 9_000 }, async ({ maxTimeMS }) => void limits.push(maxTimeMS));
    expect(limits).toEqual([300]);
    const last = wait(300);
    await jest.advanceTimersByTimeAsync(300);
    await last;
    await expect(work.run(read, async () => 'too late')).rejects.toThrow(BudgetSpent);
    jest.useRealTimers();
  });

  it('begins its budget anew, also while a command runs, but not in a transaction', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    const work = new Work();
    const limits: number[] = [];
    const wait = (ms: number) =>
      work.run(read, (command) => {
        limits.push(command.maxTimeMS);
        return new Promise((resolve) => setTimeout(resolve, ms, undefined));
      });
    const advance = async (running: Promise<unknown>, ms: number) => {
      await jest.advanceTimersByTimeAsync(ms);
      await running;
    };
    await advance(wait(400), 400);
    work.renew();
    const running = wait(300);
    await jest.advanceTimersByTimeAsync(200);
    work.renew();
    await advance(Promise.all([running, wait(100)]), 100);
    work.transaction = { inTurn: (run: () => unknown) => run(), follow: () => undefined } as never;
    work.renew();
    await advance(wait(1), 1);
    expect(limits).toEqual([500, 500, 500, 400]);
    jest.useRealTimers();
  });

  it('ends reads when the client has gone, and lets writes go on', async () => {
    const work = new Work();
    const reading = hang(work, read);
    const writing = hang(work, write);
    const gone = new Error('gone');
    work.leave(gone);
    await expect(reading.result).rejects.toBe(gone);
    await expect(work.run(read, never)).rejects.toBe(gone);
    expect(writing.command.signal.aborted).toBe(false);
    expect(await work.run(write, async () => 'written')).toBe('written');
  });

  it('ends everything when the request is given up, and begins nothing', async () => {
    const work = new Work();
    const writing = hang(work, write);
    const reason = new Error('given up');
    work.giveUp(reason);
    await expect(writing.result).rejects.toBe(reason);
    await expect(work.run(write, never)).rejects.toBe(reason);
    expect(() => JSON.stringify((writing.command.handOver({ a: 1 }) as { toBSON?(): object }).toBSON?.())).toThrow(reason);
  });

  it('aborts the other calls of a command when one fails', async () => {
    let aborted = false;
    const failed = new Work().run(read, ({ signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return Promise.all([never(), Promise.reject(new Error('one'))]);
    });
    await expect(failed).rejects.toThrow('one');
    expect(aborted).toBe(true);
  });

  it('gives up a command that was not sent when the servers are away, and waits for the answer of a write that was', async () => {
    const work = new Work();
    const unsent = hang(work, write);
    const sent = hang(work, write);
    (sent.command.handOver({ a: 1 }) as { toBSON?(): object }).toBSON?.();
    for (const { command } of [unsent, sent]) command.giveUpOnServers();
    await expect(unsent.result).rejects.toThrow(DatabaseAway);
    expect([sent.command.signal.aborted, sent.command.handOvers, work.hasHandedOver]).toEqual([false, 1, true]);
  });

  it('is told at once that the database is away, and says so by its plan', async () => {
    const reachability = { ...reachable, isAway: () => true } as unknown as Reachability;
    const explain = (error: unknown, { handOvers }: FailedSending) => new Error(`${(error as Error).name} ${handOvers}`);
    await expect(new Work().run({ ...write, reachability, explain }, never)).rejects.toThrow('DatabaseAway 0');
  });
});

describe('handOver()', () => {
  it('leaves the document as it is, and counts only where it is written', () => {
    const { command } = hang(new Work(), write);
    const document = Object.freeze({ _id: 1, text: 'x' });
    const tracked = command.handOver(document);
    expect(Object.keys(tracked)).toEqual(['_id', 'text']);
    expect(command.handOvers).toBe(0);
    expect((tracked as { toBSON?(): object }).toBSON?.()).toBe(document);
    expect(command.handOvers).toBe(1);
  });
});

describe('aTimeLimit', () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31 - 1000, '5' as unknown as number])('refuses %o', (limit) => {
    expect(() => checkValue('`bodyTimeout`', limit, aTimeLimit)).toThrow(ConfigurationError);
  });

  it.each([1, 10_000, 2 ** 31 - 1001])('takes %o', (limit) => {
    expect(() => checkValue('`bodyTimeout`', limit, aTimeLimit)).not.toThrow();
  });
});
