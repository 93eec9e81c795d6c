import { describe, expect, it, jest } from '@jest/globals';
import { ConfigurationError } from '../../src/index.ts';
import { checkTimeLimit, DeadlineExceeded, withDeadline } from '../../src/mongo/deadline.ts';

describe('withDeadline()', () => {
  it('gives what the command gives, and leaves no timer behind', async () => {
    jest.useFakeTimers();
    expect(await withDeadline(10, async () => 'done')).toBe('done');
    await expect(withDeadline(10, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await expect(
      withDeadline(10, () => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('ends a command that does not answer, a second after its limit, by the signal it was given', async () => {
    jest.useFakeTimers();
    let signal: AbortSignal | undefined;
    const command = withDeadline(500, (given) => {
      signal = given;
      return new Promise(() => undefined);
    });
    const ended = expect(command).rejects.toThrow(DeadlineExceeded);
    await jest.advanceTimersByTimeAsync(1499);
    expect(signal?.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(signal?.aborted).toBe(true);
    await ended;
    jest.useRealTimers();
  });
});

describe('checkTimeLimit()', () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31 - 1000, '5' as unknown as number])('refuses %p', (limit) => {
    expect(() => checkTimeLimit(limit)).toThrow(ConfigurationError);
  });

  it.each([1, 10_000, 2 ** 31 - 1001])('takes %p', (limit) => {
    expect(() => checkTimeLimit(limit)).not.toThrow();
  });
});
